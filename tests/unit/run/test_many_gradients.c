/* Many gradients in one process: the process takes no more memory with each.
 *
 * Usage: test_many_gradients N [distributed] */
#include "../mpi_test.h"

#include "hf/hf.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>

static int n_gradient;
static const char *builder = "replicated";
static const int atomic_number[] = {9, 1};

/** Bytes that the process has taken and not given back: in blocks of malloc, and in mappings that are not malloc's.
 *  Resident memory is no measure: pages come and go with the kernel's huge pages and with free memory of malloc. */
struct taken {
    double blocks, mappings;
};

/** Mappings except the heap, in bytes. Those that malloc makes are among them. */
static double mapped(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    assert_non_null(file);
    unsigned long begin, end;
    char line[4096];
    double sum = 0.0;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%lx-%lx", &begin, &end) == 2 && strstr(line, "[heap]") == NULL)
            sum += (double)(end - begin);
    fclose(file);
    return sum;
}

static struct taken take_stock(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (struct taken){.blocks = (double)info.uordblks + (double)info.hblkhd,
                          .mappings = mapped() - (double)info.hblkhd};
}

/** The force on hydrogen, `far` bohr from fluorine. */
static double compute(double far, bool *stuck)
{
    const double place[2][3] = {{0.0, 0.0, 0.0}, {0.1, 0.0, far}};
    const struct hf_run_key key[] = {
        {"basis", "6-31G*"}, {"task", "gradient"}, {"fock", builder}, {"memory", "0"}};
    const struct hf_run_settings settings = {.n_atom = 2,
                                             .atomic_number = atomic_number,
                                             .position_bohr = place,
                                             .n_key = 4,
                                             .key = key};
    struct hf_run_outcome outcome;
    assert_ok(hf_run(MPI_COMM_WORLD, &settings, &outcome, &error));
    const double force = -outcome.gradient[1][2];
    *stuck |= outcome.stuck_in_mpi;
    hf_run_done(&outcome);
    return force;
}

static bool stuck;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/** The first quarter brings the process to its size. The rest is cut into spans of equal length. A leak grows in every
 *  span, pools of MPI in some of them, on a busy machine in half of them: the lower quartile of the spans counts. The
 *  smallest block of malloc has 32 bytes. */
TEST(memory_does_not_grow)
{
    enum { N_SPAN = 9, QUARTILE = N_SPAN / 4 };
    static const double FIRST = 1.6, STEP = 1e-3, MOST_OF_BLOCKS = 24.0, MOST_OF_MAPPINGS = 256.0;
    const int n_each = n_gradient / (N_SPAN + 3), n_first = n_gradient - N_SPAN * n_each;
    struct taken before = {0.0, 0.0};
    double largest = 0.0, blocks[N_SPAN], mappings[N_SPAN];
    const double force = compute(FIRST, &stuck);
    for (int i = 1; i <= n_gradient; i++) {
        largest = fmax(largest, fabs(compute(FIRST + STEP * i, &stuck)));
        if (i < n_first || (i - n_first) % n_each != 0) continue;
        const struct taken now = take_stock();
        const int span = (i - n_first) / n_each - 1;
        if (span >= 0) blocks[span] = (now.blocks - before.blocks) / n_each;
        if (span >= 0) mappings[span] = (now.mappings - before.mappings) / n_each;
        before = now;
    }
    qsort(blocks, N_SPAN, sizeof *blocks, ascending);
    qsort(mappings, N_SPAN, sizeof *mappings, ascending);
    print_message("%d gradients: %.0f bytes in blocks, %.0f in mappings; growth per "
                  "gradient in the lower quartile %.1f and %.1f\n",
                  n_gradient, before.blocks, before.mappings, blocks[QUARTILE], mappings[QUARTILE]);
    assert_true(largest > 1e-3);
    assert_true(blocks[QUARTILE] < MOST_OF_BLOCKS);
    assert_true(mappings[QUARTILE] < MOST_OF_MAPPINGS);
    assert_float_equal(compute(FIRST, &stuck), force, 1e-6);
}

int main(int argc, char **argv)
{
    n_gradient = argc > 1 ? atoi(argv[1]) : 72;
    if (argc > 2) builder = argv[2];
    HF_RUN_MPI_TESTS(argc, argv, stuck);
}
