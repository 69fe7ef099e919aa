/* Steps with fractional occupations: what `auto` does then.
 *
 * DIIS is used until the commutators vanish. They show whether density and Fock matrix have the same
 * orbitals, not whether the occupations are those of the energies. If symmetry determines the orbitals,
 * commutators are only rounding from the beginning, and their combinations lead anywhere (H2 in a minimal
 * basis, 3 angstrom: 27 iterations, not 10). Optimal damping of the free energy follows. */
#include "converger.h"

static hf_status step(struct hf_scf *scf, void *data, const char **label, struct hf_error *error)
{
    const double vanishing = 1e-3; /* of the tolerance */
    if (scf->result->commutator > vanishing * scf->settings->commutator_tolerance)
        return hf_scf_step_diis(scf, NULL, label, error);
    return hf_converger_damping.step(scf, data, label, error);
}

static hf_status create(struct hf_scf *scf, void **data, struct hf_error *error)
{
    return hf_converger_damping.create(scf, data, error);
}

static void destroy(void **data)
{
    if (*data != NULL) hf_converger_damping.destroy(data);
}

const struct hf_converger_ops hf_converger_smearing = {
    .name = "auto",
    .about = "diis; damping where only occupations change",
    .cite = "Pulay, J. Comput. Chem. 3, 556 (1982)",
    .create = create,
    .destroy = destroy,
    .step = step,
};
