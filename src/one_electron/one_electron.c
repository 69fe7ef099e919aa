/* One-electron integrals by Hermite expansion (McMurchie and Davidson). Plain code: they take a
 * vanishing share of a calculation. */
#include "one_electron/one_electron.h"

#include "base/arithmetic.h"
#include "hermite_charges.h"
#include "integrals/cartesian.h"
#include "primitive_pair.h"

#include <math.h>
#include <string.h>

struct hf_one_electron {
    struct hf_arena arena;
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1]; /**< up to max_l */
    struct hf_hermite_charges charges;
    bool borrows;                        /**< the arrays of the charges are another's */
    const struct hf_charge_field *field; /**< NULL: all charges by rows */
    double potential[HF_N_HERMITE];      /**< of all charges at a primitive pair */
    double block[HF_MAX_CARTESIAN_BLOCK], scratch[HF_MAX_CARTESIAN_BLOCK];
};

/** Integral of x^2 in one dimension about the origin, in units of the overlap's sqrt(pi/p). */
static double square(const struct hf_hermite_expansion *e, double p, double centre, int i, int j)
{
    const double second = i + j > 1 ? e->e[i][j][2] : 0.0;
    return (0.5 / p + centre * centre) * e->e[i][j][0] + 2.0 * centre * e->e[i][j][1] +
           2.0 * second;
}

/** Integral of one product of components, all operators but the charges. */
static double component_integral(enum hf_operator which, const struct hf_primitive_pair *pair,
                                 const signed char i[3], const signed char j[3])
{
    double overlap[3];
    for (int d = 0; d < 3; d++) overlap[d] = pair->expansion[d].e[i[d]][j[d]][0];
    double value = 0.0;
    if (which == HF_OVERLAP) {
        value = overlap[0] * overlap[1] * overlap[2];
    } else if (which == HF_KINETIC) {
        for (int d = 0; d < 3; d++)
            value +=
                hf_kinetic_line(pair, d, i[d], j[d]) * overlap[(d + 1) % 3] * overlap[(d + 2) % 3];
    } else if (which == HF_SQUARE) {
        for (int d = 0; d < 3; d++)
            value += square(&pair->expansion[d], pair->p, pair->centre[d], i[d], j[d]) *
                     overlap[(d + 1) % 3] * overlap[(d + 2) % 3];
    } else {
        const int d = (int)which - (int)HF_DIPOLE_X;
        value = hf_dipole_line(pair, d, i[d], j[d]) * overlap[(d + 1) % 3] * overlap[(d + 2) % 3];
    }
    return value * pair->factor * pair->volume;
}

/** Adds factor sum_tuv E_t E_u E_v potential_tuv for every product of components. */
static void add_potential(struct hf_one_electron *self, const struct hf_primitive_pair *pair,
                          int l_a, int l_b, double factor)
{
    double *block = self->block;
    for (int a = 0; a < hf_n_cartesian(l_a); a++) {
        const signed char *i = self->cartesian.component[l_a][a].power;
        for (int b = 0; b < hf_n_cartesian(l_b); b++) {
            const signed char *j = self->cartesian.component[l_b][b].power;
            double sum = 0.0;
            for (int t = 0; t <= i[0] + j[0]; t++)
                for (int u = 0; u <= i[1] + j[1]; u++)
                    for (int v = 0; v <= i[2] + j[2]; v++)
                        sum += pair->expansion[0].e[i[0]][j[0]][t] *
                               pair->expansion[1].e[i[1]][j[1]][u] *
                               pair->expansion[2].e[i[2]][j[2]][v] *
                               self->potential[hf_hermite_index(t, u, v)];
            *block++ += factor * sum;
        }
    }
}

/** Adds the potential of far charges, of which R_tuv is a derivative of 1/r times sqrt(pi/p)/2. */
static void add_far(const struct hf_charge_field *field, const struct hf_primitive_pair *pair,
                    int total, double potential[])
{
    const int n = hf_n_hermite(total), step = hf_n_hermite(field->total);
    const double scale = 0.5 * sqrt(HF_PI / pair->p);
    const double place = (pair->beta - pair->alpha) / pair->p; /* between the functions, -1 to 1 */
    double sum[HF_N_HERMITE] = {0.0};
    for (int k = field->order; k >= 0; k--)
        for (int i = 0; i < n; i++) sum[i] = sum[i] * place + field->coefficient[k * step + i];
    for (int i = 0; i < n; i++) potential[i] += scale * sum[i];
}

/** Adds one primitive pair to the Cartesian block [a][b]. */
static void add_primitive(struct hf_one_electron *self, enum hf_operator which,
                          const struct hf_primitive_pair *pair, int l_a, int l_b)
{
    double *block = self->block;
    if (which == HF_CHARGES) {
        const struct hf_charge_field *field = self->field;
        hf_hermite_charges_sum(&self->charges, pair->p, pair->centre, l_a + l_b,
                               field == NULL ? 0 : field->n_near,
                               field == NULL ? NULL : field->near, self->potential);
        if (field != NULL) add_far(field, pair, l_a + l_b, self->potential);
        add_potential(self, pair, l_a, l_b, -2.0 * HF_PI / pair->p * pair->factor);
        return;
    }
    for (int a = 0; a < hf_n_cartesian(l_a); a++)
        for (int b = 0; b < hf_n_cartesian(l_b); b++)
            *block++ += component_integral(which, pair, self->cartesian.component[l_a][a].power,
                                           self->cartesian.component[l_b][b].power);
}

const double *hf_one_electron_block(struct hf_one_electron *self, enum hf_operator which,
                                    const struct hf_shell *a, const struct hf_shell *b)
{
    const int raise = which == HF_KINETIC ? 2 : 0;
    struct hf_primitive_pair pair; /* larger than what most pairs need of it */
    memset(self->block, 0,
           (size_t)(hf_n_cartesian(a->l) * hf_n_cartesian(b->l)) * sizeof *self->block);
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            hf_primitive_pair_place(a, b, i, j, &pair);
            if (fabs(pair.factor) < HF_NO_OVERLAP) continue;
            hf_primitive_pair_expand(a, b, raise, &pair);
            add_primitive(self, which, &pair, a->l, b->l);
        }
    }
    hf_block_to_spherical(self->harmonics, a, b, self->block, self->scratch);
    return self->block;
}

hf_status hf_one_electron_create(int max_l, int n_charge, const struct hf_spread_charge charge[],
                                 struct hf_one_electron **one_electron, struct hf_error *error)
{
    struct hf_one_electron *self = HF_NEW(*one_electron, NULL, "the one-electron integrals");
    if (self == NULL) return hf_arena_check_new(self, error);
    hf_cartesian_table_init(&self->cartesian);
    for (int l = 0; l <= max_l; l++) hf_solid_harmonics_init(l, &self->harmonics[l]);
    const hf_status status =
        hf_hermite_charges_init(&self->charges, 2 * max_l, n_charge, charge, error);
    if (status != HF_OK) hf_one_electron_destroy(one_electron);
    return status;
}

hf_status hf_one_electron_share(const struct hf_one_electron *from,
                                struct hf_one_electron **one_electron, struct hf_error *error)
{
    struct hf_one_electron *self = HF_NEW(*one_electron, NULL, "the one-electron integrals");
    if (self == NULL) return hf_arena_check_new(self, error);
    const struct hf_arena arena = self->arena;
    *self = *from;
    self->arena = arena;
    self->borrows = true;
    return HF_OK;
}

struct hf_charge_places hf_one_electron_places(const struct hf_one_electron *self)
{
    const struct hf_hermite_charges *charges = &self->charges;
    return (struct hf_charge_places){
        .n_place = charges->n_place,
        .position = {charges->position[0], charges->position[1], charges->position[2]},
        .whole = charges->whole,
        .first = charges->first,
        .charge = charges->charge,
        .exponent = charges->exponent,
    };
}

void hf_one_electron_set_field(struct hf_one_electron *self, const struct hf_charge_field *field)
{
    self->field = field;
}

void hf_one_electron_destroy(struct hf_one_electron **one_electron)
{
    struct hf_one_electron *old = *one_electron;
    if (old != NULL && !old->borrows) hf_hermite_charges_done(&old->charges);
    hf_arena_free(one_electron);
}
