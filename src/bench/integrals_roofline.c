/* Rates of quartets and of digestion, compared with the peak; see integrals_roofline.h. */
#include "integrals_roofline.h"

#include "census.h"
#include "peak.h"
#include "roofline.h"

#include "base/arena.h"
#include "hf/basis.h"
#include "hf/stored_integrals.h"

#include <stdio.h>

enum { DOUBLE, SINGLE, N_PRECISION };
static const char *const precision_name[N_PRECISION] = {"double", "single"};

/** Passes: all quartets in each precision; the quartets that hf computes in each precision (both together:
 *  mixed); derivatives of all quartets. */
enum { MIXED = N_PRECISION, GRADIENT = 2 * N_PRECISION, N_PASS };

/** Where strips are when they are digested. */
enum { FROM_CACHE, FROM_MEMORY, N_PLACE };
static const char *const place_name[N_PLACE] = {"cache", "memory"};

/** Bytes of strips from the cache: they fit into the second level, where computed strips are. */
enum { CACHE_BYTES = 1 << 18 };

/** Most numbers of a strip, unless one function c has more. */
enum { STRIP_NUMBERS = 1 << 13 };

void hf_bench_class_name(const struct hf_shell_pairs *pairs, int high, int low, char name[16])
{
    static const char letter[] = "spdfghiklmnoqrtu";
    const struct hf_pair_part *bra = &pairs->class_of[high].part[0];
    const struct hf_pair_part *ket = &pairs->class_of[low].part[0];
    snprintf(name, 16, "(%c%c|%c%c)", letter[bra->l_a], letter[bra->l_b], letter[ket->l_a],
             letter[ket->l_b]);
}

struct rooflines {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_peak peak;
    int n_entry, n_atom; /**< functions of the largest atom */
    size_t n_bytes;      /**< of the buffer */
    float *buffer;       /**< numbers that are neither tiny nor huge in both precisions */
    struct hf_roofline_entry *entry[N_PASS]; /**< [n_repeat][n_entry] */
    double *of_bra;                          /**< [n_class] integrals */
    double *value;                           /**< [n_repeat] scratch of the medians */
    struct hf_arena arena;
};

static hf_status create(struct hf_bench *bench, const struct hf_shell_pairs *pairs,
                        struct rooflines *all, struct hf_error *error)
{
    enum { MEMORY = 1 << 27, MEMORY_QUICK = 1 << 23 };
    const size_t n_repeat = (size_t)bench->n_repeat, n_class = (size_t)pairs->n_class;
    all->pairs = pairs;
    all->n_entry = pairs->n_class * (pairs->n_class + 1) / 2;
    all->n_bytes = bench->quick ? MEMORY_QUICK : MEMORY;
    all->n_atom = hf_most_functions_of_atom(pairs->basis);
    all->arena = (struct hf_arena){.memory = bench->context->memory, .label = "strips"};
    for (int p = 0; p < N_PASS; p++)
        HF_TAKE(&all->arena, all->entry[p], n_repeat * (size_t)all->n_entry);
    HF_TAKE(&all->arena, all->of_bra, n_class);
    HF_TAKE(&all->arena, all->value, n_repeat);
    all->buffer = hf_arena_take(&all->arena, all->n_bytes + HF_STRIP_ROOM, 1);
    for (size_t i = 0; i < all->n_bytes / sizeof(float) && all->buffer != NULL; i++)
        all->buffer[i] = 0.01F;
    return hf_arena_check(&all->arena, error);
}

/* ---- Quartets ------------------------------------------------------------------------------- */

/** Quartets of one class; the time is the median over the repetitions. */
static struct hf_roofline_entry entry_of(const struct hf_bench *bench, const struct rooflines *all,
                                         int pass, int at)
{
    const struct hf_roofline_entry *first = all->entry[pass] + at;
    struct hf_roofline_entry entry = *first;
    for (int r = 0; r < bench->n_repeat; r++)
        all->value[r] = first[(size_t)r * (size_t)all->n_entry].seconds;
    entry.seconds = hf_bench_median(bench->n_repeat, all->value);
    return entry;
}

static void add_entry(const struct hf_roofline_entry *from, struct hf_roofline_entry *to)
{
    to->n_quartet += from->n_quartet;
    to->n_integral += from->n_integral;
    to->n_primitive += from->n_primitive;
    to->n_flop += from->n_flop;
    to->seconds += from->seconds;
}

static double peak_of(const struct rooflines *all, int precision)
{
    return precision == DOUBLE ? all->peak.double_flops : all->peak.single_flops;
}

/** One line and its entry in the file. */
static void report_entry(struct hf_bench *bench, const char *precision, double peak,
                         const char *name, const struct hf_roofline_entry *entry,
                         struct hf_json list)
{
    const double ns = 1e9 * entry->seconds, flops = entry->n_flop / entry->seconds;
    const double per_primitive = entry->n_primitive > 0.0 ? ns / entry->n_primitive : 0.0;
    hf_bench_print(bench, "  %-6s  %-8s %12.0f  %11.1f  %9.3f  %10.2f", precision, name,
                   entry->n_quartet, ns / entry->n_quartet, ns / entry->n_integral, per_primitive);
    if (entry->n_flop > 0.0)
        hf_bench_print(bench, "  %8.2f  %6.1f\n", 1e-9 * flops, 100.0 * flops / peak);
    else
        hf_bench_print(bench, "  %8s  %6s\n", "-", "-");
    const struct hf_json to = hf_json_row(list);
    HF_ADD(to, "class", name);
    HF_ADD(to, "precision", precision);
    HF_ADD(to, "n_quartet", entry->n_quartet);
    HF_ADD(to, "n_integral", entry->n_integral);
    HF_ADD(to, "n_primitive_quartet", entry->n_primitive);
    HF_ADD(to, "n_flop", entry->n_flop);
    HF_ADD(to, "seconds", entry->seconds);
    HF_ADD(to, "share_of_peak", flops / peak);
}

/** Reports the classes of one precision, and the sum of those whose arithmetic is counted. */
static void report_quartets(struct hf_bench *bench, const struct rooflines *all, int pass,
                            struct hf_json list)
{
    const int precision = pass == GRADIENT ? DOUBLE : pass;
    const char *const title = precision_name[precision];
    const double peak = peak_of(all, precision);
    struct hf_roofline_entry sum = {0};
    hf_bench_print(bench, "\n  %-16s %12s  %11s  %9s  %10s  %8s  %6s\n",
                   pass == GRADIENT ? "derivatives" : "engine", "quartets", "ns/quartet",
                   "/integral", "/primitive", "GF/s", "% peak");
    for (int high = 0; high < all->pairs->n_class; high++) {
        for (int low = 0; low <= high; low++) {
            const struct hf_roofline_entry entry =
                entry_of(bench, all, pass, hf_census_index(high, low));
            char name[16];
            if (entry.n_quartet == 0.0 || (precision == SINGLE && entry.n_flop == 0.0)) continue;
            hf_bench_class_name(all->pairs, high, low, name);
            report_entry(bench, title, peak, name, &entry, list);
            if (entry.n_flop > 0.0) add_entry(&entry, &sum);
        }
    }
    if (sum.n_quartet > 0.0) report_entry(bench, title, peak, "all", &sum, list);
}

/** Reports what hf does: all quartets, each in the precision that hf uses. The peak is the rate of the same
 *  arithmetic at the peaks of both precisions. */
static void report_mixed(struct hf_bench *bench, const struct rooflines *all, struct hf_json list)
{
    struct hf_roofline_entry sum = {0};
    double peak_seconds = 0.0;
    for (int p = 0; p < N_PRECISION; p++) {
        for (int at = 0; at < all->n_entry; at++) {
            const struct hf_roofline_entry entry = entry_of(bench, all, MIXED + p, at);
            if (entry.n_flop == 0.0) continue;
            add_entry(&entry, &sum);
            peak_seconds += entry.n_flop / peak_of(all, p);
        }
    }
    if (sum.n_quartet == 0.0) return;
    hf_bench_print(bench, "\n");
    report_entry(bench, "mixed", sum.n_flop / peak_seconds, "all", &sum, list);
}

/* ---- Digestion ------------------------------------------------------------------------------ */

/** Seconds to digest an integral with bras of one class, mean over the ranks. Collective. Negative: no memory
 *  on some rank. */
static double digest_seconds(struct hf_bench *bench, const struct rooflines *all, int bra,
                             int place, int precision)
{
    const struct hf_pair_class *kind = &all->pairs->class_of[bra];
    const int n = all->n_atom, most = STRIP_NUMBERS / (kind->n_function * n);
    const struct hf_digest_case which = {.n_a = kind->n_function / kind->n_b,
                                         .n_b = kind->n_b,
                                         .n_c = most < 1   ? 1
                                                : most < n ? most
                                                           : n,
                                         .n_d = n,
                                         .single = precision == SINGLE};
    const size_t n_bytes = place == FROM_CACHE ? CACHE_BYTES : all->n_bytes;
    const int n_round = place == FROM_MEMORY ? 1 : bench->quick ? 10 : 500;
    struct hf_context *context = bench->context;
    int failed = 0;
    for (int r = 0; r < bench->n_repeat; r++) {
        double n_integral = 1.0;
        MPI_Barrier(context->comm);
        const double seconds =
            hf_roofline_digest(&which, n_bytes, all->buffer, n_round, &n_integral);
        if (seconds < 0.0) failed = 1;
        all->value[r] = seconds / n_integral;
    }
    double mean = hf_bench_median(bench->n_repeat, all->value) / context->n_rank;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, context->comm);
    hf_sum_over_ranks(context->comm, 1, &mean);
    return failed ? -1.0 : mean;
}

/** Reports one line of digestion. */
static void report_digestion(struct hf_bench *bench, const struct rooflines *all, int place,
                             int precision, const char *name, double seconds, struct hf_json list)
{
    const double bytes = (precision == SINGLE ? sizeof(float) : sizeof(double)) / seconds;
    const double flops = HF_DIGEST_FLOPS / seconds;
    const double of_peak = flops / all->peak.double_flops, of_read = bytes / all->peak.read_bytes;
    hf_bench_print(bench, "  %s  %-6s  %-5s  %9.3f  %8.2f  %6.1f", precision_name[precision],
                   place_name[place], name, 1e9 * seconds, 1e-9 * flops, 100.0 * of_peak);
    if (place == FROM_MEMORY)
        hf_bench_print(bench, "  %8.2f  %6.1f\n", 1e-9 * bytes, 100.0 * of_read);
    else
        hf_bench_print(bench, "\n");
    const struct hf_json to = hf_json_row(list);
    HF_ADD(to, "bra", name);
    HF_ADD(to, "precision", precision_name[precision]);
    HF_ADD(to, "from", place_name[place]);
    HF_ADD(to, "seconds_per_integral", seconds);
    HF_ADD(to, "share_of_peak", of_peak);
    HF_ADD(to, "share_of_bandwidth", of_read);
}

/** Reports bras of every class, and all bras, weighted by their numbers of integrals. Collective. */
static hf_status digestion(struct hf_bench *bench, const struct rooflines *all, int place,
                           int precision, struct hf_json list, struct hf_error *error)
{
    double sum = 0.0, n_integral = 0.0;
    bool measured = true;
    for (int bra = 0; bra < all->pairs->n_class; bra++) {
        char name[16];
        if (all->of_bra[bra] == 0.0) continue;
        const double seconds = digest_seconds(bench, all, bra, place, precision);
        measured = measured && seconds > 0.0;
        hf_bench_class_name(all->pairs, bra, bra, name);
        name[3] = '\0'; /* "(ds" */
        report_digestion(bench, all, place, precision, name, seconds, list);
        sum += all->of_bra[bra] * seconds;
        n_integral += all->of_bra[bra];
    }
    if (n_integral > 0.0)
        report_digestion(bench, all, place, precision, "all", sum / n_integral, list);
    return measured ? HF_OK : hf_fail(error, HF_NO_RESOURCE, "out of memory for densities");
}

/* ---- All ------------------------------------------------------------------------------------ */

static void report_peak(struct hf_bench *bench, const struct hf_peak *peak)
{
    hf_bench_print(bench,
                   "\n  Peak          of a core (%s): %.1f GF/s in double precision, %.1f GF/s in "
                   "single; reads\n                %.1f GB/s from memory\n",
                   peak->instruction_set, 1e-9 * peak->double_flops, 1e-9 * peak->single_flops,
                   1e-9 * peak->read_bytes);
    const struct hf_json to = hf_json_object(bench->results, "peak", "");
    HF_ADD(to, "instruction_set", peak->instruction_set);
    HF_ADD(to, "double_flops", peak->double_flops);
    HF_ADD(to, "single_flops", peak->single_flops);
    HF_ADD(to, "read_bytes_per_second", peak->read_bytes);
}

/** Passes of derivatives and of both precisions. Those of all quartets come last, since their `of_bra` is used
 *  later. Collective. */
static hf_status measure_quartets(struct hf_bench *bench, struct rooflines *all, double threshold,
                                  struct hf_error *error)
{
    static const enum hf_precision precisions[N_PRECISION] = {HF_PRECISION_DOUBLE,
                                                              HF_PRECISION_SINGLE};
    for (int r = 0; r < bench->n_repeat; r++)
        for (int p = N_PASS - 1; p >= 0; p--)
            HF_CHECK(hf_roofline_pass(
                bench->context, all->pairs, threshold, precisions[p % N_PRECISION],
                p == GRADIENT ? HF_ROOFLINE_GRADIENT
                : p >= MIXED  ? HF_ROOFLINE_OF_PRECISION
                              : HF_ROOFLINE_ALL,
                all->entry[p] + (size_t)r * (size_t)all->n_entry, all->of_bra, error));
    return HF_OK;
}

hf_status hf_bench_roofline(struct hf_bench *bench, const struct hf_shell_pairs *pairs,
                            double threshold, struct hf_error *error)
{
    hf_status status;
    struct rooflines all = {0};
    struct hf_context *context = bench->context;
    HF_TRY(hf_agree(context->comm, create(bench, pairs, &all, error), error));
    hf_peak_measure(context, bench->quick, all.n_bytes, (const double *)(void *)all.buffer,
                    &all.peak);
    HF_TRY(measure_quartets(bench, &all, threshold, error));
    report_peak(bench, &all.peak);
    struct hf_json list = hf_json_array(bench->results, "engine", NULL, "");
    for (int p = 0; p < N_PRECISION; p++) report_quartets(bench, &all, p, list);
    report_mixed(bench, &all, list);
    list = hf_json_array(bench->results, "derivatives", NULL, "");
    report_quartets(bench, &all, GRADIENT, list);
    hf_bench_print(bench, "\n  %-21s  %9s  %8s  %6s  %8s  %6s\n", "digestion of strips",
                   "/integral", "GF/s", "% peak", "GB/s", "% read");
    list = hf_json_array(bench->results, "digestion", NULL, "");
    for (int place = 0; place < N_PLACE; place++)
        for (int p = 0; p < N_PRECISION; p++) HF_TRY(digestion(bench, &all, place, p, list, error));
    hf_bench_print(bench,
                   "\n  all: as often as in a pass over the molecule; mixed: each quartet in the "
                   "precision that hf\n  takes for densities up to 1. Digestion is J and K of one "
                   "density, summed in\n  double precision; %d functions d.\n",
                   all.n_atom);
cleanup:
    hf_arena_done(&all.arena);
    return status;
}
