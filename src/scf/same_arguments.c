/* Whether all ranks gave hf_scf_run the same: ranks that compute different things meet in collectives
 * of different sizes, and MPI ends the job. */
#include "scf_state.h"

#include "text/text.h"

static uint64_t hash_molecule(const struct hf_molecule *molecule)
{
    const struct hf_environment *environment = &molecule->environment;
    const int count[] = {molecule->n_atom, molecule->charge, molecule->multiplicity,
                         environment->n_charge};
    uint64_t hash = hf_hash_add(HF_HASH_EMPTY, sizeof count, count);
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        const int kind[] = {atom->atomic_number, atom->ghost, atom->n_core, atom->core_potential};
        hash = hf_hash_add(hash, sizeof kind, kind);
        hash = hf_hash_add(hash, sizeof atom->position_bohr, atom->position_bohr);
    }
    hash = hf_hash_add(hash, (size_t)environment->n_charge * sizeof *environment->charge,
                       environment->charge);
    return hf_hash_add(hash, sizeof environment->field, environment->field);
}

static uint64_t hash_basis(const struct hf_basis *basis)
{
    const int count[] = {basis->n_atom, basis->n_shell, basis->n_function, basis->n_core_potential};
    uint64_t hash = hf_hash_add(HF_HASH_EMPTY, sizeof count, count);
    for (int i = 0; i < basis->n_shell; i++) {
        const struct hf_shell *shell = &basis->shell[i];
        const int kind[] = {shell->atom, shell->l, shell->spherical, shell->n_primitive};
        const size_t n_byte = (size_t)shell->n_primitive * sizeof *shell->exponent;
        hash = hf_hash_add(hash, sizeof kind, kind);
        hash = hf_hash_add(hash, sizeof shell->centre_bohr, shell->centre_bohr);
        hash = hf_hash_add(hash, n_byte, shell->exponent);
        hash = hf_hash_add(hash, n_byte, shell->coefficient);
    }
    for (int i = 0; i < basis->n_core_potential; i++) {
        const struct hf_core_potential *core = &basis->core_potential[i];
        const int kind[] = {core->atom, core->n_core, core->max_l, core->n_term};
        hash = hf_hash_add(hash, sizeof kind, kind);
        hash = hf_hash_add(hash, (size_t)core->n_term * sizeof *core->term, core->term);
    }
    return hash;
}

/** What is behind pointers is not compared, only whether there is something. */
static uint64_t hash_settings(const struct hf_scf_settings *settings, bool wavefunction)
{
    const struct hf_fock_settings *fock = &settings->fock;
    const char *const name[] = {settings->method, settings->guess,     settings->converger,
                                fock->builder,    fock->schedule.name, fock->onesided.transport};
    const double number[] = {settings->stability,
                             settings->guess_mix,
                             settings->orbital_search,
                             settings->max_iteration,
                             settings->energy_tolerance,
                             settings->commutator_tolerance,
                             settings->linear_dependence_threshold,
                             settings->screening_threshold,
                             settings->diis_size,
                             settings->level_shift,
                             settings->max_overlap,
                             settings->weighted_density,
                             settings->responding != NULL,
                             settings->smearing,
                             settings->wavefunction,
                             settings->keeper != NULL,
                             settings->restart != NULL,
                             settings->orbitals != NULL,
                             settings->pairs != NULL,
                             wavefunction,
                             fock->schedule.counter,
                             fock->schedule.progress_thread,
                             fock->schedule.group,
                             fock->onesided.accumulate,
                             fock->onesided.skip_self_test,
                             fock->grain,
                             fock->tasks_for,
                             fock->precision,
                             fock->coulomb,
                             fock->n_thread,
                             fock->memory_bytes,
                             fock->store_threshold,
                             fock->store_weighed,
                             fock->reproducible};
    uint64_t hash = hf_hash_add(HF_HASH_EMPTY, sizeof number, number);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) hash = hf_hash_add_text(hash, name[i]);
    return hash;
}

hf_status hf_scf_check_same(const struct hf_context *context, const struct hf_molecule *molecule,
                            const struct hf_basis *basis, const struct hf_scf_settings *settings,
                            bool wavefunction, struct hf_error *error)
{
    static const char *const name[] = {"the molecule", "the basis", "a setting"};
    if (context->n_rank == 1) return HF_OK;
    const uint64_t sum[] = {hash_molecule(molecule), hash_basis(basis),
                            hash_settings(settings, wavefunction)};
    return hf_agree_on_same(context->comm, 3, name, sum, error);
}
