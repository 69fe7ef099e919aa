/* Cuts streams of text into records; see reader.h. */
#include "each/reader.h"

#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOOK_MILLISECONDS = 100,
    PIECE = 1 << 16,
    MOST_BYTES = 64 << 20, /**< of a record, as of an input file */
    LINE_OF_COUNTS = 3     /**< of a molfile, from 0 */
};

/** How the records of a file end. */
enum format { BY_COUNT, BY_LINE, BY_MARK };

struct hf_record_reader {
    struct hf_interruption *interruption; /**< borrowed */
    struct hf_record_source source;
    int64_t n_made; /**< records that the source has made so far */
    int next_path;
    FILE *list; /**< of names of files; NULL: none is open */
    char *list_line;
    size_t list_room;
    int file; /**< -1: none is open */
    bool at_end;
    const char *file_name; /**< NULL: none is open */
    enum format format;
    bool numbered; /**< names of records have numbers */
    int n_record;  /**< of the file so far */
    char *bytes;   /**< [room] of the file; those from `begin` to `end` are not used yet */
    size_t begin, end, room;
    char cut; /**< the byte that the NUL behind the last record replaced */
    size_t cut_at;
    bool is_cut;
    char record_name[4200];
    double n_byte,
        n_used; /**< of all files, INFINITY: unknown; of the records so far. Records that are made count 1 */
    char problem[256];
    bool is_stream;    /**< the file is a pipe or a terminal */
    bool tries, waits; /**< only what has arrived is read; that was not enough */
    bool given_up;     /**< nothing more can be read of the file; `problem` says why */
};

static void give_up(struct hf_record_reader *self, const char *why)
{
    snprintf(self->problem, sizeof self->problem, "%s", why);
    self->given_up = self->at_end = true;
}

/** Room for one more piece and a NUL; moves the unused bytes to the front. */
static bool make_room(struct hf_record_reader *self)
{
    const size_t n = self->end - self->begin;
    if (self->begin > 0) memmove(self->bytes, self->bytes + self->begin, n);
    self->begin = 0;
    self->end = n;
    if (n + PIECE + 1 <= self->room) return true;
    char *longer = realloc(self->bytes, n + n / 2 + PIECE + 1);
    if (longer == NULL) return false;
    self->bytes = longer;
    self->room = n + n / 2 + PIECE + 1;
    return true;
}

static bool has_arrived(const struct hf_record_reader *self)
{
    struct pollfd input = {.fd = self->file, .events = POLLIN};
    return poll(&input, 1, 0) != 0;
}

static hf_status wait_for_input(const struct hf_record_reader *self, struct hf_error *error)
{
    struct pollfd input = {.fd = self->file, .events = POLLIN};
    while (poll(&input, 1, LOOK_MILLISECONDS) <= 0) {
        const int reason = hf_interruption_ask(self->interruption);
        if (reason != 0) return hf_interrupted(error, reason);
    }
    return HF_OK;
}

/** Reads some more of the file, or finds its end. */
static hf_status read_more(struct hf_record_reader *self, struct hf_error *error)
{
    ssize_t got;
    if (!make_room(self)) return hf_fail(error, HF_NO_RESOURCE, "out of memory for a record");
    HF_CHECK(wait_for_input(self, error));
    do got = read(self->file, self->bytes + self->end, PIECE);
    while (got < 0 && errno == EINTR);
    self->at_end = got == 0;
    if (got < 0) give_up(self, strerror(errno));
    if (got > 0) self->end += (size_t)got;
    return HF_OK;
}

/** Finds the line that begins `at` bytes behind the used ones: `next` is where the next one begins. *there false: the
 *  file ends here, or the record is too long. */
static hf_status find_line(struct hf_record_reader *self, size_t at, size_t *next, bool *there,
                           struct hf_error *error)
{
    size_t seen = at;
    *there = false;
    for (;;) {
        const size_t n = self->end - self->begin;
        const char *line = self->bytes + self->begin;
        const char *stop = n > seen ? memchr(line + seen, '\n', n - seen) : NULL;
        if (stop != NULL) {
            *next = (size_t)(stop - line) + 1;
            *there = true;
            return HF_OK;
        }
        seen = n;
        if (n > MOST_BYTES) give_up(self, "a record has more than 64 MiB");
        self->waits = self->tries && !self->at_end && !has_arrived(self);
        if (self->at_end || self->waits) {
            *next = n;
            *there = n > at && self->at_end;
            return HF_OK;
        }
        HF_CHECK(read_more(self, error));
    }
}

/** The line as a word without blanks around it. */
static struct hf_word line_at(const struct hf_record_reader *self, size_t at, size_t next)
{
    struct hf_word word = {self->bytes + self->begin + at, (int)(next - at)};
    static const char blanks[] = " \t\r\n";
    while (word.length > 0 && strchr(blanks, word.begin[0]) != NULL) word.begin++, word.length--;
    while (word.length > 0 && strchr(blanks, word.begin[word.length - 1]) != NULL) word.length--;
    return word;
}

/** Whether a line is a count of atoms, alone or with a unit behind it. */
static bool is_count(struct hf_word line, int *count)
{
    int n = 0;
    while (n < line.length && strchr(" \t", line.begin[n]) == NULL) n++;
    if (hf_word_integer((struct hf_word){line.begin, n}, count) != HF_NUMBER_OK || *count < 1)
        return false;
    while (n < line.length && strchr(" \t", line.begin[n]) != NULL) n++;
    for (int i = n; i < line.length; i++)
        if (strchr("0123456789 \t", line.begin[i]) != NULL) return false;
    return true;
}

/** Whether a line is that of the counts of a molfile. */
static bool has_version(struct hf_word line)
{
    if (line.length < 5) return false;
    const char *end = line.begin + line.length - 5;
    return strncmp(end, "V2000", 5) == 0 || strncmp(end, "V3000", 5) == 0;
}

/** Whether the line that begins `at` bytes behind the used ones has not arrived. */
static bool must_wait(const struct hf_record_reader *self, size_t at)
{
    const size_t n = self->end - self->begin;
    const bool has_line = n > at && memchr(self->bytes + self->begin + at, '\n', n - at) != NULL;
    return !has_line && !self->at_end && !has_arrived(self);
}

/** Recognises the format by the first lines. */
static hf_status recognise(struct hf_record_reader *self, struct hf_error *error)
{
    size_t at = 0, next;
    bool there, first = true;
    int count, last = 0; /* line of the first record, if that is not BY_MARK */
    self->format = BY_MARK;
    for (int i = 0; i <= LINE_OF_COUNTS; i++, at = next) {
        /* who writes records one by one may wait for results after the first one */
        if (self->format != BY_MARK && i > last && must_wait(self, at)) break;
        HF_CHECK(find_line(self, at, &next, &there, error));
        if (!there) break;
        const struct hf_word line = line_at(self, at, next);
        if (i == LINE_OF_COUNTS && has_version(line))
            self->format = BY_MARK; /* whatever its title */
        if (line.length == 0 || !first) continue;
        first = false;
        if (line.begin[0] == '{' && line.begin[line.length - 1] == '}') self->format = BY_LINE;
        if (is_count(line, &count)) self->format = BY_COUNT;
        last = self->format == BY_COUNT ? i + 1 + count : i;
    }
    self->numbered = self->format != BY_MARK;
    return HF_OK;
}

/** Length of a record of XYZ. One that is broken ends before the next count. */
static hf_status end_by_count(struct hf_record_reader *self, size_t *end, struct hf_error *error)
{
    size_t next;
    bool there;
    int n_atom = 0, count;
    HF_CHECK(find_line(self, 0, end, &there, error));
    const bool good = is_count(line_at(self, 0, *end), &n_atom);
    if (!good)
        snprintf(self->problem, sizeof self->problem,
                 "lines that belong to no record; expected a count of atoms");
    for (int i = 0; !good || i <= n_atom; i++, *end = next) {
        HF_CHECK(find_line(self, *end, &next, &there, error));
        if (!there) return HF_OK;
        const struct hf_word line = line_at(self, *end, next);
        const bool is_comment = good && i == 0;
        if (!is_comment && memchr(line.begin, ' ', (size_t)line.length) == NULL &&
            is_count(line, &count))
            return HF_OK;
    }
    return HF_OK;
}

/** Length of a record that ends with a line $$$$ or with the file. */
static hf_status end_by_mark(struct hf_record_reader *self, size_t *end, struct hf_error *error)
{
    size_t at = 0;
    bool there;
    for (;; at = *end) {
        HF_CHECK(find_line(self, at, end, &there, error));
        if (!there) return HF_OK;
        if (strncmp(self->bytes + self->begin + at, "$$$$", 4) == 0) break;
    }
    self->numbered = true;
    return HF_OK;
}

/** Opens the file; if it cannot be read, it is given up. */
static hf_status open_file(struct hf_record_reader *self, const char *name, struct hf_error *error)
{
    const bool standard = strcmp(name, "-") == 0;
    self->file_name = standard ? HF_STANDARD_INPUT : name;
    self->begin = self->end = 0;
    self->n_record = 0;
    self->numbered = self->is_cut = self->given_up = self->at_end = false;
    self->file = standard ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC);
    if (self->file < 0) give_up(self, strerror(errno));
    if (self->file < 0) return HF_OK;
    struct stat about;
    self->is_stream = fstat(self->file, &about) != 0 || !S_ISREG(about.st_mode);
    return recognise(self, error);
}

static void close_file(struct hf_record_reader *self)
{
    if (self->file >= 0) close(self->file);
    self->file = -1;
    self->file_name = NULL;
}

hf_status hf_record_list_next(FILE *list, const char *list_name, char **line, size_t *room,
                              const char **name, struct hf_error *error)
{
    ssize_t n;
    *name = NULL;
    while ((n = getline(line, room, list)) > 0) {
        while (n > 0 && strchr(" \t\r\n", (*line)[n - 1]) != NULL) (*line)[--n] = '\0';
        const char *begin = *line + strspn(*line, " \t");
        if (begin[0] == '\0' || begin[0] == '#') continue;
        *name = begin;
        return HF_OK;
    }
    if (feof(list)) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT, "%.400s: %s", list_name, strerror(errno));
}

/** Opens the next file of the list that is open. *there false: it has ended. */
static hf_status open_listed(struct hf_record_reader *self, bool *there, struct hf_error *error)
{
    const char *name;
    HF_CHECK(hf_record_list_next(self->list, self->source.path[self->next_path - 1] + 1,
                                 &self->list_line, &self->list_room, &name, error));
    *there = name != NULL;
    if (*there) return open_file(self, name, error);
    fclose(self->list);
    self->list = NULL;
    return HF_OK;
}

/** Opens the next file. *there false: there are no more. */
static hf_status open_next(struct hf_record_reader *self, bool *there, struct hf_error *error)
{
    for (;;) {
        *there = false;
        if (self->list != NULL) HF_CHECK(open_listed(self, there, error));
        if (*there || self->next_path == self->source.n_path) return HF_OK;
        const char *path = self->source.path[self->next_path++];
        *there = path[0] != '@';
        if (*there) return open_file(self, path, error);
        self->list = fopen(path + 1, "r");
        if (self->list == NULL)
            return hf_fail(error, HF_BAD_INPUT, "%s: %s", path + 1, strerror(errno));
    }
}

/** Takes the next `n` bytes as a record. */
static void take(struct hf_record_reader *self, size_t n, struct hf_molecule_record *record)
{
    const int length =
        snprintf(self->record_name, sizeof self->record_name, "%.4000s", self->file_name);
    self->n_record++;
    if (self->numbered)
        snprintf(self->record_name + length, sizeof self->record_name - (size_t)length,
                 ", record %d", self->n_record);
    static char none[1];
    char *text = self->bytes != NULL ? self->bytes + self->begin : none;
    self->cut_at = self->begin + n;
    self->is_cut = self->bytes != NULL;
    if (self->is_cut) {
        self->cut = self->bytes[self->cut_at];
        self->bytes[self->cut_at] = '\0';
    }
    self->begin += n;
    self->n_used += (double)n;
    if (self->problem[0] == '\0' && memchr(text, '\0', n) != NULL)
        snprintf(self->problem, sizeof self->problem, "it is no text");
    *record = (struct hf_molecule_record){self->record_name, text, n,
                                          self->problem[0] != '\0' ? self->problem : NULL};
}

/** Whether only blank lines are left of the file. */
static hf_status is_used_up(struct hf_record_reader *self, bool *used_up, struct hf_error *error)
{
    size_t at = 0, next;
    bool there;
    for (;; at = next) {
        HF_CHECK(find_line(self, at, &next, &there, error));
        *used_up = !there;
        if (!there || line_at(self, at, next).length > 0) return HF_OK;
        if (self->format == BY_MARK) continue; /* the title of a molfile may be blank */
        self->begin += next;
        next = 0;
    }
}

/** Length of the next record. *used_up: the file has ended. */
static hf_status find_end(struct hf_record_reader *self, size_t *n, bool *used_up,
                          struct hf_error *error)
{
    bool there;
    if (self->is_cut) self->bytes[self->cut_at] = self->cut;
    self->is_cut = false;
    if (self->given_up) return HF_OK;
    self->problem[0] = '\0';
    HF_CHECK(is_used_up(self, used_up, error));
    if (*used_up && self->n_record == 0 && !self->waits) give_up(self, "the file is empty");
    if (*used_up || self->given_up) return HF_OK;
    if (self->format == BY_COUNT) return end_by_count(self, n, error);
    if (self->format == BY_LINE) return find_line(self, 0, n, &there, error);
    return end_by_mark(self, n, error);
}

/** The next record of the open file. *there false: it has ended. */
static hf_status next_of_file(struct hf_record_reader *self, struct hf_molecule_record *record,
                              bool *there, struct hf_error *error)
{
    size_t n = 0;
    bool used_up = true;
    *there = false;
    const bool was_given_up = self->given_up && self->n_record > 0;
    HF_CHECK(find_end(self, &n, &used_up, error));
    if (was_given_up || (used_up && !self->given_up)) return HF_OK;
    *there = true;
    take(self, n, record);
    return HF_OK;
}

hf_status hf_record_reader_create(struct hf_interruption *interruption,
                                  const struct hf_record_source *source,
                                  struct hf_record_reader **reader, struct hf_error *error)
{
    const char *const *path = source->path;
    for (int i = 0; i < source->n_path; i++) {
        const char *name = path[i][0] == '@' ? path[i] + 1 : path[i];
        if (strcmp(path[i], "-") != 0 && access(name, R_OK) != 0)
            return hf_fail(error, HF_BAD_INPUT, "%.400s: %s", name, strerror(errno));
        struct stat about;
        if (path[i][0] == '@' && stat(name, &about) == 0 && S_ISDIR(about.st_mode))
            return hf_fail(error, HF_BAD_INPUT, "%.400s: %s", name, strerror(EISDIR));
    }
    *reader = calloc(1, sizeof **reader);
    if (*reader == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for a reader");
    (*reader)->interruption = interruption;
    (*reader)->source = *source;
    (*reader)->file = -1;
    (*reader)->n_byte = (double)source->n_made;
    for (int i = 0; i < source->n_path; i++) {
        struct stat about;
        const bool known =
            path[i][0] != '@' && strcmp(path[i], "-") != 0 && stat(path[i], &about) == 0;
        (*reader)->n_byte += known ? (double)about.st_size : INFINITY;
    }
    return HF_OK;
}

hf_status hf_record_reader_next(struct hf_record_reader *self, struct hf_molecule_record *record,
                                bool *there, struct hf_error *error)
{
    const struct hf_record_source *source = &self->source;
    if (source->make != NULL) {
        *there = self->n_made < source->n_made;
        self->n_used = (double)self->n_made;
        if (!*there) return HF_OK;
        HF_CHECK(source->make(source->data, self->n_made++, record, error));
        *there = record->text != NULL;
        return HF_OK;
    }
    for (;;) {
        if (self->file_name != NULL) {
            HF_CHECK(next_of_file(self, record, there, error));
            if (*there) return HF_OK;
            close_file(self);
        }
        HF_CHECK(open_next(self, there, error));
        if (!*there) return HF_OK;
    }
}

hf_status hf_record_reader_waits(struct hf_record_reader *self, bool *waits, struct hf_error *error)
{
    size_t n;
    bool used_up;
    const bool ends = self->begin == self->end && !self->is_stream && self->list == NULL;
    *waits = ends && self->next_path < self->source.n_path &&
             strcmp(self->source.path[self->next_path], "-") == 0;
    if (self->file < 0 || !self->is_stream) return HF_OK;
    self->tries = true;
    const hf_status status = find_end(self, &n, &used_up, error);
    *waits = self->waits;
    self->tries = self->waits = false;
    return status;
}

double hf_record_reader_fraction(const struct hf_record_reader *self)
{
    return self->n_byte > 0.0 && isfinite(self->n_byte) ? self->n_used / self->n_byte : -1.0;
}

void hf_record_reader_destroy(struct hf_record_reader **reader)
{
    struct hf_record_reader *old = *reader;
    if (old == NULL) return;
    close_file(old);
    if (old->list != NULL) fclose(old->list);
    free(old->list_line);
    free(old->bytes);
    free(old);
    *reader = NULL;
}
