/* First-order correction for excitations outside of [ij]. The amplitudes of one pair change in [ij]+ so that they minimise
 * Hylleraas' functional; the amplitudes of all other pairs stay fixed. In the pseudo-canonical orbitals W of [ij]+
 *
 *     t = W^T S T S W        r = W^T (K - G) W + (e_a + e_b - F_ii - F_jj) t
 *     dt = -r / (e_a + e_b - F_ii - F_jj)                 dE = sum of r_ab (2 dt_ab - dt_ba)
 *
 * Since T has converged, r vanishes between the orbitals of [ij] itself. */
#include "local_iterate.h"

struct hf_local_sums hf_local_correct(const struct hf_local *local, int q,
                                      struct hf_local_state state, struct hf_local_room *room)
{
    const struct hf_local_domain *outer = state.domain;
    const size_t m = (size_t)outer->n_kept;
    double *r = hf_scratch_reserve(&room->outer, 2 * m * m), *t = r + m * m;
    room->failed = room->failed || r == NULL;
    if (room->failed) return (struct hf_local_sums){0};
    hf_local_project(local, q, outer, state.where, t, room);
    state.t = t;
    hf_local_residual(local, q, &state, r, room);
    memcpy(t, r, m * m * sizeof *t);
    hf_local_divide(local, &local->pair[local->own[q]], outer, t);
    return hf_local_sums_of(m, t, r);
}
