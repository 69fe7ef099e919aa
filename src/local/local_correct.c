/* What domains leave out, to first order: with all other amplitudes as they are, those of a pair that minimise Hylleraas'
 * functional in [ij]+. In the pseudo-canonical orbitals W of [ij]+
 *
 *     t = W^T S T S W        r = W^T (K - G) W + (e_a + e_b - F_ii - F_jj) t
 *     dt = -r / (e_a + e_b - F_ii - F_jj)                 dE = sum of r_ab (2 dt_ab - dt_ba)
 *
 * Since T has converged, r vanishes between the orbitals of [ij] itself. */
#include "local_iterate.h"

hf_status hf_local_correct(const struct hf_local *local, int q, const struct hf_local_state *state,
                           struct hf_local_room *room, struct hf_local_sums *sums,
                           struct hf_error *error)
{
    const struct hf_local_pair *pair = &local->pair[local->own[q]];
    struct hf_local_domain outer = *hf_local_outer_domain(local, pair);
    const bool known = outer.vector != NULL;
    if (!known) HF_CHECK(hf_local_find_vectors(local, room, &room->arena, &outer, error));
    const size_t m = (size_t)outer.n_kept;
    double *r = hf_scratch_reserve(&room->outer, 2 * m * m), *t = r + m * m;
    if (r == NULL) return hf_arena_check(&room->arena, error);
    hf_local_project(local, q, &outer, state->where, t, room);
    struct hf_local_state of_outer = *state;
    of_outer.domain = &outer;
    of_outer.t = t;
    hf_local_residual(local, q, &of_outer, r, room);
    memcpy(t, r, m * m * sizeof *t);
    hf_local_divide(local, pair, &outer, t);
    *sums = hf_local_sums_of(m, t, r);
    if (!known) {
        hf_arena_release(&room->arena, outer.vector);
        hf_arena_release(&room->arena, outer.energy);
    }
    return room->failed ? hf_arena_check(&room->arena, error) : HF_OK;
}
