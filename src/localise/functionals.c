/* What localisation maximises. */
#include "localise_private.h"

#include "base/arithmetic.h"

static int one_per_atom(const struct hf_basis *basis)
{
    return basis->n_atom;
}

/** Mulliken populations; vectors C and S C. */
static void populations(const struct hf_basis *basis, const double *i, const double *j, double q[])
{
    const int n = basis->n_function;
    for (int a = 0; a < basis->n_atom; a++) {
        q[a] = 0.0;
        if (basis->first_shell_of_atom[a] == basis->first_shell_of_atom[a + 1]) continue;
        const int first = hf_atom_first_function(basis, a), n_a = hf_atom_n_function(basis, a);
        q[a] = 0.5 * (hf_dot((size_t)n_a, i + first, j + n + first) +
                      hf_dot((size_t)n_a, j + first, i + n + first));
    }
}

const struct hf_localise_ops hf_localise_pm = {
    .name = "pm", .n_vector = 2, .n_centre = one_per_atom, .elements = populations};

static int three(const struct hf_basis *basis)
{
    (void)basis;
    return 3;
}

/** Dipoles; vectors C, x C, y C, z C. */
static void dipoles(const struct hf_basis *basis, const double *i, const double *j, double q[])
{
    const int n = basis->n_function;
    for (int d = 0; d < 3; d++) q[d] = hf_dot((size_t)n, i, j + (size_t)(d + 1) * (size_t)n);
}

const struct hf_localise_ops hf_localise_boys = {
    .name = "boys", .n_vector = 4, .n_centre = three, .elements = dipoles};
