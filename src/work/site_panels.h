/* Integrals of the bras RS of a task with all their kets, by pairs of sites:
 *
 *     panel of sites C, D     [m of C][n of D][rs]     rows rs, of one bra after another, are padded
 *
 * It is listed twice, with M on C and with M on D; both read the same numbers.
 *
 * A site is an atom of the merged basis. */
#ifndef HF_SITE_PANELS_H
#define HF_SITE_PANELS_H

#include "base/arena.h"
#include "work/work.h"

#include <stdint.h>

struct hf_site_panel {
    int site_m, site_n;
    const struct hf_atom_pair *atoms;
    size_t offset;         /**< of its first number */
    size_t step_m, step_n; /**< how far rows of adjacent m and n are apart */
};

/** The panels of one thread. */
struct hf_site_panels {
    const struct hf_basis *basis;    /**< merged; borrowed */
    const struct hf_part *part;      /**< current part */
    int *shell_of;                   /**< [n_function] */
    const struct hf_shell_pair *bra; /**< first of the task */
    int first_rs[HF_MOST_TASK_BRAS +
                 1]; /**< first row of each bra; the last element: length without padding */
    size_t length;   /**< of rows over rs, with padding */
    int n;
    int64_t room;
    struct hf_site_panel *panel;     /**< [n] */
    int of_place[HF_MOST_PART_KETS]; /**< number of the panel (C,D); -1: not made */
    size_t n_used;
    struct hf_scratch numbers;
    bool failed; /**< no memory */
};

/** Takes arrays from the arena, which may fail. Local. */
void hf_site_panels_init(struct hf_arena *arena, const struct hf_basis *basis,
                         struct hf_site_panels *panels);

/** Drops all panels. `n_rs` [n_bra]: rows rs of the bras from `bra` on; 0: the bra has no quartets. */
void hf_site_panels_begin_task(struct hf_site_panels *panels, const struct hf_shell_pair *bra,
                               int n_bra, const int n_rs[]);
void hf_site_panels_begin_part(struct hf_site_panels *panels, const struct hf_part *part);

/** Adds a strip; see hf_quartet_consumer.take. */
void hf_site_panels_take(struct hf_site_panels *panels, const struct hf_strip *strip);

/** Row [rs] for function number m and the first n; those of other n follow at panel->step_n. */
static inline const double *hf_site_panel_row(const struct hf_site_panels *panels,
                                              const struct hf_site_panel *panel, int m)
{
    return panels->numbers.value + panel->offset + (size_t)m * panel->step_m;
}

#endif
