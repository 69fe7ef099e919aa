/* Strong and weak pairs, their domains and owners. */
#include "local_mp2_private.h"

#include "base/arithmetic.h"
#include "base/growing.h"

#include <math.h>

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

/** Distance between the nearest atoms of the domains of two orbitals, bohr. */
static double distance_of(const struct hf_local *local, int i, int j)
{
    const struct hf_parts *a = &local->domain[local->domain_of_orbital[HF_LOCAL_OWN][i]].atoms;
    const struct hf_parts *b = &local->domain[local->domain_of_orbital[HF_LOCAL_OWN][j]].atoms;
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

/** Place of the domain of a pair. */
static int domain_of_pair(struct hf_local *local, int i, int j, int reach, int atom[])
{
    const int *domains = local->domain_of_orbital[reach];
    const int n = unite(local, domains[i], domains[j], atom);
    return hf_local_add_domain(local, (struct hf_parts){n, atom});
}

static void add_pair(struct hf_local *local, int i, int j, double distance, int atom[])
{
    if (!hf_arena_grow(&local->arena, &local->pair, local->n_pair + 1, &local->n_pair_room,
                       sizeof *local->pair))
        return;
    const enum hf_local_class kind =
        distance > local->settings->strong_bohr ? HF_LOCAL_WEAK : HF_LOCAL_STRONG;
    int reach = kind == HF_LOCAL_STRONG || hf_local_extends_weak(local->settings)
                    ? HF_LOCAL_EXTENDED
                    : HF_LOCAL_OWN;
    struct hf_local_pair pair = {.i = i, .j = j, .kind = kind, .distance_bohr = distance};
    pair.outer = pair.domain = domain_of_pair(local, i, j, reach, atom);
    if (local->settings->correction_bonds > 0)
        while (pair.outer == pair.domain && ++reach < HF_N_LOCAL_REACH)
            pair.outer = domain_of_pair(local, i, j, reach, atom);
    local->pair[local->n_pair++] = pair;
}

/** Pairs in order, without owners, as far as there is memory. `atom` is room for all atoms. */
static void list_pairs(struct hf_local *local, int atom[])
{
    for (int i = 0; i < local->n_orbital && !local->arena.failed; i++) {
        for (int j = 0; j <= i; j++) {
            const double distance = distance_of(local, i, j);
            if (distance <= local->settings->distant_bohr)
                add_pair(local, i, j, distance, atom);
            else
                local->distant.n_pair++;
        }
        local->first_pair[i + 1] = local->n_pair;
    }
}

/** The partners of all orbitals. `next` [n_orbital] is room. */
static void list_partners(struct hf_local *local, int next[])
{
    const int o = local->n_orbital;
    int *first = local->first_partner;
    for (int p = 0; p < local->n_pair; p++) {
        first[local->pair[p].i + 1]++;
        if (local->pair[p].i != local->pair[p].j) first[local->pair[p].j + 1]++;
    }
    for (int i = 0; i < o; i++) {
        first[i + 1] += first[i];
        next[i] = first[i];
    }
    for (int p = 0; p < local->n_pair; p++) { /* in this order partners rise */
        const int i = local->pair[p].i, j = local->pair[p].j;
        local->partner[next[i]++] = (struct hf_local_partner){j, p};
        if (i != j) local->partner[next[j]++] = (struct hf_local_partner){i, p};
    }
}

/* ---- Owners ---------------------------------------------------------------------------------- */

/** F_ik that are smaller give no term in most residuals. */
static const double NEGLIGIBLE_FOCK = 1e-6;

/** Work beside the products with S, in multiplications of such a product: for each number of a T that is added; for each
 *  number of a pair and row, and for each number of it. Measured in C8H18 and glycine 2, cc-pVDZ. */
static const double SUM = 13.0, PRODUCTS = 2.0, SUMS = 40.0;

/** PAOs of the domains that the sums of a pair meet. */
struct met {
    int *stamp;     /**< [atoms][2] the last sum, and the last pair that met the atom */
    int sum, pair;  /**< these */
    double of_pair; /**< of all sums of the pair */
};

/** The terms F_ik T_kj of all k with an F_ik that matters: the PAOs of their domains. Adds the work of their sum. */
static double meet_terms(const struct hf_local *local, int i, int j, struct met *met, double *work)
{
    const int *first = local->paos->column_first;
    double of_sum = 0.0;
    met->sum++;
    for (int p = local->first_partner[j]; p < local->first_partner[j + 1]; p++) {
        const int k = local->partner[p].orbital;
        const struct hf_local_domain *domain =
            hf_local_pair_domain(local, &local->pair[local->partner[p].pair]);
        if (k == i || fabs(hf_local_fock_occupied(local, i, k)) < NEGLIGIBLE_FOCK) continue;
        *work += SUM * domain->n_function * domain->n_function;
        for (int a = 0; a < domain->atoms.n; a++) {
            const int atom = domain->atoms.part[a], n = first[atom + 1] - first[atom];
            int *stamp = met->stamp + 2 * atom;
            if (stamp[0] != met->sum) of_sum += n;
            if (stamp[1] != met->pair) met->of_pair += n;
            stamp[0] = met->sum;
            stamp[1] = met->pair;
        }
    }
    return of_sum;
}

/** Multiplications of the products with S of a sum over m PAOs, for a domain of n. */
static double products(double n, double m)
{
    return n * m * (n + m);
}

/** Sets the work of all pairs (local_residual.c); ranks share them. `stamp` [atoms][2] is zero. Collective. */
static void estimate_work(struct hf_local *local, double work[], int stamp[])
{
    const struct hf_context *context = local->context;
    struct met met = {.stamp = stamp};
    for (int q = context->rank; q < local->n_pair; q += context->n_rank) {
        const struct hf_local_pair *pair = &local->pair[q];
        const double n = hf_local_pair_domain(local, pair)->n_function;
        double apart;
        met.pair = q + 1;
        met.of_pair = 0.0;
        work[q] = n * n * (PRODUCTS * n + SUMS);
        apart = products(n, meet_terms(local, pair->i, pair->j, &met, &work[q]));
        if (pair->i != pair->j)
            apart += products(n, meet_terms(local, pair->j, pair->i, &met, &work[q]));
        work[q] += fmin(apart, products(n, met.of_pair));
    }
    hf_sum_over_ranks(context->comm, (size_t)local->n_pair, work);
    for (int q = 0; q < local->n_pair; q++) local->pair[q].work = work[q];
}

/** Twice the centre between the orbitals of a pair. */
static double centre_of(const struct hf_local *local, const struct hf_ranked *place, int d)
{
    const struct hf_local_pair *pair = &local->pair[place->number];
    const struct hf_localised_orbital *orbital = local->localised.orbital;
    return orbital[pair->i].centre[d] + orbital[pair->j].centre[d];
}

/** Sorts pairs along the axis in which their centres differ most. */
static void sort_places(const struct hf_local *local, int n, struct hf_ranked place[])
{
    int widest = 0;
    double width[3];
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < n; k++) {
            low = fmin(low, centre_of(local, &place[k], d));
            high = fmax(high, centre_of(local, &place[k], d));
        }
        width[d] = high - low;
        if (width[d] > width[widest]) widest = d;
    }
    for (int k = 0; k < n; k++) place[k].value = -centre_of(local, &place[k], widest);
    hf_sort_falling(n, place);
}

/** Each of these pairs, by falling work, goes to the rank first .. first + n_rank - 1 that has least. */
static void give_singly(struct hf_local *local, int n, struct hf_ranked place[], int first,
                        int n_rank)
{
    double has[HF_LOCAL_MOST_SHARING] = {0.0};
    for (int k = 0; k < n; k++) place[k].value = local->pair[place[k].number].work;
    hf_sort_falling(n, place);
    for (int k = 0; k < n; k++) {
        int least = 0;
        for (int r = 1; r < n_rank; r++)
            if (has[r] < has[least]) least = r;
        has[least] += place[k].value;
        local->pair[place[k].number].owner = first + least;
    }
}

/** The ranks first .. first + n_rank - 1 get these pairs: half of the ranks those on one side of a cut, so that most
 *  amplitudes that a rank needs are its own or of a few other ranks. */
static void give(struct hf_local *local, int n, struct hf_ranked place[], int first, int n_rank)
{
    while (n_rank > 1) {
        if (n_rank <= HF_LOCAL_MOST_SHARING && n < HF_LOCAL_FEW_PAIRS * n_rank) {
            give_singly(local, n, place, first, n_rank);
            return;
        }
        const int n_lower = n_rank / 2;
        double all = 0.0, lower = 0.0;
        int cut = 0;
        sort_places(local, n, place);
        for (int k = 0; k < n; k++) all += local->pair[place[k].number].work;
        for (; cut < n; cut++) {
            const double work = local->pair[place[cut].number].work;
            if ((lower + 0.5 * work) * n_rank > all * n_lower) break;
            lower += work;
        }
        give(local, cut, place, first, n_lower);
        place += cut;
        n -= cut;
        first += n_lower;
        n_rank -= n_lower;
    }
    for (int k = 0; k < n; k++) local->pair[place[k].number].owner = first;
}

/** Places of the blocks. */
static void place_blocks(struct hf_local *local)
{
    const int n_rank = local->context->n_rank, rank = local->context->rank;
    int64_t *n_of_rank = local->first_of_rank + 1;
    for (int p = 0; p < local->n_pair; p++) {
        struct hf_local_pair *pair = &local->pair[p];
        const size_t n = (size_t)hf_local_pair_domain(local, pair)->n_function;
        const size_t n_outer = (size_t)hf_local_outer_domain(local, pair)->n_function;
        pair->offset = (size_t)n_of_rank[pair->owner];
        n_of_rank[pair->owner] += (int64_t)(n * n);
        if (pair->owner != rank) continue;
        local->own[local->n_own++] = p;
        pair->outer_offset = local->n_integral;
        local->n_integral += n_outer * n_outer;
    }
    local->n_number = (size_t)n_of_rank[rank];
    for (int r = 0; r < n_rank; r++) local->first_of_rank[r + 1] += local->first_of_rank[r];
}

hf_status hf_local_list_partners(struct hf_local *local, struct hf_error *error)
{
    const size_t o = (size_t)local->n_orbital;
    int *next = HF_TAKE(&local->arena, next, o);
    HF_TAKE(&local->arena, local->first_partner, o + 1);
    HF_TAKE(&local->arena, local->partner, 2 * (size_t)local->n_pair);
    HF_CHECK(hf_arena_check(&local->arena, error));
    list_partners(local, next);
    hf_arena_release(&local->arena, next);
    return HF_OK;
}

hf_status hf_local_deal_pairs(struct hf_local *local, struct hf_error *error)
{
    const size_t n_pair = (size_t)local->n_pair, n_rank = (size_t)local->context->n_rank;
    struct hf_arena *arena = &local->arena;
    struct hf_ranked *place = HF_TAKE(arena, place, n_pair);
    HF_TAKE(arena, local->own, n_pair);
    HF_TAKE(arena, local->first_of_rank, n_rank + 1);
    HF_TAKE(arena, local->scratch, 2 * n_rank);
    HF_CHECK(hf_arena_check(arena, error));
    for (size_t p = 0; p < n_pair; p++) place[p].number = (int64_t)p;
    give(local, local->n_pair, place, 0, local->context->n_rank);
    place_blocks(local);
    hf_arena_release(arena, place);
    return HF_OK;
}

/** Pairs and their partners. Local, the same on every rank. */
static hf_status find_pairs(struct hf_local *local, struct hf_error *error)
{
    struct hf_arena *arena = &local->arena;
    int *atom = HF_TAKE(arena, atom, (size_t)local->basis->n_atom);
    HF_TAKE(arena, local->first_pair, (size_t)local->n_orbital + 1);
    HF_CHECK(hf_arena_check(arena, error));
    list_pairs(local, atom);
    hf_arena_release(arena, atom);
    return hf_local_list_partners(local, error);
}

hf_status hf_local_make_pairs(struct hf_local *local, struct hf_error *error)
{
    hf_status status = find_pairs(local, error);
    struct hf_arena *arena = &local->arena;
    double *work = HF_TAKE(arena, work, (size_t)local->n_pair);
    int *stamp = HF_TAKE(arena, stamp, 2 * (size_t)local->basis->n_atom);
    if (status == HF_OK) status = hf_arena_check(arena, error);
    HF_CHECK(hf_agree(local->context->comm, status, error));
    estimate_work(local, work, stamp);
    hf_arena_release(arena, work);
    hf_arena_release(arena, stamp);
    return hf_agree(local->context->comm, hf_local_deal_pairs(local, error), error);
}
