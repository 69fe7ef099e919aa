/* Text files: read by rank 0, checked to be text, given to all ranks, cut into lines. */
#include "text/text.h"

#include "hf/interruption.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Larger files are certainly no input of this program. */
enum { MIB = 1 << 20, MAX_MIB = 64 };
enum { LOOK_MILLISECONDS = 50 }; /* between looks for signals, while standard input has nothing */

hf_status hf_text_fail(struct hf_error *error, const struct hf_text *text, int line,
                       const char *format, ...)
{
    char what[900];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (line <= 0) return hf_fail(error, HF_BAD_INPUT, "%s: %s", text->path, what);
    return hf_fail(error, HF_BAD_INPUT, "%s, line %d: %s", text->path, line, what);
}

void hf_text_done(struct hf_text *text)
{
    free(text->path);
    free(text->line);
    free(text->content);
    *text = (struct hf_text){0};
}

int hf_text_skip_blank(const struct hf_text *text, int line)
{
    while (line < text->n_line && hf_rest_of_line(text->line[line]).length == 0) line++;
    return line;
}

/** Bytes of the mark that some editors put in front of UTF-8. */
static size_t mark_length(const char *bytes, size_t n_byte)
{
    return n_byte >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/** UTF-16 with its mark, or without: every second byte of the first letters is a NUL. */
static bool is_utf16(const unsigned char *byte, size_t n_byte)
{
    if (n_byte < 2) return false;
    if ((byte[0] == 0xff && byte[1] == 0xfe) || (byte[0] == 0xfe && byte[1] == 0xff)) return true;
    if (n_byte < 4) return false;
    const bool little = byte[0] != 0 && byte[1] == 0 && byte[2] != 0 && byte[3] == 0;
    return little || (byte[0] == 0 && byte[1] != 0 && byte[2] == 0 && byte[3] != 0);
}

/** Whether the bytes are text, and if not, why. UTF-8 and the old 8-bit sets pass. */
static hf_status check_bytes(const char *path, const char *bytes, size_t n_byte,
                             struct hf_error *error)
{
    const unsigned char *byte = (const unsigned char *)bytes;
    bool blank = true;
    if (is_utf16(byte, n_byte))
        return hf_fail(error, HF_BAD_INPUT, "%s: is UTF-16; save it as plain text (UTF-8)", path);
    for (size_t i = mark_length(bytes, n_byte); i < n_byte; i++) {
        const bool white = byte[i] == ' ' || (byte[i] >= '\t' && byte[i] <= '\r');
        if ((byte[i] < ' ' && !white) || byte[i] == 0x7f)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: is not a text file (byte %zu has the value %d)", path, i + 1,
                           byte[i]);
        blank = blank && white;
    }
    if (blank) return hf_fail(error, HF_BAD_INPUT, "%s: the file is empty", path);
    return HF_OK;
}

/** Opens a regular file and tells its size; *file is -1 on failure. */
static hf_status open_regular(const char *path, int *file, size_t *n_byte, struct hf_error *error)
{
    struct stat about;
    *file = -1;
    if (stat(path, &about) != 0)
        return hf_fail(error, HF_BAD_INPUT, "%s: %s", path,
                       errno == ENOENT ? "there is no such file" : strerror(errno));
    if (S_ISDIR(about.st_mode))
        return hf_fail(error, HF_BAD_INPUT, "%s: is a directory, not a file", path);
    if (!S_ISREG(about.st_mode))
        return hf_fail(error, HF_BAD_INPUT, "%s: is not a regular file", path);
    if (about.st_size == 0) return hf_fail(error, HF_BAD_INPUT, "%s: the file is empty", path);
    if (about.st_size / MIB >= MAX_MIB)
        return hf_fail(error, HF_BAD_INPUT, "%s: %lld MiB are too large for an input (at most %d)",
                       path, (long long)about.st_size / MIB, MAX_MIB);
    *file = open(path, O_RDONLY);
    if (*file < 0) return hf_fail(error, HF_BAD_INPUT, "%s: %s", path, strerror(errno));
    *n_byte = (size_t)about.st_size;
    return HF_OK;
}

/** Content of a file with a NUL behind it. */
static hf_status read_file(const char *path, char **content, size_t *n_byte, struct hf_error *error)
{
    hf_status status = HF_OK;
    char *bytes = NULL;
    int file = -1;
    size_t size = 0, n_read = 0;
    HF_TRY(open_regular(path, &file, &size, error));
    bytes = malloc(size + 1);
    if (bytes == NULL) HF_TRY(hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", path));
    while (n_read < size) {
        const ssize_t got = read(file, bytes + n_read, size - n_read);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) HF_TRY(hf_fail(error, HF_BAD_INPUT, "%s: %s", path, strerror(errno)));
        if (got == 0) break;
        n_read += (size_t)got;
    }
    HF_TRY(check_bytes(path, bytes, n_read, error));
    bytes[n_read] = '\0';
    *content = bytes;
    *n_byte = n_read;
    bytes = NULL;
cleanup:
    if (file >= 0) close(file);
    free(bytes);
    return status;
}

/** Ends lines with NULs; with `line` NULL they are only counted. A byte order mark is no part of the
 *  first line. */
static int cut_lines(char *content, size_t n_byte, char **line)
{
    int n_line = 0;
    char *end = content + n_byte;
    for (char *start = content + mark_length(content, n_byte); start < end; n_line++) {
        char *stop = start;
        while (stop < end && *stop != '\n' && *stop != '\r') stop++;
        char *next = stop + (stop + 1 < end && stop[0] == '\r' && stop[1] == '\n' ? 2 : 1);
        if (line != NULL) {
            line[n_line] = start;
            *stop = '\0';
        }
        start = next;
    }
    return n_line;
}

/** Makes a text of `content`, which it takes over; half-made when there is no memory. */
static hf_status text_from_content(const char *path, char *content, size_t n_byte,
                                   struct hf_text *text, struct hf_error *error)
{
    const int n_line = cut_lines(content, n_byte, NULL);
    *text = (struct hf_text){.path = strdup(path), .content = content, .n_line = n_line};
    text->line = calloc((size_t)n_line + 1, sizeof *text->line);
    if (text->path == NULL || text->line == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", path);
    cut_lines(content, n_byte, text->line);
    return HF_OK;
}

hf_status hf_text_from_string(const char *path, const char *string, struct hf_text *text,
                              struct hf_error *error)
{
    *text = (struct hf_text){0};
    const size_t n_byte = strlen(string);
    hf_status status = check_bytes(path, string, n_byte, error);
    if (status != HF_OK) return status;
    char *content = strdup(string);
    if (content == NULL) return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", path);
    status = text_from_content(path, content, n_byte, text, error);
    if (status != HF_OK) hf_text_done(text);
    return status;
}

/** read(2) from standard input, which may wait for ever. Looks several times a second whether the run is to end: a signal
 *  that arrives just before read(2) would not end it. */
static hf_status read_some(struct hf_context *context, const char *name, size_t n_byte, char *bytes,
                           ssize_t *got, struct hf_error *error)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&input, 1, LOOK_MILLISECONDS) <= 0) {
        const int reason = hf_interruption_ask(context->interruption);
        if (reason != 0) return hf_interrupted(error, reason);
    }
    do *got = read(STDIN_FILENO, bytes, n_byte);
    while (*got < 0 && errno == EINTR);
    return *got >= 0 ? HF_OK : hf_fail(error, HF_BAD_INPUT, "%s: %s", name, strerror(errno));
}

/** What standard input has up to its end, with a NUL behind it. */
static hf_status read_standard_input(struct hf_context *context, const char *name, char **content,
                                     size_t *n_byte, struct hf_error *error)
{
    hf_status status = HF_OK;
    char *bytes = NULL;
    size_t n_read = 0, room = 0;
    for (ssize_t got = 1; got > 0; n_read += (size_t)got) {
        if (room - n_read < 2) {
            char *longer = room / MIB < MAX_MIB ? realloc(bytes, 2 * room + 65536) : NULL;
            if (longer == NULL && room / MIB >= MAX_MIB)
                HF_TRY(hf_fail(error, HF_BAD_INPUT, "%s: too large for an input (at most %d MiB)",
                               name, MAX_MIB));
            if (longer == NULL) HF_TRY(hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", name));
            bytes = longer;
            room = 2 * room + 65536;
        }
        HF_TRY(read_some(context, name, room - n_read - 1, bytes + n_read, &got, error));
    }
    HF_TRY(check_bytes(name, bytes, n_read, error));
    bytes[n_read] = '\0';
    *content = bytes;
    *n_byte = n_read;
    bytes = NULL;
cleanup:
    free(bytes);
    return status;
}

hf_status hf_text_read_alone(const char *path, struct hf_text *text, struct hf_error *error)
{
    char *content = NULL;
    size_t n_byte = 0;
    *text = (struct hf_text){0};
    hf_status status = read_file(path, &content, &n_byte, error);
    if (status == HF_OK) status = text_from_content(path, content, n_byte, text, error);
    if (status != HF_OK) hf_text_done(text);
    return status;
}

/** Gives what rank 0 reads, from a file or from standard input, to all ranks. */
static hf_status read_and_share(struct hf_context *context, const char *path, bool is_file,
                                struct hf_text *text, struct hf_error *error)
{
    hf_status status = HF_OK;
    char *content = NULL;
    size_t n_byte = 0;
    *text = (struct hf_text){0};
    if (context->rank == 0)
        status = is_file ? read_file(path, &content, &n_byte, error)
                         : read_standard_input(context, path, &content, &n_byte, error);
    hf_broadcast_bytes(context->comm, 0, sizeof n_byte, &n_byte);
    if (context->rank != 0) {
        content = calloc(n_byte + 1, 1);
        if (content == NULL) status = hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", path);
    }
    HF_TRY(hf_agree(context->comm, status, error));
    hf_broadcast_bytes(context->comm, 0, n_byte, content);
    status = text_from_content(path, content, n_byte, text, error);
    content = NULL;
    HF_TRY(hf_agree(context->comm, status, error));
cleanup:
    free(content);
    if (status != HF_OK) hf_text_done(text);
    return status;
}

hf_status hf_text_read(struct hf_context *context, const char *path, struct hf_text *text,
                       struct hf_error *error)
{
    return read_and_share(context, path, true, text, error);
}

hf_status hf_text_read_standard_input(struct hf_context *context, struct hf_text *text,
                                      struct hf_error *error)
{
    return read_and_share(context, HF_STANDARD_INPUT, false, text, error);
}
