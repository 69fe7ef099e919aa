/* Integrals of bras by pairs of sites; see site_panels.h. */
#include "work/site_panels.h"

#include "linalg/matrix_product.h"

#include <string.h>

void hf_site_panels_init(struct hf_arena *arena, const struct hf_basis *basis,
                         struct hf_site_panels *panels)
{
    *panels = (struct hf_site_panels){.basis = basis, .numbers = {arena}};
    HF_TAKE_UNSET(arena, panels->shell_of, (size_t)basis->n_function);
    for (int s = 0; s < basis->n_shell && panels->shell_of != NULL; s++)
        for (int f = 0; f < basis->shell[s].n_function; f++)
            panels->shell_of[basis->shell[s].first_function + f] = s;
}

void hf_site_panels_begin_task(struct hf_site_panels *panels, const struct hf_shell_pair *bra,
                               int n_bra, const int n_rs[])
{
    panels->bra = bra;
    panels->first_rs[0] = 0;
    for (int k = 0; k < n_bra; k++) panels->first_rs[k + 1] = panels->first_rs[k] + n_rs[k];
    panels->length = hf_padded(panels->first_rs[n_bra]);
    panels->n = 0;
    panels->n_used = 0;
    panels->failed = false;
}

void hf_site_panels_begin_part(struct hf_site_panels *panels, const struct hf_part *part)
{
    panels->part = part;
    for (int k = 0; k < HF_MOST_PART_KETS; k++) panels->of_place[k] = -1;
}

/** Adds a panel of zeros for a strip's pair of sites, unless it exists; false: no memory. */
static bool find_panel(struct hf_site_panels *self, int place)
{
    const struct hf_part_ket *kets = &self->part->ket[place];
    const int c = kets->atom_c, d = kets->atom_d;
    const size_t n_d = (size_t)hf_atom_n_function(self->basis, d);
    const size_t n = (size_t)hf_atom_n_function(self->basis, c) * n_d * self->length;
    const size_t step_c = n_d * self->length, step_d = self->length;
    if (self->of_place[place] >= 0) return true;
    if (!hf_arena_grow(self->numbers.arena, &self->panel, self->n + 2, &self->room,
                       sizeof *self->panel) ||
        !hf_scratch_extend(&self->numbers, self->n_used, self->n_used + n))
        return false;
    memset(self->numbers.value + self->n_used, 0, n * sizeof(double));
    self->of_place[place] = self->n;
    self->panel[self->n++] =
        (struct hf_site_panel){c, d, kets->atoms, self->n_used, step_c, step_d};
    if (c != d)
        self->panel[self->n++] =
            (struct hf_site_panel){d, c, kets->atoms, self->n_used, step_d, step_c};
    self->n_used += n;
    return true;
}

/** Adds value [rs][d] of function c to [d][rs] of the panel; for two shells of one site, where the strip has zeros in
 *  one of the two orders, to both orders. */
static void take_rows(const struct hf_site_panels *self, const struct hf_strip *strip, int c,
                      const double *value)
{
    const struct hf_site_panel *panel = &self->panel[self->of_place[strip->place]];
    const bool same = panel->site_m == panel->site_n;
    const int *shell = self->shell_of + hf_atom_first_function(self->basis, panel->site_n);
    const size_t step = (size_t)strip->n_d;
    const int *first_rs = &self->first_rs[strip->bra - self->bra];
    const int n_rs = first_rs[1] - first_rs[0];
    for (int k = 0; k < strip->n_d; k++) {
        const size_t d = (size_t)(strip->first_d + k);
        double *first = self->numbers.value + panel->offset + first_rs[0];
        double *one = first + (size_t)c * panel->step_m + d * panel->step_n;
        for (int rs = 0; rs < n_rs; rs++) one[rs] += value[(size_t)rs * step + (size_t)k];
        if (!same || shell[c] == shell[d]) continue;
        double *other = first + d * panel->step_m + (size_t)c * panel->step_n;
        for (int rs = 0; rs < n_rs; rs++) other[rs] += value[(size_t)rs * step + (size_t)k];
    }
}

void hf_site_panels_take(struct hf_site_panels *panels, const struct hf_strip *strip)
{
    if (panels->failed || !find_panel(panels, strip->place)) {
        panels->failed = true;
        return;
    }
    const int *first_rs = &panels->first_rs[strip->bra - panels->bra];
    const size_t n = (size_t)(first_rs[1] - first_rs[0]) * (size_t)strip->n_d;
    for (int c = 0; c < strip->n_c; c++)
        take_rows(panels, strip, strip->first_c + c, strip->value + (size_t)c * n);
}
