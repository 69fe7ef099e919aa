/* Which orbitals a molecule starts from; see each_private.h. */
#include "each_private.h"

#include "fock/fock.h"

#include <math.h>
#include <string.h>

/** Bohr that an atom may have moved. Farther away the guess by atoms is as good, and cannot lead to another state. */
static const double MOST_MOVED = 0.5;

/** Hash of what two molecules must have in common. */
static uint64_t kind_of(const struct hf_calculation *calculation)
{
    const struct hf_molecule *molecule = &calculation->input.molecule;
    uint64_t hash = hf_hash_add_text(HF_HASH_EMPTY, calculation->settings.method);
    hash = hf_hash_add_text(hash, calculation->basis_requested);
    hash = hf_hash_add(hash, sizeof molecule->charge, &molecule->charge);
    hash = hf_hash_add(hash, sizeof molecule->multiplicity, &molecule->multiplicity);
    hash =
        hf_hash_add(hash, sizeof calculation->basis->n_function, &calculation->basis->n_function);
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        hash = hf_hash_add(hash, sizeof atom->atomic_number, &atom->atomic_number);
        hash = hf_hash_add(hash, sizeof atom->ghost, &atom->ghost);
    }
    return hash;
}

/** Whether every atom is near the place that it had in the last molecule. */
static bool is_near(const struct hf_molecule *molecule, const double *position)
{
    for (int i = 0; i < molecule->n_atom; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            const double moved = molecule->atom[i].position_bohr[k] - position[3 * i + k];
            square += moved * moved;
        }
        if (square > MOST_MOVED * MOST_MOVED) return false;
    }
    return true;
}

/** Whether orbitals are kept at all: not those of fractional occupations or of another state. */
static bool may_start(const struct hf_calculation *calculation)
{
    const struct hf_scf_settings *settings = &calculation->settings;
    return !settings->fock.reproducible && settings->orbitals == NULL && !settings->max_overlap &&
           settings->smearing == 0.0 && !settings->guess_mix &&
           settings->stability == HF_STABILITY_NONE;
}

hf_status hf_each_start_use(struct hf_each_start *start, struct hf_calculation *calculation,
                            bool *used, struct hf_error *error)
{
    const struct hf_molecule *molecule = &calculation->input.molecule;
    hf_status status;
    *used = false;
    if (!may_start(calculation)) return HF_OK;
    calculation->settings.wavefunction = HF_WAVEFUNCTION_ALL;
    if (!start->there || start->past.n_point == 0 || start->kind != kind_of(calculation) ||
        !is_near(molecule, start->past.past[0].position))
        return HF_OK;
    struct hf_arena arena = {.label = "places of atoms"};
    double *position = HF_TAKE(&arena, position, 3 * (size_t)molecule->n_atom);
    HF_TRY(hf_agree(calculation->context->comm, hf_arena_check(&arena, error), error));
    for (int i = 0; i < molecule->n_atom; i++)
        memcpy(position + 3 * i, molecule->atom[i].position_bohr, 3 * sizeof *position);
    HF_TRY(hf_extrapolation_estimate(&start->past, position, error));
    start->orbitals = (struct hf_scf_orbitals){
        .molecule = molecule, .basis = calculation->basis, .n_spin = start->past.n_spin};
    for (int k = 0; k < start->past.n_spin; k++) {
        start->orbitals.n_column[k] = start->past.n_occupied[k];
        start->orbitals.coefficient[k] = start->past.estimate[k];
    }
    calculation->settings.orbitals = &start->orbitals;
    *used = true;
cleanup:
    hf_arena_done(&arena);
    return status;
}

hf_status hf_each_start_keep(struct hf_each_start *start, const struct hf_calculation *calculation,
                             const struct hf_wavefunction *wavefunction, struct hf_error *error)
{
    const uint64_t kind = kind_of(calculation);
    if (wavefunction->spin[0].coefficient == NULL) return HF_OK;
    if (start->there && start->kind != kind) hf_each_start_done(start);
    const bool is_new = !start->there;
    start->there = true; /* also if it is half-made: then it is to be destroyed */
    start->kind = kind;
    if (is_new)
        HF_CHECK(hf_extrapolation_init(
            &start->past, calculation->context, calculation->basis->n_function,
            hf_fock_is_distributed(calculation->settings.fock.builder), error));
    if (start->past.n_point > 0 &&
        !is_near(&calculation->input.molecule, start->past.past[0].position))
        hf_extrapolation_forget(&start->past);
    return hf_extrapolation_add(&start->past, wavefunction, error);
}

void hf_each_start_done(struct hf_each_start *start)
{
    if (start->there) hf_extrapolation_done(&start->past);
    *start = (struct hf_each_start){0};
}
