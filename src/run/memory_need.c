/* How much memory a calculation needs, and whether there is so much. Counted before the calculation: the
 * kernel may promise memory that it does not have and kill the process that uses it. */
#include "memory_private.h"

#include "pairs/common_pairs.h"
#include "text/text.h"
#include "work/work.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/** Stored integrals over those of all quartets of functions, with batches that are not full. */
static const double STORE_FILL = 1.4;

/** Collective over the node. */
static struct hf_memory_room find_room(const struct hf_context *context)
{
    struct hf_memory_room room = {.n_node_rank = context->n_node_rank};
    MPI_Barrier(context->node); /* what others are about to take is not free */
    hf_memory_limits_find("", &room.limits);
    const double share = (double)context->n_node_rank / (context->n_node_rank + context->n_beside);
    room.limits.node_free *= share;
    room.limits.group_free *= share;
    const char *group_name = room.limits.group;
    const uint64_t mine = hf_hash_add(HF_HASH_EMPTY, strlen(group_name), group_name);
    uint64_t limit[2] = {mine, ~mine}; /* the largest, and what the smallest lacks */
    MPI_Allreduce(MPI_IN_PLACE, limit, 2, MPI_UINT64_T, MPI_MAX, context->node);
    if (limit[0] == ~limit[1]) { /* one group, as nearly always */
        room.n_group_rank = context->n_node_rank;
        return room;
    }
    for (int r = 0; r < context->n_node_rank; r++) {
        uint64_t group = mine;
        MPI_Bcast(&group, 1, MPI_UINT64_T, r, context->node);
        room.n_group_rank += group == mine;
    }
    return room;
}

/** What does not depend on options. Local. */
static hf_status find_case(const struct hf_calculation *calculation, double resident,
                           struct hf_memory_case *one, struct hf_error *error)
{
    struct hf_context *context = calculation->context;
    const struct hf_basis *basis = calculation->basis;
    const struct hf_basis *merged = hf_common_pairs_merged(calculation->pairs);
    const double n = basis->n_function;
    *one = (struct hf_memory_case){
        .settings = calculation->settings,
        .size = {.n_function = basis->n_function,
                 .n_rank = context->n_rank,
                 .n_node_rank = context->n_node_rank},
        .stored_most = STORE_FILL * 0.125 * n * n * n * n * sizeof(double),
        .resident = resident,
    };
    for (int i = 0; i < calculation->n_quantity; i++) {
        struct hf_quantity *quantity = &calculation->quantity[i];
        double bytes = 0.0;
        if (quantity->ops->memory != NULL) one->kept += quantity->ops->memory(quantity);
        if (quantity->ops->peak == NULL) continue;
        HF_CHECK(quantity->ops->peak(quantity, &bytes, error));
        one->differentiates |= quantity->differentiates;
        double *after = quantity->stores ? &one->beside : &one->after;
        *after = fmax(*after, bytes);
    }
    one->apart = hf_fock_may_separate(&calculation->settings.fock, merged);
    one->size.n_shell = merged->n_shell;
    one->size.n_atom = merged->n_atom;
    one->size.most_of_atom = hf_most_functions_of_atom(merged);
    return HF_OK;
}

/** What depends on the shell pairs. Collective. */
static void find_pairs(const struct hf_calculation *calculation, struct hf_memory_case *one)
{
    const struct hf_basis *merged = hf_common_pairs_merged(calculation->pairs);
    /* The overlap is not known yet. Where its inverse makes the list more accurate, it becomes little
     * longer: C20H42/aug-cc-pVDZ, smallest eigenvalue 4e-7, takes 19.4 MB where 19.8 MB are said here.
     * If no list can be made of the basis, the run reports that. */
    if (hf_common_pairs_estimate(calculation->pairs,
                                 hf_scf_pair_accuracy(&calculation->settings, 1.0), &one->pairs,
                                 NULL) != HF_OK)
        one->pairs = (struct hf_pair_memory){.list_bytes = 0.0};
    one->thread_bytes = one->pairs.engine_bytes +
                        hf_work_thread_bytes(merged, one->pairs.n_class, one->pairs.most_functions);
}

/** Bytes of a rank for stored integrals with --memory auto: what is there, less the rest. */
static double bytes_for_store(const struct hf_memory_case *without,
                              const struct hf_memory_room *room)
{
    const struct hf_memory_need need = hf_memory_estimate(without);
    const double more = need.node / need.n_node_rank - without->resident;
    const double all = hf_memory_of_rank(&room->limits, room->n_node_rank, room->n_group_rank);
    if (isinf(all)) return 0.0; /* nothing is known of the machine */
    return fmax(0.0, fmin(HF_SAFE_SHARE * all, 0.9 * (all - more)));
}

static const struct {
    const char *name;
    double bytes;
} units[] = {{"B", 1.0},         {"kB", 1e3},           {"MB", 1e6},
             {"GB", 1e9},        {"TB", 1e12},          {"KiB", 1024.0},
             {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};

bool hf_parse_size(const char *text, double *bytes)
{
    enum { MAX_NUMBER = 40 };
    double number = -1.0;
    const char *end = text;
    for (int n = 1; n <= MAX_NUMBER && text[n - 1] != '\0'; n++) /* the longest that is a number */
        if (hf_word_real((struct hf_word){text, n}, &number) == HF_NUMBER_OK) end = text + n;
    if (end == text || !(number >= 0.0) || number > 1e15) return false;
    while (isspace((unsigned char)*end)) end++;
    *bytes = number;
    if (number == 0.0 && *end == '\0') return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcasecmp(end, units[i].name) != 0) continue;
        *bytes = number * units[i].bytes;
        return *bytes < 1e18;
    }
    return false;
}

/** The size of the option; `automatic`: none. */
static hf_status read_option(const struct hf_options *options, double *bytes, bool *automatic,
                             struct hf_error *error)
{
    const struct hf_option_value *given = hf_options_given(options, "memory");
    *bytes = 0.0;
    *automatic = given == NULL || strcasecmp(given->text, "auto") == 0;
    if (*automatic || hf_parse_size(given->text, bytes)) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "%s: memory '%s'; expected a size per rank as 500 MB or 2 GiB, 0 for none, or "
                   "auto",
                   given->where, given->text);
}

/** The largest need and the least free memory of all ranks. Collective. */
static void agree_on_need(MPI_Comm comm, struct hf_memory_need *need)
{
    const int n_double = (int)(offsetof(struct hf_memory_need, n_node_rank) / sizeof(double));
    need->left = -need->left;
    MPI_Allreduce(MPI_IN_PLACE, need, n_double, MPI_DOUBLE, MPI_MAX, comm);
    need->left = -need->left;
}

hf_status hf_memory_foresee(struct hf_calculation *calculation, struct hf_error *error)
{
    struct hf_context *context = calculation->context;
    const struct hf_memory_room room = find_room(context);
    const struct hf_memory_limits *limits = &room.limits;
    struct hf_memory_case one;
    struct hf_error refusal = {0};
    bool automatic;
    double *bytes = &calculation->settings.fock.memory_bytes;
    HF_CHECK(
        read_option(calculation->options, bytes, &automatic, error)); /* the same on every rank */
    HF_CHECK(hf_agree(context->comm, find_case(calculation, limits->resident, &one, error), error));
    find_pairs(calculation, &one);
    calculation->settings.fock.store_weighed = automatic;
    if (automatic) *bytes = bytes_for_store(&one, &room);
    if (one.settings.fock.reproducible) *bytes = 0.0;
    MPI_Allreduce(MPI_IN_PLACE, bytes, 1, MPI_DOUBLE, MPI_MIN, context->comm);
    one.settings.fock.memory_bytes = *bytes;
    calculation->need = hf_memory_estimate(&one);
    const double of_group = limits->group_free * room.n_node_rank / room.n_group_rank;
    calculation->need.left = fmin(limits->node_free, of_group) + room.n_node_rank * one.resident;
    agree_on_need(context->comm, &calculation->need);
    const struct hf_memory_excess excess = hf_memory_compare(&one, &room);
    const bool fits = excess.bytes <= 0.0;
    if (!fits) hf_memory_refuse(&one, &room, &excess, sizeof refusal.message, refusal.message);
    /* agreed upon like a failure, though it is for the caller to make it one */
    (void)!hf_agree(context->comm, fits ? HF_OK : HF_NO_RESOURCE, &refusal);
    calculation->refusal = refusal;
    return HF_OK;
}
