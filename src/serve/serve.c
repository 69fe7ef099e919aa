/* The protocol: rank 0 answers messages until positions arrive; all ranks compute; rank 0 stores the result. */
#include "serve/serve.h"

#include "base/arena.h"
#include "hf/interruption.h"
#include "hf/timer.h"
#include "line.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum {
    HEADER = 12,
    N_CELL = 18,              /**< cell and its inverse */
    MOST_INIT_BYTES = 1 << 20 /**< larger INIT messages are refused */
};

/** A connection and the results computed so far. */
struct session {
    struct hf_line line;
    int n_atom;
    struct hf_surface *surface;
    FILE *out;
    struct hf_surface_point point;
    double *positions; /**< [n_atom][3] bohr; forces while these are sent */
    bool has_forces;   /**< the driver has not yet fetched them */
    bool ended;
    struct hf_arena arena;
    int n_geometry;
    /** wall time when the first positions came; seconds spent computing */
    double began, computing;
};

static hf_status bad(const struct session *self, struct hf_error *error, const char *what)
{
    return hf_fail(error, HF_BAD_INPUT, "%s: the driver's message is none of the i-PI protocol: %s",
                   self->line.address, what);
}

static hf_status say(struct session *self, const char *word, struct hf_error *error)
{
    char header[HEADER + 1];
    snprintf(header, sizeof header, "%-12s", word);
    return hf_line_write(&self->line, HEADER, header, error);
}

static hf_status read_init(struct session *self, struct hf_error *error)
{
    int32_t bead_and_size[2];
    char piece[256];
    HF_CHECK(hf_line_read(&self->line, sizeof bead_and_size, bead_and_size, NULL, error));
    int32_t left = bead_and_size[1];
    if (left < 0 || left > MOST_INIT_BYTES) return bad(self, error, "the size of INIT");
    while (left > 0) {
        const int32_t n = left < (int32_t)sizeof piece ? left : (int32_t)sizeof piece;
        HF_CHECK(hf_line_read(&self->line, (size_t)n, piece, NULL, error));
        left -= n;
    }
    return HF_OK;
}

static hf_status read_positions(struct session *self, struct hf_error *error)
{
    double cell[N_CELL];
    int32_t n_atom;
    const int n = self->n_atom;
    HF_CHECK(hf_line_read(&self->line, sizeof cell, cell, NULL, error));
    HF_CHECK(hf_line_read(&self->line, sizeof n_atom, &n_atom, NULL, error));
    if (n_atom != n)
        return hf_fail(error, HF_BAD_INPUT, "%s: the driver has %d atoms, the input has %d",
                       self->line.address, (int)n_atom, n);
    HF_CHECK(hf_line_read(&self->line, 3 * (size_t)n * sizeof *self->positions, self->positions,
                          NULL, error));
    for (int i = 0; i < 3 * n; i++)
        if (!isfinite(self->positions[i])) return bad(self, error, "a position is no number");
    return HF_OK;
}

static hf_status send_forces(struct session *self, struct hf_error *error)
{
    const double virial[9] = {0.0};
    const int32_t n_atom = self->n_atom, n_text = 0; /* ASE 3.22 fails if there is a text */
    const size_t n = 3 * (size_t)n_atom;
    for (size_t i = 0; i < n; i++) self->positions[i] = -self->point.gradient[0][i];
    HF_CHECK(say(self, "FORCEREADY", error));
    HF_CHECK(hf_line_write(&self->line, sizeof self->point.energy, &self->point.energy, error));
    HF_CHECK(hf_line_write(&self->line, sizeof n_atom, &n_atom, error));
    HF_CHECK(hf_line_write(&self->line, n * sizeof *self->positions, self->positions, error));
    HF_CHECK(hf_line_write(&self->line, sizeof virial, virial, error));
    HF_CHECK(hf_line_write(&self->line, sizeof n_text, &n_text, error));
    self->has_forces = false;
    return HF_OK;
}

static bool is(const char header[HEADER], const char *word)
{
    const size_t n = strlen(word);
    if (memcmp(header, word, n) != 0) return false;
    for (size_t i = n; i < HEADER; i++)
        if (header[i] != ' ') return false;
    return true;
}

/** Answers messages until positions arrive, or the driver ends. Rank 0. */
static hf_status listen_to_driver(struct session *self, struct hf_error *error)
{
    char header[HEADER + 1] = "";
    hf_status status = HF_OK;
    while (status == HF_OK) {
        status = hf_line_read(&self->line, HEADER, header, &self->ended, error);
        if (status != HF_OK || self->ended) return status;
        if (is(header, "EXIT")) {
            self->ended = true;
            return HF_OK;
        }
        if (is(header, "POSDATA")) return read_positions(self, error);
        if (is(header, "STATUS"))
            status = say(self, self->has_forces ? "HAVEDATA" : "READY", error);
        else if (is(header, "INIT"))
            status = read_init(self, error);
        else if (!is(header, "GETFORCE"))
            status = bad(self, error, "an unknown header");
        else if (!self->has_forces)
            status = bad(self, error, "GETFORCE without positions");
        else
            status = send_forces(self, error);
    }
    return status;
}

/** Waits for a number from rank 0 without using the processor. Collective. */
static int await_word(struct hf_context *context, int word)
{
    MPI_Request request;
    int there = 0;
    MPI_Ibcast(&word, 1, MPI_INT, 0, context->comm, &request);
    for (;;) {
        MPI_Test(&request, &there, MPI_STATUS_IGNORE);
        if (there) return word;
        if (context->rank != 0) (void)hf_interruption_look(context->interruption, true);
        nanosleep(&(struct timespec){.tv_nsec = context->rank == 0 ? 10000L : 1000000L}, NULL);
    }
}

static void tell(const struct session *self, double seconds)
{
    double most = 0.0;
    for (int i = 0; i < 3 * self->n_atom; i++) most = fmax(most, fabs(self->point.gradient[0][i]));
    if (self->out == NULL) return;
    if (self->n_geometry == 1)
        fprintf(self->out, "\n%10s %20s %14s %11s %9s\n", "Geometry", "Energy, hartree",
                "Largest force", "Fock builds", "Seconds");
    fprintf(self->out, "%10d %20.10f %14.8f %11d %9.2f\n", self->n_geometry, self->point.energy,
            most, self->point.n_build, seconds);
    fflush(self->out);
}

static void tell_times(const struct session *self)
{
    const double all = hf_wall_seconds() - self->began;
    if (self->out == NULL || self->n_geometry == 0) return;
    fprintf(self->out,
            "\nThe driver has ended after %d geometries and %.2f s: %.2f %% of the time for "
            "energies and forces, "
            "the rest waiting for the driver\n",
            self->n_geometry, all, 100.0 * self->computing / all);
}

/** One turn: messages, then forces if positions arrived. Collective. */
static hf_status turn(struct hf_context *context, struct session *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    if (context->rank == 0) status = listen_to_driver(self, error);
    self->ended = await_word(context, self->ended) != 0;
    HF_CHECK(hf_agree_to_go_on(context, status, error));
    if (self->ended) return HF_OK;
    hf_broadcast_bytes(context->comm, 0, 3 * (size_t)self->n_atom * sizeof *self->positions,
                       self->positions);
    const double began = hf_wall_seconds();
    if (self->n_geometry++ == 0) self->began = began;
    struct hf_error reason;
    status = hf_surface_compute(self->surface, (const double(*)[3])(void *)self->positions,
                                &self->point, &reason);
    if (status == HF_BAD_INPUT)
        return hf_fail(error, status, "%s, geometry %d: %.800s", self->line.address,
                       self->n_geometry, reason.message);
    if (status != HF_OK) *error = reason;
    HF_CHECK(status);
    if (!self->point.converged)
        return hf_fail(error, HF_NOT_CONVERGED,
                       "%s: %s of geometry %d did not converge; the driver gets no forces",
                       self->line.address, self->point.unconverged, self->n_geometry);
    self->has_forces = true;
    const double seconds = hf_wall_seconds() - began;
    self->computing += seconds;
    tell(self, seconds);
    return HF_OK;
}

/** Allocates the arrays. Local. */
static hf_status make_room(struct session *self, struct hf_error *error)
{
    const size_t n = (size_t)self->n_atom;
    HF_TAKE(&self->arena, self->positions, 3 * n);
    HF_TAKE(&self->arena, self->point.gradient, n);
    return hf_arena_check(&self->arena, error);
}

hf_status hf_serve(struct hf_context *context, const char *address, bool remote, int n_atom,
                   struct hf_surface *surface, FILE *out, struct hf_error *error)
{
    struct session self = {.line = {-1, context, address},
                           .n_atom = n_atom,
                           .surface = surface,
                           .out = out,
                           .arena = {.label = "the driver's messages"}};
    hf_status status = make_room(&self, error);
    if (status == HF_OK && context->rank == 0) status = hf_line_open(&self.line, remote, error);
    (void)await_word(context, 0);
    HF_TRY(hf_agree_to_go_on(context, status, error));
    if (out != NULL) {
        fprintf(out, "\nConnected to the driver at %s\n", address);
        fflush(out);
    }
    while (!self.ended) HF_TRY(turn(context, &self, error));
    tell_times(&self);
cleanup:
    hf_line_close(&self.line);
    hf_arena_done(&self.arena);
    return status;
}
