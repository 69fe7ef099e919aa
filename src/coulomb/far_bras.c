/* How much a product may contribute to elements of J, for the error bounds of the far field. */
#include "far_field_private.h"

#include <math.h>
#include <stdlib.h>

/** Raises strengths to those of a primitive of a pair. `widest` has those of the class's parts. */
static void weigh_primitive(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *pair,
                            const struct hf_primitive_pair *primitive, const double widest[],
                            double strength[])
{
    const struct hf_pair_class *class = &pairs->class_of[pair->pair_class];
    const double *a = pairs->basis->shell[pair->a].centre_bohr;
    const double *b = pairs->basis->shell[pair->b].centre_bohr;
    double pa = 0.0, pb = 0.0, e[HF_MAX_PAIR_L + 3];
    for (int d = 0; d < 3; d++) {
        const double to_a = primitive->pa[d], to_b = to_a + a[d] - b[d];
        pa += to_a * to_a;
        pb += to_b * to_b;
    }
    for (int i = 0; i < class->n_part; i++) {
        const struct hf_pair_part *part = &class->part[i];
        const double factor = hf_product_charge(primitive->zeta) * fabs(primitive->prefactor) *
                              widest[i] * fabs(hf_product_coefficient(pairs, pair, i, primitive));
        hf_bound_expansion(primitive->one_over_two_zeta, sqrt(pa), sqrt(pb), part->l_a, part->l_b,
                           e);
        for (int k = 0; k <= part->l_a + part->l_b; k++)
            strength[k] = fmax(strength[k], factor * e[k]);
    }
}

void hf_far_weigh_bras(const struct hf_products *products, struct hf_expanded bra[])
{
    const struct hf_shell_pairs *pairs = products->pairs;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        const struct hf_pair_class *class = &pairs->class_of[pair->pair_class];
        double widest[HF_MAX_PAIR_PART];
        for (int k = 0; k < class->n_part; k++)
            widest[k] = hf_widest_function(class->part[k].l_a, class->part[k].spherical_a) *
                        hf_widest_function(class->part[k].l_b, class->part[k].spherical_b);
        for (int k = 0; k < pair->n_primitive; k++) {
            const int64_t number = pair->first_primitive + k;
            const int leaf = hf_leaf_of_product(products, products->place[number]);
            weigh_primitive(pairs, pair, &pairs->primitive[number], widest,
                            bra[products->leaf[leaf].cell].strength);
        }
    }
    for (int i = products->n_cell - 1; i >= 0; i--) {
        const int parent = products->cell[i].parent;
        for (int k = 0; k <= products->cell[i].order && parent >= 0; k++)
            bra[parent].strength[k] = fmax(bra[parent].strength[k], bra[i].strength[k]);
    }
}
