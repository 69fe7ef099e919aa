/* Expansions in solid harmonics against sums over points, and their errors against the bounds. */
#include "../r_tuv.h"
#include "../test.h"
#include "multipole/translation.h"

#include "base/simd.h"

#include <math.h>
#include <stdio.h>

enum { MOST_POINT = 12, MOST_ORDER = 4, MOST_WIDTH = 8 };

static uint64_t sequence = 1;

/** Between -1 and 1. */
static double next_random(void)
{
    sequence = sequence * 6364136223846793005u + 1442695040888963407u;
    return (double)(sequence >> 11) * 0x1p-52 - 1.0;
}

/** Hermite Gaussians about a centre, of unit charge but for `value`. */
struct cluster {
    int n, order;
    double centre[3];
    double place[MOST_POINT][3], exponent[MOST_POINT];
    double value[MOST_POINT][HF_N_HERMITE];
    struct hf_expanded expanded;
};

static double length(const double r[3])
{
    return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
}

static struct cluster random_cluster(double distance, double radius, double exponent)
{
    struct cluster made = {.n = 1 + (int)(5.0 * (next_random() + 1.0)),
                           .order = (int)(2.499 * (next_random() + 1.0))};
    double along[3], most[MOST_ORDER + 1] = {0.0};
    for (int d = 0; d < 3; d++) along[d] = next_random();
    for (int d = 0; d < 3; d++) made.centre[d] = distance / length(along) * along[d];
    made.expanded = (struct hf_expanded){.exponent = INFINITY, .order = made.order};
    for (int i = 0; i < made.n; i++) {
        double from_centre[3];
        for (int d = 0; d < 3; d++) from_centre[d] = radius / 1.75 * next_random();
        for (int d = 0; d < 3; d++) made.place[i][d] = made.centre[d] + from_centre[d];
        made.exponent[i] = exponent * (1.2 + next_random());
        made.expanded.radius = fmax(made.expanded.radius, length(from_centre));
        made.expanded.exponent = fmin(made.expanded.exponent, made.exponent[i]);
        for (int t = 0; t <= made.order; t++) {
            for (int u = 0; t + u <= made.order; u++) {
                for (int v = 0; t + u + v <= made.order; v++) {
                    const int c = hf_hermite_index(t, u, v);
                    made.value[i][c] = next_random() * pow(0.3, t + u + v);
                    most[t + u + v] += fabs(made.value[i][c]);
                }
            }
        }
    }
    for (int k = 0; k <= made.order; k++) made.expanded.strength[k] = most[k];
    return made;
}

/** d^tuv of erf(sqrt(alpha) r)/r for t+u+v <= order, of 1/r for infinite alpha. */
static void derivatives(const struct hf_boys *boys, double alpha, const double r[3], int order,
                        double value[])
{
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    double start[HF_BOYS_MAX_ORDER + 1];
    if (isinf(alpha)) {
        start[0] = 1.0 / sqrt(square);
        for (int n = 1; n <= order; n++) start[n] = -(2 * n - 1) / square * start[n - 1];
    } else {
        double factor = 2.0 * sqrt(alpha / acos(-1.0));
        hf_boys_evaluate(boys, order, alpha * square, start);
        for (int n = 0; n <= order; n++, factor *= -2.0 * alpha) start[n] *= factor;
    }
    test_r_tuv(order, r, start, value);
}

/** Derivatives at place i of `to` of the potential of `from`, point by point. */
static void exact(const struct hf_boys *boys, const struct cluster *to, int i,
                  const struct cluster *from, bool as_points, double value[])
{
    memset(value, 0, (size_t)hf_n_hermite(to->order) * sizeof *value);
    for (int q = 0; q < from->n; q++) {
        double r[3], all[HF_N_HERMITE];
        for (int d = 0; d < 3; d++) r[d] = to->place[i][d] - from->place[q][d];
        const double alpha =
            as_points ? INFINITY
                      : to->exponent[i] * from->exponent[q] / (to->exponent[i] + from->exponent[q]);
        derivatives(boys, alpha, r, to->order + from->order, all);
        for (int t = 0; t <= to->order; t++)
            for (int u = 0; t + u <= to->order; u++)
                for (int v = 0; t + u + v <= to->order; v++)
                    for (int x = 0; x <= from->order; x++)
                        for (int y = 0; x + y <= from->order; y++)
                            for (int z = 0; x + y + z <= from->order; z++)
                                value[hf_hermite_index(t, u, v)] +=
                                    ((x + y + z) % 2 == 0 ? 1.0 : -1.0) *
                                    from->value[q][hf_hermite_index(x, y, z)] *
                                    all[hf_hermite_index(t + x, u + y, v + z)];
    }
}

struct tools {
    const struct hf_translation_kernels *kernels;
    struct hf_hermite_harmonics harmonics;
    struct hf_boys *boys;
    double *scratch, *from, *to;
};

static struct tools make_tools(const struct hf_translation_kernels *kernels)
{
    struct tools made = {.kernels = kernels, .boys = hf_boys_create(2 * MOST_ORDER)};
    const size_t line = sizeof(double) * MOST_WIDTH;
    hf_hermite_harmonics_init(&made.harmonics);
    made.scratch = aligned_alloc(64, HF_TRANSLATION_SCRATCH * line);
    made.from = aligned_alloc(64, HF_MAX_EXPANSION_SIZE * line);
    made.to = aligned_alloc(64, HF_MAX_EXPANSION_SIZE * line);
    assert_true(made.boys != NULL && made.scratch != NULL && made.from != NULL && made.to != NULL);
    return made;
}

static void tools_done(struct tools *tools)
{
    hf_boys_destroy(&tools->boys);
    free(tools->scratch);
    free(tools->from);
    free(tools->to);
}

static void set_shift(const double to[3], const double from[3], int width, double shift[])
{
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < width; i++) shift[d * width + i] = to[d] - from[d];
}

static void clear(int n, int width, double out[])
{
    memset(out, 0, (size_t)(n * width) * sizeof *out);
}

/** Moments of a cluster about a place, in every lane. */
static void moments_about(const struct tools *tools, const struct cluster *cluster,
                          const double place[3], int order, double out[])
{
    const int width = tools->kernels->width;
    double point[HF_MAX_POINT_SIZE * MOST_WIDTH] __attribute__((aligned(64)));
    double shift[3 * MOST_WIDTH] __attribute__((aligned(64)));
    clear(hf_multipole_size(order), width, out);
    for (int i = 0; i < cluster->n; i++) {
        for (int lane = 0; lane < width; lane++)
            hf_hermite_to_moments(&tools->harmonics, cluster->order, cluster->value[i], 1,
                                  point + lane, width);
        set_shift(cluster->place[i], place, width, shift);
        tools->kernels->moments(cluster->order, order, shift, point, out, tools->scratch);
    }
}

/** Derivatives at a place of the cluster of what a local expansion about `about` says. */
static void local_at(const struct tools *tools, const struct cluster *cluster, int i,
                     const double about[3], int order, const double local[], double value[])
{
    const int width = tools->kernels->width;
    double point[HF_MAX_POINT_SIZE * MOST_WIDTH] __attribute__((aligned(64)));
    double shift[3 * MOST_WIDTH] __attribute__((aligned(64)));
    clear(HF_MAX_POINT_SIZE, width, point);
    set_shift(cluster->place[i], about, width, shift);
    tools->kernels->local(order, cluster->order, shift, local, point, tools->scratch);
    hf_local_to_hermite(&tools->harmonics, cluster->order, point + width - 1, width, value, 1);
}

/** Largest error at the places of `to`, each component weighed as the bounds take it. */
static double largest_error(const struct tools *tools, const struct cluster *to,
                            const struct cluster *from, int order, const double local[],
                            bool as_points)
{
    double worst = 0.0;
    for (int i = 0; i < to->n; i++) {
        double found[HF_N_HERMITE], wanted[HF_N_HERMITE], deviation = 0.0;
        local_at(tools, to, i, to->centre, order, local, found);
        exact(tools->boys, to, i, from, as_points, wanted);
        for (int c = 0; c < hf_n_hermite(to->order); c++)
            deviation += fabs(to->value[i][c] * (found[c] - wanted[c]));
        worst = fmax(worst, deviation);
    }
    return worst;
}

static double centre_distance(const struct cluster *a, const struct cluster *b)
{
    double r[3];
    for (int d = 0; d < 3; d++) r[d] = a->centre[d] - b->centre[d];
    return length(r);
}

/** Moments about one place moved to another are those about the other. */
static void check_moments(const struct tools *tools, int order)
{
    const int width = tools->kernels->width;
    const double here[3] = {0.1, -0.4, 0.2}, there[3] = {-0.7, 0.3, 0.9};
    double shift[3 * MOST_WIDTH] __attribute__((aligned(64)));
    double *direct = aligned_alloc(64, HF_MAX_EXPANSION_SIZE * sizeof(double) * MOST_WIDTH);
    const struct cluster cluster = random_cluster(0.5, 1.0, 1.0);
    assert_non_null(direct);
    moments_about(tools, &cluster, here, order, tools->from);
    moments_about(tools, &cluster, there, order, direct);
    set_shift(here, there, width, shift);
    clear(hf_multipole_size(order), width, tools->to);
    tools->kernels->moments(order, order, shift, tools->from, tools->to, tools->scratch);
    for (int i = 0; i < hf_multipole_size(order) * width; i++)
        assert_true(fabs(tools->to[i] - direct[i]) < 1e-13 * (1.0 + fabs(direct[i])));
    free(direct);
}

/** A local expansion moved to another centre says the same. */
static void check_locals(const struct tools *tools, int order)
{
    const int width = tools->kernels->width;
    const double about[3] = {0.3, -0.2, 0.4};
    double shift[3 * MOST_WIDTH] __attribute__((aligned(64)));
    const struct cluster cluster = random_cluster(0.5, 1.0, 1.0);
    for (int i = 0; i < hf_multipole_size(order) * width; i++)
        tools->from[i] = i % width == width - 1 ? next_random() : 0.0;
    set_shift(cluster.centre, about, width, shift);
    clear(hf_multipole_size(order), width, tools->to);
    tools->kernels->local(order, order, shift, tools->from, tools->to, tools->scratch);
    for (int i = 0; i < cluster.n; i++) {
        double direct[HF_N_HERMITE], moved[HF_N_HERMITE];
        local_at(tools, &cluster, i, about, order, tools->from, direct);
        local_at(tools, &cluster, i, cluster.centre, order, tools->to, moved);
        for (int c = 0; c < hf_n_hermite(cluster.order); c++)
            assert_true(fabs(direct[c] - moved[c]) < 1e-12 * (1.0 + fabs(direct[c])));
    }
}

TEST(translations_agree_with_direct_sums)
{
    static const struct hf_translation_kernels *const kernels[] = {
        HF_KERNELS_BUILT(&hf_translation_portable, &hf_translation_avx2, &hf_translation_avx512)};
    assert_true(hf_n_kernels() > 0);
    for (int which = 0; which < hf_n_kernels(); which++) {
        struct tools tools = make_tools(kernels[which]);
        for (int order = 0; order <= HF_MAX_EXPANSION; order += 4) {
            check_moments(&tools, order);
            check_locals(&tools, order);
        }
        tools_done(&tools);
    }
}

struct statistics {
    int n_separated, n_touching;
    double sum_of_logarithms, closest;
};

static void check_bound(const struct tools *tools, struct statistics *found)
{
    const int width = tools->kernels->width;
    const double tolerance = pow(10.0, -7.0 + 4.0 * next_random());
    const struct cluster from = random_cluster(0.0, 1.0 + 0.8 * next_random(), 1.5);
    const struct cluster to =
        random_cluster(8.0 + 6.0 * next_random(), 1.0 + 0.8 * next_random(), 1.5);
    const double distance = centre_distance(&from, &to);
    int to_order[HF_MAX_EXPANSION + 1], highest = 0;
    double shift[3 * MOST_WIDTH] __attribute__((aligned(64)));
    if (!hf_well_separated(&to.expanded, &from.expanded, distance, HF_MAX_EXPANSION, tolerance)) {
        found->n_touching++;
        return;
    }
    const int order = hf_expansion_orders(&to.expanded, &from.expanded, distance, HF_MAX_EXPANSION,
                                          tolerance, to_order);
    for (int j = 0; j <= order; j++)
        if (to_order[j] > highest) highest = to_order[j];
    moments_about(tools, &from, from.centre, order, tools->from);
    clear(hf_multipole_size(highest), width, tools->to);
    set_shift(to.centre, from.centre, width, shift);
    tools->kernels->to_local(order, to_order, shift, tools->from, tools->to, tools->scratch);
    const double deviation = largest_error(tools, &to, &from, highest, tools->to, false);
    assert_true(deviation <= tolerance + 1e-14);
    found->n_separated++;
    found->closest = fmax(found->closest, deviation / tolerance);
    if (tolerance > 1e-10) found->sum_of_logarithms += log10(fmax(deviation, 1e-15) / tolerance);
}

TEST(errors_are_below_their_bounds)
{
    struct tools tools = make_tools(hf_translation_choose());
    struct statistics found = {0};
    for (int i = 0; i < 4000; i++) check_bound(&tools, &found);
    print_message("%d separated, %d not; error/tolerance at most %.2g, 10^%.2f on average\n",
                  found.n_separated, found.n_touching, found.closest,
                  found.sum_of_logarithms / found.n_separated);
    assert_true(found.n_separated > 1000 && found.n_touching > 100);
    assert_true(found.closest > 0.01); /* a bound that is never near is none */
    tools_done(&tools);
}

TEST(errors_of_overlap_are_below_their_bounds)
{
    struct tools tools = make_tools(hf_translation_choose());
    double closest = 0.0;
    for (int i = 0; i < 4000; i++) {
        const struct cluster from = random_cluster(0.0, 0.5 + 0.4 * next_random(), 1.0);
        const struct cluster to =
            random_cluster(4.0 + 2.0 * next_random(), 0.5 + 0.4 * next_random(), 1.0);
        const double bound =
            hf_overlap_error(&to.expanded, &from.expanded, centre_distance(&from, &to));
        double worst = 0.0;
        for (int k = 0; k < to.n; k++) {
            double points[HF_N_HERMITE], spread[HF_N_HERMITE], deviation = 0.0;
            exact(tools.boys, &to, k, &from, true, points);
            exact(tools.boys, &to, k, &from, false, spread);
            for (int c = 0; c < hf_n_hermite(to.order); c++)
                deviation += fabs(to.value[k][c] * (points[c] - spread[c]));
            worst = fmax(worst, deviation);
        }
        assert_true(worst <= bound + 1e-13);
        if (worst > 1e-12) closest = fmax(closest, worst / bound);
    }
    print_message("error of overlap over its bound at most %.2g\n", closest);
    assert_true(closest > 1e-3);
    tools_done(&tools);
}

TEST_MAIN
