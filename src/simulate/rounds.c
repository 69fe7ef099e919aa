/* Reads rounds of tasks from a trace: a line of JSON, then records of 24 bytes (output/trace_file.c). */
#include "rounds.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Level of the most expensive task (work/costs.h): after its measurement others may turn out to be more so. */
enum { HIGHEST = 224 };
enum { VERSION = 1, RECORD_BYTES = 24, BLOCK_J = 252, BLOCK_K = 253 };
/** A trace has as many numbers of blocks as records at most, or few; memory for them goes to every rank. */
enum { FEW_BLOCKS = 65536 };
/** Of tasks in all rounds, seconds and bytes: what a trace of hf does not reach. */
static const double TOO_MANY = 1e9;

struct record {
    double start;
    int64_t task;
    float seconds;
    uint16_t build;
    uint8_t thread, kind;
};
_Static_assert(sizeof(struct record) == RECORD_BYTES, "records have no gaps");

/** What is read. */
struct reader {
    const char *path;
    int task_kind, stored_kind;
    size_t n_record;
    struct record *record;
};

static hf_status damaged(const struct reader *reader, struct hf_error *error)
{
    return hf_fail(error, HF_BAD_INPUT, "%s: a record of this trace is damaged", reader->path);
}

static hf_status ends_early(const struct reader *reader, struct hf_error *error)
{
    return hf_fail(error, HF_BAD_INPUT, "%s: this trace ends early", reader->path);
}

static double number_of(const cJSON *header, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(header, name);
    return cJSON_IsNumber(item) ? item->valuedouble : -1.0;
}

/** Place of a kind in the header's list; -1: not there. */
static int find_kind(const cJSON *header, const char *name)
{
    const cJSON *kinds = cJSON_GetObjectItemCaseSensitive(header, "kinds"), *one;
    int k = 0;
    cJSON_ArrayForEach(one, kinds)
    {
        if (cJSON_IsString(one) && strcmp(one->valuestring, name) == 0) return k;
        k++;
    }
    return -1;
}

/** `n_byte` follow the header. */
static hf_status read_header(const cJSON *header, double n_byte, struct reader *reader,
                             struct hf_sim_rounds *rounds, struct hf_error *error)
{
    double n_task_of_all = 0.0;
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(header, "format");
    const cJSON *builds = cJSON_GetObjectItemCaseSensitive(header, "builds");
    const cJSON *model = cJSON_GetObjectItemCaseSensitive(header, "model");
    const double n_record = number_of(header, "n_record");
    if (!cJSON_IsString(format) || strcmp(format->valuestring, "hf-trace") != 0 ||
        number_of(header, "version") != VERSION ||
        number_of(header, "record_bytes") != RECORD_BYTES || !(n_record >= 0.0))
        return hf_fail(error, HF_BAD_INPUT, "%s: no trace of hf of version %d", reader->path,
                       VERSION);
    if (n_record * RECORD_BYTES > n_byte) return ends_early(reader, error);
    reader->n_record = (size_t)n_record;
    reader->task_kind = find_kind(header, "task");
    reader->stored_kind = find_kind(header, "stored task");
    rounds->n_function = (int)number_of(header, "n_function");
    rounds->least_cache_bytes =
        number_of(cJSON_GetObjectItemCaseSensitive(model, "fock"), "least_cache_bytes");
    rounds->reads_only = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(header, "reads_only"));
    rounds->n_round = cJSON_GetArraySize(builds);
    rounds->round = calloc((size_t)rounds->n_round + 1, sizeof *rounds->round);
    reader->record = malloc((reader->n_record + 1) * sizeof *reader->record);
    if (rounds->round == NULL || reader->record == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", reader->path);
    for (int i = 0; i < rounds->n_round; i++) {
        struct hf_sim_round *round = &rounds->round[i];
        const double n_task = number_of(cJSON_GetArrayItem(builds, i), "n_task");
        n_task_of_all += n_task;
        if (!(n_task >= 0.0 && n_task_of_all < TOO_MANY)) return damaged(reader, error);
        round->n_task = (int64_t)n_task;
        round->seconds = calloc((size_t)round->n_task + 1, sizeof *round->seconds);
        round->order = calloc((size_t)round->n_task + 1, sizeof *round->order);
        if (round->seconds == NULL || round->order == NULL)
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", reader->path);
    }
    return HF_OK;
}

/** The first line of a file, which the caller frees; NULL: none. */
static char *read_line(FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    if (getline(&line, &room, file) > 0) return line;
    free(line);
    return NULL;
}

/** After the line that was read. */
static double bytes_left(FILE *file)
{
    const long here = ftell(file);
    if (here < 0 || fseek(file, 0, SEEK_END) != 0) return 0.0;
    const long end = ftell(file);
    return fseek(file, here, SEEK_SET) == 0 ? (double)(end - here) : 0.0;
}

/** Seconds of tasks (of blocks: bytes), and the numbers of blocks. */
static hf_status add_record(const struct reader *reader, const struct record *record,
                            struct hf_sim_rounds *rounds, struct hf_error *error)
{
    const bool is_block = record->kind == BLOCK_J || record->kind == BLOCK_K;
    if (record->kind != reader->task_kind && record->kind != reader->stored_kind && !is_block)
        return HF_OK;
    if (record->build >= rounds->n_round) return HF_OK; /* of another part of the calculation */
    struct hf_sim_round *round = &rounds->round[record->build];
    if (record->task < 0 || record->task >= round->n_task ||
        !(record->seconds >= 0.0f && record->seconds < TOO_MANY))
        return damaged(reader, error);
    if (is_block) {
        const double n_most = fmax((double)reader->n_record, FEW_BLOCKS);
        if (!(record->start >= 0.0 && record->start < n_most)) return damaged(reader, error);
        if (record->start >= rounds->n_number) rounds->n_number = (int)record->start + 1;
        if (round->first_block == NULL)
            round->first_block = calloc((size_t)round->n_task + 2, sizeof *round->first_block);
        if (round->first_block == NULL)
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for blocks");
        round->first_block[record->task + 1]++;
        return HF_OK;
    }
    if (record->kind == reader->task_kind) {
        round->seconds[record->task] += record->seconds;
        return HF_OK;
    }
    if (round->stored == NULL)
        round->stored = calloc((size_t)round->n_task + 1, sizeof *round->stored);
    if (round->stored == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for stored tasks");
    round->stored[record->task] += record->seconds;
    return HF_OK;
}

/** Puts the blocks of each task together, in the order of the records. */
static hf_status place_blocks(const struct reader *reader, struct hf_sim_rounds *rounds,
                              struct hf_error *error)
{
    if (rounds->n_number == 0) return HF_OK;
    rounds->block_bytes = calloc((size_t)rounds->n_number, sizeof *rounds->block_bytes);
    if (rounds->block_bytes == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for blocks");
    for (int i = 0; i < rounds->n_round; i++) {
        struct hf_sim_round *round = &rounds->round[i];
        if (round->first_block == NULL) continue;
        for (int64_t t = 0; t < round->n_task; t++)
            round->first_block[t + 1] += round->first_block[t];
        round->block = calloc((size_t)round->first_block[round->n_task] + 1, sizeof *round->block);
        if (round->block == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for blocks");
    }
    for (size_t k = 0; k < reader->n_record; k++) {
        const struct record *record = &reader->record[k];
        if ((record->kind != BLOCK_J && record->kind != BLOCK_K) ||
            record->build >= rounds->n_round)
            continue;
        struct hf_sim_round *round = &rounds->round[record->build];
        rounds->block_bytes[(int)record->start] = record->seconds;
        round->block[round->first_block[record->task]++] =
            (struct hf_sim_block){(int)record->start, record->kind == BLOCK_K};
    }
    for (int i = 0; i < rounds->n_round; i++) { /* each begins now where the next one does */
        struct hf_sim_round *round = &rounds->round[i];
        if (round->first_block == NULL) continue;
        memmove(round->first_block + 1, round->first_block,
                (size_t)round->n_task * sizeof *round->first_block);
        round->first_block[0] = 0;
    }
    return HF_OK;
}

/** Lists the tasks in falling levels; those of one level in their order. If none takes time, all are equal. */
static void list_tasks(struct hf_sim_round *round)
{
    double most = 0.0;
    int64_t first[HF_N_TASK_LEVEL];
    for (int64_t t = 0; t < round->n_task; t++) most = fmax(most, round->seconds[t]);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t t = 0; t < round->n_task; t++) {
            const double cost = round->seconds[t];
            int level = most > 0.0 ? 0 : 1;
            if (cost > 0.0)
                level = (int)fmax(1.0, rint(HIGHEST + HF_LEVELS_PER_OCTAVE * log2(cost / most)));
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
    struct reader reader = {.path = path};
    FILE *file = fopen(path, "rb");
    char *line = NULL;
    cJSON *header = NULL;
    *rounds = (struct hf_sim_rounds){0};
    if (file == NULL) return hf_fail(error, HF_BAD_INPUT, "%s: cannot be read", path);
    line = read_line(file);
    header = line != NULL ? cJSON_Parse(line) : NULL;
    HF_TRY(read_header(header, bytes_left(file), &reader, rounds, error));
    if (fread(reader.record, RECORD_BYTES, reader.n_record, file) != reader.n_record) {
        status = ends_early(&reader, error);
        goto cleanup;
    }
    for (size_t k = 0; k < reader.n_record; k++)
        HF_TRY(add_record(&reader, &reader.record[k], rounds, error));
    HF_TRY(place_blocks(&reader, rounds, error));
    for (int i = 0; i < rounds->n_round; i++) list_tasks(&rounds->round[i]);
cleanup:
    cJSON_Delete(header);
    free(line);
    free(reader.record);
    fclose(file);
    if (status != HF_OK) hf_sim_rounds_free(rounds);
    return status;
}

void hf_sim_rounds_free(struct hf_sim_rounds *rounds)
{
    for (int i = 0; rounds->round != NULL && i < rounds->n_round; i++) {
        free(rounds->round[i].seconds);
        free(rounds->round[i].stored);
        free(rounds->round[i].order);
        free(rounds->round[i].first_block);
        free(rounds->round[i].block);
    }
    free(rounds->round);
    free(rounds->block_bytes);
    *rounds = (struct hf_sim_rounds){0};
}
