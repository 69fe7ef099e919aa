/* Numbers that writers derive from a run. */
#include "output_private.h"

#include <math.h>
#include <string.h>

struct hf_basis_summary hf_basis_summarise(const struct hf_basis *basis)
{
    struct hf_basis_summary summary = {.convention = "no functions above p"};
    int n_spherical = 0, n_cartesian = 0;
    for (int i = 0; i < basis->n_shell; i++) {
        const struct hf_shell *shell = &basis->shell[i];
        if (shell->l <= HF_MAX_L) summary.n_shell_of_l[shell->l]++;
        if (shell->l < 2) continue;
        if (shell->spherical)
            n_spherical++;
        else
            n_cartesian++;
    }
    if (n_spherical > 0 && n_cartesian > 0)
        summary.convention = "mixed Cartesian and spherical";
    else if (n_spherical > 0)
        summary.convention = "spherical";
    else if (n_cartesian > 0)
        summary.convention = "Cartesian";
    return summary;
}

double hf_output_virial_ratio(const struct hf_scf_result *result)
{
    const double kinetic = hf_scf_term_electrons(result, &hf_term_kinetic);
    for (int i = 0; i < result->n_term; i++)
        if (strcmp(result->term[i].name, hf_term_kinetic.name) != 0 &&
            strcmp(result->term[i].name, hf_term_nuclei.name) != 0)
            return NAN;
    return kinetic > 0.0 ? (kinetic - result->energy) / kinetic : NAN;
}
