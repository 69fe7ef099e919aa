/* Cube files, planes at a time. */
#include "hf/orbital_files.h"

#include "hf/output_file.h"
#include "hf/timer.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PLANES_ELEMENTS = 1 << 20,
    PER_LINE = 6, /**< values of a line of the file */
    VALUE_SIZE = 15,
};

/** A file being written, on rank 0. */
struct cube {
    struct hf_output_file file;
    bool open;
};

static void write_head(struct cube *self, const char *name, const struct hf_molecule *molecule,
                       const struct hf_grid *grid)
{
    (void)hf_output_file_print(&self->file, " %.150s\n atomic units, z fastest\n", name);
    (void)hf_output_file_print(&self->file, "%5d %14.8f %14.8f %14.8f\n", molecule->n_atom,
                               grid->origin[0], grid->origin[1], grid->origin[2]);
    for (int d = 0; d < 3; d++)
        (void)hf_output_file_print(&self->file, "%5d %14.8f %14.8f %14.8f\n", grid->n[d],
                                   d == 0 ? grid->spacing : 0.0, d == 1 ? grid->spacing : 0.0,
                                   d == 2 ? grid->spacing : 0.0);
    for (int a = 0; a < molecule->n_atom; a++) {
        const struct hf_atom *atom = &molecule->atom[a];
        (void)hf_output_file_print(&self->file, "%5d %14.8f %14.8f %14.8f %14.8f\n",
                                   atom->atomic_number, hf_molecule_nuclear_charge(molecule, a),
                                   atom->position_bohr[0], atom->position_bohr[1],
                                   atom->position_bohr[2]);
    }
}

/** A line along z, in lines of the file; numbers that would have three digits of exponent are zero. */
static void write_line(struct cube *self, int n, const double value[])
{
    char text[PER_LINE * VALUE_SIZE + 2];
    for (int first = 0; first < n; first += PER_LINE) {
        int length = 0;
        for (int k = first; k < n && k < first + PER_LINE; k++)
            length += snprintf(text + length, sizeof text - (size_t)length, " %13.5e",
                               fabs(value[k]) < 1e-99 ? 0.0 : value[k]);
        text[length++] = '\n';
        (void)hf_output_file_write(&self->file, (size_t)length, text);
    }
}

static void count(struct hf_cube_account *account, size_t n, const double value[])
{
    for (size_t i = 0; i < n; i++) {
        account->integral += value[i];
        account->least = fmin(account->least, value[i]);
        account->most = fmax(account->most, value[i]);
    }
}

static hf_status fail(const char *path, struct hf_error *error)
{
    return hf_fail(error, HF_NO_RESOURCE, "%s: the cube file cannot be written: %s", path,
                   strerror(errno));
}

/** All planes to the file, some at a time. Collective. */
static hf_status write_planes(struct hf_context *context, struct cube *self,
                              struct hf_spatial *spatial, const struct hf_grid *grid,
                              struct hf_cube_account *account, struct hf_error *error)
{
    hf_status status = HF_OK;
    const size_t area = (size_t)grid->n[1] * (size_t)grid->n[2];
    const int at_once = area < PLANES_ELEMENTS ? (int)(PLANES_ELEMENTS / area) : 1;
    const int room = at_once < grid->n[0] ? at_once : grid->n[0];
    double *value =
        hf_memory_allocate(context->memory, "planes of a grid", (size_t)room * area, sizeof *value);
    if (value == NULL || area > INT_MAX)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for planes of a grid");
    HF_TRY(hf_agree(context->comm, status, error));
    for (int first = 0; first < grid->n[0]; first += room) {
        const int n = grid->n[0] - first < room ? grid->n[0] - first : room;
        HF_TRY(hf_spatial_planes(spatial, grid, first, n, value, error));
        if (context->rank != 0) continue;
        count(account, (size_t)n * area, value);
        for (int line = 0; line < n * grid->n[1]; line++)
            write_line(self, grid->n[2], value + (size_t)line * (size_t)grid->n[2]);
    }
cleanup:
    hf_memory_release(context->memory, value);
    return status;
}

hf_status hf_cube_write(struct hf_context *context, const char *path, const char *name,
                        const struct hf_wavefunction *wavefunction,
                        const struct hf_spatial_function *function, const struct hf_grid *grid,
                        struct hf_cube_account *account, struct hf_error *error)
{
    hf_status status = HF_OK;
    const double started = hf_wall_seconds();
    struct hf_spatial *spatial = NULL;
    struct cube self = {.open = false};
    *account = (struct hf_cube_account){.least = INFINITY, .most = -INFINITY};
    if (context->rank == 0) {
        self.open = hf_output_file_begin(path, &self.file);
        if (!self.open) status = fail(path, error);
    }
    HF_TRY(hf_agree(context->comm, status, error));
    if (self.open) write_head(&self, name, wavefunction->molecule, grid);
    HF_TRY(hf_spatial_create(context, wavefunction, function, &spatial, error));
    HF_TRY(write_planes(context, &self, spatial, grid, account, error));
    if (self.open && !hf_output_file_end(&self.file, true)) status = fail(path, error);
    self.open = false;
    HF_TRY(hf_agree(context->comm, status, error));
    account->integral *= grid->spacing * grid->spacing * grid->spacing;
    account->seconds = hf_wall_seconds() - started;
    hf_broadcast_bytes(context->comm, 0, sizeof *account, account);
cleanup:
    if (self.open) (void)hf_output_file_end(&self.file, false);
    hf_spatial_destroy(&spatial);
    return status;
}
