/* Integrals of a task of two shells M and N, for transformations of Fig. 10.2. A bra MR has all kets NS. Its
 * integrals are collected in a panel, the left matrix of a product with orbitals j:
 *
 *     panel    [r m n][s], packed
 *
 * s counts the functions that have a shell pair with N, r those that have a shell pair with M. */
#ifndef HF_SHELL_PANEL_H
#define HF_SHELL_PANEL_H

#include "base/arena.h"
#include "work/work.h"

/** The panel of one thread. */
struct hf_shell_panel {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    const struct hf_part *part;         /**< current part */
    int m, n;                           /**< shells */
    int n_m, n_n;                       /**< their functions */
    int *row, *column;                  /**< [functions] r and s of a function; -1: none */
    int n_row, n_column;
    int64_t bra;    /**< shell pair whose panel is being filled; -1: none */
    size_t *of_bra; /**< [functions of the bra] row r m n with n = 0 */
    size_t *place;  /**< [rows of a panel] where a row begins in the packed matrix */
    double *panel;
};

/** Takes arrays from the arena, which may fail. Local. */
void hf_shell_panel_init(struct hf_arena *arena, const struct hf_shell_pairs *pairs,
                         struct hf_shell_panel *panel);

/** Begins a task of two shells. `matters` says whether functions of a shell pair count as r or s; NULL: all do. */
void hf_shell_panel_begin_task(struct hf_shell_panel *panel, const struct hf_worker *worker,
                               int64_t task, bool (*matters)(const void *data, int64_t pair),
                               const void *data);

/** Clears the panel for a bra. */
void hf_shell_panel_begin_bra(struct hf_shell_panel *panel, int64_t bra);

/** Adds a strip; see hf_quartet_consumer.take. */
void hf_shell_panel_take(struct hf_shell_panel *panel, const struct hf_strip *strip);

/** Shell R of the bra. */
const struct hf_shell *hf_shell_panel_other(const struct hf_shell_panel *panel);

#endif
