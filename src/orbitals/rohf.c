/* Open shells of high spin with one set of orbitals: doubly occupied (c), singly occupied by alpha (o), virtual (v).
 * The wave function is a pure spin state.
 *
 * The gradient of the energy is Fb between c and o, Fa between o and v, Fa + Fb between c and v: the blocks of [Fa,
 * Da] + [Fb, Db]. An effective Fock matrix with these as its off-diagonal blocks is diagonal at a stationary point.
 * Its diagonal blocks are arbitrary and define the orbital energies. At the end they are those of (Fa + Fb) / 2:
 *
 *           c          o          v                       Fc = (Fa + Fb) / 2
 *     c  |  Fc         Fb         Fc  |
 *     o  |  Fb         Fc         Fa  |
 *     v  |  Fc         Fa         Fc  |
 *
 * During the iterations c has Fa and v has Fb instead. This lowers c and raises v, so close shells no longer change
 * places, and steps are smaller.
 *
 * Source   Roothaan, Rev. Mod. Phys. 32, 179 (1960); Guest, Saunders, Mol. Phys. 28, 819 (1974). */
#include "orbitals/orbitals.h"
static hf_status rohf_commutators(const struct hf_determinant *of, struct hf_matrix *const fock[],
                                  struct hf_matrix *const commutator[], struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_matrix *orbitals = NULL;
    for (int s = 0; s < 2; s++) {
        HF_TRY(hf_spin_orbitals(of, s, &orbitals, error));
        HF_TRY(hf_commutator_of_orbitals(1.0, fock[s], orbitals, commutator[s], error));
        hf_matrix_destroy(&orbitals);
    }
    hf_matrix_add(1.0, commutator[1], 1.0, commutator[0]);
    hf_matrix_copy(commutator[0], commutator[1]);
cleanup:
    hf_matrix_destroy(&orbitals);
    return status;
}

/** product [m][a] -= factor W W^T from, for orbitals W [m][o]. */
static hf_status project_out(double factor, const struct hf_matrix *orbitals,
                             const struct hf_matrix *from, struct hf_matrix *product,
                             struct hf_error *error)
{
    struct hf_matrix *overlap = NULL;
    HF_CHECK(hf_matrix_create_product("products of orbitals", true, orbitals, false, from, &overlap,
                                      error));
    hf_matrix_multiply(-factor, false, orbitals, false, overlap, 1.0, product);
    hf_matrix_destroy(&overlap);
    return HF_OK;
}

/** Makes new matrices: columns = W[first : first + n], product [m][n] = d columns. */
static hf_status times_columns(const struct hf_matrix *d, const struct hf_matrix *w, int first,
                               int n, struct hf_matrix **columns, struct hf_matrix **product,
                               struct hf_error *error)
{
    if (n == 0) return HF_OK;
    HF_CHECK(hf_matrix_create_columns("orbitals of a shell", w, first, n, NULL, columns, error));
    return hf_matrix_create_product("Fock times orbitals", false, d, false, *columns, product,
                                    error);
}

/** effective += Y W^T + W Y^T. */
static hf_status add_symmetric(const struct hf_matrix *y, const struct hf_matrix *w,
                               struct hf_matrix *effective, struct hf_error *error)
{
    struct hf_matrix *product = NULL;
    HF_CHECK(hf_matrix_create_product("open-shell blocks", false, y, true, w, &product, error));
    hf_matrix_add(1.0, product, 1.0, effective);
    hf_matrix_add_transposed(1.0, product, 1.0, effective);
    hf_matrix_destroy(&product);
    return HF_OK;
}

/** Adds the difference between the effective matrix and Fc - x d. P are projectors on c and o, d = (Fa - Fb) / 2. The
 *  diagonal block of c is Fc + x d, that of v is Fc - x d. The difference is
 *
 *      Yc Wc^T + Wc Yc^T + Yo Wo^T + Wo Yo^T
 *      Yc = x (1 - Po) d Wc      Yo = (1 + x - 2 Pc - (1 + x/2) Po) d Wo */
static hf_status add_blocks(struct hf_spin_count n_electron, double x, const struct hf_matrix *d,
                            const struct hf_matrix *occupied, struct hf_matrix *effective,
                            struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n_closed = n_electron.beta, n_open = n_electron.alpha - n_electron.beta;
    struct hf_matrix *closed = NULL, *open = NULL, *of_closed = NULL, *of_open = NULL, *y = NULL;
    HF_TRY(times_columns(d, occupied, 0, n_closed, &closed, &of_closed, error));
    HF_TRY(times_columns(d, occupied, n_closed, n_open, &open, &of_open, error));
    HF_TRY(hf_matrix_create_like("open-shell blocks", of_open, &y, error));
    hf_matrix_add(1.0 + x, of_open, 0.0, y);
    if (closed != NULL) HF_TRY(project_out(2.0, closed, of_open, y, error));
    HF_TRY(project_out(1.0 + 0.5 * x, open, of_open, y, error));
    HF_TRY(add_symmetric(y, open, effective, error));
    if (closed != NULL && x != 0.0) {
        HF_TRY(project_out(1.0, open, of_closed, of_closed, error));
        hf_matrix_add(0.0, of_closed, x, of_closed);
        HF_TRY(add_symmetric(of_closed, closed, effective, error));
    }
cleanup:
    HF_DESTROY_MATRICES(&y, &of_open, &of_closed, &open, &closed);
    return status;
}
static hf_status rohf_effective(const struct hf_determinant *of, struct hf_matrix *const fock[],
                                bool canonical, struct hf_matrix *const effective[],
                                struct hf_error *error)
{
    const double x = canonical ? 0.0 : 1.0;
    struct hf_matrix *difference = NULL;
    hf_matrix_copy(fock[0], effective[0]);
    hf_matrix_add(0.5, fock[1], 0.5, effective[0]);
    if (of->occupied[0] == NULL || of->n_electron.alpha == of->n_electron.beta) return HF_OK;
    HF_CHECK(hf_matrix_create_copy("difference of Fock matrices", fock[0], &difference, error));
    hf_matrix_add(-0.5, fock[1], 0.5, difference);
    hf_matrix_add(-x, difference, 1.0, effective[0]);
    const hf_status status =
        add_blocks(of->n_electron, x, difference, of->occupied[0], effective[0], error);
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
