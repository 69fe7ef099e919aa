/* A wave function, whoever made it. */
#include "hf/wavefunction.h"

#include <stdlib.h>

void hf_wavefunction_done(struct hf_wavefunction *wavefunction)
{
    if (wavefunction == NULL) return;
    for (int k = 0; k < HF_MAX_SPIN; k++) {
        struct hf_orbitals *orbitals = &wavefunction->spin[k];
        hf_matrix_destroy(&orbitals->coefficient);
        free(orbitals->energy);
        free(orbitals->occupation);
    }
    hf_matrix_destroy(&wavefunction->density);
    hf_matrix_destroy(&wavefunction->spin_density);
    hf_matrix_destroy(&wavefunction->overlap);
    hf_linalg_destroy(&wavefunction->linalg);
    *wavefunction = (struct hf_wavefunction){0};
}
