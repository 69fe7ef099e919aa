/* Open shells of high spin with one set of orbitals: doubly occupied (c), then singly (o) by alpha,
 * then virtual ones (v). The spin is a pure one.
 *
 * The gradient of the energy is Fb between c and o, Fa between o and v, Fa + Fb between c and v: the
 * blocks of [Fa, Da] + [Fb, Db]. An effective Fock matrix with these as its off-diagonal blocks is
 * diagonal at a stationary point; its diagonal blocks are free, and say what is called an orbital's
 * energy. Here they are those of (Fa + Fb) / 2:
 *
 *           c          o          v                       Fc = (Fa + Fb) / 2
 *     c  |  Fc         Fb         Fc  |
 *     o  |  Fb         Fc         Fa  |
 *     v  |  Fc         Fa         Fc  |
 *
 * Source   Roothaan, Rev. Mod. Phys. 32, 179 (1960); Guest, Saunders, Mol. Phys. 28, 819 (1974). */
#include "steps.h"

static hf_status rohf_commutators(struct hf_linalg *linalg, struct hf_spin_count n_electron,
                                  struct hf_matrix *const fock[],
                                  struct hf_matrix *const occupied[],
                                  struct hf_matrix *const commutator[], struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_matrix *orbitals = NULL;
    for (int s = 0; s < 2; s++) {
        HF_TRY(hf_spin_orbitals(linalg, n_electron, 1, occupied, s, &orbitals, error));
        HF_TRY(hf_commutator_of_orbitals(linalg, 1.0, fock[s], orbitals, commutator[s], error));
        hf_matrix_destroy(&orbitals);
    }
    hf_matrix_add(1.0, commutator[1], 1.0, commutator[0]);
    hf_matrix_copy(commutator[0], commutator[1]);
cleanup:
    hf_matrix_destroy(&orbitals);
    return status;
}

/** product [m][a] -= factor W W^T product of the orbitals W [m][o]. */
static hf_status project_out(struct hf_linalg *linalg, double factor,
                             const struct hf_matrix *orbitals, const struct hf_matrix *from,
                             struct hf_matrix *product, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *overlap = NULL;
    HF_TRY(hf_matrix_create(linalg, "products of orbitals", hf_matrix_n_col(orbitals),
                            hf_matrix_n_col(from), &overlap, error));
    hf_matrix_multiply(1.0, true, orbitals, false, from, 0.0, overlap);
    hf_matrix_multiply(-factor, false, orbitals, false, overlap, 1.0, product);
cleanup:
    hf_matrix_destroy(&overlap);
    return status;
}

/** With the projectors P on c and o and d = (Fa - Fb) / 2
 *
 *      Fc - (Pc d Po + Po d Pc) + (Po d Pv + Pv d Po)  =  Fc + Y Wo^T + Wo Y^T
 *      Y = (1 - 2 Pc - Po) d Wo */
static hf_status add_open_blocks(struct hf_linalg *linalg, struct hf_spin_count n_electron,
                                 const struct hf_matrix *half_difference,
                                 const struct hf_matrix *occupied, struct hf_matrix *effective,
                                 struct hf_error *error)
{
    hf_status status;
    const int m = hf_matrix_n_row(occupied), n_closed = n_electron.beta;
    const int n_open = n_electron.alpha - n_electron.beta;
    struct hf_matrix *closed = NULL, *open = NULL, *times = NULL, *y = NULL, *product = NULL;
    HF_TRY(hf_matrix_create(linalg, "open-shell orbitals", m, n_open, &open, error));
    HF_TRY(hf_matrix_create(linalg, "Fock times orbitals", m, n_open, &times, error));
    HF_TRY(hf_matrix_create(linalg, "Fock times orbitals", m, n_open, &y, error));
    HF_TRY(hf_matrix_create(linalg, "open-shell blocks", m, m, &product, error));
    hf_matrix_copy_columns(occupied, n_closed, n_open, NULL, open, 0);
    hf_matrix_multiply(1.0, false, half_difference, false, open, 0.0, times);
    hf_matrix_copy(times, y);
    if (n_closed > 0) {
        HF_TRY(hf_matrix_create(linalg, "closed-shell orbitals", m, n_closed, &closed, error));
        hf_matrix_copy_columns(occupied, 0, n_closed, NULL, closed, 0);
        HF_TRY(project_out(linalg, 2.0, closed, times, y, error));
    }
    HF_TRY(project_out(linalg, 1.0, open, times, y, error));
    hf_matrix_multiply(1.0, false, y, true, open, 0.0, product);
    hf_matrix_add(1.0, product, 1.0, effective);
    hf_matrix_add_transposed(1.0, product, 1.0, effective);
cleanup:
    hf_matrix_destroy(&product);
    hf_matrix_destroy(&y);
    hf_matrix_destroy(&times);
    hf_matrix_destroy(&open);
    hf_matrix_destroy(&closed);
    return status;
}

static hf_status rohf_effective(struct hf_linalg *linalg, struct hf_spin_count n_electron,
                                struct hf_matrix *const fock[], struct hf_matrix *const occupied[],
                                struct hf_matrix *const effective[], struct hf_error *error)
{
    hf_status status = HF_OK;
    const int m = hf_matrix_n_row(fock[0]);
    struct hf_matrix *difference = NULL;
    hf_matrix_copy(fock[0], effective[0]);
    hf_matrix_add(0.5, fock[1], 0.5, effective[0]);
    if (occupied[0] == NULL || n_electron.alpha == n_electron.beta) return HF_OK;
    HF_TRY(hf_matrix_create(linalg, "difference of Fock matrices", m, m, &difference, error));
    hf_matrix_copy(fock[0], difference);
    hf_matrix_add(-0.5, fock[1], 0.5, difference);
    HF_TRY(add_open_blocks(linalg, n_electron, difference, occupied[0], effective[0], error));
cleanup:
    hf_matrix_destroy(&difference);
    return status;
}

const struct hf_method_ops hf_method_rohf = {
    .name = "rohf",
    .about = "restricted open-shell Hartree-Fock of high spin",
    .cite = "Roothaan, Rev. Mod. Phys. 32, 179 (1960); Guest, Saunders, Mol. Phys. 28, 819 (1974)",
    .convention = "orbital energies as Guest and Saunders define them: of (F_alpha + F_beta) / 2",
    .n_density = 2,
    .n_fock = 2,
    .n_set = 1,
    .commutators = rohf_commutators,
    .effective = rohf_effective,
};
