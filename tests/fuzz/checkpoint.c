/* Fuzz harness of checkpoints: the bytes are an HDF5 file. With libFuzzer, checkpoint_mutator.c makes
 * files that HDF5 can read but hf would not write; what plain bytes do to the HDF5 library is its
 * own affair. */
#include "fuzz.h"

#include "checkpoint/checkpoint.h"
#include "output/output.h"

#include <math.h>

static void require_sane_molecule(const struct hf_molecule *molecule)
{
    FUZZ_REQUIRE(molecule->n_atom > 0 && molecule->multiplicity >= 1);
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        FUZZ_REQUIRE(atom->atomic_number >= 1 && atom->atomic_number <= 118);
        for (int k = 0; k < 3; k++) FUZZ_REQUIRE(isfinite(atom->position_bohr[k]));
    }
}

static void require_sane_basis(const struct hf_basis *basis, int n_atom)
{
    FUZZ_REQUIRE(basis->n_atom == n_atom && basis->n_function >= 1);
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        FUZZ_REQUIRE(shell->atom >= 0 && shell->atom < n_atom && shell->l >= 0);
        FUZZ_REQUIRE(shell->first_function >= 0);
        FUZZ_REQUIRE(shell->first_function + shell->n_function <= basis->n_function);
        for (int k = 0; k < shell->n_primitive; k++)
            FUZZ_REQUIRE(isfinite(shell->exponent[k]) && isfinite(shell->coefficient[k]));
    }
}

static void require_message(hf_status status, const struct hf_error *error)
{
    const char *message = error->message;
    if (status == HF_OK) return;
    if (message[0] == '\0' || strpbrk(message, "\r\n") != NULL || !strstr(message, FUZZ_PATH))
        fuzz_violated(__FILE__, __LINE__, "a refusal is one line that names the file", message);
}

/** The rows of a matrix: finite numbers, or a message. */
static void read_matrix(const struct hf_scf_restart *state, enum hf_restart_matrix which, int spin,
                        int n_row, int n_col)
{
    double row[64];
    struct hf_error error = {.message = ""};
    for (int i = 0; i < n_row && n_col <= 64; i++) {
        const hf_status status = state->read(state->data, which, 0, spin, i, 1, row, &error);
        require_message(status, &error);
        for (int k = 0; k < n_col && status == HF_OK; k++) FUZZ_REQUIRE(isfinite(row[k]));
    }
}

static void read_matrices(const struct hf_scf_restart *state)
{
    const int n = state->n_function, m = state->n_orbital;
    FUZZ_REQUIRE(state->n_spin <= state->n_fock && state->n_fock <= state->n_density);
    FUZZ_REQUIRE(state->n_density <= HF_MAX_SPIN);
    for (int k = 0; k < state->n_spin; k++)
        read_matrix(state, HF_RESTART_ORBITALS, k, n, state->n_column[k]);
    if (state->n_diis == 0) return;
    read_matrix(state, HF_RESTART_ORTHOGONALISER, 0, n, m);
    for (int k = 0; k < state->n_fock; k++) read_matrix(state, HF_RESTART_DIIS, k, m, m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_checkpoint checkpoint;
    struct hf_error error = {.message = ""};
    const hf_status status = hf_checkpoint_read_image(size, data, FUZZ_PATH, &checkpoint, &error);
    require_message(status, &error);
    if (status == HF_OK) {
        FILE *nowhere = fopen("/dev/null", "w");
        require_sane_molecule(&checkpoint.molecule);
        require_sane_basis(checkpoint.basis, checkpoint.molecule.n_atom);
        FUZZ_REQUIRE(checkpoint.state.n_function == checkpoint.basis->n_function);
        FUZZ_REQUIRE(checkpoint.state.n_orbital <= checkpoint.state.n_function);
        read_matrices(&checkpoint.state);
        if (nowhere != NULL) hf_checkpoint_print(&checkpoint, nowhere);
        if (nowhere != NULL) fclose(nowhere);
    }
    hf_checkpoint_done(&checkpoint);
    return 0;
}
