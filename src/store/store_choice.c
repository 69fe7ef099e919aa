/* Which integrals are worth storing; see store_choice.h. */
#include "store_choice.h"

#include <math.h>
#include <stdlib.h>

/** Densities are about a hundredth of what the bounds of quartets allow for, times the margin of the plan. With
 *  this the estimated shares of computed quartets, 5 % (water 16) to 93 % (uracil), err by a few per cent. */
static const double REACH = 100.0;

/** Stages of a calculation (scf/convergence.c): a build of the whole density, then of changes, smaller by these
 *  factors. Measured on alkanes, benzene, uracil and its dimer, water 16; slow calculations have more. */
static const double OF_FIRST_STAGE[] = {1.0, 4.0, 12.0, 50.0}, OF_MIDDLE_STAGE[] = {1.0, 300.0},
                    OF_LAST_STAGE[] = {1.0, 8e3};

/** Threshold of the middle stage / threshold of the first stage. */
static const double MIDDLE_PER_FIRST = 0.1;

/** Seconds to read back a byte while other cores read, too. */
static const double READ = 1e-10;

/** Quartets whose bounds are above this multiple of a build's threshold need double precision in that build. */
static const double WIDE = 1 << 24;

/** Bounds tried: each STEP times the one before. */
enum { N_STEP = 15, STEP = 4 };

/** The time saved must exceed the cost by this factor. Large molecules save half of the estimate, and their
 *  strips, with many zeros, need up to 1.6 times the bytes. */
static const double MARGIN = 2.5;

/** Adds the builds of a stage that need a quartet to *n_needed; returns the seconds to compute it in all of
 *  them. */
static double seconds_of_stage(const struct hf_store_sample *sample,
                               const struct hf_store_prices *prices, double threshold, int n,
                               const double change[], int *n_needed)
{
    int needed = 0;
    const double price = sample->bound >= WIDE * threshold ? prices->compute : prices->single;
    for (int i = 0; i < n; i++) needed += sample->bound >= REACH * threshold * change[i];
    *n_needed += needed;
    return needed * price * sample->cost;
}

struct hf_store_balance hf_store_weigh(const struct hf_store_sample *sample,
                                       const struct hf_store_prices *prices)
{
    enum {
        N_FIRST = sizeof OF_FIRST_STAGE / sizeof *OF_FIRST_STAGE,
        N_MIDDLE = sizeof OF_MIDDLE_STAGE / sizeof *OF_MIDDLE_STAGE,
        N_LAST = sizeof OF_LAST_STAGE / sizeof *OF_LAST_STAGE
    };
    const double first = prices->stage, middle = MIDDLE_PER_FIRST * first;
    const double in_store = (sample->wide ? prices->compute : prices->single) * sample->cost;
    int now = 0, n = 0;
    double seconds = seconds_of_stage(sample, prices, first, 1, OF_FIRST_STAGE, &now);
    const double more = in_store - seconds;
    seconds = seconds_of_stage(sample, prices, first, N_FIRST - 1, OF_FIRST_STAGE + 1, &n);
    if (middle > 1.0)
        seconds += seconds_of_stage(sample, prices, middle, N_MIDDLE, OF_MIDDLE_STAGE, &n);
    if (first > 1.0) seconds += seconds_of_stage(sample, prices, 1.0, N_LAST, OF_LAST_STAGE, &n);
    return (struct hf_store_balance){.cost = prices->touch * sample->bytes + fmax(0.0, more),
                                     .saved = seconds - n * READ * sample->bytes};
}

int hf_store_n_build(double stage)
{
    int n = sizeof OF_FIRST_STAGE / sizeof *OF_FIRST_STAGE - 1;
    if (MIDDLE_PER_FIRST * stage > 1.0) n += sizeof OF_MIDDLE_STAGE / sizeof *OF_MIDDLE_STAGE;
    if (stage > 1.0) n += sizeof OF_LAST_STAGE / sizeof *OF_LAST_STAGE;
    return n;
}

double hf_store_most_touch(const struct hf_store_choice *choice, double touch)
{
    return touch + (choice->saved_seconds / MARGIN - choice->store_seconds) / choice->bytes;
}

static int by_falling_value(const void *left, const void *right)
{
    const struct hf_store_sample *x = left, *y = right;
    return (x->value < y->value) - (x->value > y->value);
}

/** Seconds that a choice gains. `apart`: some quartets above its bound are computed and not stored; then batches
 *  of both are smaller, and bounds are checked twice. */
static double gain(const struct hf_store_choice *choice, bool apart)
{
    const double of_both = 0.9;
    const double all = choice->saved_seconds - MARGIN * choice->store_seconds;
    return apart ? of_both * all : all;
}

/** Adds one sample. */
static void add(const struct hf_store_sample *sample, double n_quartet,
                const struct hf_store_prices *prices, struct hf_store_choice *sum)
{
    const struct hf_store_balance balance = prices != NULL
                                                ? hf_store_weigh(sample, prices)
                                                : (struct hf_store_balance){.saved = sample->cost};
    sum->bytes += n_quartet * sample->bytes;
    sum->cost += n_quartet * sample->cost;
    sum->store_seconds += n_quartet * balance.cost;
    sum->saved_seconds += n_quartet * balance.saved;
    sum->cutoff = sample->value;
}

void hf_store_choose(int n, struct hf_store_sample sample[], double n_quartet, double bytes,
                     const struct hf_store_prices *prices, struct hf_store_choice *choice)
{
    const int n_step = prices != NULL ? N_STEP : 1;
    double smallest = 1.0, most = 0.0;
    *choice = (struct hf_store_choice){.smallest = 1.0, .cutoff = HUGE_VAL};
    qsort(sample, (size_t)n, sizeof *sample, by_falling_value);
    for (int step = 0; step < n_step; step++, smallest *= STEP) {
        struct hf_store_choice sum = {.smallest = smallest};
        int i = 0;
        for (; i < n; i++) {
            if (sample[i].bound < smallest) continue;
            if (sum.bytes + n_quartet * sample[i].bytes > bytes) break;
            add(&sample[i], n_quartet, prices, &sum);
            if (gain(&sum, true) <= most) continue;
            most = gain(&sum, true);
            *choice = sum;
        }
        if (i < n || gain(&sum, false) <= most) continue;
        most = gain(&sum, false);
        *choice = sum;
        choice->cutoff = 0.0;
    }
}
