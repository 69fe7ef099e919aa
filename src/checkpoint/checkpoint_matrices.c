/* The matrices of a checkpoint: whether they are there, whether their numbers are sound, their rows. */
#include "checkpoint_hdf5.h"
#include "checkpoint_layout.h"

void hf_checkpoint_check_matrices(struct hf_hdf5_reader *reader, const struct hf_checkpoint *self,
                                  bool numbers)
{
    const struct hf_scf_restart *state = &self->state;
    const int n = state->n_function, m = state->n_orbital;
    char path[HF_CHECKPOINT_PATH];
    for (int k = 0; k < state->n_spin; k++)
        if (state->n_column[k] > 0) {
            hf_orbitals_path(state->n_spin, k, "/coefficients", path);
            hf_hdf5_check_matrix(reader, path, n, state->n_column[k], numbers);
        }
    if (state->n_column[0] > 0) {
        const bool one = self->version <= HF_CHECKPOINT_CLOSED_SHELLS;
        hf_hdf5_check_matrix(reader, one ? "/orbitals/both_spins/density" : "/density/total", n, n,
                             numbers);
        if (state->n_density == 2) hf_hdf5_check_matrix(reader, "/density/spin", n, n, numbers);
    }
    if (state->n_diis > 0) hf_hdf5_check_matrix(reader, "/diis/orthogonaliser", n, m, numbers);
    for (int i = 0; i < state->n_diis; i++)
        for (int k = 0; k < state->n_fock; k++)
            hf_hdf5_check_matrix(reader, hf_diis_path(i, state->n_fock, k, path), m, m, numbers);
}
struct hf_hdf5_reader hf_checkpoint_reader(const struct hf_checkpoint *self, struct hf_error *error)
{
    return (struct hf_hdf5_reader){.file = self->file->file,
                                   .name = self->file->name,
                                   .file_bytes = self->file->bytes,
                                   .error = error,
                                   .silence = hf_hdf5_silence_begin()};
}

hf_status hf_hdf5_reader_end(const struct hf_hdf5_reader *reader)
{
    hf_hdf5_silence_end(reader->silence);
    return reader->status;
}
hf_status hf_checkpoint_check_numbers(const struct hf_checkpoint *checkpoint,
                                      struct hf_error *error)
{
    struct hf_hdf5_reader reader = hf_checkpoint_reader(checkpoint, error);
    hf_checkpoint_check_matrices(&reader, checkpoint, true);
    return hf_hdf5_reader_end(&reader);
}

hf_status hf_checkpoint_read_rows(void *data, enum hf_restart_matrix which, int index, int spin,
                                  int first, int n, double rows[], struct hf_error *error)
{
    const struct hf_checkpoint *self = data;
    const struct hf_scf_restart *state = &self->state;
    struct hf_hdf5_reader reader = hf_checkpoint_reader(self, error);
    char path[HF_CHECKPOINT_PATH] = "/diis/orthogonaliser";
    int n_col = state->n_orbital;
    if (self->trexio != NULL) {
        hf_trexio_get_rows(&reader, self, spin, first, n, rows);
        return hf_hdf5_reader_end(&reader);
    }
    if (which == HF_RESTART_ORBITALS) {
        hf_orbitals_path(state->n_spin, spin, "/coefficients", path);
        n_col = state->n_column[spin];
    } else if (which == HF_RESTART_DIIS) {
        hf_diis_path(index, state->n_fock, spin, path);
    }
    hf_hdf5_get_rows(&reader, path, n_col, first, n, rows);
    return hf_hdf5_reader_end(&reader);
}
