/* J and K as a consumer of quartet work; see coulomb_exchange.h. */
#include "coulomb_exchange.h"

/** What quartets are wanted for. */
enum {
    WANTED_COULOMB = 1,
    WANTED_EXCHANGE = 2, /**< of densities with J */
    WANTED_EXCHANGE_ALONE = 4,
};

hf_status hf_coulomb_exchange_init(struct hf_coulomb_exchange *self, struct hf_context *context,
                                   const struct hf_shell_pairs *pairs, double threshold,
                                   const struct hf_job_shape *jobs,
                                   const struct hf_sums_target *target, struct hf_error *error)
{
    *self = (struct hf_coulomb_exchange){.basis = pairs->basis, .threshold = threshold};
    const hf_status status = hf_digestion_init(&self->digestion, pairs, error);
    if (status != HF_OK) return status;
    return hf_local_sums_create(context, pairs->basis, jobs, target, &self->sums, error);
}

void hf_coulomb_exchange_done(struct hf_coulomb_exchange *self)
{
    hf_local_sums_destroy(&self->sums);
    hf_digestion_done(&self->digestion);
}

static double larger(double x, double y)
{
    return x > y ? x : y;
}

/** What the screening of one bra pair needs of the densities. */
struct bra_bounds {
    struct hf_place a, b;
    double coulomb;                    /**< largest |D_ab| */
    const double *a_row[2], *b_row[2]; /**< rows of a and b in the bounds with C and D */
};

static struct bra_bounds find_bra_bounds(const struct hf_basis *basis,
                                         const struct hf_quartet_blocks *blocks,
                                         const struct hf_shell_pair *bra)
{
    struct bra_bounds bounds = {.a = hf_find_place(basis, blocks, bra->a, HF_ATOM_A),
                                .b = hf_find_place(basis, blocks, bra->b, HF_ATOM_A)};
    const struct hf_place *a = &bounds.a, *b = &bounds.b;
    if (blocks->has_coulomb)
        bounds.coulomb =
            blocks->largest[a->atom][b->atom]
                           [(a->bound * blocks->n_shell[b->atom] + b->bound) * HF_N_BOUND +
                            HF_WITH_COULOMB];
    for (int k = 0; k < 2 && blocks->has_exchange; k++) {
        const int atom = HF_ATOM_C + k;
        const size_t row = (size_t)blocks->n_shell[atom] * HF_N_BOUND;
        bounds.a_row[k] = blocks->largest[a->atom][atom] + (size_t)a->bound * row;
        bounds.b_row[k] = blocks->largest[b->atom][atom] + (size_t)b->bound * row;
    }
    return bounds;
}

/** Largest density element of one kind that a quartet meets in K. */
static double exchange_bound(const struct bra_bounds *bra, const struct hf_place *c,
                             const struct hf_place *d, int kind)
{
    const int at_c = c->atom - HF_ATOM_C, at_d = d->atom - HF_ATOM_C;
    const int of_c = c->bound * HF_N_BOUND + kind, of_d = d->bound * HF_N_BOUND + kind;
    return larger(larger(bra->a_row[at_c][of_c], bra->a_row[at_d][of_d]),
                  larger(bra->b_row[at_c][of_c], bra->b_row[at_d][of_d]));
}

/** Whether a quartet, whose bound is given, adds to J and to K: by the largest density elements it
 *  would meet there (book Fig. 8.2's six blocks). */
static uint8_t screen(const struct hf_coulomb_exchange *self,
                      const struct hf_quartet_blocks *blocks, const struct bra_bounds *bra,
                      const struct hf_shell_pair *ket, double bound)
{
    const struct hf_place c = hf_find_place(self->basis, blocks, ket->a, HF_ATOM_C);
    const struct hf_place d = hf_find_place(self->basis, blocks, ket->b, HF_ATOM_C);
    const struct hf_job_shape *jobs = blocks->jobs;
    uint8_t wanted = 0;
    if (blocks->has_coulomb) {
        const double *row =
            blocks->largest[c.atom][d.atom] + c.bound * blocks->n_shell[d.atom] * HF_N_BOUND;
        const double of_ket = row[d.bound * HF_N_BOUND + HF_WITH_COULOMB];
        if (bound * larger(bra->coulomb, of_ket) >= self->threshold) wanted = WANTED_COULOMB;
    }
    if (!blocks->has_exchange) return wanted;
    if (jobs->n_exchange > jobs->first_coulomb &&
        bound * exchange_bound(bra, &c, &d, HF_WITH_COULOMB) >= self->threshold)
        wanted |= WANTED_EXCHANGE;
    if (jobs->first_coulomb > 0 &&
        bound * exchange_bound(bra, &c, &d, HF_EXCHANGE_ALONE) >= self->threshold)
        wanted |= WANTED_EXCHANGE_ALONE;
    return wanted;
}

static hf_status lend(void *data, const struct hf_part *part, struct hf_error *error)
{
    struct hf_coulomb_exchange *self = data;
    (void)error;
    self->blocks = hf_local_sums_begin(self->sums, part);
    return HF_OK;
}

static void bound(void *data, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    const struct hf_coulomb_exchange *self = data;
    struct bra_bounds bounds = {0};
    for (int i = 0; i < n; i++) {
        const struct hf_quartet_blocks *blocks = &self->blocks[ket[i].place];
        if (i == 0 || ket[i].place != ket[i - 1].place)
            bounds = find_bra_bounds(self->basis, blocks, bra);
        ket[i].wanted = screen(self, blocks, &bounds, ket[i].pair, bra->bound * ket[i].pair->bound);
    }
}

static void take(void *data, const struct hf_quartet_batch *batch)
{
    struct hf_coulomb_exchange *self = data;
    const struct hf_quartet_values values = {
        .value = batch->value, .single = batch->single, .n = batch->n_value};
    struct hf_quartet_to_add quartet[HF_LANES];
    for (int l = 0; l < HF_LANES && l < batch->n; l++)
        quartet[l] = (struct hf_quartet_to_add){
            .ket = batch->ket[l].pair,
            .blocks = &self->blocks[batch->ket[l].place],
            .coulomb = (batch->ket[l].wanted & WANTED_COULOMB) != 0,
            .exchange = {[HF_WITH_COULOMB] = (batch->ket[l].wanted & WANTED_EXCHANGE) != 0,
                         [HF_EXCHANGE_ALONE] = (batch->ket[l].wanted & WANTED_EXCHANGE_ALONE) != 0},
        };
    if (batch->side_by_side)
        hf_add_quartets(&self->digestion, batch->bra, batch->n, quartet, &values);
    else
        hf_add_quartet(&self->digestion, batch->bra, quartet, batch->bra_is_row, &values);
}

static hf_status finish(void *data, const struct hf_part *part, struct hf_error *error)
{
    const struct hf_coulomb_exchange *self = data;
    (void)part;
    return hf_local_sums_end(self->sums, error);
}

const struct hf_quartet_consumer hf_coulomb_exchange_consumer = {
    .name = "Coulomb and exchange",
    .about = "J and K of densities, screened with the densities they meet",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "Fig. 8.2 and Eq. 7.4",
    .lend = lend,
    .bound = bound,
    .take = take,
    .finish = finish,
};
