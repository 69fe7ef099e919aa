/* Neighbours of Cartesian components, for the recurrences. */
#include "integrals/cartesian.h"

void hf_cartesian_table_init(struct hf_cartesian_table *table)
{
    for (int l = 0; l <= HF_MAX_PAIR_L; l++) {
        for (int i = l; i >= 0; i--) {
            for (int j = l - i; j >= 0; j--) {
                const int power[3] = {i, j, l - i - j};
                struct hf_cartesian *c = &table->component[l][hf_cartesian_index(j, l - i - j)];
                c->direction = -1;
                for (int d = 2; d >= 0; d--) {
                    int changed[3] = {power[0], power[1], power[2]};
                    if (power[d] > 0) c->direction = (signed char)d;
                    c->power[d] = (signed char)power[d];
                    changed[d]++;
                    c->upper[d] = (signed char)hf_cartesian_index(changed[1], changed[2]);
                    changed[d] -= 2;
                    c->lower[d] = power[d] > 0
                                      ? (signed char)hf_cartesian_index(changed[1], changed[2])
                                      : (signed char)-1;
                }
            }
        }
    }
}
