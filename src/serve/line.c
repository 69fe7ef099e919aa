/* Sockets: addresses, connection, reading and writing. A signal or the time limit ends any waiting. */
#include "line.h"

#include "hf/interruption.h"
#include "hf/timer.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/** A driver that is started together with hf must listen within this time. */
static const double MOST_SECONDS_TO_LISTEN = 10.0;
enum { LOOK_MILLISECONDS = 50 }; /* between checks for signals */
enum { MOST_PORT = 65535 };      /* larger numbers would be taken modulo 65536 */

/** An address in its parts. */
struct place {
    struct sockaddr_un local; /**< address of a Unix socket; sun_family is AF_UNSPEC for TCP */
    char host[256], port[8];
};

static hf_status read_local(const char *name, struct place *place, struct hf_error *error)
{
    char *path = place->local.sun_path;
    const size_t most = sizeof place->local.sun_path;
    const int n = snprintf(path, most, "%s%s", strchr(name, '/') != NULL ? "" : "/tmp/ipi_", name);
    place->local.sun_family = AF_UNIX;
    if (name[0] == '\0') return hf_fail(error, HF_BAD_INPUT, "unix: needs the name of a socket");
    if ((size_t)n >= most)
        return hf_fail(error, HF_BAD_INPUT,
                       "the name of a Unix socket has at most %zu bytes: %.200s", most - 1, name);
    return HF_OK;
}

static hf_status read_place(const char *address, struct place *place, struct hf_error *error)
{
    *place = (struct place){.local = {.sun_family = AF_UNSPEC}};
    if (strncmp(address, "unix:", 5) == 0) return read_local(address + 5, place, error);
    const char *host = strncmp(address, "tcp:", 4) == 0 ? address + 4 : address;
    const char *port = strrchr(host, ':');
    size_t n_host = port != NULL ? (size_t)(port - host) : 0;
    const size_t n_port = port != NULL ? strlen(port + 1) : 0;
    if (n_host > 2 && host[0] == '[' && host[n_host - 1] == ']') { /* IPv6 */
        host++;
        n_host -= 2;
    }
    if (n_host == 0 || n_host >= sizeof place->host || n_port == 0 || n_port > 5 ||
        strspn(port + 1, "0123456789") != n_port)
        return hf_fail(error, HF_BAD_INPUT,
                       "'%.200s' is no address; expected unix:NAME or HOST:PORT", address);
    if (atoi(port + 1) < 1 || atoi(port + 1) > MOST_PORT)
        return hf_fail(error, HF_BAD_INPUT, "'%.200s': port %s is out of range; expected 1 to %d",
                       address, port + 1, MOST_PORT);
    memcpy(place->host, host, n_host);
    memcpy(place->port, port + 1, n_port);
    return HF_OK;
}

hf_status hf_line_check(const char *address, struct hf_error *error)
{
    struct place place;
    return read_place(address, &place, error);
}

static bool is_here(const struct sockaddr *address)
{
    const struct sockaddr_in *four = (const void *)address;
    const struct sockaddr_in6 *six = (const void *)address;
    if (address->sa_family == AF_INET) return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/** Connects a socket to an address; -1: failed, errno has the reason. */
static int try_one(int family, const struct sockaddr *address, socklen_t n_bytes)
{
    const int one = 1, made = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) return -1;
    if (connect(made, address, n_bytes) != 0) {
        const int reason = errno;
        close(made);
        errno = reason;
        return -1;
    }
    if (family != AF_UNIX) setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(made, F_SETFL, fcntl(made, F_GETFL) | O_NONBLOCK);
    return made;
}

/** The same for the addresses of a host. HF_BAD_INPUT: there is none, or the host is not this one and not `remote`. */
static hf_status try_host(struct hf_line *line, const struct place *place, bool remote,
                          struct hf_error *error)
{
    struct addrinfo *found = NULL;
    const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const int failure = getaddrinfo(place->host, place->port, &wanted, &found);
    hf_status status = HF_OK;
    if (failure != 0)
        return hf_fail(error, HF_BAD_INPUT, "%s: %s", line->address, gai_strerror(failure));
    for (const struct addrinfo *at = found; at != NULL && line->socket < 0 && status == HF_OK;
         at = at->ai_next) {
        if (remote || is_here(at->ai_addr))
            line->socket = try_one(at->ai_family, at->ai_addr, at->ai_addrlen);
        else
            status = hf_fail(error, HF_BAD_INPUT,
                             "%s is another host, to which nothing is sent without --serve-remote",
                             line->address);
    }
    const int reason = errno;
    freeaddrinfo(found);
    errno = reason;
    return status;
}

hf_status hf_line_open(struct hf_line *line, bool remote, struct hf_error *error)
{
    struct place place;
    const double began = hf_wall_seconds();
    line->socket = -1;
    hf_status status = read_place(line->address, &place, error);
    while (status == HF_OK) {
        if (place.local.sun_family == AF_UNIX)
            line->socket = try_one(AF_UNIX, (const void *)&place.local, sizeof place.local);
        else
            status = try_host(line, &place, remote, error);
        if (status != HF_OK || line->socket >= 0) break;
        const int reason = errno, asked = hf_interruption_ask(line->context->interruption);
        if (asked != 0) return hf_interrupted(error, asked);
        if (hf_wall_seconds() - began > MOST_SECONDS_TO_LISTEN)
            return hf_fail(error, HF_NO_RESOURCE, "%s: no driver listens there: %s", line->address,
                           strerror(reason));
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * LOOK_MILLISECONDS}, NULL);
    }
    return status;
}

/** Waits until the socket can be used, or has failed. */
static hf_status wait_for(struct hf_line *line, short events, struct hf_error *error)
{
    struct pollfd ready = {.fd = line->socket, .events = events};
    while (poll(&ready, 1, LOOK_MILLISECONDS) <= 0) {
        const int asked = hf_interruption_ask(line->context->interruption);
        if (asked != 0) return hf_interrupted(error, asked);
    }
    return HF_OK;
}

static bool in_vain(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

hf_status hf_line_read(struct hf_line *line, size_t n, void *bytes, bool *closed,
                       struct hf_error *error)
{
    for (size_t done = 0; done < n;) {
        HF_CHECK(wait_for(line, POLLIN, error));
        const ssize_t got = recv(line->socket, (char *)bytes + done, n - done, 0);
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 && done == 0 && closed != NULL) {
            *closed = true;
            return HF_OK;
        } else if (got == 0 || !in_vain()) {
            return hf_fail(error, HF_NO_RESOURCE, "%s: the connection broke in a message: %s",
                           line->address, got == 0 ? "the driver closed it" : strerror(errno));
        }
    }
    return HF_OK;
}

hf_status hf_line_write(struct hf_line *line, size_t n, const void *bytes, struct hf_error *error)
{
    for (size_t done = 0; done < n;) {
        HF_CHECK(wait_for(line, POLLOUT, error));
        const ssize_t sent = send(line->socket, (const char *)bytes + done, n - done, MSG_NOSIGNAL);
        if (sent > 0) done += (size_t)sent;
        if (sent < 0 && !in_vain())
            return hf_fail(error, HF_NO_RESOURCE, "%s: the connection broke: %s", line->address,
                           strerror(errno));
    }
    return HF_OK;
}

void hf_line_close(struct hf_line *line)
{
    if (line->socket >= 0) close(line->socket);
    line->socket = -1;
}
