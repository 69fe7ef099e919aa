/* The atoms that an orbital may be excited to.
 * Source: Boughton, Pulay, J. Comput. Chem. 14, 736 (1993). */
#include "local_mp2_private.h"

#include "base/arithmetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Largest 1 - b^T S^-1 b of the kinds of domains. */
static const double USUAL_COMPLETENESS = 0.02, TIGHT_COMPLETENESS = 0.005;

/** Populations that differ by less are equal, unless they are as small as the second number. */
static const double USUAL_DEGENERATE = 0.02, LEAST_POPULATION = 0.02;

/** Eigenvalues of the overlap of a domain's functions below this are redundant. */
static const double REDUNDANT_FUNCTIONS = 1e-8;

/** An atom of an orbital. */
struct candidate {
    int atom;
    double population;
};

/** What domains are made from; rooms for one orbital. */
struct domains {
    struct hf_local *local;
    struct hf_sparse_matrix *overlap; /**< of basis functions */
    struct candidate *candidate;      /**< [n_atom] */
    int *atom;                        /**< [n_atom] the domain */
    bool *member;                     /**< [n_atom] */
    struct hf_scratch room;           /**< overlap of functions, with vectors */
};

int hf_local_add_domain(struct hf_local *local, struct hf_parts atoms)
{
    for (int d = 0; d < local->n_domain; d++) {
        const struct hf_parts *old = &local->domain[d].atoms;
        if (old->n == atoms.n &&
            memcmp(old->part, atoms.part, (size_t)atoms.n * sizeof *atoms.part) == 0)
            return d;
    }
    int *copy = HF_TAKE(&local->arena, copy, (size_t)atoms.n);
    if (copy == NULL || !hf_arena_grow(&local->arena, &local->domain, local->n_domain + 1,
                                       &local->n_domain_room, sizeof *local->domain))
        return -1;
    memcpy(copy, atoms.part, (size_t)atoms.n * sizeof *copy);
    atoms.part = copy;
    local->domain[local->n_domain] = (struct hf_local_domain){
        .atoms = atoms, .n_function = hf_parts_size(local->overlap->row_first, atoms)};
    return local->n_domain++;
}

/* ---- Completeness ---------------------------------------------------------------------------- */

static int compare_atoms(const void *left, const void *right)
{
    const int *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/** 1 - b^T S^-1 b of orbital i in the functions of some atoms, which are sorted. Local. */
static hf_status find_completeness(struct domains *self, int i, int n_atom, int atom[],
                                   double *found, struct hf_error *error)
{
    const struct hf_parts atoms = {n_atom, atom};
    const size_t n = (size_t)hf_parts_size(self->overlap->row_first, atoms);
    double *s = hf_scratch_reserve(&self->room, n * n + 2 * n), *b = s + n * n, *value = b + n;
    if (s == NULL) return hf_arena_check(self->room.arena, error);
    qsort(atom, (size_t)n_atom, sizeof *atom, compare_atoms);
    hf_sparse_get(self->overlap, atoms, atoms, s);
    hf_sparse_get(self->local->localised.overlap, atoms, (struct hf_parts){1, &i}, b);
    HF_CHECK(hf_eigen_small((int)n, s, value, error));
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        const double part = hf_dot(n, s + k * n, b);
        if (!(value[k] < REDUNDANT_FUNCTIONS)) sum += part * part / value[k];
    }
    *found = 1.0 - sum;
    return HF_OK;
}

/* ---- Domains of orbitals --------------------------------------------------------------------- */

/** Falling population; equal ones by rising atom. */
static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (fabs(a->population - b->population) > 1e-8) return a->population > b->population ? -1 : 1;
    return a->atom < b->atom ? -1 : a->atom > b->atom;
}

static int list_candidates(struct domains *self, int i)
{
    const struct hf_sparse_matrix *population = self->local->localised.population;
    int n = 0;
    for (int k = population->begin[i]; k < population->begin[i + 1]; k++)
        self->candidate[n++] = (struct candidate){
            .atom = population->row[k], .population = population->value[population->offset[k]]};
    qsort(self->candidate, (size_t)n, sizeof *self->candidate, compare_candidates);
    return n;
}

/** Adds the atoms that are bonded to those of the domain. */
static int extend(struct domains *self, int n)
{
    const struct hf_molecule *molecule = self->local->molecule;
    const int n_before = n;
    memset(self->member, 0, (size_t)molecule->n_atom * sizeof *self->member);
    for (int k = 0; k < n; k++) self->member[self->atom[k]] = true;
    for (int a = 0; a < molecule->n_atom; a++) {
        const struct hf_atom *atom = &molecule->atom[a];
        for (int k = 0; k < n_before && !self->member[a]; k++) {
            self->member[a] = hf_atoms_are_bonded(atom, &molecule->atom[self->atom[k]]);
            if (self->member[a]) self->atom[n++] = a;
        }
    }
    return n;
}

/** Adds the atoms that are near those of a domain. */
static int add_near(struct domains *self, const struct hf_parts *atoms, int n)
{
    const struct hf_molecule *molecule = self->local->molecule;
    const double least = self->local->settings->correction_bohr;
    memset(self->member, 0, (size_t)molecule->n_atom * sizeof *self->member);
    for (int k = 0; k < n; k++) self->member[self->atom[k]] = true;
    for (int a = 0; a < molecule->n_atom; a++)
        for (int k = 0; k < atoms->n && !self->member[a]; k++) {
            self->member[a] =
                hf_distance_squared(molecule->atom[a].position_bohr,
                                    molecule->atom[atoms->part[k]].position_bohr) < least * least;
            if (self->member[a]) self->atom[n++] = a;
        }
    return n;
}

/** Atoms by falling population until the orbital is complete, and those that are equal to the last one. Local. */
static hf_status choose_atoms(struct domains *self, int i, int *n, struct hf_error *error)
{
    const struct hf_local_settings *settings = self->local->settings;
    const bool tight = settings->domains == HF_DOMAINS_TIGHT;
    const double usual = tight ? TIGHT_COMPLETENESS : USUAL_COMPLETENESS;
    const double limit = settings->completeness > 0.0 ? settings->completeness : usual;
    const double equal = settings->degenerate > 0.0 ? settings->degenerate : USUAL_DEGENERATE;
    const struct candidate *candidate = self->candidate;
    const int n_candidate = list_candidates(self, i);
    double missing = 1.0;
    *n = 0;
    while (*n < n_candidate && missing > limit) {
        self->atom[*n] = candidate[*n].atom;
        ++*n;
        HF_CHECK(find_completeness(self, i, *n, self->atom, &missing, error));
    }
    while (*n > 0 && *n < n_candidate && candidate[*n].population > LEAST_POPULATION &&
           candidate[*n - 1].population - candidate[*n].population < equal) {
        self->atom[*n] = candidate[*n].atom;
        ++*n;
        self->local->n_degenerate[i]++;
    }
    return HF_OK;
}

/** The given orbital whose populations resemble those of orbital i most, of those that are not taken yet. */
static int find_given(const struct domains *self, int i, bool taken[])
{
    const struct hf_local_given *given = self->local->settings->given;
    const struct hf_sparse_matrix *population = self->local->localised.population;
    double most = -1.0;
    int best = 0;
    for (int f = 0; f < given->n_orbital; f++) {
        const double *other = given->population + (size_t)f * (size_t)given->n_atom;
        double sum = 0.0;
        for (int k = population->begin[i]; k < population->begin[i + 1]; k++)
            sum += sqrt(fmax(0.0, population->value[population->offset[k]]) *
                        fmax(0.0, other[population->row[k]]));
        if (!taken[f] && sum > most + 1e-6) {
            most = sum;
            best = f;
        }
    }
    taken[best] = true;
    return best;
}

/** The atoms of a given domain; NULL: all that have functions. */
static int take(struct domains *self, const bool member[])
{
    const int *first = self->local->overlap->row_first;
    int n = 0;
    for (int a = 0; a < self->local->basis->n_atom; a++)
        if (member != NULL ? member[a] : first[a + 1] > first[a]) self->atom[n++] = a;
    return n;
}

/** Place of the domain in self->atom, which may be added. */
static int add(struct domains *self, int n)
{
    qsort(self->atom, (size_t)n, sizeof *self->atom, compare_atoms);
    return hf_local_add_domain(self->local, (struct hf_parts){.n = n, .part = self->atom});
}

/** All domains of orbital i. Local. */
static hf_status make_domain(struct domains *self, int i, bool taken[], struct hf_error *error)
{
    struct hf_local *local = self->local;
    const enum hf_local_domains kind = local->settings->domains;
    const struct hf_local_given *given = local->settings->given;
    int n = 0;
    const size_t first =
        kind == HF_DOMAINS_GIVEN ? (size_t)find_given(self, i, taken) * (size_t)given->n_atom : 0;
    if (kind == HF_DOMAINS_FULL)
        n = take(self, NULL);
    else if (kind == HF_DOMAINS_GIVEN)
        n = take(self, given->member + first);
    else
        HF_CHECK(choose_atoms(self, i, &n, error));
    if (kind != HF_DOMAINS_FULL)
        HF_CHECK(find_completeness(self, i, n, self->atom, &local->completeness[i], error));
    local->domain_of_orbital[HF_LOCAL_OWN][i] = add(self, n);
    if (kind == HF_DOMAINS_GIVEN)
        n = take(self, given->extended + first);
    else if (kind == HF_DOMAINS_DEFAULT || kind == HF_DOMAINS_TIGHT)
        n = extend(self, n);
    local->domain_of_orbital[HF_LOCAL_EXTENDED][i] = add(self, n);
    if (kind == HF_DOMAINS_GIVEN && given->has_outer)
        n = take(self, given->outer + first);
    else
        for (int k = 0; k < local->settings->correction_bonds; k++) n = extend(self, n);
    if (local->settings->correction_bonds > 0 && !(kind == HF_DOMAINS_GIVEN && given->has_outer))
        n = add_near(self, &local->domain[local->domain_of_orbital[HF_LOCAL_OWN][i]].atoms, n);
    local->domain_of_orbital[HF_LOCAL_OUTER][i] = add(self, n);
    return hf_arena_check(&local->arena, error);
}

/** Whether given domains are of this molecule. Local. */
static hf_status check_given(const struct hf_local *local, struct hf_error *error)
{
    const struct hf_local_given *given = local->settings->given;
    if (local->settings->domains != HF_DOMAINS_GIVEN) return HF_OK;
    if (given->n_atom == local->basis->n_atom && given->n_orbital == local->n_orbital) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "the domains are of %d orbitals in %d atoms; expected %d orbitals in %d atoms",
                   given->n_orbital, given->n_atom, local->n_orbital, local->basis->n_atom);
}

/** Local. */
static hf_status make_all(struct domains *self, struct hf_error *error)
{
    struct hf_local *local = self->local;
    const size_t o = (size_t)local->n_orbital, n_atom = (size_t)local->basis->n_atom;
    struct hf_arena *arena = &local->arena;
    bool *taken = HF_TAKE(arena, taken, o);
    HF_TAKE(arena, self->candidate, n_atom);
    HF_TAKE(arena, self->atom, n_atom);
    HF_TAKE(arena, self->member, n_atom);
    for (int reach = 0; reach < HF_N_LOCAL_REACH; reach++)
        HF_TAKE(arena, local->domain_of_orbital[reach], o);
    HF_TAKE(arena, local->completeness, o);
    HF_TAKE(arena, local->n_degenerate, o);
    HF_CHECK(hf_arena_check(arena, error));
    for (int i = 0; i < local->n_orbital; i++) HF_CHECK(make_domain(self, i, taken, error));
    return HF_OK;
}

hf_status hf_local_make_domains(struct hf_local *local, const struct hf_wavefunction *wavefunction,
                                struct hf_error *error)
{
    hf_status status;
    struct domains self = {.local = local, .room = {&local->arena}};
    const struct hf_sparse_choice choice = {.label = "overlap of functions",
                                            .threshold = local->settings->sparse};
    HF_TRY(hf_agree(local->context->comm, check_given(local, error), error));
    HF_TRY(hf_sparse_from_matrix(local->context, local->basis, wavefunction->overlap, false,
                                 &choice, &self.overlap, error));
    HF_TRY(hf_agree(local->context->comm, make_all(&self, error), error));
cleanup:
    hf_arena_release(&local->arena, self.room.value);
    hf_sparse_destroy(&self.overlap);
    return status;
}
