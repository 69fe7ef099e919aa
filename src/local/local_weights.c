/* Weights of pairs of shells for orbitals; see local_transform.h. */
#include "local_transform.h"

#include "base/growing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists ----------------------------------------------------------------------------------- */

static bool begin(struct hf_local_weights *self, struct hf_arena *arena, int64_t n_item)
{
    *self = (struct hf_local_weights){.arena = arena, .n_item = n_item};
    HF_TAKE(arena, self->first, (size_t)n_item + 2);
    return self->first != NULL;
}

/** Room for n weights. */
static bool grow(struct hf_local_weights *self, int64_t n)
{
    int64_t room = self->room;
    return hf_arena_grow(self->arena, &self->orbital, n, &room, sizeof *self->orbital) &&
           hf_arena_grow(self->arena, &self->weight, n, &self->room, sizeof *self->weight);
}

/** Adds a weight of the item that is being filled. */
static bool add(struct hf_local_weights *self, int orbital, float weight)
{
    if (self->n == self->room && !grow(self, self->n + 1)) return false;
    self->orbital[self->n] = orbital;
    self->weight[self->n++] = weight;
    return true;
}

/** Adds those of an array [n] that are not zero, times `factor`, as item `item`, and clears the array. */
static bool add_times(struct hf_local_weights *self, int64_t item, int n, double weight[],
                      double factor)
{
    bool ok = true;
    for (int i = 0; i < n; i++) {
        if (weight[i] > 0.0) ok = ok && add(self, i, (float)(weight[i] * factor));
        weight[i] = 0.0;
    }
    self->first[item + 1] = self->n;
    return ok;
}

/** The same, rounded up. */
static bool add_item(struct hf_local_weights *self, int64_t item, int n, double weight[])
{
    return add_times(self, item, n, weight, 1.0 + 1e-6);
}

/** The same weights with items (n_item of them) and orbitals exchanged. */
static bool transpose(const struct hf_local_weights *from, struct hf_arena *arena, int64_t n_item,
                      struct hf_local_weights *to)
{
    if (!begin(to, arena, n_item) || !grow(to, from->n)) return false;
    to->n = from->n;
    for (int64_t k = 0; k < from->n; k++) to->first[from->orbital[k] + 2]++;
    for (int64_t i = 2; i < n_item + 2; i++) to->first[i] += to->first[i - 1];
    for (int64_t item = 0; item < from->n_item; item++)
        for (int64_t k = from->first[item]; k < from->first[item + 1]; k++) {
            const int64_t at = to->first[from->orbital[k] + 1]++;
            to->orbital[at] = (int)item;
            to->weight[at] = from->weight[k];
        }
    return true;
}

/** fmax is a call. */
static inline void raise_to(double *largest, double x)
{
    if (x > *largest) *largest = x;
}

/* ---- Shells ---------------------------------------------------------------------------------- */

/** Raises largest[] of all shells to the elements of column part c of a matrix. */
static void add_column(const struct hf_basis *basis, const int *first_shell,
                       const struct hf_sparse_matrix *matrix, int c, double largest[])
{
    const int n_column = matrix->column_first[c + 1] - matrix->column_first[c];
    for (int k = matrix->begin[c]; k < matrix->begin[c + 1]; k++) {
        const double *value = matrix->value + matrix->offset[k];
        for (int s = first_shell[matrix->row[k]];
             s < basis->n_shell && basis->shell[s].atom == matrix->row[k]; s++)
            for (int e = basis->shell[s].n_function * n_column; e > 0; e--, value++)
                if (fabs(*value) > largest[s]) largest[s] = fabs(*value);
    }
}

/** Which domains of an orbital. */
enum { OWN, EXTENDED, OF_PAIRS };

/** Marks the atoms of a domain. */
static void mark_domain(const struct hf_local *local, int domain, bool atom[])
{
    const struct hf_parts atoms = local->domain[domain].atoms;
    for (int a = 0; a < atoms.n; a++) atom[atoms.part[a]] = true;
}

/** Marks the atoms of a domain of an orbital, or of those of all its pairs. */
static void mark_atoms(const struct hf_local *local, int i, int which, int n_atom, bool atom[])
{
    memset(atom, 0, (size_t)n_atom * sizeof *atom);
    if (which == OWN) mark_domain(local, local->domain_of_orbital[i], atom);
    if (which == EXTENDED) mark_domain(local, local->extended_of_orbital[i], atom);
    if (which != OF_PAIRS) return;
    for (int k = local->first_partner[i]; k < local->first_partner[i + 1]; k++)
        mark_domain(local, local->pair[local->partner[k].pair].domain, atom);
}

/** self->wide. `atom` is room for all atoms. */
static void find_wide(struct hf_local_integrals *self, int n_atom, bool atom[])
{
    const struct hf_local *local = self->local;
    for (int k = 0; k < local->n_pair; k++) {
        const struct hf_parts atoms = hf_local_pair_domain(local, &local->pair[k])->atoms;
        mark_atoms(local, local->pair[k].i, OWN, n_atom, atom);
        mark_domain(local, local->domain_of_orbital[local->pair[k].j], atom);
        for (int a = 0; a < atoms.n; a++)
            if (!atom[atoms.part[a]]) self->wide[k] = true;
    }
}

/** Largest elements of shells in each column part of a matrix: items are column parts, what has weights is shells.
 *  `largest` [n_shell] is zero. */
static bool find_columns(const struct hf_basis *basis, const struct hf_sparse_matrix *matrix,
                         double largest[], struct hf_local_weights *to)
{
    int *first_shell = HF_TAKE(to->arena, first_shell, (size_t)matrix->n_row_part);
    bool ok = first_shell != NULL;
    for (int s = basis->n_shell - 1; s >= 0 && ok; s--) first_shell[basis->shell[s].atom] = s;
    for (int c = 0; c < matrix->n_column_part && ok; c++) {
        add_column(basis, first_shell, matrix, c, largest);
        ok = add_item(to, c, basis->n_shell, largest);
    }
    return ok;
}

/** Largest |P| of shells and the PAOs of marked atoms, as weights of an orbital. `largest` [n_shell] is zero. */
static bool join_atoms(const struct hf_local_weights *of_atom, const bool atom[], int orbital,
                       int n_shell, double largest[], struct hf_local_weights *to)
{
    for (int64_t a = 0; a < of_atom->n_item; a++) {
        if (!atom[a]) continue;
        for (int64_t k = of_atom->first[a]; k < of_atom->first[a + 1]; k++)
            raise_to(&largest[of_atom->orbital[k]], of_atom->weight[k]);
    }
    return add_times(to, orbital, n_shell, largest, 1.0);
}

/** Largest |L| of shells, and largest |P| in each kind of domains. Items are orbitals, what has weights is shells. */
static bool find_shells(struct hf_local_integrals *self, struct hf_arena *room,
                        struct hf_local_weights *l, struct hf_local_weights p[3])
{
    const int n_shell = self->merged->n_shell;
    const int n_orbital = self->local->n_orbital, n_atom = self->paos->n_column_part;
    struct hf_local_weights of_atom = {0};
    bool *atom = HF_TAKE(room, atom, (size_t)n_atom);
    double *largest = HF_TAKE(room, largest, (size_t)n_shell);
    bool ok = atom != NULL && largest != NULL && begin(l, room, n_orbital) &&
              begin(&p[OWN], &self->arena, n_orbital) &&
              begin(&p[EXTENDED], &self->arena, n_orbital) &&
              begin(&p[OF_PAIRS], room, n_orbital) && begin(&of_atom, room, n_atom) &&
              find_columns(self->merged, self->orbitals, largest, l) &&
              find_columns(self->merged, self->paos, largest, &of_atom);
    for (int i = 0; i < n_orbital && ok; i++)
        for (int which = OWN; which <= OF_PAIRS && ok; which++) {
            mark_atoms(self->local, i, which, n_atom, atom);
            ok = join_atoms(&of_atom, atom, i, n_shell, largest, &p[which]);
        }
    if (ok) find_wide(self, n_atom, atom);
    return ok;
}

/* ---- Falling weights of orbitals ------------------------------------------------------------- */

/** Sorts the weights of each item. False: no memory. */
static bool sort_falling(struct hf_local_weights *self)
{
    int64_t most = 1;
    for (int64_t item = 0; item < self->n_item; item++)
        if (self->first[item + 1] - self->first[item] > most)
            most = self->first[item + 1] - self->first[item];
    struct hf_ranked *place = malloc((size_t)most * sizeof *place);
    if (place == NULL) return false;
    for (int64_t item = 0; item < self->n_item; item++) {
        const int64_t first = self->first[item], n = self->first[item + 1] - first;
        for (int64_t k = 0; k < n; k++)
            place[k] = (struct hf_ranked){self->weight[first + k], self->orbital[first + k]};
        hf_sort_falling(n, place);
        for (int64_t k = 0; k < n; k++) {
            self->weight[first + k] = (float)place[k].value;
            self->orbital[first + k] = (int)place[k].number;
        }
    }
    free(place);
    return true;
}

/** self->l_of_site. */
static bool find_sites(struct hf_local_integrals *self, double weight[])
{
    const struct hf_basis *basis = self->merged;
    const struct hf_local_weights *l = &self->l_of_shell;
    bool ok = begin(&self->l_of_site, &self->arena, basis->n_atom);
    for (int site = 0; site < basis->n_atom && ok; site++) {
        const int64_t end = l->first[basis->first_shell_of_atom[site + 1]];
        for (int64_t k = l->first[basis->first_shell_of_atom[site]]; k < end; k++)
            raise_to(&weight[l->orbital[k]], l->weight[k]);
        ok = add_item(&self->l_of_site, site, self->local->n_orbital, weight);
    }
    return ok;
}

/* ---- Pairs of shells ------------------------------------------------------------------------- */

/** |P| of the shells of a site, for all orbitals: [shells][n_orbital], and the largest one of each. */
struct site_rows {
    int first_shell;
    double *row, *most;
};

static void fill_rows(const struct hf_basis *basis, const struct hf_local_weights *p, int site,
                      int n_orbital, struct site_rows *rows)
{
    const int end = basis->first_shell_of_atom[site + 1];
    double *row = rows->row;
    rows->first_shell = basis->first_shell_of_atom[site];
    for (int s = rows->first_shell; s < end; s++, row += n_orbital) {
        double most = 0.0;
        memset(row, 0, (size_t)n_orbital * sizeof *row);
        for (int64_t k = p->first[s]; k < p->first[s + 1]; k++) {
            row[p->orbital[k]] = p->weight[k];
            raise_to(&most, p->weight[k]);
        }
        rows->most[s - rows->first_shell] = most;
    }
}

/** What a weight is multiplied by to be compared with the threshold. */
struct limit {
    double factor, threshold;
};

/** Raises weight[] to the products of |L| of one shell, which are falling, and |P| of another one that matter. */
static void add_products(const struct hf_local_weights *l, int a, const struct site_rows *rows,
                         int b, int n_orbital, struct limit limit, double weight[])
{
    const double *p = rows->row + (size_t)(b - rows->first_shell) * (size_t)n_orbital;
    const double most = rows->most[b - rows->first_shell];
    for (int64_t k = l->first[a]; k < l->first[a + 1]; k++) {
        const double left = l->weight[k], product = left * p[l->orbital[k]];
        if (left * most * limit.factor < limit.threshold) return;
        if (product * limit.factor >= limit.threshold) raise_to(&weight[l->orbital[k]], product);
    }
}

static double largest_of(const struct hf_local_weights *weights)
{
    float largest = 0.0F;
    for (int64_t k = 0; k < weights->n; k++)
        if (weights->weight[k] > largest) largest = weights->weight[k];
    return largest;
}

/** Weights of the pairs of two sites. */
static bool find_pairs_of(struct hf_local_integrals *self, const struct hf_atom_pair *atoms,
                          const struct site_rows rows[2], double most, double weight[])
{
    const struct hf_shell_pairs *pairs = self->pairs;
    const struct hf_local_weights *l = &self->l_of_shell;
    const int n = self->local->n_orbital;
    bool ok = true;
    for (int64_t k = atoms->first_pair; k < atoms->first_pair + (int64_t)atoms->n_pair; k++) {
        const struct hf_shell_pair *pair = &pairs->pair[k];
        const bool turned = pair->a < rows[0].first_shell; /* atom_a is the later one */
        const struct limit limit = {pair->bound * pairs->bound * most,
                                    self->local->settings->threshold};
        add_products(l, pair->a, &rows[!turned], pair->b, n, limit, weight);
        add_products(l, pair->b, &rows[turned], pair->a, n, limit, weight);
        ok = ok && add_item(&self->of_pair, k, n, weight);
    }
    return ok;
}

/** self->of_pair: weights that can matter. */
static bool find_pairs(struct hf_local_integrals *self, const struct hf_local_weights *p,
                       double weight[])
{
    const struct hf_shell_pairs *pairs = self->pairs;
    const struct hf_basis *basis = self->merged;
    const size_t n = (size_t)self->local->n_orbital;
    struct site_rows rows[2];
    int most_shells = 0;
    for (int site = 0; site < basis->n_atom; site++) {
        const int n_shell = basis->first_shell_of_atom[site + 1] - basis->first_shell_of_atom[site];
        if (n_shell > most_shells) most_shells = n_shell;
    }
    bool ok = begin(&self->of_pair, &self->arena, pairs->n_pair);
    for (int k = 0; k < 2; k++) {
        rows[k].row = hf_arena_take_unset(p->arena, (size_t)most_shells * n, sizeof(double));
        rows[k].most = hf_arena_take_unset(p->arena, (size_t)most_shells, sizeof(double));
        ok = ok && rows[k].row != NULL && rows[k].most != NULL;
    }
    self->largest_pao = largest_of(p);
    self->largest_orbital = largest_of(&self->l_of_shell);
    const double most = self->largest_orbital * self->largest_pao;
    self->largest = most * most;
    for (int item = 0; item < pairs->n_atom_pair && ok; item++) {
        const struct hf_atom_pair *atoms = &pairs->atom_pair[item];
        if (item == 0 || atoms->atom_a != atoms[-1].atom_a)
            fill_rows(basis, p, atoms->atom_a, (int)n, &rows[0]);
        fill_rows(basis, p, atoms->atom_b, (int)n, &rows[1]);
        ok = find_pairs_of(self, atoms, rows, most, weight);
    }
    return ok;
}

/** Raises weight[] to those of orbitals i that meet the orbitals of an item. */
static void add_reach(const struct hf_local_integrals *self, const struct hf_local_weights *of,
                      int64_t item, double weight[])
{
    const struct hf_local *local = self->local;
    for (int64_t k = of->first[item]; k < of->first[item + 1]; k++) {
        const int j = of->orbital[k];
        for (int p = local->first_partner[j]; p < local->first_partner[j + 1]; p++) {
            const int i = local->partner[p].orbital;
            if (of->weight[k] > weight[i] && hf_local_in_order(self, i, j))
                weight[i] = of->weight[k];
        }
    }
}

/** self->of_atoms and self->reach. */
static bool find_atoms(struct hf_local_integrals *self, double weight[])
{
    const struct hf_local_weights *of_pair = &self->of_pair;
    const int n_item = self->pairs->n_atom_pair, n = self->local->n_orbital;
    bool ok =
        begin(&self->of_atoms, &self->arena, n_item) && begin(&self->reach, &self->arena, n_item);
    for (int item = 0; item < n_item && ok; item++) {
        const struct hf_atom_pair *atoms = &self->pairs->atom_pair[item];
        const int64_t end = of_pair->first[atoms->first_pair + (int64_t)atoms->n_pair];
        for (int64_t k = of_pair->first[atoms->first_pair]; k < end; k++)
            raise_to(&weight[of_pair->orbital[k]], of_pair->weight[k]);
        ok = add_item(&self->of_atoms, item, n, weight);
        add_reach(self, &self->of_atoms, item, weight);
        ok = ok && add_item(&self->reach, item, n, weight);
    }
    return ok;
}

/* ---- All ------------------------------------------------------------------------------------- */

/** self->most_pao. */
static bool find_most_paos(struct hf_local_integrals *self)
{
    const struct hf_sparse_matrix *paos = self->paos;
    HF_TAKE(&self->arena, self->most_pao, (size_t)paos->n_block);
    for (int k = 0; k < paos->n_block && self->most_pao != NULL; k++) {
        double largest = 0.0;
        for (size_t e = paos->offset[k]; e < paos->offset[k + 1]; e++)
            if (fabs(paos->value[e]) > largest) largest = fabs(paos->value[e]);
        self->most_pao[k] = (float)(largest * (1.0 + 1e-6));
    }
    return self->most_pao != NULL;
}

/** Weights of shells and sites, and `p`, |P| of shells and the PAOs of all pairs of orbitals, in `room`. */
static bool find_weights(struct hf_local_integrals *self, struct hf_arena *room, double weight[],
                         struct hf_local_weights *p)
{
    struct hf_local_weights l_of = {0}, p_of[3] = {0};
    const int n_shell = self->merged->n_shell;
    const bool ok = find_shells(self, room, &l_of, p_of) &&
                    transpose(&l_of, &self->arena, n_shell, &self->l_of_shell) &&
                    transpose(&p_of[OWN], &self->arena, n_shell, &self->p_of_shell[0]) &&
                    transpose(&p_of[EXTENDED], &self->arena, n_shell, &self->p_of_shell[1]) &&
                    transpose(&p_of[OF_PAIRS], room, n_shell, p) && find_sites(self, weight) &&
                    sort_falling(&self->l_of_site) && sort_falling(&self->l_of_shell) &&
                    sort_falling(&p_of[OWN]) && sort_falling(&p_of[EXTENDED]);
    self->p_of_orbital[0] = p_of[OWN];
    self->p_of_orbital[1] = p_of[EXTENDED];
    return ok;
}

hf_status hf_local_make_weights(struct hf_local_integrals *self, struct hf_error *error)
{
    struct hf_local_weights p = {0};
    struct hf_arena room = {.memory = self->arena.memory, .label = self->arena.label};
    double *weight = HF_TAKE(&room, weight, (size_t)self->local->n_orbital);
    HF_TAKE(&self->arena, self->wide, (size_t)self->local->n_pair);
    const bool ok = weight != NULL && self->wide != NULL && find_weights(self, &room, weight, &p) &&
                    find_pairs(self, &p, weight) && find_atoms(self, weight) &&
                    find_most_paos(self);
    hf_arena_done(&room);
    return ok ? HF_OK : hf_fail(error, HF_NO_RESOURCE, "out of memory for the weights of shells");
}
