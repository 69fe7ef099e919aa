/* How much a product may contribute to elements of J, or to their derivatives, for the error bounds of the far field. */
#include "far_field_private.h"

#include <math.h>
#include <string.h>

/** Adds to of_k what the derivatives of a product by A or B at most have, where e[k] are the sums of the product itself: with
 *  the share of A in P it moves, and A - B changes it at fixed P,
 *
 *      dE^ij/dX = -b/p i E^(i-1)j + a/p j E^i(j-1) - 2 ab/p X E^ij. */
static void derive(const struct hf_pair_part *part, double half, const double distance[2],
                   double steepness, const double e[], double of_k[])
{
    const int order = part->l_a + part->l_b;
    double lower[HF_MAX_PAIR_L + 3];
    of_k[0] = steepness * e[0];
    for (int k = 0; k <= order; k++) of_k[k + 1] = e[k] + (k < order ? steepness * e[k + 1] : 0.0);
    for (int side = 0; side < 2; side++) {
        const int l_a = part->l_a - (side == 0), l_b = part->l_b - (side == 1);
        if (l_a < 0 || l_b < 0) continue;
        hf_bound_expansion(half, distance[0], distance[1], l_a, l_b, lower);
        for (int k = 0; k < order; k++) of_k[k] += (side == 0 ? part->l_a : part->l_b) * lower[k];
    }
}

/** Raises strengths to those of a primitive of a pair. `widest` has those of the class's parts. */
static void weigh_primitive(const struct hf_products *products, const struct hf_shell_pair *pair,
                            const struct hf_primitive_pair *primitive, const double widest[],
                            double strength[])
{
    const struct hf_shell_pairs *pairs = products->pairs;
    const struct hf_pair_class *class = &pairs->class_of[pair->pair_class];
    const double *a = pairs->basis->shell[pair->a].centre_bohr;
    const double *b = pairs->basis->shell[pair->b].centre_bohr;
    double pa = 0.0, pb = 0.0, square = 0.0, e[HF_MAX_PAIR_L + 3], raised[HF_MAX_PAIR_L + 3];
    for (int d = 0; d < 3; d++) {
        const double to_a = primitive->pa[d], to_b = to_a + a[d] - b[d];
        pa += to_a * to_a;
        pb += to_b * to_b;
        square += (a[d] - b[d]) * (a[d] - b[d]);
    }
    const double distance[2] = {sqrt(pa), sqrt(pb)}; /* 2 ab/p X is 2 p PA PB / X */
    const double steepness =
        square > 0.0 ? 2.0 * primitive->zeta * distance[0] * distance[1] / sqrt(square) : 0.0;
    for (int i = 0; i < class->n_part; i++) {
        const struct hf_pair_part *part = &class->part[i];
        const double factor = hf_product_charge(primitive->zeta) * fabs(primitive->prefactor) *
                              widest[i] * fabs(hf_product_coefficient(pairs, pair, i, primitive));
        hf_bound_expansion(primitive->one_over_two_zeta, distance[0], distance[1], part->l_a,
                           part->l_b, e);
        if (products->raise != 0)
            derive(part, primitive->one_over_two_zeta, distance, steepness, e, raised);
        for (int k = 0; k <= part->l_a + part->l_b + products->raise; k++)
            strength[k] = fmax(strength[k], factor * (products->raise != 0 ? raised : e)[k]);
    }
}

enum { N_STRENGTH = HF_MAX_RAISED_PAIR_L + 1 };

/** Raises strengths of leaves, [n_leaf][N_STRENGTH], to those of this rank's pairs of shells, which ranks take by turns. */
static void weigh_own(const struct hf_products *products, double strength[])
{
    const struct hf_context *context = products->context;
    const struct hf_shell_pairs *pairs = products->pairs;
    for (int64_t i = context->rank; i < pairs->n_pair; i += context->n_rank) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        const struct hf_pair_class *class = &pairs->class_of[pair->pair_class];
        double widest[HF_MAX_PAIR_PART];
        for (int k = 0; k < class->n_part; k++)
            widest[k] = hf_widest_function(class->part[k].l_a, class->part[k].spherical_a) *
                        hf_widest_function(class->part[k].l_b, class->part[k].spherical_b);
        for (int k = 0; k < pair->n_primitive; k++) {
            const int64_t number = pair->first_primitive + k;
            const int leaf = hf_leaf_of_product(products, products->place[number]);
            weigh_primitive(products, pair, &pairs->primitive[number], widest,
                            strength + (size_t)leaf * N_STRENGTH);
        }
    }
}

hf_status hf_far_weigh_bras(const struct hf_products *products, bool writes,
                            struct hf_expanded bra[], struct hf_error *error)
{
    const size_t n_leaf = (size_t)products->n_leaf;
    hf_status status;
    struct hf_arena arena = {.label = "the far field"};
    double *strength = HF_TAKE(&arena, strength, n_leaf * N_STRENGTH);
    HF_TRY(hf_agree(products->context->comm, hf_arena_check(&arena, error), error));
    weigh_own(products, strength);
    MPI_Allreduce(MPI_IN_PLACE, strength, (int)(n_leaf * N_STRENGTH), MPI_DOUBLE, MPI_MAX,
                  products->context->comm);
    for (size_t leaf = 0; writes && leaf < n_leaf; leaf++)
        memcpy(bra[products->leaf[leaf].cell].strength, strength + leaf * N_STRENGTH,
               N_STRENGTH * sizeof *strength);
    for (int i = products->n_cell - 1; writes && i >= 0; i--) {
        const int parent = products->cell[i].parent;
        for (int k = 0; k <= bra[i].order && parent >= 0; k++)
            bra[parent].strength[k] = fmax(bra[parent].strength[k], bra[i].strength[k]);
    }
cleanup:
    hf_arena_done(&arena);
    return status;
}
