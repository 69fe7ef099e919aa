/* Integrals (ia|jb) of local MP2 against plain sums over all integrals, for orbitals, domains and pairs made by hand;
 * and the sparse blocks that they pass through. */
#include "../all_integrals.h"
#include "../mpi_test.h"

#include "../../../src/local/local_mp2_private.h"

#include <math.h>
#include <string.h>

enum { N_ATOM = 5, N_ORBITAL = 6, MOST_PAIR = N_ORBITAL * (N_ORBITAL + 1) / 2 };

/** Atoms of the domains of orbitals. */
static const bool in_domain[N_ORBITAL][N_ATOM] = {{1, 1, 0, 0, 0}, {0, 1, 1, 1, 0},
                                                  {1, 1, 0, 0, 0}, {0, 0, 1, 0, 0},
                                                  {0, 0, 1, 1, 0}, {0, 0, 0, 0, 1}};

/** A problem with everything that transformations read. */
struct problem {
    struct hf_context *context;
    struct hf_atom atom[N_ATOM];
    struct hf_molecule molecule;
    struct hf_basis *basis;
    struct hf_local_settings settings;
    struct hf_local local;
    struct hf_localised_orbital orbital[N_ORBITAL];
    struct hf_local_domain domain[MOST_PAIR + N_ORBITAL]; /**< of each pair, and of orbitals */
    int atoms[MOST_PAIR + N_ORBITAL][N_ATOM], domain_of_orbital[HF_N_LOCAL_REACH][N_ORBITAL];
    struct hf_local_pair pair[MOST_PAIR];
    struct hf_local_partner partner[2 * MOST_PAIR];
    int first_pair[N_ORBITAL + 1], first_partner[N_ORBITAL + 1], own[MOST_PAIR];
    size_t n_number[8]; /**< of each rank */
    double *reference;  /**< (ia|jb) of all pairs, one after the other */
};

static double distance(const struct problem *p, int a, int b)
{
    double sum = 0.0;
    for (int x = 0; x < 3; x++) {
        const double d = p->atom[a].position_bohr[x] - p->atom[b].position_bohr[x];
        sum += d * d;
    }
    return sqrt(sum);
}

static void make_molecule(struct problem *p, const char *set)
{
    static const int number[N_ATOM] = {8, 1, 6, 1, 1};
    static const double z[N_ATOM] = {0.0, 1.9, 4.5, 6.4, 11.0};
    const struct hf_basis_choice choice = {.atom = -1, .name = set};
    error = (struct hf_error){0};
    p->molecule = (struct hf_molecule){.atom = p->atom, .n_atom = N_ATOM, .multiplicity = 2};
    for (int a = 0; a < N_ATOM; a++)
        p->atom[a] = (struct hf_atom){.atomic_number = number[a],
                                      .position_bohr = {0.3 * a, 0.1 * a * a, z[a]}};
    assert_ok(hf_basis_create(p->context, &p->molecule, 1, &choice, HF_CONVENTION_AS_DEFINED,
                              &p->basis, &error));
}

/** Blocks of atoms by n_column parts of which part c is about atom centre[c]: they fall with the distance, some are
 *  zero. */
static struct hf_sparse_matrix *make_matrix(const struct problem *p, int n_column,
                                            const int *column_first, const int *centre)
{
    struct hf_memory *memory = p->context->memory;
    int first[N_ATOM + 1];
    for (int a = 0; a <= N_ATOM; a++) {
        const int shell = p->basis->first_shell_of_atom[a];
        first[a] = shell < p->basis->n_shell ? p->basis->shell[shell].first_function
                                             : p->basis->n_function;
    }
    struct hf_sparse_matrix *made = hf_sparse_create(memory, "test", N_ATOM, first, n_column,
                                                     column_first != NULL ? column_first : first);
    assert_non_null(made);
    for (int c = 0; c < n_column; c++)
        for (int a = 0; a < N_ATOM; a++) {
            double value[400];
            const int n_c = made->column_first[c + 1] - made->column_first[c];
            const int n = (first[a + 1] - first[a]) * n_c;
            if (distance(p, a, centre[c]) > 7.0) continue;
            for (int k = 0; k < n; k++)
                value[k] =
                    sin(1.0 + 7.0 * c + 3.0 * a + 1.7 * k) * exp(-0.6 * distance(p, a, centre[c]));
            hf_sparse_add(made, a, c, 0.0, value, (size_t)n_c);
        }
    assert_ok(hf_sparse_finish(made, NULL));
    return made;
}

/** Domain k, of a pair; extended ones have the atom before each atom, too. */
static void make_domain(struct problem *p, int i, int j, bool extended, int k)
{
    int n = 0;
    for (int a = 0; a < N_ATOM; a++) {
        bool in = in_domain[i][a] || in_domain[j][a];
        if (extended && a + 1 < N_ATOM) in = in || in_domain[i][a + 1] || in_domain[j][a + 1];
        if (in) p->atoms[k][n++] = a;
    }
    p->domain[k].atoms = (struct hf_parts){n, p->atoms[k]};
    p->domain[k].n_function = hf_parts_size(p->local.paos->column_first, p->domain[k].atoms);
}

/** Pairs of all orbitals but two, dealt to the ranks in turns, and partners. */
static void make_pairs(struct problem *p)
{
    struct hf_local *local = &p->local;
    int n_partner = 0;
    for (int i = 0; i < N_ORBITAL; i++) {
        p->first_pair[i] = local->n_pair;
        for (int j = 0; j <= i; j++) {
            if ((i == 4 && j == 0) || (i == 5 && j == 1)) continue;
            const int k = local->n_pair++, owner = k % p->context->n_rank;
            struct hf_local_pair *pair = &p->pair[k];
            *pair = (struct hf_local_pair){.i = i, .j = j, .owner = owner};
            pair->outer = k;
            make_domain(p, i, j, i - j < 2, k);
            if (i == j)
                p->domain_of_orbital[HF_LOCAL_EXTENDED][i] =
                    p->domain_of_orbital[HF_LOCAL_OUTER][i] = k;
            pair->outer_offset = p->n_number[owner];
            const size_t n = (size_t)p->domain[pair->outer].n_function;
            p->n_number[owner] += n * n;
            if (owner == p->context->rank) p->own[local->n_own++] = k;
        }
    }
    p->first_pair[N_ORBITAL] = local->n_pair;
    for (int i = 0; i < N_ORBITAL; i++) {
        p->domain_of_orbital[HF_LOCAL_OWN][i] = MOST_PAIR + i;
        make_domain(p, i, i, false, MOST_PAIR + i);
    }
    for (int i = 0; i < N_ORBITAL; i++) {
        p->first_partner[i] = n_partner;
        for (int j = 0; j < N_ORBITAL; j++)
            for (int k = 0; k < local->n_pair; k++)
                if (p->pair[k].i == (i > j ? i : j) && p->pair[k].j == (i > j ? j : i))
                    p->partner[n_partner++] = (struct hf_local_partner){j, k};
    }
    p->first_partner[N_ORBITAL] = n_partner;
    local->n_integral = p->n_number[p->context->rank];
}

/** (ia|jb) of a pair from all integrals [n][n][n][n], to [a][b]. */
static void plain_sum(const struct problem *p, const double *integral, const double *l,
                      const struct hf_local_pair *pair, double *to)
{
    const struct hf_local_domain *domain = &p->domain[pair->outer];
    const size_t n = (size_t)p->basis->n_function, n_pao = (size_t)domain->n_function;
    double *half = calloc(n * n * n, sizeof *half), *third = calloc(n * n, sizeof *third);
    double *columns = calloc(n * n_pao, sizeof *columns);
    int all[N_ATOM];
    for (int a = 0; a < N_ATOM; a++) all[a] = a;
    hf_sparse_get(p->local.paos, (struct hf_parts){N_ATOM, all}, domain->atoms, columns);
    for (size_t m = 0; m < n; m++)
        for (size_t x = 0; x < n * n * n; x++)
            half[x] += l[m * N_ORBITAL + (size_t)pair->i] * integral[m * n * n * n + x];
    /* half [n][r][s] -> third [n][s] */
    for (size_t f = 0; f < n; f++)
        for (size_t r = 0; r < n; r++)
            for (size_t s = 0; s < n; s++)
                third[f * n + s] += l[r * N_ORBITAL + (size_t)pair->j] * half[(f * n + r) * n + s];
    for (size_t a = 0; a < n_pao; a++)
        for (size_t b = 0; b < n_pao; b++) {
            double sum = 0.0;
            for (size_t f = 0; f < n; f++)
                for (size_t s = 0; s < n; s++)
                    sum += columns[f * n_pao + a] * third[f * n + s] * columns[s * n_pao + b];
            to[a * n_pao + b] = sum;
        }
    free(half);
    free(third);
    free(columns);
}

static void make_reference(struct problem *p)
{
    struct hf_shell_pairs *pairs = NULL;
    const size_t n = (size_t)p->basis->n_function;
    int all[N_ATOM], orbitals[N_ORBITAL];
    size_t n_number = 0, at = 0;
    for (int a = 0; a < N_ATOM; a++) all[a] = a;
    for (int i = 0; i < N_ORBITAL; i++) orbitals[i] = i;
    assert_ok(hf_shell_pairs_create(p->context, p->basis, 1e-20, &pairs, &error));
    double *integral = test_all_integrals(pairs);
    double *l = calloc(n * N_ORBITAL, sizeof *l);
    hf_sparse_get(p->local.orbitals, (struct hf_parts){N_ATOM, all},
                  (struct hf_parts){N_ORBITAL, orbitals}, l);
    for (int k = 0; k < p->local.n_pair; k++) {
        const size_t size = (size_t)p->domain[p->pair[k].outer].n_function;
        n_number += size * size;
    }
    p->reference = calloc(n_number, sizeof *p->reference);
    for (int k = 0; k < p->local.n_pair; k++) {
        const size_t size = (size_t)p->domain[p->pair[k].outer].n_function;
        plain_sum(p, integral, l, &p->pair[k], p->reference + at);
        at += size * size;
    }
    free(l);
    free(integral);
    hf_shell_pairs_destroy(&pairs);
}

static void begin(struct problem *p, const char *set)
{
    static const int centre[N_ORBITAL] = {0, 2, 1, 2, 3, 4};
    static const int single[N_ORBITAL + 1] = {0, 1, 2, 3, 4, 5, 6};
    static const int each[N_ATOM] = {0, 1, 2, 3, 4};
    *p = (struct problem){.context = test_context()};
    make_molecule(p, set);
    for (int i = 0; i < N_ORBITAL; i++)
        memcpy(p->orbital[i].centre, p->atom[centre[i]].position_bohr, sizeof p->orbital[i].centre);
    p->settings.schedule.name = "static";
    p->local = (struct hf_local){.context = p->context,
                                 .settings = &p->settings,
                                 .basis = p->basis,
                                 .molecule = &p->molecule,
                                 .n_thread = 1,
                                 .n_orbital = N_ORBITAL,
                                 .localised = {.n = N_ORBITAL, .orbital = p->orbital},
                                 .domain = p->domain,
                                 .pair = p->pair,
                                 .first_pair = p->first_pair,
                                 .first_partner = p->first_partner,
                                 .partner = p->partner,
                                 .own = p->own};
    for (int reach = 0; reach < HF_N_LOCAL_REACH; reach++)
        p->local.domain_of_orbital[reach] = p->domain_of_orbital[reach];
    p->local.orbitals = make_matrix(p, N_ORBITAL, single, centre);
    p->local.paos = make_matrix(p, N_ATOM, NULL, each);
    make_pairs(p);
    make_reference(p);
}

static void end(struct problem *p)
{
    free(p->reference);
    hf_sparse_destroy(&p->local.orbitals);
    hf_sparse_destroy(&p->local.paos);
    hf_basis_destroy(&p->basis);
    test_context_done(&p->context);
}

/** Integrals of this rank's pairs; to be freed. */
static double *transform(struct problem *p, struct hf_local_result *result)
{
    double *k = malloc((p->local.n_integral + 1) * sizeof *k);
    *result = (struct hf_local_result){0};
    assert_non_null(k);
    const hf_status status = hf_local_transform(&p->local, k, result, &error);
    assert_ok(status);
    return k;
}

/** Largest error of this rank's pairs. */
static double largest_error(const struct problem *p, const double *k)
{
    double largest = 0.0;
    size_t at = 0;
    for (int q = 0; q < p->local.n_pair; q++) {
        const size_t n = (size_t)p->domain[p->pair[q].outer].n_function;
        for (size_t x = 0; x < n * n && p->pair[q].owner == p->context->rank; x++)
            largest = fmax(largest, fabs(k[p->pair[q].outer_offset + x] - p->reference[at + x]));
        at += n * n;
    }
    return largest;
}

TEST(integrals_are_the_plain_sums)
{
    static const char *const schedules[] = {"static", "steal", "counter", "manager"};
    struct problem p;
    begin(&p, "cc-pVDZ");
    p.settings.threshold = 1e-18;
    double *first = NULL;
    for (int s = 0; s < 8; s++) {
        struct hf_local_result result;
        p.settings.schedule.name = schedules[s % 4];
        p.local.n_thread = s < 4 ? 1 : 3;
        double *k = transform(&p, &result);
        assert_true(largest_error(&p, k) < 1e-11);
        assert_true(result.bytes > 0.0);
        if (first == NULL)
            first = k;
        else
            assert_memory_equal(k, first, p.local.n_integral * sizeof *k);
        if (k != first) free(k);
    }
    free(first);
    end(&p);
}

TEST(screening_leaves_out_what_is_small)
{
    struct problem p;
    begin(&p, "6-31G");
    double before = INFINITY;
    for (double threshold = 1e-12; threshold < 1e-3; threshold *= 100.0) {
        struct hf_local_result result;
        p.settings.threshold = threshold;
        double *k = transform(&p, &result);
        double n = result.n_quartet;
        MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        assert_true(largest_error(&p, k) < 30.0 * threshold + 1e-11);
        assert_true(n <= before);
        before = n;
        free(k);
    }
    end(&p);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/** All ranks but the first. */
static struct hf_local_ranks all_but_first(const void *data, const struct hf_local_block *block)
{
    const int *n_rank = data;
    (void)block;
    return (struct hf_local_ranks){1, *n_rank - 1};
}

TEST(blocks_reach_all_ranks_that_need_them)
{
    enum { N_LIST = 3, N_BLOCK = 40, LARGE = 200000 };
    TEST_CONTEXT(context);
    const struct hf_local_blocks none = {.arena = {.memory = context->memory, .label = "test"}};
    struct hf_local_blocks from[N_LIST], to = none;
    double sent_bytes = 0.0;
    int n_rank = context->n_rank;
    for (int t = 0; t < N_LIST; t++) {
        from[t] = none;
        for (int k = 0; k < N_BLOCK; k++) {
            const int n = t == 1 && k == 7 ? LARGE : 1 + k * k;
            const int pair = (k * 7) % N_BLOCK, row = N_LIST - t;
            double *value = hf_local_blocks_add(&from[t], pair, row, context->rank, n);
            for (int x = 0; x < n; x++)
                value[x] = pair + 100.0 * t + 1000.0 * context->rank + 1e-7 * x;
        }
    }
    assert_ok(hf_local_blocks_exchange(context, all_but_first, &n_rank, N_LIST, from, &to,
                                       &sent_bytes, &error));
    assert_int_equal(to.n_block, context->rank == 0 ? 0 : N_LIST * N_BLOCK * n_rank);
    for (size_t k = 0; k < to.n_block; k++) {
        const struct hf_local_block *block = &to.block[k];
        assert_int_equal(block->pair, k / (size_t)(N_LIST * n_rank));
        for (int x = 0; x < block->n; x++)
            assert_true(block->value[x] == block->pair + 100.0 * (N_LIST - block->row) +
                                               1000.0 * block->column + 1e-7 * x);
    }
    size_t begin_of, end_of;
    hf_local_blocks_of_pair(&to, 3, &begin_of, &end_of);
    assert_int_equal(end_of - begin_of, to.n_block / N_BLOCK);
    assert_true((sent_bytes > 0.0) == (n_rank > 2 || (n_rank == 2 && context->rank == 0)));
    hf_local_blocks_done(&to);
    for (int t = 0; t < N_LIST; t++) hf_local_blocks_done(&from[t]);
}

MPI_TEST_MAIN
