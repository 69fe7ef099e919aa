/* Orbitals, domains and pairs of local MP2, against dense sums and what must hold exactly. */
#include "dense_local.h"

#include "hf/mp2.h"

static struct hf_local_settings usual(void)
{
    return (struct hf_local_settings){.localise = HF_LOCALISE_PM,
                                      .domains = HF_DOMAINS_PLAIN,
                                      .distant_bohr = INFINITY,
                                      .redundant = 1e-6,
                                      .n_frozen = 1};
}

static struct hf_local *create(struct test_solved *s, const struct hf_local_settings *settings)
{
    struct hf_local *local = NULL;
    assert_ok(hf_local_create(s->context, &s->wave, settings, &local, &error));
    return local;
}

/** MP2 with the same frozen orbitals. */
static double canonical(struct test_solved *s, int n_frozen)
{
    struct hf_mp2_result result;
    const struct hf_mp2_settings settings = {.algorithm = "kets",
                                             .schedule = {.name = "static"},
                                             .threshold = 1e-14,
                                             .memory_bytes = INFINITY,
                                             .n_frozen = n_frozen};
    assert_ok(hf_mp2_compute(s->context, &s->wave, &settings, &result, &error));
    return result.correlation;
}

/** Converged energy of strong and weak pairs. */
static double solve(struct hf_local *local, const double *integral, int *n_iteration)
{
    struct dense_local dense;
    double largest = 1.0;
    int n = 0;
    dense_begin(&dense, local, integral);
    while (largest > 1e-9 && n++ < 60) largest = dense_iterate(&dense);
    assert_true(largest <= 1e-9);
    const double energy = dense_energy(&dense);
    dense_end(&dense);
    if (n_iteration != NULL) *n_iteration = n;
    return energy;
}

TEST(full_domains_are_canonical)
{
    TEST_CONTEXT(context);
    struct test_solved s;
    test_solved_water(&s, context, 0.3, "6-31G");
    double *integral = dense_all_integrals(&s);
    const double mp2 = canonical(&s, 1);
    for (int kind = HF_LOCALISE_NONE; kind <= HF_LOCALISE_BOYS; kind++) {
        struct hf_local_settings settings = usual();
        int n_iteration;
        settings.domains = HF_DOMAINS_FULL;
        settings.localise = (enum hf_localise_kind)kind;
        struct hf_local *local = create(&s, &settings);
        assert_int_equal(local->n_pair, 10);
        assert_int_equal(local->n_domain, 1);
        const double energy = solve(local, integral, &n_iteration);
        assert_int_equal(local->domain[0].n_kept, s.basis->n_function - 5);
        if (fabs(energy - mp2) > 1e-9) print_error("%d: %.12f, %.12f\n", kind, energy, mp2);
        assert_true(fabs(energy - mp2) < 1e-9);
        if (kind == HF_LOCALISE_NONE)
            assert_int_equal(n_iteration, 2); /* the second finds nothing */
        hf_local_destroy(&local);
    }
    free(integral);
    test_solved_end(&s);
}

/** Two water molecules. */
static void dimer(struct test_solved *s, struct hf_context *context, double apart, const char *set)
{
    test_solved_begin(s, context);
    for (int k = 0; k < 2; k++) {
        test_solved_add(s, 8, k * apart, 0.1 * k, 0.22166487);
        test_solved_add(s, 1, k * apart, 1.43090062 + 0.1 * k, -0.88665950);
        test_solved_add(s, 1, k * apart, -1.43090062 + 0.1 * k, -0.88665950);
    }
    test_solve(s, set);
}

TEST(larger_domains_lower_the_energy)
{
    static const double completeness[] = {0.4, 0.02, 0.002};
    TEST_CONTEXT(context);
    struct test_solved s;
    test_solved_water(&s, context, 0.0, "6-31G");
    double *integral = dense_all_integrals(&s), before = 0.0;
    const double mp2 = canonical(&s, 1);
    for (int k = 0; k < 4; k++) {
        struct hf_local_settings settings = usual();
        if (k < 3)
            settings.completeness = completeness[k];
        else
            settings.domains = HF_DOMAINS_FULL;
        struct hf_local *local = create(&s, &settings);
        for (int i = 0; k < 3 && i < local->n_orbital; i++)
            assert_true(local->completeness[i] <= completeness[k]);
        const double energy = solve(local, integral, NULL);
        if (getenv("HF_TEST_VERBOSE") != NULL && rank_here() == 0)
            print_message("%d: %.8f of %.8f, %.3f %%\n", k, energy, mp2, 100.0 * energy / mp2);
        assert_true(energy <= before + 1e-9 && energy >= mp2 - 1e-9);
        before = energy;
        hf_local_destroy(&local);
    }
    free(integral);
    test_solved_end(&s);
}

TEST(pairs_have_domains_and_owners)
{
    TEST_CONTEXT(context);
    struct test_solved s;
    dimer(&s, context, 6.0, "STO-3G");
    struct hf_local_settings settings = usual();
    settings.n_frozen = 2;
    struct hf_local *local = create(&s, &settings);
    int n_weak = 0, n_own = local->n_own;
    assert_int_equal(local->n_orbital, 8);
    assert_int_equal(local->n_pair, 36);
    for (int p = 0; p < local->n_pair; p++) {
        const struct hf_local_pair *pair = &local->pair[p];
        const struct hf_local_domain *domain = hf_local_pair_domain(local, pair);
        assert_int_equal(hf_local_find_pair(local, pair->i, pair->j), p);
        assert_int_equal(hf_local_find_pair(local, pair->j, pair->i), p);
        n_weak += pair->kind == HF_LOCAL_WEAK;
        if (pair->owner == context->rank) assert_true(domain->vector != NULL);
        for (int k = 1; k < domain->atoms.n; k++)
            assert_true(domain->atoms.part[k] > domain->atoms.part[k - 1]);
    }
    assert_int_equal(n_weak, 16);
    for (int i = 0; i < 8; i++)
        assert_int_equal(local->first_partner[i + 1] - local->first_partner[i], 8);
    for (int k = 0; k < local->first_partner[8]; k++) assert_true(local->partner[k].pair >= 0);
    MPI_Allreduce(MPI_IN_PLACE, &n_own, 1, MPI_INT, MPI_SUM, context->comm);
    assert_int_equal(n_own, 36);
    hf_local_destroy(&local);
    test_solved_end(&s);
}

/** Distant pairs of two molecules: nearly what the weak ones have. */
TEST(distant_pairs_have_the_energy_of_dipoles)
{
    TEST_CONTEXT(context);
    struct test_solved s;
    dimer(&s, context, 14.0, "6-31G");
    double *integral = dense_all_integrals(&s), weak = 0.0;
    struct hf_local_settings settings = usual();
    struct dense_local dense;
    settings.n_frozen = 2;
    struct hf_local *local = create(&s, &settings);
    assert_true(local->distant.n_pair == 0);
    dense_begin(&dense, local, integral);
    for (int k = 0; k < 14; k++) dense_iterate(&dense);
    for (int p = 0; p < local->n_pair; p++)
        if (local->pair[p].kind == HF_LOCAL_WEAK) weak += dense_pair_energy(&dense, p);
    dense_end(&dense);
    hf_local_destroy(&local);
    settings.distant_bohr = 5.0;
    local = create(&s, &settings);
    const double distant = local->distant.same_spin + local->distant.opposite_spin;
    assert_true(local->distant.n_pair == 16);
    assert_int_equal(local->n_pair, 20);
    if (getenv("HF_TEST_VERBOSE") != NULL)
        print_message("weak %.4e, distant %.4e\n", weak, distant);
    assert_true(weak < -1e-7 && fabs(distant / weak - 1.0) < 0.15);
    hf_local_destroy(&local);
    free(integral);
    test_solved_end(&s);
}

TEST(equal_populations_stay_together)
{
    TEST_CONTEXT(context);
    struct test_solved s;
    test_solved_benzene(&s, context, "STO-3G");
    struct hf_local_settings settings = usual();
    settings.n_frozen = 6;
    struct hf_local *local = create(&s, &settings);
    for (int i = 0; i < local->n_orbital; i++) {
        const struct hf_local_domain *domain =
            &local->domain[local->domain_of_orbital[HF_LOCAL_OWN][i]];
        if (getenv("HF_TEST_VERBOSE") != NULL && rank_here() == 0)
            print_message("%d: %d atoms, %d equal, %.4f\n", i, domain->atoms.n,
                          local->n_degenerate[i], local->completeness[i]);
        assert_true(local->completeness[i] <= 0.02 && domain->atoms.n >= 2);
        for (int a = 0; a < 12; a++) { /* none outside has as much as one inside */
            const double *one = hf_sparse_find(local->localised.population, a, i);
            bool inside = false;
            for (int k = 0; k < domain->atoms.n; k++) inside = inside || domain->atoms.part[k] == a;
            for (int k = 0; !inside && one != NULL && *one > 0.02 && k < domain->atoms.n; k++) {
                const double *other =
                    hf_sparse_find(local->localised.population, domain->atoms.part[k], i);
                assert_true(*other - *one >= 0.02);
            }
        }
    }
    hf_local_destroy(&local);
    settings.domains = HF_DOMAINS_TIGHT;
    local = create(&s, &settings);
    for (int i = 0; i < local->n_orbital; i++)
        assert_true(local->domain[local->domain_of_orbital[HF_LOCAL_EXTENDED][i]].atoms.n >= 4);
    hf_local_destroy(&local);
    test_solved_end(&s);
}

TEST(given_domains_are_found_by_populations)
{
    TEST_CONTEXT(context);
    struct test_solved s;
    test_solved_water(&s, context, 0.0, "STO-3G");
    struct hf_local_settings settings = usual();
    struct hf_local *local = create(&s, &settings);
    double population[4 * 3] = {0.0};
    bool member[4 * 3] = {false}, extended[4 * 3] = {false};
    const struct hf_local_given given = {.n_orbital = 4,
                                         .n_atom = 3,
                                         .population = population,
                                         .member = member,
                                         .extended = extended};
    for (int i = 0; i < 4; i++) { /* in the opposite order, and all with one more atom */
        const struct hf_parts *atoms =
            &local->domain[local->domain_of_orbital[HF_LOCAL_OWN][i]].atoms;
        for (int a = 0; a < 3; a++) {
            const double *value = hf_sparse_find(local->localised.population, a, i);
            population[(3 - i) * 3 + a] = value != NULL ? *value : 0.0;
        }
        for (int k = 0; k < atoms->n; k++) member[(3 - i) * 3 + atoms->part[k]] = true;
        for (int a = 0; a < 3; a++) extended[(3 - i) * 3 + a] = true;
    }
    settings.domains = HF_DOMAINS_GIVEN;
    settings.given = &given;
    struct hf_local *again = create(&s, &settings);
    for (int i = 0; i < 4; i++) {
        const struct hf_parts *one =
            &local->domain[local->domain_of_orbital[HF_LOCAL_OWN][i]].atoms;
        const struct hf_parts *two =
            &again->domain[again->domain_of_orbital[HF_LOCAL_OWN][i]].atoms;
        assert_int_equal(one->n, two->n);
        for (int k = 0; k < one->n; k++) assert_int_equal(one->part[k], two->part[k]);
    }
    hf_local_destroy(&again);
    settings.n_frozen = 0;
    assert_failure(hf_local_create(context, &s.wave, &settings, &again, &error), HF_BAD_INPUT,
                   &error, "expected 5 orbitals in 3 atoms");
    settings.n_frozen = 5;
    assert_failure(hf_local_create(context, &s.wave, &settings, &again, &error), HF_BAD_INPUT,
                   &error, "no orbital is left");
    hf_local_destroy(&local);
    test_solved_end(&s);
}

/** Every rank makes a block of each pair; owners get one from each rank, and all ranks get all of an array. */
TEST(blocks_come_to_their_owners)
{
    TEST_CONTEXT(context);
    struct test_solved s;
    double sent = 0.0;
    test_solved_water(&s, context, 0.0, "STO-3G");
    struct hf_local_settings settings = usual();
    struct hf_local *local = create(&s, &settings);
    const struct hf_local_blocks none = {.arena = {.memory = context->memory, .label = "test"}};
    struct hf_local_blocks from[2], to = none;
    for (int t = 0; t < 2; t++) {
        from[t] = none;
        for (int p = local->n_pair - 1; p >= 0; p--) {
            const int n = 1 + (p + t) % 4;
            double *value = hf_local_blocks_add(&from[t], p, context->rank, 7 + t, n);
            assert_non_null(value);
            for (int x = 0; x < n; x++) value[x] = 1000.0 * context->rank + 10.0 * p + x + 0.5 * t;
        }
    }
    assert_ok(hf_local_blocks_exchange(context, hf_local_owner_of_pair, local, 2, from, &to, &sent,
                                       &error));
    assert_int_equal(to.n_block, 2 * local->n_own * context->n_rank);
    assert_true((sent > 0.0) == (context->n_rank > 1));
    for (int k = 0; k < local->n_own; k++) {
        size_t begin, end;
        hf_local_blocks_of_pair(&to, local->own[k], &begin, &end);
        assert_int_equal(end - begin, 2 * context->n_rank);
        for (size_t b = begin; b < end; b++) {
            const struct hf_local_block *block = &to.block[b];
            const int rank = (int)(b - begin) / 2, t = (int)(b - begin) % 2;
            assert_int_equal(block->row, rank);
            assert_int_equal(block->column, 7 + t);
            assert_int_equal(block->n, 1 + (local->own[k] + t) % 4);
            for (int x = 0; x < block->n; x++)
                assert_true(block->value[x] == 1000.0 * rank + 10.0 * local->own[k] + x + 0.5 * t);
        }
    }
    hf_local_blocks_done(&to);
    hf_local_destroy(&local);
    test_solved_end(&s);
}

MPI_TEST_MAIN
