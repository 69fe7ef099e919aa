/* The bras of a task together: orbitals that any of them meets, and what they need; see local_screen.h. */
#include "local_screen.h"

#include <string.h>

void hf_local_group_init(const struct hf_local_integrals *integrals, struct hf_arena *arena,
                         struct hf_local_group *group)
{
    const size_t n_orbital = (size_t)integrals->local->n_orbital;
    const size_t n_atom = (size_t)integrals->paos->n_column_part;
    *group = (struct hf_local_group){.integrals = integrals, .reach = {arena}};
    for (int b = 0; b < HF_MOST_TASK_BRAS; b++)
        hf_local_screen_init(integrals, arena, &group->screen[b]);
    HF_TAKE(arena, group->orbital, n_orbital);
    HF_TAKE(arena, group->number, n_orbital);
    HF_TAKE(arena, group->most_reach, (size_t)integrals->merged->n_atom);
    HF_TAKE(arena, group->needed, (HF_MOST_TASK_BRAS + 1) * n_orbital * n_atom);
}

/** The orbitals of all bras. */
static void join_orbitals(struct hf_local_group *self)
{
    const int n_orbital = self->integrals->local->n_orbital;
    self->n = 0;
    for (int place = 0; place < n_orbital; place++) {
        const int i = self->integrals->orbital_at[place];
        bool any = false;
        for (int b = 0; b < self->n_bra && !any; b++)
            any = self->screen[b].n > 0 && self->screen[b].number[i] >= 0;
        self->number[i] = any ? self->n : -1;
        if (any) self->orbital[self->n++] = i;
    }
}

/** self->reach. False: no memory. */
static bool join_screens(struct hf_local_group *self)
{
    const int n_site = self->integrals->merged->n_atom;
    const size_t n = (size_t)self->n;
    double *reach = hf_scratch_reserve(&self->reach, (size_t)n_site * n);
    if (reach == NULL) return false;
    memset(reach, 0, (size_t)n_site * n * sizeof *reach);
    memset(self->most_reach, 0, (size_t)n_site * sizeof *self->most_reach);
    for (int b = 0; b < self->n_bra; b++) {
        const struct hf_local_screen *screen = &self->screen[b];
        for (int site = 0; site < n_site && screen->n > 0; site++) {
            const double most = screen->bra->bound * hf_local_screen_most(screen, site);
            double *row = reach + (size_t)site * n;
            if (most > self->most_reach[site]) self->most_reach[site] = most;
            for (int k = 0; k < screen->n && most > 0.0; k++) {
                const double one = screen->bra->bound * hf_local_screen_site(screen, site, k);
                double *to = &row[self->number[screen->orbital[k]]];
                if (one > *to) *to = one;
            }
        }
    }
    return true;
}

/** Which (ia|rs) the pairs of a bra need. */
static void find_needed(struct hf_local_group *self, int b)
{
    const struct hf_local *local = self->integrals->local;
    const struct hf_local_screen *screen = &self->screen[b];
    for (int l = 0; l < screen->n_link && screen->n > 0; l++) {
        const struct hf_local_link *link = &screen->link[l];
        const struct hf_parts atoms = hf_local_outer_domain(local, &local->pair[link->pair])->atoms;
        float *of_bra = hf_local_needed(self, b, self->number[link->i]);
        float *of_all = hf_local_needed(self, self->n_bra, self->number[link->i]);
        for (int a = 0; a < atoms.n; a++) {
            const int atom = atoms.part[a];
            if ((float)link->x > of_bra[atom]) of_bra[atom] = (float)link->x;
            if ((float)link->x > of_all[atom]) of_all[atom] = (float)link->x;
        }
    }
}

bool hf_local_group_begin(struct hf_local_group *group, int64_t bra, int n_bra)
{
    group->bra = bra;
    group->n_bra = n_bra;
    for (int b = 0; b < n_bra; b++)
        if (!hf_local_screen_begin(&group->screen[b], bra + b)) return false;
    join_orbitals(group);
    memset(group->needed, 0,
           (size_t)(hf_local_needed(group, n_bra + 1, 0) - group->needed) * sizeof *group->needed);
    for (int b = 0; b < n_bra; b++) find_needed(group, b);
    return join_screens(group);
}
