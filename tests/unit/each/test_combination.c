/* Contributions of clusters of fragments, and the limit of two basis sets. */
#include "../test.h"
#include "each/basis_limit.h"
#include "each/fragments.h"
#include "run/calculation.h"

#include <math.h>

enum { N = 5 };

/** Fragments one bohr apart in a line; */
static void make_fragments(struct hf_fragments *fragments)
{
    *fragments = (struct hf_fragments){.n = N, .arena = {.label = "fragments"}};
    HF_TAKE(&fragments->arena, fragments->charge, N);
    HF_TAKE(&fragments->arena, fragments->multiplicity, N);
    HF_TAKE(&fragments->arena, fragments->distance, (size_t)N * N);
    for (int i = 0; i < N; i++) {
        fragments->multiplicity[i] = 1;
        for (int k = 0; k < N; k++) fragments->distance[N * i + k] = fabs((double)i - k);
    }
    assert_ok(hf_arena_check(&fragments->arena, &error));
}

static double of_one(int i)
{
    return 1.0 + i;
}

static double of_two(int i, int k)
{
    return 0.1 / (1.0 + i + k * k);
}

static double of_three(int i, int k, int l)
{
    return 0.01 / (2.0 + i + k + l * l);
}

/** An energy of a cluster that consists of parts of one, two and three fragments. */
static double energy_of(const struct hf_fragments *fragments, const struct hf_cluster *cluster)
{
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        if (!hf_cluster_has(fragments, cluster, i)) continue;
        sum += of_one(i);
        for (int k = i + 1; k < N; k++) {
            if (!hf_cluster_has(fragments, cluster, k)) continue;
            sum += of_two(i, k);
            for (int l = k + 1; l < N; l++)
                if (hf_cluster_has(fragments, cluster, l)) sum += of_three(i, k, l);
        }
    }
    return sum;
}

static void the_contributions_of_pairs_and_triples_are_their_own(void **state)
{
    static const struct hf_molecule molecule = {.multiplicity = 1};
    struct hf_fragments fragments;
    make_fragments(&fragments);
    for (int far = 1; far <= N; far++) {
        struct hf_clusters clusters = {0};
        double value[25], energy[25], weight[25] = {0.0}, sum = 0.0, weighted = 0.0;
        assert_ok(hf_clusters_make(&fragments, &molecule, 3, far, &clusters, &error));
        assert_int_equal(clusters.n + clusters.n_left_out[2] + clusters.n_left_out[3], 5 + 10 + 10);
        for (int c = 0; c < clusters.n; c++)
            value[c] = energy[c] = energy_of(&fragments, &clusters.cluster[c]);
        for (int c = 0; c < clusters.n; c++) {
            const struct hf_cluster *cluster = &clusters.cluster[c];
            const int *m = cluster->member;
            hf_cluster_subtract(&clusters, c, value);
            hf_cluster_add_weights(&clusters, c, 1.0, weight);
            const double expected = cluster->n == 1   ? of_one(m[0])
                                    : cluster->n == 2 ? of_two(m[0], m[1])
                                                      : of_three(m[0], m[1], m[2]);
            assert_true(fabs(value[c] - expected) < 1e-14);
            assert_true(cluster->distance <= far);
            sum += value[c];
        }
        for (int c = 0; c < clusters.n; c++) weighted += weight[c] * energy[c];
        assert_true(fabs(weighted - sum) < 1e-13);
    }
    hf_arena_done(&fragments.arena);
}

static void all_fragments_contribute_what_the_single_ones_do_not(void **state)
{
    static const struct hf_molecule molecule = {.multiplicity = 1};
    struct hf_fragments fragments;
    struct hf_clusters clusters = {0};
    make_fragments(&fragments);
    assert_ok(hf_clusters_make(&fragments, &molecule, 0, 1.0, &clusters, &error));
    assert_int_equal(clusters.n, N + 1);
    double value[N + 1], weight[N + 1] = {0.0}, single = 0.0;
    for (int c = 0; c <= N; c++) value[c] = energy_of(&fragments, &clusters.cluster[c]);
    for (int c = 0; c < N; c++) single += value[c];
    const double whole = value[N];
    hf_cluster_subtract(&clusters, N, value);
    hf_cluster_add_weights(&clusters, N, 1.0, weight);
    assert_true(fabs(value[N] - (whole - single)) < 1e-14);
    for (int c = 0; c <= N; c++) assert_true(weight[c] == (c < N ? -1.0 : 1.0));
    hf_arena_done(&fragments.arena);
}

static void the_limit_of_what_follows_the_formulas_is_exact(void **state)
{
    static const struct {
        const char *sets, *name, *smaller, *larger;
        double x, alpha, beta;
        bool root;
    } cases[] = {{"cc-pV[TQ]Z", "auto", "cc-pVTZ", "cc-pVQZ", 3.0, 1.63, 3.0, false},
                 {"AUG-cc-pV[D,T]Z", "neese", "AUG-cc-pVDZ", "AUG-cc-pVTZ", 2.0, 4.30, 2.51, true},
                 {"def2-[TQ]ZVPP", "auto", "def2-TZVPP", "def2-QZVPP", 3.0, 7.88, 2.97, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hf_options options;
        struct hf_basis_limit limit;
        double scf = 0.0, correlation = 0.0;
        const char *const given[][2] = {{"basis", cases[i].sets}, {"extrapolation", cases[i].name}};
        hf_options_init(&options, hf_option_table());
        for (int k = 0; k < 2; k++)
            assert_ok(
                hf_options_add(&options, hf_option_find(options.table, hf_word_of(given[k][0])),
                               hf_word_of(given[k][1]), HF_OPTION_COMMAND_LINE, "test", &error));
        assert_true(hf_basis_limit_is_asked(&options));
        assert_ok(hf_basis_limit_read(&options, &limit, &error));
        assert_string_equal(limit.name[0], cases[i].smaller);
        assert_string_equal(limit.name[1], cases[i].larger);
        for (int k = 0; k < 2; k++) {
            const double x = cases[i].x + k, y = cases[i].root ? sqrt(x) : x;
            scf += limit.scf[k] * (-76.0 + 5.0 * exp(-cases[i].alpha * y));
            correlation += limit.correlation[k] * (-0.3 + 0.9 * pow(x, -cases[i].beta));
        }
        assert_true(fabs(scf + 76.0) < 1e-12 && fabs(correlation + 0.3) < 1e-14);
        hf_options_done(&options);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_contributions_of_pairs_and_triples_are_their_own),
        cmocka_unit_test(all_fragments_contribute_what_the_single_ones_do_not),
        cmocka_unit_test(the_limit_of_what_follows_the_formulas_is_exact),
    };
    MPI_Init(&argc, &argv);
    const int failed = cmocka_run_group_tests_name("combinations", tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
