/* What local MP2 is expected to take of memory, before there are orbitals: a model of them from the bonds of the molecule.
 *
 *     orbitals   one in each bond; lone pairs; second bonds between neighbours that have single electrons left
 *     pairs      with domains by the rules of local_domains.c, n_ij functions: ARRAYS sum of n_ij^2 in the iterations,
 *                and K of larger domains
 *     (ia|rs)    r and s near each other, a near i, r or s: in the transformation, with K as blocks and as an array
 *
 * The lengths and factors are fitted to C10H22, C16H34, C32H66 and uracil, cc-pVDZ. */
#include "local/local_row.h"

#include "base/arena.h"
#include "base/arithmetic.h"

#include <math.h>
#include <string.h>

/** Arrays over pairs in the iterations beside K: T, t, r and the history of DIIS. */
static const double ARRAYS = 19.5;

/** Bohr: r and s are nearer than the first, a is nearer to one of them than the second; with a correction than the third. */
static const double PAIR_REACH = 8.0, VIRTUAL_REACH = 5.0, CORRECTED_REACH = 7.6;

/** Each of n ranks has n^-SPREAD of (ia|rs): some are on several ranks. Panels of bras are so much of that. */
static const double SPREAD = 0.45, PANELS = 1.2;

/** Bytes of (ia|rs) to those in double precision, from this threshold on: then nearly all numbers are in single precision
 *  (local_bras.h). */
static const double ROUNDED = 0.57, LEAST_ROUNDED = 1e-10;

/** Orbitals are sets of atoms. */
struct model {
    const struct hf_molecule *molecule;
    const struct hf_local_settings *settings;
    int n_atom, n_orbital, n_made;
    bool *bonded;                    /**< [n_atom][n_atom] */
    bool *domain, *extended, *outer; /**< [n_orbital][n_atom] */
    bool *smaller;                   /**< [n_orbital][n_atom] what bonded atoms are added to */
    int *left;                       /**< [n_atom] valence electrons that are in no bond */
    double *n_function;              /**< [n_atom] */
    bool *near;                      /**< [n_atom][n_atom] within VIRTUAL_REACH */
    double *
        common; /**< [n_atom][n_atom] functions near r or s <= r; -1: these are far from each other */
};

static double distance(const struct model *self, int a, int b)
{
    return sqrt(hf_distance_squared(self->molecule->atom[a].position_bohr,
                                    self->molecule->atom[b].position_bohr));
}

static int valence_electrons(int atomic_number)
{
    static const int noble[] = {86, 54, 36, 18, 10, 2};
    for (int k = 0; k < 6; k++)
        if (atomic_number > noble[k]) return atomic_number - noble[k];
    return atomic_number;
}

/** The next orbital, at one or two atoms; with their neighbours, if it is spread. */
static void add_orbital(struct model *self, int a, int b, bool spread)
{
    if (self->n_made == self->n_orbital) return;
    const size_t n = (size_t)self->n_atom;
    bool *domain = self->domain + (size_t)self->n_made++ * n;
    domain[a] = domain[b] = true;
    for (size_t c = 0; c < n && spread; c++)
        domain[c] = domain[c] || self->bonded[(size_t)a * n + c] || self->bonded[(size_t)b * n + c];
}

static void find_bonds(struct model *self)
{
    const struct hf_atom *atom = self->molecule->atom;
    const int n = self->n_atom;
    for (int a = 0; a < n; a++)
        if (!atom[a].ghost) self->left[a] = valence_electrons(atom[a].atomic_number);
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < a; b++) {
            if (!hf_atoms_are_bonded(&atom[a], &atom[b])) continue;
            self->bonded[a * n + b] = self->bonded[b * n + a] = true;
            self->left[a]--;
            self->left[b]--;
        }
    }
}

/** Atoms with more than two bonds share their lone pairs with their neighbours, as in amides. */
static void make_orbitals(struct model *self)
{
    const int n = self->n_atom;
    const bool tight = self->settings->domains == HF_DOMAINS_TIGHT;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            if (self->bonded[a * n + b]) add_orbital(self, a, b, tight);
    for (int a = 0; a < n; a++) {
        int n_bond = 0;
        for (int b = 0; b < n; b++) n_bond += self->bonded[a * n + b];
        for (; self->left[a] >= 2; self->left[a] -= 2) add_orbital(self, a, a, n_bond > 2 || tight);
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (self->bonded[a * n + b] && self->left[a] > 0 && self->left[b] > 0) {
                self->left[a]--;
                self->left[b]--;
                add_orbital(self, a, b, tight);
            }
    for (int a = 0; self->n_made < self->n_orbital; a = (a + 1) % n) add_orbital(self, a, a, tight);
}

/** `to` [n_orbital][n_atom]: domains with the atoms bonded to them. */
static void add_bonded(const struct model *self, const bool from[], bool to[])
{
    const size_t n = (size_t)self->n_atom;
    for (int i = 0; i < self->n_orbital; i++, from += n, to += n)
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++) to[b] = to[b] || (from[a] && self->bonded[a * n + b]);
}

/** From an atom to the nearest one of orbital i's domain. */
static double to_domain(const struct model *self, int a, int i)
{
    const bool *domain = self->domain + (size_t)i * (size_t)self->n_atom;
    double least = INFINITY;
    for (int b = 0; b < self->n_atom; b++)
        if (domain[b]) least = fmin(least, distance(self, a, b));
    return least;
}

static void extend(struct model *self)
{
    const size_t n = (size_t)self->n_atom, size = (size_t)self->n_orbital * n;
    const struct hf_local_settings *settings = self->settings;
    for (size_t k = 0; settings->domains == HF_DOMAINS_FULL && k < size; k++)
        self->domain[k] = true;
    memcpy(self->extended, self->domain, size * sizeof *self->domain);
    if (settings->domains != HF_DOMAINS_PLAIN) add_bonded(self, self->domain, self->extended);
    memcpy(self->outer, self->extended, size * sizeof *self->outer);
    for (int k = 0; k < settings->correction_bonds; k++) {
        memcpy(self->smaller, self->outer, size * sizeof *self->outer);
        add_bonded(self, self->smaller, self->outer);
    }
    for (int i = 0; settings->correction_bonds > 0 && i < self->n_orbital; i++)
        for (int a = 0; a < self->n_atom; a++)
            if (to_domain(self, a, i) < settings->correction_bohr)
                self->outer[(size_t)i * n + (size_t)a] = true;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/** The square of the number of functions in the domains of two orbitals. */
static double square_of(const struct model *self, const bool domains[], int i, int j)
{
    const size_t n = (size_t)self->n_atom;
    double sum = 0.0;
    for (size_t a = 0; a < n; a++)
        if (domains[(size_t)i * n + a] || domains[(size_t)j * n + a]) sum += self->n_function[a];
    return sum * sum;
}

/** Adds the numbers of an array over the pairs of orbital i with j <= i, and of that of integrals; `to` [n_atom]:
 *  to_domain. */
static void count_pairs(const struct model *self, int i, const double to[], double *n_number,
                        double *n_integral)
{
    const size_t n = (size_t)self->n_atom;
    const bool wide = self->settings->domains == HF_DOMAINS_TIGHT; /* of a file: as default ones */
    for (int j = 0; j <= i; j++) {
        double least = INFINITY;
        for (size_t a = 0; a < n; a++)
            if (self->domain[(size_t)j * n + a]) least = fmin(least, to[a]);
        if (least > self->settings->distant_bohr) continue;
        const bool strong = wide || least <= self->settings->strong_bohr;
        const bool plain = self->settings->domains == HF_DOMAINS_PLAIN;
        const bool *larger = strong || plain ? self->outer : self->extended;
        *n_number += square_of(self, strong ? self->extended : self->domain, i, j);
        *n_integral += square_of(
            self, self->settings->correction_bonds > 0 || strong ? larger : self->domain, i, j);
    }
}

/** self->near and self->common. */
static void find_neighbours(struct model *self)
{
    const size_t n = (size_t)self->n_atom;
    const double reach = self->settings->correction_bonds > 0 ? CORRECTED_REACH : VIRTUAL_REACH;
    for (size_t r = 0; r < n; r++)
        for (size_t s = 0; s < n; s++)
            self->near[r * n + s] = distance(self, (int)r, (int)s) < reach;
    for (size_t r = 0; r < n; r++) {
        for (size_t s = 0; s <= r; s++) {
            double *common = &self->common[r * n + s];
            *common = -1.0;
            if (distance(self, (int)r, (int)s) > PAIR_REACH) continue;
            *common = 0.0;
            for (size_t a = 0; a < n; a++)
                if (self->near[r * n + a] || self->near[s * n + a]) *common += self->n_function[a];
        }
    }
}

/** Numbers (ia|rs) of orbital i; `atom` [n_atom]: a room. */
static double numbers_of_orbital(const struct model *self, int i, const double to[], size_t atom[])
{
    const size_t n = (size_t)self->n_atom;
    size_t n_own = 0;
    double sum = 0.0;
    for (size_t a = 0; a < n; a++)
        if (self->outer[(size_t)i * n + a]) atom[n_own++] = a;
    for (size_t r = 0; r < n; r++) {
        if (to[r] > self->settings->distant_bohr) continue;
        for (size_t s = 0; s <= r; s++) {
            double n_virtual = self->common[r * n + s];
            if (n_virtual < 0.0) continue;
            for (size_t k = 0; k < n_own; k++)
                if (!self->near[r * n + atom[k]] && !self->near[s * n + atom[k]])
                    n_virtual += self->n_function[atom[k]];
            sum += (r == s ? 0.5 : 1.0) * self->n_function[r] * self->n_function[s] * n_virtual;
        }
    }
    return sum;
}

static void make_rooms(struct model *self, const struct hf_basis *basis, struct hf_arena *arena)
{
    const size_t n = (size_t)self->n_atom, o = (size_t)self->n_orbital;
    HF_TAKE(arena, self->bonded, n * n);
    HF_TAKE(arena, self->domain, o * n);
    HF_TAKE(arena, self->extended, o * n);
    HF_TAKE(arena, self->outer, o * n);
    HF_TAKE(arena, self->smaller, o * n);
    HF_TAKE(arena, self->left, n);
    HF_TAKE(arena, self->n_function, n);
    HF_TAKE(arena, self->near, n * n);
    HF_TAKE(arena, self->common, n * n);
    for (int s = 0; s < basis->n_shell && self->n_function != NULL; s++)
        self->n_function[basis->shell[s].atom] += basis->shell[s].n_function;
}

hf_status hf_local_expected_bytes(const struct hf_molecule *molecule, const struct hf_basis *basis,
                                  const struct hf_local_settings *settings, int n_orbital,
                                  const struct hf_context *context, double *bytes,
                                  struct hf_error *error)
{
    const int n_rank = context->n_rank;
    struct model self = {.molecule = molecule,
                         .settings = settings,
                         .n_atom = molecule->n_atom,
                         .n_orbital = n_orbital};
    double of_pairs = 0.0, of_integrals = 0.0, half = 0.0;
    struct hf_arena arena = {.memory = context->memory, .label = "the estimate of memory"};
    double *to = HF_TAKE(&arena, to, (size_t)self.n_atom);
    size_t *atom = HF_TAKE(&arena, atom, (size_t)self.n_atom);
    make_rooms(&self, basis, &arena);
    const hf_status status = hf_arena_check(&arena, error);
    if (status == HF_OK) {
        find_bonds(&self);
        make_orbitals(&self);
        extend(&self);
        find_neighbours(&self);
    }
    for (int i = 0; i < n_orbital && status == HF_OK; i++) {
        for (int a = 0; a < self.n_atom; a++) to[a] = to_domain(&self, a, i);
        count_pairs(&self, i, to, &of_pairs, &of_integrals);
        half += numbers_of_orbital(&self, i, to, atom);
    }
    const double of_all = settings->replicated ? of_pairs : 0.0;
    if (settings->threshold >= LEAST_ROUNDED) half *= ROUNDED;
    *bytes =
        sizeof(double) * fmax((ARRAYS * of_pairs + of_integrals) / n_rank + of_all,
                              PANELS * half / pow(n_rank, SPREAD) + 2.0 * of_integrals / n_rank);
    hf_arena_done(&arena);
    return status;
}
