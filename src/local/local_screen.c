/* Which kets a bra needs; see local_screen.h. */
#include "local_screen.h"

#include "base/arithmetic.h"

#include <math.h>
#include <string.h>

void hf_local_screen_init(const struct hf_local_integrals *integrals, struct hf_arena *arena,
                          struct hf_local_screen *screen)
{
    const size_t n = (size_t)integrals->local->n_orbital + 1;
    const size_t n_row = (size_t)(integrals->merged->n_shell + integrals->merged->n_atom);
    *screen = (struct hf_local_screen){.integrals = integrals, .v = {arena}};
    HF_TAKE(arena, screen->orbital, n);
    HF_TAKE(arena, screen->number, n);
    HF_TAKE(arena, screen->first_link, 2 * n);
    HF_TAKE(arena, screen->most, n_row);
    HF_TAKE(arena, screen->raised, n);
    HF_TAKE(arena, screen->factor, n);
    for (int k = 0; k < 2; k++) HF_TAKE(arena, screen->l[k], n);
    for (int reach = 0; reach < HF_N_LOCAL_REACH; reach++) {
        HF_TAKE(arena, screen->of_i[reach], n);
        HF_TAKE(arena, screen->of_j[reach], n);
        for (int k = 0; k < 2; k++) HF_TAKE(arena, screen->p[k][reach], n);
    }
}

/** Quartets matter from so many thresholds on. Few of them come near their bounds, so the sum of what is left out stays
 *  below that of blocks (ia|rs) that are, of which each is at its threshold: C16H34/6-31G 9e-7 and 8e-7 hartree. */
static const double NEGLIGIBLE_QUARTET = 3.0;

static double threshold_of(const struct hf_local_integrals *integrals)
{
    return NEGLIGIBLE_QUARTET * integrals->local->settings->threshold;
}

/** Least product of what is left out of a bra, with kets of the largest bound. */
static double least_of(const struct hf_local_screen *self)
{
    const struct hf_local_integrals *integrals = self->integrals;
    return threshold_of(integrals) /
           (self->bra->bound * integrals->pairs->bound * integrals->largest_orbital);
}

/* ---- Pairs of orbitals ----------------------------------------------------------------------- */

static void scatter(const struct hf_local_weights *weights, int item, int n, double to[])
{
    memset(to, 0, (size_t)n * sizeof *to);
    for (int64_t k = weights->first[item]; k < weights->first[item + 1]; k++)
        to[weights->orbital[k]] = weights->weight[k];
}

static bool add_link(struct hf_local_screen *self, struct hf_local_link link)
{
    if (!hf_arena_grow(self->v.arena, &self->link, self->n_link + 1, &self->link_room, sizeof link))
        return false;
    self->link[self->n_link++] = link;
    return true;
}

/** Links of orbital j. */
static bool link_orbital(struct hf_local_screen *self, int j, double least)
{
    const struct hf_local *local = self->integrals->local;
    for (int k = local->first_partner[j]; k < local->first_partner[j + 1]; k++) {
        const int i = local->partner[k].orbital;
        if (!hf_local_in_order(self->integrals, i, j)) continue;
        const int pair = local->partner[k].pair;
        const enum hf_local_reach reach = self->integrals->reach_of_pair[pair];
        const double *p_r = self->p[0][reach], *p_s = self->p[1][reach];
        const double x = hf_larger(self->l[0][j] * hf_larger(p_s[i], p_s[j]),
                                   self->l[1][j] * hf_larger(p_r[i], p_r[j]));
        if (x == 0.0 || x * self->integrals->largest_pao < least) continue;
        if (!add_link(self, (struct hf_local_link){i, j, pair, reach, x})) return false;
        self->of_i[reach][i] = hf_larger(self->of_i[reach][i], x);
        self->of_j[reach][j] = hf_larger(self->of_j[reach][j], x);
    }
    return true;
}

/** Links, weights and orbitals of the bra. */
static bool find_orbitals(struct hf_local_screen *self)
{
    const struct hf_local_integrals *integrals = self->integrals;
    const int n = integrals->local->n_orbital;
    const double least = least_of(self);
    bool ok = true;
    for (int k = 0; k < 2; k++) {
        const int shell = k == 0 ? self->bra->a : self->bra->b;
        scatter(&integrals->l_of_shell, shell, n, self->l[k]);
        for (int reach = 0; reach < HF_N_LOCAL_REACH; reach++)
            scatter(&integrals->p_of_shell[reach], shell, n, self->p[k][reach]);
    }
    for (int reach = 0; reach < HF_N_LOCAL_REACH; reach++) {
        memset(self->of_i[reach], 0, (size_t)n * sizeof(double));
        memset(self->of_j[reach], 0, (size_t)n * sizeof(double));
    }
    self->n_link = self->n = 0;
    for (int j = 0; j < n && ok; j++) {
        self->first_link[2 * j] = self->n_link;
        if (self->l[0][j] > 0.0 || self->l[1][j] > 0.0) ok = link_orbital(self, j, least);
        self->first_link[2 * j + 1] = self->n_link;
    }
    for (int place = 0; place < n; place++) {
        const int i = integrals->orbital_at[place];
        bool any = false;
        for (int reach = 0; reach < HF_N_LOCAL_REACH; reach++)
            any = any || self->of_i[reach][i] > 0.0;
        self->number[i] = any ? self->n : -1;
        if (any) self->orbital[self->n++] = i;
    }
    return ok;
}

/* ---- V --------------------------------------------------------------------------------------- */

/** The row of V of a shell or site, zeros at first. */
static double *begin_row(struct hf_local_screen *self, size_t at)
{
    double *row = self->v.value + at * (size_t)self->n;
    if (self->most[at] == 0.0) memset(row, 0, (size_t)self->n * sizeof *row);
    return row;
}

/** Numbers of the orbitals i that are linked with orbital o by one kind of domains, and their x. How many. */
static int find_raised(struct hf_local_screen *self, int o, int reach)
{
    int n = 0;
    for (int l = self->first_link[2 * o]; l < self->first_link[2 * o + 1]; l++) {
        if ((int)self->link[l].reach != reach) continue;
        self->raised[n] = self->number[self->link[l].i];
        self->factor[n++] = self->link[l].x;
    }
    return n;
}

/** Adds to V what pairs of one kind of domains need for the PAOs of orbital o, whose |P| are falling. */
static void add_orbital(struct hf_local_screen *self, int o, int reach, double least)
{
    const struct hf_local_weights *p = &self->integrals->p_of_orbital[reach];
    const double of_i = self->of_i[reach][o], of_j = self->of_j[reach][o];
    const double most = hf_larger(of_i, of_j), *factor = self->factor;
    const int n = find_raised(self, o, reach), own = self->number[o], *raised = self->raised;
    for (int64_t k = p->first[o]; k < p->first[o + 1]; k++) {
        const size_t shell = (size_t)p->orbital[k];
        const double left = p->weight[k];
        if (left * most < least) return;
        double *restrict row = begin_row(self, shell);
        self->most[shell] = hf_larger(self->most[shell], left * most);
        if (left * of_i >= least) row[own] = hf_larger(row[own], left * of_i);
        if (left * of_j < least) continue;
        for (int l = 0; l < n; l++) row[raised[l]] = hf_larger(row[raised[l]], left * factor[l]);
    }
}

/** Row of V of a site, from those of its shells. */
static void fill_site(struct hf_local_screen *self, int site)
{
    const struct hf_basis *basis = self->integrals->merged;
    const size_t n = (size_t)self->n, at = (size_t)(basis->n_shell + site);
    for (int s = basis->first_shell_of_atom[site]; s < basis->first_shell_of_atom[site + 1]; s++) {
        const double *from = self->v.value + (size_t)s * n;
        if (self->most[s] == 0.0) continue;
        double *row = begin_row(self, at);
        for (size_t i = 0; i < n; i++) row[i] = hf_larger(row[i], from[i]);
        self->most[at] = hf_larger(self->most[at], self->most[s]);
    }
}

bool hf_local_screen_begin(struct hf_local_screen *screen, int64_t bra)
{
    const struct hf_basis *basis = screen->integrals->merged;
    screen->bra = &screen->integrals->pairs->pair[bra];
    if (!find_orbitals(screen)) return false;
    const size_t n_row = (size_t)(basis->n_shell + basis->n_atom);
    if (hf_scratch_reserve(&screen->v, n_row * (size_t)screen->n) == NULL) return false;
    const double least = least_of(screen);
    memset(screen->most, 0, n_row * sizeof *screen->most);
    for (int o = 0; o < screen->integrals->local->n_orbital; o++)
        for (int reach = 0; reach < HF_N_LOCAL_REACH; reach++)
            if (screen->of_i[reach][o] > 0.0 || screen->of_j[reach][o] > 0.0)
                add_orbital(screen, o, reach, least);
    for (int site = 0; site < basis->n_atom; site++) fill_site(screen, site);
    return true;
}

/* ---- Kets ------------------------------------------------------------------------------------ */

/** The largest |L_Mi| V_i(N), or anything not below `enough`: |L| of a row are falling. */
static double largest_product(const struct hf_local_screen *self, const struct hf_local_weights *l,
                              int m, size_t n, double enough)
{
    const double *row = self->v.value + n * (size_t)self->n;
    double largest = 0.0;
    if (self->most[n] == 0.0) return 0.0;
    for (int64_t k = l->first[m]; k < l->first[m + 1]; k++) {
        const double left = l->weight[k];
        if (largest >= enough || left * self->most[n] <= largest) break;
        const int i = self->number[l->orbital[k]];
        if (i >= 0) largest = hf_larger(largest, left * row[i]);
    }
    return largest;
}

double hf_local_screen_least_bound(const struct hf_local_screen *screen,
                                   const struct hf_part_ket *kets)
{
    const struct hf_local_integrals *integrals = screen->integrals;
    const size_t first = (size_t)integrals->merged->n_shell;
    const double one = largest_product(screen, &integrals->l_of_site, kets->atom_c,
                                       first + (size_t)kets->atom_d, HUGE_VAL);
    const double other = largest_product(screen, &integrals->l_of_site, kets->atom_d,
                                         first + (size_t)kets->atom_c, HUGE_VAL);
    const double largest = hf_larger(one, other);
    if (largest == 0.0) return HUGE_VAL;
    return threshold_of(integrals) / (screen->bra->bound * largest);
}

void hf_local_screen_bound(const struct hf_local_screen *screen, int n, struct hf_waiting_ket ket[])
{
    const struct hf_local_weights *l = &screen->integrals->l_of_shell;
    const double threshold = threshold_of(screen->integrals);
    for (int q = 0; q < n; q++) {
        const struct hf_shell_pair *pair = ket[q].pair;
        const double bound = screen->bra->bound * pair->bound * hf_far_factor(screen->bra, pair);
        const double enough = threshold / bound;
        double largest = largest_product(screen, l, pair->a, (size_t)pair->b, enough);
        if (largest < enough && pair->a != pair->b)
            largest =
                hf_larger(largest, largest_product(screen, l, pair->b, (size_t)pair->a, enough));
        ket[q].wanted = largest > 0.0 && largest >= enough;
    }
}
