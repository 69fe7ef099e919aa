/* A small basis whose pairs of shells cost unlike amounts. */
#ifndef HF_TEST_RING_H
#define HF_TEST_RING_H

#include "../shells.h"

enum { N_ATOM = 9, N_SHELL = 2 * N_ATOM };

/** A ring of atoms with an s and a p shell each, of different width. */
static inline struct hf_basis *ring(double centre[N_ATOM][3], struct test_shell shell[N_SHELL])
{
    for (int i = 0; i < N_ATOM; i++) {
        centre[i][0] = 1.1 * i;
        centre[i][1] = 0.3 * i * (N_ATOM - i);
        centre[i][2] = 0.0;
        shell[2 * i] =
            (struct test_shell){i, 0, 1 + i % 3, false, {3.0, 0.9, 0.3}, {0.3, 0.4, 0.3}};
        shell[2 * i + 1] = (struct test_shell){i, 1, 1 + i % 2, false, {1.2, 0.4}, {0.5, 0.5}};
    }
    return test_basis(N_ATOM, (const double(*)[3])centre, N_SHELL, shell);
}

#endif
