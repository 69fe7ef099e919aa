/* Reads a trace: a line of JSON, then records of 24 bytes (output/trace_file.c). */
#include "rounds.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Level of the most expensive task (work/costs.h): after its measurement others may turn out to be more so. */
enum { HIGHEST = 224 };
enum { VERSION = 1, RECORD_BYTES = sizeof(struct hf_trace_record), N_KIND = 256 };
/** A trace has as many numbers of blocks as records at most, or few; memory for them goes to every rank. */
enum { FEW_BLOCKS = 65536, MOST_FUNCTIONS = 1000000, MOST_DENSITIES = 1000 };
/** Of tasks in all rounds, seconds and bytes: what a trace of hf does not reach. */
static const double TOO_MANY = 1e9;

/** Those of the Coulomb pass are not replayed here. */
static const char *const name_of[HF_SIM_N_KIND] = {[HF_TRACE_TASK] = "task",
                                                   [HF_TRACE_STORED_TASK] = "stored task",
                                                   [HF_TRACE_FIRST_QUARTER] = "first quarter",
                                                   [HF_TRACE_SECOND_QUARTER] = "second quarter",
                                                   [HF_TRACE_COPYING] = "copying",
                                                   [HF_TRACE_PAIR_TASK] = "pair task",
                                                   [HF_TRACE_STEP] = "step",
                                                   [HF_SIM_EXCHANGE] = "Local MP2: exchange"};

/** What is read. */
struct reader {
    const char *path;
    struct hf_sim_rounds *rounds;
    int kind[N_KIND]; /**< enum hf_trace_kind of a number in the file; -1: of no interest */
    size_t n_record;
    struct hf_trace_record *record;
};

static hf_status damaged(const struct reader *reader, struct hf_error *error)
{
    return hf_fail(error, HF_BAD_INPUT, "%s: a record of this trace is damaged", reader->path);
}

static hf_status ends_early(const struct reader *reader, struct hf_error *error)
{
    return hf_fail(error, HF_BAD_INPUT, "%s: this trace ends early", reader->path);
}

double hf_sim_number(const struct hf_sim_rounds *rounds, const cJSON *of, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(of != NULL ? of : rounds->header, name);
    return cJSON_IsNumber(item) ? item->valuedouble : -1.0;
}

const cJSON *hf_sim_method(const struct hf_sim_rounds *rounds, const char *name)
{
    const cJSON *extras = cJSON_GetObjectItemCaseSensitive(rounds->header, "extras");
    return cJSON_GetObjectItemCaseSensitive(extras, name);
}

double hf_sim_all_seconds(const struct hf_sim_round *round, int kind)
{
    double sum = 0.0;
    for (int64_t t = 0; t < round->of[kind].n; t++) sum += round->of[kind].seconds[t];
    return sum;
}

/** The kinds of records that are known here, by the header's names. */
static void find_kinds(struct reader *reader)
{
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(reader->rounds->header, "kinds"), *one;
    int k = 0;
    for (int i = 0; i < N_KIND; i++)
        reader->kind[i] = i >= HF_TRACE_LEVELS && i <= HF_TRACE_BLOCK_K ? i : -1;
    cJSON_ArrayForEach(one, names)
    {
        for (int i = 0; i < HF_SIM_N_KIND && k < HF_TRACE_LEVELS; i++)
            if (cJSON_IsString(one) && name_of[i] != NULL &&
                strcmp(one->valuestring, name_of[i]) == 0)
                reader->kind[k] = i;
        k++;
    }
}

/** `n_byte` follow the header. */
static hf_status read_header(struct reader *reader, double n_byte, struct hf_error *error)
{
    double n_task_of_all = 0.0;
    struct hf_sim_rounds *rounds = reader->rounds;
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(rounds->header, "format");
    const cJSON *builds = cJSON_GetObjectItemCaseSensitive(rounds->header, "builds");
    const cJSON *model = cJSON_GetObjectItemCaseSensitive(rounds->header, "model");
    const double n_record = hf_sim_number(rounds, NULL, "n_record");
    if (!cJSON_IsString(format) || strcmp(format->valuestring, "hf-trace") != 0 ||
        (int)hf_sim_number(rounds, NULL, "version") != VERSION ||
        (int)hf_sim_number(rounds, NULL, "record_bytes") != RECORD_BYTES || !(n_record >= 0.0))
        return hf_fail(error, HF_BAD_INPUT, "%s: no trace of hf of version %d", reader->path,
                       VERSION);
    if (n_record * RECORD_BYTES > n_byte) return ends_early(reader, error);
    reader->n_record = (size_t)n_record;
    const double n_function = hf_sim_number(rounds, NULL, "n_function");
    const double n_density = hf_sim_number(rounds, NULL, "n_density");
    if (n_function > MOST_FUNCTIONS || n_density > MOST_DENSITIES) return damaged(reader, error);
    rounds->n_function = (int)fmax(0.0, n_function); /* 0: the header has none */
    rounds->least_cache_bytes =
        hf_sim_number(rounds, cJSON_GetObjectItemCaseSensitive(model, "fock"), "least_cache_bytes");
    rounds->n_density = n_density > 0.0 ? (int)n_density : 1;
    rounds->reads_only =
        cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(rounds->header, "reads_only"));
    rounds->n_round = cJSON_GetArraySize(builds);
    HF_TAKE(&rounds->arena, rounds->round, (size_t)rounds->n_round);
    reader->record = malloc((reader->n_record + 1) * sizeof *reader->record);
    if (rounds->round == NULL || reader->record == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", reader->path);
    for (int i = 0; i < rounds->n_round; i++) {
        const double n_task = hf_sim_number(rounds, cJSON_GetArrayItem(builds, i), "n_task");
        n_task_of_all += n_task;
        if (!(n_task >= 0.0 && n_task_of_all < TOO_MANY)) return damaged(reader, error);
        rounds->round[i].of[HF_TRACE_TASK].n = (int64_t)n_task;
    }
    return HF_OK;
}

/** After the line that was read. */
static double bytes_left(FILE *file)
{
    const long here = ftell(file);
    if (here < 0 || fseek(file, 0, SEEK_END) != 0) return 0.0;
    const long end = ftell(file);
    return fseek(file, here, SEEK_SET) == 0 ? (double)(end - here) : 0.0;
}

/** Header and records; what is recorded of a phase is task 0. */
static hf_status read_file(struct reader *reader, struct hf_error *error)
{
    hf_status status = HF_OK;
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(reader->path, "rb");
    if (file == NULL) return hf_fail(error, HF_BAD_INPUT, "%s: cannot be read", reader->path);
    if (getline(&line, &room, file) > 0) reader->rounds->header = cJSON_Parse(line);
    HF_TRY(read_header(reader, bytes_left(file), error));
    if (fread(reader->record, RECORD_BYTES, reader->n_record, file) != reader->n_record)
        status = ends_early(reader, error);
    find_kinds(reader);
    for (size_t k = 0; k < reader->n_record; k++)
        if (reader->kind[reader->record[k].kind] == HF_SIM_EXCHANGE) reader->record[k].task = 0;
cleanup:
    free(line);
    fclose(file);
    return status;
}

/** Build or batch of a record; NULL: of another part of the calculation. */
static struct hf_sim_round *round_of(const struct reader *reader,
                                     const struct hf_trace_record *record)
{
    const struct hf_sim_rounds *rounds = reader->rounds;
    if (reader->kind[record->kind] < 0 || record->build == HF_TRACE_NO_BUILD) return NULL;
    if (record->build >= HF_TRACE_FIRST_BATCH) {
        const int batch = record->build - HF_TRACE_FIRST_BATCH;
        return record->task < 0 || batch >= rounds->n_batch ? NULL : &rounds->batch[batch];
    }
    return record->build < rounds->n_round ? &rounds->round[record->build] : NULL;
}

static bool is_add(int kind)
{
    return kind == HF_TRACE_ADDS_J || kind == HF_TRACE_ADDS_K;
}

/** Counts tasks and blocks; n_block of a round are then its tasks with blocks. */
static hf_status count(struct reader *reader, struct hf_error *error)
{
    struct hf_sim_rounds *rounds = reader->rounds;
    const double n_most = fmax(4.0 * (double)reader->n_record, FEW_BLOCKS);
    for (size_t k = 0; k < reader->n_record; k++) {
        const struct hf_trace_record *record = &reader->record[k];
        const int kind = reader->kind[record->kind];
        struct hf_sim_round *round = round_of(reader, record);
        if (round == NULL) continue;
        const bool is_build = record->build < HF_TRACE_FIRST_BATCH;
        const bool is_block = kind >= HF_SIM_N_KIND;
        if (kind == HF_TRACE_LEVELS) continue;
        if (is_add(kind)) {
            if (!(record->start >= 0.0 && record->start < n_most)) return damaged(reader, error);
            rounds->n_added = (int)fmax(rounds->n_added, record->start + 1.0);
            continue;
        }
        /* later builds may compute none of the tasks that an earlier one stored */
        const bool is_stored = kind == HF_TRACE_STORED_TASK;
        const double most = is_build && !is_stored ? (double)round->of[HF_TRACE_TASK].n : n_most;
        if (record->task < 0 || (double)record->task >= most ||
            !(record->seconds >= 0.0f && record->seconds < TOO_MANY) ||
            (is_block && !(record->start >= 0.0 && record->start < n_most)))
            return damaged(reader, error);
        int64_t *n = is_block ? &round->n_block : &round->of[kind].n;
        if (record->task >= *n) *n = record->task + 1;
        if (is_block && is_build && record->start >= rounds->n_number)
            rounds->n_number = (int)record->start + 1;
    }
    return HF_OK;
}

/** Small atoms that follow each other are one site, which the numbers of blocks tell. */
static void find_sites(struct hf_sim_rounds *rounds)
{
    const int n_block = rounds->n_added > 0 ? rounds->n_added : rounds->n_number;
    const cJSON *fock = cJSON_GetObjectItemCaseSensitive(rounds->header, "fock");
    if (!cJSON_IsString(fock)) return;
    rounds->replicated = strcmp(fock->valuestring, "replicated") == 0;
    const double n_atom = hf_sim_number(rounds, NULL, "n_atom");
    rounds->n_site = n_block > 0    ? (int)ceil((sqrt(8.0 * n_block + 1.0) - 1.0) / 2.0)
                     : n_atom > 0.0 ? (int)fmin(n_atom, rounds->n_function)
                                    : 0;
    if (rounds->n_added > 0) /* the last blocks may have no sums */
        rounds->n_added = rounds->n_site * (rounds->n_site + 1) / 2;
}

/** Levels of some tasks: bytes in place of `start`, their kind in place of seconds. */
static hf_status read_levels(struct reader *reader, struct hf_sim_round *round,
                             const struct hf_trace_record *record, struct hf_error *error)
{
    const int64_t n_left = round->of[HF_TRACE_TASK].n - record->task;
    if (record->task < 0 || !(record->seconds >= 0.0f && record->seconds < N_KIND))
        return damaged(reader, error);
    if (reader->kind[(int)record->seconds] != HF_TRACE_TASK) return HF_OK; /* Coulomb pass */
    if (n_left <= 0) return HF_OK; /* the last tasks of a batch may have no records */
    if (round->level == NULL)
        HF_TAKE(&reader->rounds->arena, round->level, (size_t)round->of[HF_TRACE_TASK].n);
    HF_CHECK(hf_arena_check(&reader->rounds->arena, error));
    memcpy(round->level + record->task, &record->start,
           n_left < (int64_t)sizeof record->start ? (size_t)n_left : sizeof record->start);
    return HF_OK;
}

/** Adds up the seconds of tasks, and counts the blocks of each. */
static hf_status add_up(struct reader *reader, struct hf_error *error)
{
    struct hf_sim_rounds *rounds = reader->rounds;
    struct hf_arena *arena = &rounds->arena;
    HF_TAKE(arena, rounds->block_bytes, (size_t)rounds->n_number);
    for (int i = 0; i < rounds->n_round + rounds->n_batch; i++) {
        struct hf_sim_round *round =
            i < rounds->n_round ? &rounds->round[i] : &rounds->batch[i - rounds->n_round];
        for (int kind = 0; kind < HF_SIM_N_KIND; kind++)
            HF_TAKE(arena, round->of[kind].seconds, (size_t)round->of[kind].n);
        HF_TAKE(arena, round->order, (size_t)round->of[HF_TRACE_TASK].n);
        HF_TAKE(arena, round->first_block, (size_t)round->n_block + 2);
        for (int k = 0; k < HF_SIM_N_SUM; k++)
            HF_TAKE(arena, round->n_add[k], (size_t)rounds->n_added);
    }
    HF_CHECK(hf_arena_check(arena, error));
    for (size_t k = 0; k < reader->n_record; k++) {
        const struct hf_trace_record *record = &reader->record[k];
        const int kind = reader->kind[record->kind];
        struct hf_sim_round *round = round_of(reader, record);
        if (round == NULL) continue;
        if (kind == HF_TRACE_LEVELS)
            HF_CHECK(read_levels(reader, round, record, error));
        else if (kind < HF_SIM_N_KIND)
            round->of[kind].seconds[record->task] += record->seconds;
        else if (is_add(kind))
            round->n_add[kind == HF_TRACE_ADDS_K][(int)record->start] += (float)record->task;
        else
            round->first_block[record->task + 2]++; /* one too far, until they are placed */
    }
    return HF_OK;
}

/** Puts the blocks of each task together, in the order of the records. */
static hf_status place_blocks(struct reader *reader, struct hf_error *error)
{
    struct hf_sim_rounds *rounds = reader->rounds;
    for (int i = 0; i < rounds->n_round + rounds->n_batch; i++) {
        struct hf_sim_round *round =
            i < rounds->n_round ? &rounds->round[i] : &rounds->batch[i - rounds->n_round];
        for (int64_t t = 0; t <= round->n_block; t++)
            round->first_block[t + 1] += round->first_block[t];
        HF_TAKE(&rounds->arena, round->block, (size_t)round->first_block[round->n_block + 1]);
    }
    HF_CHECK(hf_arena_check(&rounds->arena, error));
    for (size_t k = 0; k < reader->n_record; k++) {
        const struct hf_trace_record *record = &reader->record[k];
        struct hf_sim_round *round = round_of(reader, record);
        const int kind = reader->kind[record->kind];
        if (round == NULL || (kind != HF_TRACE_BLOCK_J && kind != HF_TRACE_BLOCK_K)) continue;
        if (record->build < HF_TRACE_FIRST_BATCH)
            rounds->block_bytes[(int)record->start] = record->seconds;
        round->block[round->first_block[record->task + 1]++] = (struct hf_sim_block){
            (int)record->start, record->kind == HF_TRACE_BLOCK_K, record->seconds};
    }
    return HF_OK;
}

/** With its quarters, if these are recorded apart. */
static double cost_of(const struct hf_sim_round *round, int64_t task)
{
    return hf_sim_seconds(round, HF_TRACE_TASK, task) +
           hf_sim_seconds(round, HF_TRACE_FIRST_QUARTER, task) +
           hf_sim_seconds(round, HF_TRACE_SECOND_QUARTER, task);
}

/** Level of a task, of which the most expensive one takes `most`. If none takes time, all are equal. */
static int level_of(const struct hf_sim_round *round, int64_t task, double most)
{
    const double cost = cost_of(round, task);
    if (round->level != NULL) return round->level[task];
    if (cost > 0.0) return (int)fmax(1.0, rint(HIGHEST + HF_LEVELS_PER_OCTAVE * log2(cost / most)));
    return most > 0.0 ? 0 : 1;
}

/** Lists the tasks in falling levels; those of one level in their order. */
static void list_tasks(struct hf_sim_round *round)
{
    double most = 0.0;
    int64_t first[HF_N_TASK_LEVEL];
    const int64_t n_task = round->of[HF_TRACE_TASK].n;
    for (int64_t t = 0; t < n_task; t++) most = fmax(most, cost_of(round, t));
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t t = 0; t < n_task; t++) {
            const int level = level_of(round, t, most);
            if (level == 0) continue;
            if (pass == 0)
                round->levels.count[level]++;
            else
                round->order[first[level]++] = t;
        }
        if (pass > 0) return;
        for (int level = HF_N_TASK_LEVEL - 1; level > 0; level--) {
            first[level] = round->n_listed;
            round->n_listed += round->levels.count[level];
        }
    }
}

hf_status hf_sim_rounds_read(const char *path, struct hf_sim_rounds *rounds, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct reader reader = {.path = path, .rounds = rounds};
    *rounds = (struct hf_sim_rounds){.arena = {.label = "the trace"}};
    HF_TRY(read_file(&reader, error));
    for (size_t k = 0; k < reader.n_record; k++) {
        const int batch = (int)reader.record[k].build - HF_TRACE_FIRST_BATCH;
        if (reader.record[k].build != HF_TRACE_NO_BUILD && batch >= rounds->n_batch)
            rounds->n_batch = batch + 1;
    }
    HF_TAKE(&rounds->arena, rounds->batch, (size_t)rounds->n_batch);
    HF_TRY(hf_arena_check(&rounds->arena, error));
    HF_TRY(count(&reader, error));
    find_sites(rounds);
    HF_TRY(add_up(&reader, error));
    HF_TRY(place_blocks(&reader, error));
    for (int i = 0; i < rounds->n_round; i++) list_tasks(&rounds->round[i]);
    for (int i = 0; i < rounds->n_batch; i++) list_tasks(&rounds->batch[i]);
cleanup:
    free(reader.record);
    if (status != HF_OK) hf_sim_rounds_free(rounds);
    return status;
}

void hf_sim_rounds_free(struct hf_sim_rounds *rounds)
{
    cJSON_Delete(rounds->header);
    hf_arena_done(&rounds->arena);
    *rounds = (struct hf_sim_rounds){0};
}
