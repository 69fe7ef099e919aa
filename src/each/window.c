/* Windows of records; see each_private.h. */
#include "each_private.h"

#include "text/text.h"

#include <string.h>
#include <sys/stat.h>

/** What precedes the strings of a record in the bytes. */
struct head {
    uint64_t hash;
    uint64_t n_name, n_text, n_problem; /**< with their NULs; n_problem 0: there is none */
};

static bool append(struct hf_window *window, size_t n, const void *bytes)
{
    if (!hf_arena_grow(&window->arena, &window->bytes, (int64_t)(window->n_byte + n), &window->room,
                       1))
        return false;
    if (n > 0) memcpy(window->bytes + window->n_byte, bytes, n);
    window->n_byte += n;
    return true;
}

/** Appends a record. Local. */
static hf_status pack(struct hf_window *window, uint64_t hash,
                      const struct hf_molecule_record *record, struct hf_error *error)
{
    const struct head head = {hash, strlen(record->name) + 1, record->n_byte + 1,
                              record->problem != NULL ? strlen(record->problem) + 1 : 0};
    (void)(append(window, sizeof head, &head) && append(window, head.n_name, record->name) &&
           append(window, head.n_text, record->text) &&
           append(window, head.n_problem, record->problem));
    return hf_arena_check(&window->arena, error);
}

uint64_t hf_each_hash_record(uint64_t settings, const struct hf_molecule_record *record)
{
    const uint64_t hash =
        hf_each_hash_named_in_record(record, hf_hash_add(settings, record->n_byte, record->text));
    return record->problem != NULL && record->n_byte == 0 ? hf_hash_add_text(hash, record->name)
                                                          : hash;
}

/** Reads records until the window is full. Local, on rank 0. */
static hf_status read_records(struct hf_window *window, int64_t most, uint64_t settings,
                              struct hf_record_reader *reader, struct hf_finished *finished,
                              struct hf_error *error)
{
    struct hf_molecule_record record;
    while (window->n < most && window->n_byte < HF_WINDOW_BYTES) {
        bool there, waits = false;
        if (window->n > 0) HF_CHECK(hf_record_reader_waits(reader, &waits, error));
        if (waits) return HF_OK;
        HF_CHECK(hf_record_reader_next(reader, &record, &there, error));
        window->ended = !there;
        if (!there) return HF_OK;
        const uint64_t hash = hf_each_hash_record(settings, &record);
        if (hf_finished_take(finished, hash)) continue;
        HF_CHECK(pack(window, hash, &record, error));
        window->n++;
    }
    return HF_OK;
}

/** Finds the records in the bytes. Local. */
static hf_status unpack(struct hf_window *window, struct hf_error *error)
{
    char *at = window->bytes;
    if (!hf_arena_grow(&window->arena, &window->record, window->n, &window->record_room,
                       sizeof *window->record) ||
        !hf_arena_grow(&window->arena, &window->hash, window->n, &window->hash_room,
                       sizeof *window->hash))
        return hf_arena_check(&window->arena, error);
    for (int i = 0; i < window->n; i++) {
        struct head head;
        memcpy(&head, at, sizeof head);
        const char *name = at + sizeof head, *text = name + head.n_name;
        const char *problem = text + head.n_text;
        window->hash[i] = head.hash;
        window->record[i] = (struct hf_molecule_record){name, text, head.n_text - 1,
                                                        head.n_problem > 0 ? problem : NULL};
        at += sizeof head + head.n_name + head.n_text + head.n_problem;
    }
    return HF_OK;
}

hf_status hf_window_fill(struct hf_window *window, struct hf_context *context, int64_t most,
                         uint64_t settings, struct hf_record_reader *reader,
                         struct hf_finished *finished, struct hf_error *error)
{
    hf_status status = HF_OK;
    window->n = 0;
    window->n_byte = 0;
    if (context->rank == 0) status = read_records(window, most, settings, reader, finished, error);
    HF_CHECK(hf_agree_to_go_on(context, status, error));
    int64_t share[] = {window->n, (int64_t)window->n_byte, window->ended};
    MPI_Bcast(share, sizeof share / sizeof *share, MPI_INT64_T, 0, context->comm);
    window->n = (int)share[0];
    window->n_byte = (size_t)share[1];
    window->ended = share[2] != 0;
    if (!hf_arena_grow(&window->arena, &window->bytes, share[1], &window->room, 1))
        status = hf_arena_check(&window->arena, error);
    HF_CHECK(hf_agree(context->comm, status, error));
    hf_broadcast_bytes(context->comm, 0, window->n_byte, window->bytes);
    return hf_agree(context->comm, unpack(window, error), error);
}

/** Whether the file, or list of files, comes from a pipe or a device. */
static bool is_stream(const char *path)
{
    struct stat about;
    if (strcmp(path, "-") == 0) return true;
    return stat(path + (path[0] == '@'), &about) == 0 && !S_ISREG(about.st_mode);
}

hf_status hf_each_drop_failures(const struct hf_each_records *records,
                                struct hf_interruption *interruption, struct hf_finished *finished,
                                const char *path, struct hf_error *error)
{
    struct hf_record_reader *reader = NULL;
    struct hf_molecule_record record;
    hf_status status;
    const struct hf_record_source *source = records->source;
    bool there = true, streams = source->make != NULL;
    for (int i = 0; i < source->n_path; i++) streams = streams || is_stream(source->path[i]);
    HF_TRY(hf_record_reader_create(interruption, source, &reader, error));
    while (there && !streams) {
        HF_TRY(hf_record_reader_next(reader, &record, &there, error));
        if (there)
            (void)hf_finished_take(finished, hf_each_hash_record(records->settings, &record));
    }
    status = hf_finished_drop_failures(finished, path, streams, error);
cleanup:
    hf_record_reader_destroy(&reader);
    return status;
}

void hf_window_done(struct hf_window *window)
{
    hf_arena_done(&window->arena);
}
