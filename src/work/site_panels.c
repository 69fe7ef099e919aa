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
    for (int k = 0; k < HF_MOST_PART_KETS; k++)
        panels->of_place[k][0] = panels->of_place[k][1] = -1;
}

/** Adds a panel of zeros; returns its number, or -1: no memory. */
static int add_panel(struct hf_site_panels *self, const struct hf_atom_pair *atoms, int site_m,
                     int site_n)
{
    const size_t n = (size_t)hf_atom_n_function(self->basis, site_m) *
                     (size_t)hf_atom_n_function(self->basis, site_n) * self->length;
    if (!hf_arena_grow(self->numbers.arena, &self->panel, self->n + 1, &self->room,
                       sizeof *self->panel) ||
        !hf_scratch_extend(&self->numbers, self->n_used, self->n_used + n))
        return -1;
    memset(self->numbers.value + self->n_used, 0, n * sizeof(double));
    self->panel[self->n] = (struct hf_site_panel){site_m, site_n, atoms, self->n_used};
    self->n_used += n;
    return self->n++;
}

/** Adds the panels of a strip's pair of sites, unless they exist; false: no memory. */
static bool find_panels(struct hf_site_panels *self, int place)
{
    const struct hf_part_ket *kets = &self->part->ket[place];
    int *of_place = self->of_place[place];
    if (of_place[0] >= 0) return true;
    of_place[0] = add_panel(self, kets->atoms, kets->atom_c, kets->atom_d);
    of_place[1] = of_place[0];
    if (of_place[0] >= 0 && kets->atom_c != kets->atom_d)
        of_place[1] = add_panel(self, kets->atoms, kets->atom_d, kets->atom_c);
    if (of_place[1] < 0) of_place[0] = -1;
    return of_place[0] >= 0;
}

/** Adds value [rs][d] of function c to [d][rs] of both panels. For two shells of one site, the strip has zeros
 *  in one of the two orders. */
static void take_rows(const struct hf_site_panels *self, const struct hf_strip *strip, int c,
                      const double *value)
{
    const int *of_place = self->of_place[strip->place];
    const struct hf_site_panel *direct = &self->panel[of_place[0]];
    const struct hf_site_panel *turned = &self->panel[of_place[1]];
    const bool same = direct->site_m == direct->site_n;
    const int *shell_c = self->shell_of + hf_atom_first_function(self->basis, direct->site_m);
    const int *shell_d = self->shell_of + hf_atom_first_function(self->basis, direct->site_n);
    const size_t n_c = (size_t)hf_atom_n_function(self->basis, direct->site_m);
    const size_t n_d = (size_t)hf_atom_n_function(self->basis, direct->site_n);
    const size_t length = self->length, step = (size_t)strip->n_d;
    const int *first_rs = &self->first_rs[strip->bra - self->bra];
    const int n_rs = first_rs[1] - first_rs[0];
    for (int k = 0; k < strip->n_d; k++) {
        const int d = strip->first_d + k;
        double *one = self->numbers.value + direct->offset +
                      ((size_t)c * n_d + (size_t)d) * length + first_rs[0];
        double *other = self->numbers.value + turned->offset +
                        ((size_t)d * n_c + (size_t)c) * length + first_rs[0];
        if (same && shell_c[c] == shell_d[d]) other = NULL;
        for (int rs = 0; rs < n_rs; rs++) one[rs] += value[(size_t)rs * step + (size_t)k];
        for (int rs = 0; rs < n_rs && other != NULL; rs++)
            other[rs] += value[(size_t)rs * step + (size_t)k];
    }
}

void hf_site_panels_take(struct hf_site_panels *panels, const struct hf_strip *strip)
{
    if (panels->failed || !find_panels(panels, strip->place)) {
        panels->failed = true;
        return;
    }
    const int *first_rs = &panels->first_rs[strip->bra - panels->bra];
    const size_t n = (size_t)(first_rs[1] - first_rs[0]) * (size_t)strip->n_d;
    for (int c = 0; c < strip->n_c; c++)
        take_rows(panels, strip, strip->first_c + c, strip->value + (size_t)c * n);
}
