/* A crooked chain of atoms with the same shells each, for tests of the Coulomb pass; random numbers. */
#ifndef HF_TEST_CHAIN_H
#define HF_TEST_CHAIN_H

#include "../mpi_test.h"
#include "../shells.h"

enum { MOST_IN_CHAIN = 60, MOST_SHELLS_OF_ATOM = 3 };

static uint64_t chain_state = 1;

/** Between -1 and 1. */
static inline double next_random(void)
{
    chain_state = chain_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(chain_state >> 11) * 0x1p-52 - 1.0;
}

/** Of MOST_IN_CHAIN atoms at most, with an s and a p shell and, if n_shell is 3, a d shell each. Its shells point to what
 *  the next call changes. */
static inline struct hf_basis *chain(int n_atom, int n_shell)
{
    static const struct test_shell of_atom[MOST_SHELLS_OF_ATOM] = {
        {0, 0, 3, false, {30.0, 4.0, 0.7}, {0.3, 0.4, 0.5}},
        {0, 1, 2, false, {2.5, 0.4}, {0.4, 0.7}},
        {0, 2, 1, true, {1.1}, {0.9}}};
    double centre[MOST_IN_CHAIN][3];
    static struct test_shell shell[MOST_IN_CHAIN * MOST_SHELLS_OF_ATOM];
    for (int i = 0; i < n_atom; i++) {
        for (int d = 0; d < 3; d++) centre[i][d] = (d == 0 ? 2.4 * i : 0.0) + next_random();
        for (int k = 0; k < n_shell; k++) {
            shell[i * n_shell + k] = of_atom[k];
            shell[i * n_shell + k].atom = i;
        }
    }
    return test_basis(n_atom, (const double(*)[3])centre, n_atom * n_shell, shell);
}

#endif
