/* Advice for a calculation that needs too much memory: only options that help, by the estimate. */
#include "memory_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/** A line that grows. */
struct line {
    char *text;
    size_t size, n_used;
    int n_advice;
};

static void add(struct line *line, const char *format, ...) HF_PRINTF(2, 3);
static void add(struct line *line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int n = vsnprintf(line->text + line->n_used, line->size - line->n_used, format, values);
    va_end(values);
    if (n > 0) line->n_used += (size_t)n;
    if (line->n_used >= line->size) line->n_used = line->size - 1;
}

static bool fits(const struct hf_memory_case *one, const struct hf_memory_room *room)
{
    return hf_memory_compare(one, room).bytes <= 0.0;
}

/** The separator before a piece of advice. */
static const char *next(struct line *line)
{
    return line->n_advice++ == 0 ? "; what helps: " : ", or ";
}

/** Fewer ranks on every node: the most that fit; those that are there now give back what they hold. */
static void try_fewer_ranks(struct line *line, struct hf_memory_case one,
                            const struct hf_memory_room *room)
{
    const int n_rank = one.size.n_rank, n_node = one.size.n_node_rank;
    for (int n = n_node - 1; n > 0; n--) {
        one.size.n_node_rank = n;
        one.size.n_rank = n_rank / n_node * n > 0 ? n_rank / n_node * n : 1;
        if (!fits(&one, room)) continue;
        add(line, "%s%d rank%s per node instead of %d%s", next(line), n, n > 1 ? "s" : "", n_node,
            one.settings.fock.n_thread > 1 ? "" : " (--threads for the other cores)");
        return;
    }
}

/** Distributed matrices, on as many such nodes as it takes. */
static void try_distributed(struct line *line, struct hf_memory_case one,
                            const struct hf_memory_room *room)
{
    enum { MOST_NODES = 1024 };
    const bool already = hf_fock_is_distributed(one.settings.fock.builder);
    const int n_rank = one.size.n_rank;
    one.settings.fock.builder = "distributed";
    for (int n = already ? 2 : 1; n <= MOST_NODES; n *= 2) {
        one.size.n_rank = n_rank * n;
        if (n_rank * n == 1 || !fits(&one, room)) continue;
        if (n == 1)
            add(line, "%s--fock distributed", next(line));
        else
            add(line, "%s%s%d times as many nodes", next(line),
                already ? "" : "--fock distributed on ", n);
        return;
    }
}

static void try_options(struct line *line, const struct hf_memory_case *one,
                        const struct hf_memory_room *room)
{
    struct hf_memory_case other = *one;
    other.settings.fock.memory_bytes = 0.0;
    if (one->settings.fock.memory_bytes > 0.0 && fits(&other, room))
        add(line, "%s--memory 0", next(line));
    if (line->n_advice > 0) return;
    if (one->settings.diis_size > 3) {
        other.settings.diis_size = 3;
        if (fits(&other, room)) add(line, "%s--diis-size 3", next(line));
        other.settings.diis_size = one->settings.diis_size;
    }
    if (one->settings.fock.n_thread > 1) {
        other.settings.fock.n_thread = 1;
        if (fits(&other, room)) add(line, "%s--threads 1", next(line));
        other.settings.fock.n_thread = one->settings.fock.n_thread;
    }
    try_fewer_ranks(line, other, room);
    try_distributed(line, other, room);
}

void hf_memory_refuse(const struct hf_memory_case *one, const struct hf_memory_room *room,
                      const struct hf_memory_excess *excess, size_t size, char text[])
{
    struct line line = {.text = text, .size = size};
    add(&line, "too little memory: %s need%s about %.0f MB, %s %.0f MB: %.0f MB too few",
        excess->of, strcmp(excess->of, "a rank") == 0 ? "s" : "", 1e-6 * excess->need, excess->by,
        1e-6 * excess->left, 1e-6 * excess->bytes + 0.5);
    try_options(&line, one, room);
    if (line.n_advice == 0)
        add(&line, "; no option of hf helps, only more memory or a smaller basis");
}
