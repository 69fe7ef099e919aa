/* Strong and weak pairs, their domains and owners. */
#include "local_mp2_private.h"

#include "base/arithmetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hf_local_find_pair(const struct hf_local *local, int i, int j)
{
    const int high = i > j ? i : j, low = i > j ? j : i;
    int begin = local->first_pair[high], end = local->first_pair[high + 1];
    while (begin < end) {
        const int middle = begin + (end - begin) / 2;
        if (local->pair[middle].j < low)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < local->first_pair[high + 1] && local->pair[begin].j == low ? begin : -1;
}

double hf_local_distance(const struct hf_local *local, int i, int j)
{
    const struct hf_parts *a = &local->domain[local->domain_of_orbital[i]].atoms;
    const struct hf_parts *b = &local->domain[local->domain_of_orbital[j]].atoms;
    const struct hf_atom *atom = local->molecule->atom;
    double least = INFINITY;
    for (int k = 0; k < a->n; k++)
        for (int l = 0; l < b->n; l++)
            least = fmin(least, hf_distance_squared(atom[a->part[k]].position_bohr,
                                                    atom[b->part[l]].position_bohr));
    return sqrt(least);
}

/** Atoms of two domains, rising; their number. */
static int unite(const struct hf_local *local, int one, int other, int atom[])
{
    const struct hf_parts *a = &local->domain[one].atoms, *b = &local->domain[other].atoms;
    int n = 0, k = 0, l = 0;
    while (k < a->n || l < b->n) {
        const int left = k < a->n ? a->part[k] : INT32_MAX;
        const int right = l < b->n ? b->part[l] : INT32_MAX;
        atom[n++] = left < right ? left : right;
        k += left <= right;
        l += right <= left;
    }
    return n;
}

bool hf_local_extends_weak(const struct hf_local_settings *settings)
{
    return settings->domains == HF_DOMAINS_TIGHT ||
           (settings->domains == HF_DOMAINS_GIVEN && settings->given->extends_weak);
}

static bool add_pair(struct hf_local *local, int i, int j, double distance, int atom[])
{
    if (!hf_arena_grow(&local->arena, &local->pair, local->n_pair + 1, &local->n_pair_room,
                       sizeof *local->pair))
        return false;
    const enum hf_local_class kind =
        distance > local->settings->strong_bohr ? HF_LOCAL_WEAK : HF_LOCAL_STRONG;
    const int *domains = kind == HF_LOCAL_STRONG || hf_local_extends_weak(local->settings)
                             ? local->extended_of_orbital
                             : local->domain_of_orbital;
    const int n = unite(local, domains[i], domains[j], atom);
    const int domain = hf_local_add_domain(local, (struct hf_parts){n, atom});
    local->pair[local->n_pair++] = (struct hf_local_pair){
        .i = i, .j = j, .kind = kind, .domain = domain, .distance_bohr = distance};
    return domain >= 0;
}

/** Pairs in order, without owners. Local. */
static bool list_pairs(struct hf_local *local)
{
    const size_t o = (size_t)local->n_orbital;
    int *atom = calloc((size_t)local->basis->n_atom + 1, sizeof *atom);
    HF_TAKE(&local->arena, local->first_pair, o + 1);
    bool done = atom != NULL && local->first_pair != NULL;
    for (int i = 0; done && i < local->n_orbital; i++) {
        for (int j = 0; done && j <= i; j++) {
            const double distance = hf_local_distance(local, i, j);
            if (distance <= local->settings->distant_bohr)
                done = add_pair(local, i, j, distance, atom);
            else
                local->distant.n_pair++;
        }
        local->first_pair[i + 1] = local->n_pair;
    }
    free(atom);
    return done;
}

/** Local. */
static bool list_partners(struct hf_local *local)
{
    const int o = local->n_orbital;
    int *n = calloc((size_t)o + 1, sizeof *n);
    HF_TAKE(&local->arena, local->first_partner, (size_t)o + 1);
    HF_TAKE(&local->arena, local->partner, 2 * (size_t)local->n_pair);
    const bool done = n != NULL && !local->arena.failed;
    for (int p = 0; done && p < local->n_pair; p++) {
        local->first_partner[local->pair[p].i + 1]++;
        if (local->pair[p].i != local->pair[p].j) local->first_partner[local->pair[p].j + 1]++;
    }
    for (int i = 0; done && i < o; i++) local->first_partner[i + 1] += local->first_partner[i];
    for (int p = 0; done && p < local->n_pair; p++) { /* in this order partners rise */
        const int i = local->pair[p].i, j = local->pair[p].j;
        local->partner[local->first_partner[i] + n[i]++] = (struct hf_local_partner){j, p};
        if (i != j)
            local->partner[local->first_partner[j] + n[j]++] = (struct hf_local_partner){i, p};
    }
    free(n);
    return done;
}

/* ---- Owners ---------------------------------------------------------------------------------- */

/** F_ik that are smaller give no term in most residuals. */
static const double NEGLIGIBLE_FOCK = 1e-6;

/** Work beside the products with S, in multiplications of such a product: for each number of a T that is added; for each
 *  number of a pair and row, and for each number of it. Measured in C16H34/cc-pVDZ. */
static const double SUM = 20.0, PRODUCTS = 5.0, SUMS = 500.0;

/** Up to so many ranks share pairs one by one, if they have so few each that cuts would be uneven. */
enum { MOST_SHARING = 16, FEW_PAIRS = 64 };

/** A pair that is to get an owner. */
struct place {
    double centre[3]; /**< between both orbitals */
    double cost;
    int pair;
    double along; /**< the centre in the direction of the cut that is being made */
};

static int by_place(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->along != b->along) return a->along < b->along ? -1 : 1;
    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

/** The work of the terms F_ik T_kj of all k with an F_ik that matters: a sum for each, and products with S over the
 *  atoms of all their domains. met[atom] is `stamp` for atoms of this sum. */
static double work_of_terms(const struct hf_local *local, int q, int i, int j, int stamp, int met[])
{
    const int *first = local->paos->column_first;
    const double n = hf_local_pair_domain(local, &local->pair[q])->n_function;
    double work = 0.0, united = 0.0;
    for (int p = local->first_partner[j]; p < local->first_partner[j + 1]; p++) {
        const int k = local->partner[p].orbital;
        const struct hf_local_domain *domain =
            hf_local_pair_domain(local, &local->pair[local->partner[p].pair]);
        if (k == i || fabs(hf_local_fock_occupied(local, i, k)) < NEGLIGIBLE_FOCK) continue;
        work += SUM * domain->n_function * domain->n_function;
        for (int a = 0; a < domain->atoms.n; a++) {
            const int atom = domain->atoms.part[a];
            if (met[atom] != stamp) united += first[atom + 1] - first[atom];
            met[atom] = stamp;
        }
    }
    return work + n * united * (n + united);
}

/** Sets the work of all pairs (local_residual.c). Local. */
static bool estimate_work(struct hf_local *local)
{
    int *met = calloc((size_t)local->paos->n_column_part + 1, sizeof *met);
    for (int q = 0; q < local->n_pair && met != NULL; q++) {
        struct hf_local_pair *pair = &local->pair[q];
        const double n = hf_local_pair_domain(local, pair)->n_function;
        pair->work = n * n * (PRODUCTS * n + SUMS);
        pair->work += work_of_terms(local, q, pair->i, pair->j, 2 * q + 1, met);
        if (pair->i != pair->j)
            pair->work += work_of_terms(local, q, pair->j, pair->i, 2 * q + 2, met);
    }
    free(met);
    return met != NULL;
}

/** Sorts along the axis in which the centres differ most. */
static void sort_places(int n, struct place place[])
{
    int widest = 0;
    double width[3];
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < n; k++) {
            low = fmin(low, place[k].centre[d]);
            high = fmax(high, place[k].centre[d]);
        }
        width[d] = high - low;
        if (width[d] > width[widest]) widest = d;
    }
    for (int k = 0; k < n; k++) place[k].along = place[k].centre[widest];
    qsort(place, (size_t)n, sizeof *place, by_place);
}

static int by_falling_cost(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->cost != b->cost) return a->cost > b->cost ? -1 : 1;
    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

/** Each of these pairs, by falling cost, goes to the rank first .. first + n_rank - 1 that has least. */
static void give_singly(struct hf_local *local, int n, struct place place[], int first, int n_rank)
{
    double has[MOST_SHARING] = {0.0};
    qsort(place, (size_t)n, sizeof *place, by_falling_cost);
    for (int k = 0; k < n; k++) {
        int least = 0;
        for (int r = 1; r < n_rank; r++)
            if (has[r] < has[least]) least = r;
        has[least] += place[k].cost;
        local->pair[place[k].pair].owner = first + least;
    }
}

/** The ranks first .. first + n_rank - 1 get these pairs: half of the ranks those on one side of a cut, so that most
 *  amplitudes that a rank needs are its own or of a few other ranks. */
static void give(struct hf_local *local, int n, struct place place[], int first, int n_rank)
{
    while (n_rank > 1) {
        if (n_rank <= MOST_SHARING && n < FEW_PAIRS * n_rank) {
            give_singly(local, n, place, first, n_rank);
            return;
        }
        const int n_lower = n_rank / 2;
        double all = 0.0, lower = 0.0;
        int cut = 0;
        sort_places(n, place);
        for (int k = 0; k < n; k++) all += place[k].cost;
        while (cut < n && (lower + 0.5 * place[cut].cost) * n_rank <= all * n_lower)
            lower += place[cut++].cost;
        give(local, cut, place, first, n_lower);
        place += cut;
        n -= cut;
        first += n_lower;
        n_rank -= n_lower;
    }
    for (int k = 0; k < n; k++) local->pair[place[k].pair].owner = first;
}

/** Local, the same on every rank. */
static bool choose_owners(struct hf_local *local)
{
    struct place *place = calloc((size_t)local->n_pair + 1, sizeof *place);
    if (place == NULL || !estimate_work(local)) {
        free(place);
        return false;
    }
    for (int p = 0; p < local->n_pair; p++) {
        const struct hf_local_pair *pair = &local->pair[p];
        place[p] = (struct place){.cost = pair->work, .pair = p};
        for (int d = 0; d < 3; d++)
            place[p].centre[d] = local->localised.orbital[pair->i].centre[d] +
                                 local->localised.orbital[pair->j].centre[d];
    }
    give(local, local->n_pair, place, 0, local->context->n_rank);
    free(place);
    return true;
}

/** Places of the blocks. Local. */
static bool place_blocks(struct hf_local *local)
{
    const int n_rank = local->context->n_rank, rank = local->context->rank;
    HF_TAKE(&local->arena, local->first_of_rank, (size_t)n_rank + 1);
    HF_TAKE(&local->arena, local->scratch, 2 * (size_t)n_rank);
    HF_TAKE(&local->arena, local->own, (size_t)local->n_pair);
    if (local->arena.failed) return false;
    int64_t *n_of_rank = local->first_of_rank + 1;
    for (int p = 0; p < local->n_pair; p++) {
        struct hf_local_pair *pair = &local->pair[p];
        const size_t n = (size_t)hf_local_pair_domain(local, pair)->n_function;
        pair->offset = (size_t)n_of_rank[pair->owner];
        n_of_rank[pair->owner] += (int64_t)(n * n);
        if (pair->owner == rank) local->own[local->n_own++] = p;
    }
    local->n_number = (size_t)n_of_rank[rank];
    for (int r = 0; r < n_rank; r++) local->first_of_rank[r + 1] += local->first_of_rank[r];
    return true;
}

hf_status hf_local_make_pairs(struct hf_local *local, struct hf_error *error)
{
    hf_status status = HF_OK;
    if (!list_pairs(local) || !list_partners(local) || !choose_owners(local) ||
        !place_blocks(local))
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for pairs of orbitals");
    return hf_agree(local->context->comm, status, error);
}
