/* Weights of pairs of shells for orbitals; see local_transform.h.
 *
 *     L [functions][i], P [functions][a]
 *       |  largest element of each shell and column part
 *       v
 *     by orbital: shells with |L|, and with |P| in a kind of domains  --exchanged-->  by shell: orbitals with their weights
 *       |
 *       v
 *     by pair of shells: X_i = max(L_Mi P_Ni, L_Ni P_Mi)  -->  by pair of atoms: the largest X_i, and the reach
 *
 * If there is no memory for a list, its arena says so: later steps are left out, and the last one reports it. */
#include "local_transform.h"

#include "base/arithmetic.h"
#include "base/growing.h"

#include <math.h>
#include <string.h>

/** What is made, with rooms that end with it. */
struct maker {
    struct hf_local_integrals *self;
    struct hf_arena room;
    double *weight;  /**< [n_orbital] zeros between two uses */
    double *largest; /**< [n_shell] the same */
    bool *atom;      /**< [n_atom] */
};

static bool well(const struct maker *make)
{
    return !make->self->arena.failed && !make->room.failed;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static void begin(struct hf_local_weights *self, struct hf_arena *arena, int64_t n_item)
{
    *self = (struct hf_local_weights){.arena = arena, .n_item = n_item};
    HF_TAKE(arena, self->first, (size_t)n_item + 2);
}

/** Room for n weights. */
static bool grow(struct hf_local_weights *self, int64_t n)
{
    int64_t room = self->room;
    return !self->arena->failed &&
           hf_arena_grow(self->arena, &self->orbital, n, &room, sizeof *self->orbital) &&
           hf_arena_grow(self->arena, &self->weight, n, &self->room, sizeof *self->weight);
}

/** Adds those of an array [n] that are not zero, times `factor`, as item `item`, and clears the array. */
static void add_times(struct hf_local_weights *self, int64_t item, int n, double weight[],
                      double factor)
{
    for (int i = 0; i < n; i++) {
        if (weight[i] > 0.0 && (self->n < self->room || grow(self, self->n + 1))) {
            self->orbital[self->n] = i;
            self->weight[self->n++] = (float)(weight[i] * factor);
        }
        weight[i] = 0.0;
    }
    self->first[item + 1] = self->n;
}

/** The same, rounded up. */
static void add_item(struct hf_local_weights *self, int64_t item, int n, double weight[])
{
    add_times(self, item, n, weight, 1.0 + 1e-6);
}

/** Raises values[] to the weights of items first .. end-1. */
static void raise_values(const struct hf_local_weights *from, int64_t first, int64_t end,
                         double values[])
{
    for (int64_t k = from->first[first]; k < from->first[end]; k++)
        values[from->orbital[k]] = hf_larger(from->weight[k], values[from->orbital[k]]);
}

/** The same weights with items (n_item of them) and orbitals exchanged. */
static void transpose(const struct hf_local_weights *from, struct hf_arena *arena, int64_t n_item,
                      struct hf_local_weights *to)
{
    begin(to, arena, n_item);
    if (!grow(to, from->n)) return;
    to->n = from->n;
    for (int64_t k = 0; k < from->n; k++) to->first[from->orbital[k] + 2]++;
    for (int64_t i = 2; i < n_item + 2; i++) to->first[i] += to->first[i - 1];
    for (int64_t item = 0; item < from->n_item; item++)
        for (int64_t k = from->first[item]; k < from->first[item + 1]; k++) {
            const int64_t at = to->first[from->orbital[k] + 1]++;
            to->orbital[at] = (int)item;
            to->weight[at] = from->weight[k];
        }
}

/** Sorts the weights of each item by falling weight. */
static void sort_falling(struct maker *make, struct hf_local_weights *self)
{
    int64_t most = 0;
    for (int64_t item = 0; item < self->n_item; item++)
        if (self->first[item + 1] - self->first[item] > most)
            most = self->first[item + 1] - self->first[item];
    struct hf_ranked *place = HF_TAKE(&make->room, place, (size_t)most);
    for (int64_t item = 0; item < self->n_item && place != NULL; item++) {
        const int64_t first = self->first[item], n = self->first[item + 1] - first;
        for (int64_t k = 0; k < n; k++)
            place[k] = (struct hf_ranked){self->weight[first + k], self->orbital[first + k]};
        hf_sort_falling(n, place);
        for (int64_t k = 0; k < n; k++) {
            self->weight[first + k] = (float)place[k].value;
            self->orbital[first + k] = (int)place[k].number;
        }
    }
}

/* ---- Shells ---------------------------------------------------------------------------------- */

static double largest_element(size_t n, const double value[], double largest)
{
    for (size_t e = 0; e < n; e++) largest = hf_larger(fabs(value[e]), largest);
    return largest;
}

/** Largest elements of shells in each column part of a matrix: items are column parts, what has weights is shells. */
static void find_columns(struct maker *make, const struct hf_sparse_matrix *matrix,
                         struct hf_local_weights *to)
{
    const struct hf_basis *basis = make->self->merged;
    int *first_shell = HF_TAKE(&make->room, first_shell, (size_t)matrix->n_row_part);
    begin(to, &make->room, matrix->n_column_part);
    for (int s = basis->n_shell - 1; s >= 0 && well(make); s--)
        first_shell[basis->shell[s].atom] = s;
    for (int c = 0; c < matrix->n_column_part && well(make); c++) {
        const size_t n_column = (size_t)(matrix->column_first[c + 1] - matrix->column_first[c]);
        for (int k = matrix->begin[c]; k < matrix->begin[c + 1]; k++) {
            const double *value = matrix->value + matrix->offset[k];
            for (int s = first_shell[matrix->row[k]];
                 s < basis->n_shell && basis->shell[s].atom == matrix->row[k]; s++) {
                const size_t n = (size_t)basis->shell[s].n_function * n_column;
                make->largest[s] = largest_element(n, value, make->largest[s]);
                value += n;
            }
        }
        add_item(to, c, basis->n_shell, make->largest);
    }
}

/** Beside the kinds of domains: those of all pairs of an orbital. */
enum { OF_PAIRS = HF_N_LOCAL_REACH };

/** Marks the atoms of a domain. */
static void mark_domain(const struct hf_local *local, int domain, bool atom[])
{
    const struct hf_parts atoms = local->domain[domain].atoms;
    for (int a = 0; a < atoms.n; a++) atom[atoms.part[a]] = true;
}

/** Marks the atoms of a domain of an orbital, or of those of all its pairs, and no others. */
static void mark_atoms(const struct maker *make, int i, int which)
{
    const struct hf_local *local = make->self->local;
    memset(make->atom, 0, (size_t)make->self->paos->n_column_part * sizeof *make->atom);
    if (which != OF_PAIRS) {
        mark_domain(local, local->domain_of_orbital[which][i], make->atom);
        return;
    }
    for (int k = local->first_partner[i]; k < local->first_partner[i + 1]; k++)
        mark_domain(local, local->pair[local->partner[k].pair].outer, make->atom);
}

/** Whether [ij]+ is within the domains of a kind of its orbitals. */
static bool is_within(const struct maker *make, const struct hf_local_pair *pair, int reach)
{
    const struct hf_local *local = make->self->local;
    const struct hf_parts atoms = hf_local_outer_domain(local, pair)->atoms;
    bool within = true;
    mark_atoms(make, pair->i, reach);
    mark_domain(local, local->domain_of_orbital[reach][pair->j], make->atom);
    for (int a = 0; a < atoms.n; a++) within = within && make->atom[atoms.part[a]];
    return within;
}

/** self->reach_of_pair. */
static void find_reaches(const struct maker *make)
{
    const struct hf_local *local = make->self->local;
    for (int k = 0; k < local->n_pair; k++) {
        int reach = HF_LOCAL_OWN;
        while (reach < HF_LOCAL_OUTER && !is_within(make, &local->pair[k], reach)) reach++;
        make->self->reach_of_pair[k] = (enum hf_local_reach)reach;
    }
}

/** For each orbital (item): the largest |P| of each shell in its domains of a kind. `of_atom`: for each atom. */
static void find_paos(const struct maker *make, const struct hf_local_weights *of_atom, int which,
                      struct hf_arena *arena, struct hf_local_weights *to)
{
    const struct hf_local_integrals *self = make->self;
    begin(to, arena, self->local->n_orbital);
    for (int i = 0; i < self->local->n_orbital && well(make); i++) {
        mark_atoms(make, i, which);
        for (int64_t a = 0; a < of_atom->n_item; a++)
            if (make->atom[a]) raise_values(of_atom, a, a + 1, make->largest);
        add_times(to, i, self->merged->n_shell, make->largest, 1.0);
    }
}

/** Weights of shells, and `p`: |P| of shells and the PAOs of all pairs of orbitals. */
static void find_shells(struct maker *make, struct hf_local_weights *p)
{
    struct hf_local_integrals *self = make->self;
    struct hf_local_weights l = {0}, of_atom = {0}, of_pairs = {0};
    const int n_shell = self->merged->n_shell;
    find_columns(make, self->orbitals, &l);
    find_columns(make, self->paos, &of_atom);
    if (well(make)) transpose(&l, &self->arena, n_shell, &self->l_of_shell);
    for (int which = 0; which < HF_N_LOCAL_REACH && well(make); which++) {
        find_paos(make, &of_atom, which, &self->arena, &self->p_of_orbital[which]);
        if (well(make))
            transpose(&self->p_of_orbital[which], &self->arena, n_shell, &self->p_of_shell[which]);
        if (well(make)) sort_falling(make, &self->p_of_orbital[which]);
    }
    if (well(make)) find_paos(make, &of_atom, OF_PAIRS, &make->room, &of_pairs);
    if (well(make)) transpose(&of_pairs, &make->room, n_shell, p);
}

/** self->l_of_site; it and self->l_of_shell become falling. */
static void find_sites(struct maker *make)
{
    struct hf_local_integrals *self = make->self;
    const struct hf_basis *basis = self->merged;
    begin(&self->l_of_site, &self->arena, basis->n_atom);
    for (int site = 0; site < basis->n_atom && well(make); site++) {
        raise_values(&self->l_of_shell, basis->first_shell_of_atom[site],
                     basis->first_shell_of_atom[site + 1], make->weight);
        add_item(&self->l_of_site, site, self->local->n_orbital, make->weight);
    }
    if (well(make)) sort_falling(make, &self->l_of_site);
    if (well(make)) sort_falling(make, &self->l_of_shell);
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
        memset(row, 0, (size_t)n_orbital * sizeof *row);
        raise_values(p, s, s + 1, row);
        float most = 0.0F;
        for (int64_t k = p->first[s]; k < p->first[s + 1]; k++)
            if (p->weight[k] > most) most = p->weight[k];
        rows->most[s - rows->first_shell] = most;
    }
}

/** What a weight is multiplied by to be compared with the threshold. */
struct limit {
    double factor, threshold;
};

/** Raises make->weight to the products of |L| of shell a, which are falling, and |P| of shell b that matter. */
static void add_products(const struct maker *make, int a, const struct site_rows *rows, int b,
                         struct limit limit)
{
    const struct hf_local_weights *l = &make->self->l_of_shell;
    const double *p =
        rows->row + (size_t)(b - rows->first_shell) * (size_t)make->self->local->n_orbital;
    const double most = rows->most[b - rows->first_shell];
    for (int64_t k = l->first[a]; k < l->first[a + 1]; k++) {
        const double left = l->weight[k], product = left * p[l->orbital[k]];
        double *weight = &make->weight[l->orbital[k]];
        if (left * most * limit.factor < limit.threshold) return;
        if (product * limit.factor >= limit.threshold) *weight = hf_larger(product, *weight);
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
static void find_pairs_of(struct maker *make, const struct hf_atom_pair *atoms,
                          const struct site_rows rows[2], double most)
{
    struct hf_local_integrals *self = make->self;
    const struct hf_shell_pairs *pairs = self->pairs;
    for (int64_t k = atoms->first_pair; k < atoms->first_pair + (int64_t)atoms->n_pair; k++) {
        const struct hf_shell_pair *pair = &pairs->pair[k];
        const bool turned = pair->a < rows[0].first_shell; /* atom_a is the later one */
        const struct limit limit = {pair->bound * pairs->bound * most,
                                    self->local->settings->threshold};
        add_products(make, pair->a, &rows[!turned], pair->b, limit);
        add_products(make, pair->b, &rows[turned], pair->a, limit);
        add_item(&self->of_pair, k, self->local->n_orbital, make->weight);
    }
}

/** self->of_pair: weights that can matter. */
static void find_pairs(struct maker *make, const struct hf_local_weights *p)
{
    struct hf_local_integrals *self = make->self;
    const struct hf_shell_pairs *pairs = self->pairs;
    const struct hf_basis *basis = self->merged;
    const int n = self->local->n_orbital;
    struct site_rows rows[2];
    int most_shells = 0;
    for (int site = 0; site < basis->n_atom; site++) {
        const int n_shell = basis->first_shell_of_atom[site + 1] - basis->first_shell_of_atom[site];
        if (n_shell > most_shells) most_shells = n_shell;
    }
    begin(&self->of_pair, &self->arena, pairs->n_pair);
    for (int k = 0; k < 2; k++) {
        HF_TAKE_UNSET(&make->room, rows[k].row, (size_t)most_shells * (size_t)n);
        HF_TAKE_UNSET(&make->room, rows[k].most, (size_t)most_shells);
    }
    self->largest_pao = largest_of(p);
    self->largest_orbital = largest_of(&self->l_of_shell);
    const double most = self->largest_orbital * self->largest_pao;
    self->largest = most * most;
    for (int item = 0; item < pairs->n_atom_pair && well(make); item++) {
        const struct hf_atom_pair *atoms = &pairs->atom_pair[item];
        if (item == 0 || atoms->atom_a != atoms[-1].atom_a)
            fill_rows(basis, p, atoms->atom_a, n, &rows[0]);
        fill_rows(basis, p, atoms->atom_b, n, &rows[1]);
        find_pairs_of(make, atoms, rows, most);
    }
}

/** Raises weight[] to those of orbitals i that have a pair with the orbitals of an item. */
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
static void find_atoms(struct maker *make)
{
    struct hf_local_integrals *self = make->self;
    const int n_item = self->pairs->n_atom_pair, n = self->local->n_orbital;
    begin(&self->of_atoms, &self->arena, n_item);
    begin(&self->reach, &self->arena, n_item);
    for (int item = 0; item < n_item && well(make); item++) {
        const struct hf_atom_pair *atoms = &self->pairs->atom_pair[item];
        raise_values(&self->of_pair, atoms->first_pair, atoms->first_pair + atoms->n_pair,
                     make->weight);
        add_item(&self->of_atoms, item, n, make->weight);
        if (!well(make)) return;
        add_reach(self, &self->of_atoms, item, make->weight);
        add_item(&self->reach, item, n, make->weight);
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

/** self->most_pao. */
static void find_most_paos(struct hf_local_integrals *self)
{
    const struct hf_sparse_matrix *paos = self->paos;
    HF_TAKE(&self->arena, self->most_pao, (size_t)paos->n_block);
    for (int k = 0; k < paos->n_block && self->most_pao != NULL; k++) {
        const size_t n = paos->offset[k + 1] - paos->offset[k];
        self->most_pao[k] =
            (float)(largest_element(n, paos->value + paos->offset[k], 0.0) * (1.0 + 1e-6));
    }
}

hf_status hf_local_make_weights(struct hf_local_integrals *self, struct hf_error *error)
{
    struct hf_local_weights p = {0};
    struct maker make = {.self = self,
                         .room = {.memory = self->arena.memory, .label = self->arena.label}};
    HF_TAKE(&make.room, make.weight, (size_t)self->local->n_orbital);
    HF_TAKE(&make.room, make.largest, (size_t)self->merged->n_shell);
    HF_TAKE(&make.room, make.atom, (size_t)self->paos->n_column_part);
    HF_TAKE(&self->arena, self->reach_of_pair, (size_t)self->local->n_pair);
    if (well(&make)) find_reaches(&make);
    if (well(&make)) find_shells(&make, &p);
    if (well(&make)) find_sites(&make);
    if (well(&make)) find_pairs(&make, &p);
    if (well(&make)) find_atoms(&make);
    if (well(&make)) find_most_paos(self);
    hf_status status = hf_arena_check(&make.room, error);
    if (status == HF_OK) status = hf_arena_check(&self->arena, error);
    hf_arena_done(&make.room);
    return status;
}
