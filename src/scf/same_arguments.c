/* Whether all ranks gave hf_scf_run the same: ranks that compute different things meet in collectives
 * of different sizes, and MPI ends the job. */
#include "scf_state.h"

#include "basis/checksum.h"
#include "text/text.h"

/* All members of the settings, in their order; structs are parts. They initialise a copy of the settings, so that the
 * compiler warns of a member that is missing here. */
#define SCHEDULE(ONE, PART)                                                                        \
    ONE(name), ONE(asked_for), ONE(counter), ONE(progress_thread), ONE(group), ONE(context),       \
        ONE(interruption)
#define ONESIDED(ONE, PART)                                                                        \
    ONE(transport), ONE(accumulate), ONE(self_test_seconds), ONE(skip_self_test)
#define FOCK(ONE, PART)                                                                            \
    ONE(builder), PART(schedule), PART(onesided), ONE(grain), ONE(tasks_for), ONE(precision),      \
        ONE(coulomb), ONE(n_thread), ONE(memory_bytes), ONE(store_threshold), ONE(store_weighed),  \
        ONE(reproducible)
#define SCF(ONE, PART)                                                                             \
    ONE(method), ONE(guess), ONE(converger), ONE(stability), ONE(orbital_search), ONE(guess_mix),  \
        ONE(max_iteration), ONE(energy_tolerance), ONE(commutator_tolerance),                      \
        ONE(linear_dependence_threshold), ONE(screening_threshold), ONE(diis_size),                \
        ONE(level_shift), ONE(max_overlap), ONE(smearing), ONE(wavefunction),                      \
        ONE(weighted_density), PART(fock), ONE(responding), ONE(keeper), ONE(restart),             \
        ONE(orbitals), ONE(pairs)

static uint64_t add_number(uint64_t hash, double value)
{
    return hf_hash_add(hash, sizeof value, &value);
}

/** What is behind pointers is not compared, only whether there is something. */
static uint64_t add_pointer(uint64_t hash, const void *pointer)
{
    return add_number(hash, pointer != NULL);
}

#define COPY(member) of->member
#define ADD(member)                                                                                \
    hash = _Generic(copy.member, const char * : hf_hash_add_text, bool : add_number,               \
                    int : add_number, unsigned : add_number, double : add_number,                  \
                    default : add_pointer)(hash, copy.member)
#define ADD_PART(member) hash = add_##member(hash, &copy.member)
#define FUNCTION(part, type, MEMBERS)                                                              \
    static uint64_t add_##part(uint64_t hash, const type *of)                                      \
    {                                                                                              \
        const type copy = {MEMBERS(COPY, COPY)};                                                   \
        return MEMBERS(ADD, ADD_PART);                                                             \
    }
FUNCTION(schedule, struct hf_scheduler_settings, SCHEDULE)
FUNCTION(onesided, struct hf_onesided_settings, ONESIDED)
FUNCTION(fock, struct hf_fock_settings, FOCK)
FUNCTION(scf, struct hf_scf_settings, SCF)

/** Includes the core electrons and core potentials that the basis gives the atoms. */
static uint64_t checksum_molecule(const struct hf_molecule *molecule)
{
    uint64_t hash = hf_molecule_checksum(molecule);
    for (int i = 0; i < molecule->n_atom; i++)
        hash = add_number(add_number(hash, molecule->atom[i].n_core),
                          molecule->atom[i].core_potential);
    return hash;
}

/** Includes the centres of the shells. */
static uint64_t checksum_basis(const struct hf_basis *basis)
{
    uint64_t hash = hf_basis_checksum(basis);
    for (int i = 0; i < basis->n_shell; i++)
        hash = hf_hash_add(hash, sizeof basis->shell[i].centre_bohr, basis->shell[i].centre_bohr);
    return hash;
}

hf_status hf_scf_check_same(const struct hf_context *context, const struct hf_molecule *molecule,
                            const struct hf_basis *basis, const struct hf_scf_settings *settings,
                            bool wavefunction, struct hf_error *error)
{
    static const char *const name[] = {"the molecule", "the basis", "a setting"};
    if (context->n_rank == 1) return HF_OK;
    const uint64_t sum[] = {checksum_molecule(molecule), checksum_basis(basis),
                            add_number(add_scf(HF_HASH_EMPTY, settings), wavefunction)};
    return hf_agree_on_same(context->comm, 3, name, sum, error);
}
