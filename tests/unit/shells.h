/* Shells made by hand: a basis without a basis-set file, for tests of the integral rooms. */
#ifndef HF_TEST_SHELLS_H
#define HF_TEST_SHELLS_H

#include "hf/basis.h"

#include <stdlib.h>

enum { TEST_MAX_PRIMITIVE = 10 };

/** A shell before it is put into a basis. */
struct test_shell {
    int atom, l, n_primitive;
    bool spherical;
    double exponent[TEST_MAX_PRIMITIVE], coefficient[TEST_MAX_PRIMITIVE];
};

/** A basis over `n_atom` centres; shells must be in order of atoms. Free with test_basis_destroy.
 */
static inline struct hf_basis *test_basis(int n_atom, const double centre[][3], int n_shell,
                                          const struct test_shell shell[])
{
    struct hf_basis *basis = calloc(1, sizeof *basis);
    basis->n_atom = n_atom;
    basis->n_shell = n_shell;
    basis->shell = calloc((unsigned)n_shell, sizeof *basis->shell);
    basis->first_shell_of_atom = calloc((size_t)n_atom + 1, sizeof *basis->first_shell_of_atom);
    for (int i = 0; i < n_shell; i++) {
        const struct test_shell *from = &shell[i];
        struct hf_shell *to = &basis->shell[i];
        *to = (struct hf_shell){
            .atom = from->atom,
            .l = from->l,
            .spherical = from->spherical,
            .n_primitive = from->n_primitive,
            .exponent = from->exponent,
            .coefficient = from->coefficient,
            .first_function = basis->n_function,
            .n_function = from->spherical ? 2 * from->l + 1 : (from->l + 1) * (from->l + 2) / 2,
        };
        for (int d = 0; d < 3; d++) to->centre_bohr[d] = centre[from->atom][d];
        basis->n_function += to->n_function;
        basis->n_primitive += to->n_primitive;
        if (to->l > basis->max_l) basis->max_l = to->l;
        if (to->n_primitive > basis->max_primitive) basis->max_primitive = to->n_primitive;
        for (int atom = from->atom + 1; atom <= n_atom; atom++)
            basis->first_shell_of_atom[atom] = i + 1;
    }
    return basis;
}

/** Three centres in a general position with shells s, p and d, spherical and not, of one primitive and of
 *  several. */
static inline struct hf_basis *test_mixed_basis(void)
{
    static const double centre[3][3] = {{0.1, -0.2, 0.3}, {1.2, 0.7, -0.5}, {-0.4, 1.1, 0.9}};
    static const struct test_shell shells[] = {
        {0, 0, 3, false, {30.0, 4.0, 0.7}, {0.3, 0.4, 0.5}},
        {0, 1, 2, false, {2.5, 0.6}, {0.4, 0.7}},
        {1, 0, 1, false, {0.4}, {0.6}},
        {1, 2, 1, true, {0.9}, {0.8}},
        {2, 1, 1, false, {0.6}, {0.7}},
        {2, 2, 1, false, {0.7}, {0.9}},
    };
    return test_basis(3, centre, sizeof shells / sizeof *shells, shells);
}

static inline void test_basis_destroy(struct hf_basis **basis)
{
    free((*basis)->shell);
    free((*basis)->first_shell_of_atom);
    free(*basis);
    *basis = NULL;
}

#endif
