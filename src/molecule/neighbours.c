/* Finds near atoms in a time proportional to the number of atoms, not to its square. */
#include "neighbours.h"

#include "elements.h"
#include "hf/units.h"

#include <math.h>

/** Empties the cells and sets their size. */
static void clear(struct hf_neighbours *neighbours, double cell_bohr)
{
    neighbours->cell_bohr = cell_bohr;
    for (uint32_t i = 0; i <= neighbours->mask; i++) neighbours->head[i] = -1;
}

hf_status hf_neighbours_init(struct hf_neighbours *neighbours, const struct hf_molecule *molecule,
                             double cell_bohr, struct hf_error *error)
{
    uint32_t n_head = 64;
    while (n_head < 2 * (uint32_t)molecule->n_atom) n_head *= 2;
    *neighbours = (struct hf_neighbours){
        .molecule = molecule, .mask = n_head - 1, .arena = {.label = "neighbours of atoms"}};
    HF_TAKE(&neighbours->arena, neighbours->head, n_head);
    HF_TAKE(&neighbours->arena, neighbours->next, (size_t)molecule->n_atom);
    HF_CHECK(hf_arena_check(&neighbours->arena, error));
    clear(neighbours, cell_bohr);
    return HF_OK;
}

/** Number of a cube along one axis. */
static int64_t cell_of(const struct hf_neighbours *neighbours, double coordinate)
{
    return (int64_t)floor(coordinate / neighbours->cell_bohr);
}

/** Mixes the three numbers of a cube (steps of the 64-bit finaliser of MurmurHash3). */
static uint32_t hash(const struct hf_neighbours *neighbours, int64_t x, int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)x * 0x9e3779b97f4a7c15U + (uint64_t)y;
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdU + (uint64_t)z;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53U;
    return (uint32_t)(h ^ (h >> 33)) & neighbours->mask;
}

void hf_neighbours_add(struct hf_neighbours *neighbours, int atom)
{
    const double *p = neighbours->molecule->atom[atom].position_bohr;
    const uint32_t slot = hash(neighbours, cell_of(neighbours, p[0]), cell_of(neighbours, p[1]),
                               cell_of(neighbours, p[2]));
    neighbours->next[atom] = neighbours->head[slot];
    neighbours->head[slot] = atom;
}

void hf_neighbours_visit(struct hf_neighbours *neighbours, const double position_bohr[3],
                         void (*visit)(void *data, int atom), void *data)
{
    int64_t cell[3];
    for (int k = 0; k < 3; k++) cell[k] = cell_of(neighbours, position_bohr[k]);
    for (int i = 0; i < 27; i++) {
        const uint32_t slot =
            hash(neighbours, cell[0] + i / 9 - 1, cell[1] + i / 3 % 3 - 1, cell[2] + i % 3 - 1);
        for (int atom = neighbours->head[slot]; atom >= 0; atom = neighbours->next[atom]) {
            neighbours->n_visit++;
            visit(data, atom);
        }
    }
}

double hf_atom_distance_bohr(const struct hf_molecule *molecule, int i, int j)
{
    const double *a = molecule->atom[i].position_bohr, *b = molecule->atom[j].position_bohr;
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/** A search around atom `later`. */
struct coincidence {
    const struct hf_molecule *molecule;
    double distance_bohr;
    int earlier, later;
};

static void look_for_coincidence(void *data, int atom)
{
    struct coincidence *self = data;
    const bool first = self->earlier < 0 || atom < self->earlier;
    if (first && hf_atom_distance_bohr(self->molecule, atom, self->later) < self->distance_bohr)
        self->earlier = atom;
}

hf_status hf_find_coincidence(const struct hf_molecule *molecule, double least_bohr, int *earlier,
                              int *later, struct hf_error *error)
{
    struct hf_neighbours neighbours;
    struct coincidence self = {molecule, least_bohr, -1, 0};
    const hf_status status = hf_neighbours_init(&neighbours, molecule, least_bohr, error);
    for (int i = 0; status == HF_OK && i < molecule->n_atom && self.earlier < 0; i++) {
        self.later = i;
        hf_neighbours_visit(&neighbours, molecule->atom[i].position_bohr, look_for_coincidence,
                            &self);
        hf_neighbours_add(&neighbours, i);
    }
    hf_arena_done(&neighbours.arena);
    *earlier = self.earlier;
    *later = self.earlier < 0 ? -1 : self.later;
    return status;
}

/** A search for the nearest pair, at present for partners of `atom`. */
struct search {
    const struct hf_molecule *molecule;
    int atom;
    struct hf_nearest nearest;
};

static void look_for_nearest(void *data, int atom)
{
    struct search *self = data;
    const struct hf_atom *a = &self->molecule->atom[self->atom], *b = &self->molecule->atom[atom];
    struct hf_nearest *nearest = &self->nearest;
    const double ratio = hf_atom_distance_bohr(self->molecule, self->atom, atom) *
                         HF_BOHR_IN_ANGSTROM /
                         (hf_covalent_radius_angstrom(a->atomic_number) +
                          hf_covalent_radius_angstrom(b->atomic_number));
    const bool first =
        ratio == nearest->ratio && nearest->later == self->atom && atom < nearest->earlier;
    if (ratio < nearest->ratio || first) *nearest = (struct hf_nearest){atom, self->atom, ratio, 0};
}

static bool is_noble_gas(int z)
{
    return z == 2 || z == 10 || z == 18 || z == 36 || z == 54 || z == 86;
}

static bool counts(const struct hf_atom *atom, bool noble_gases)
{
    return !atom->ghost && (noble_gases || !is_noble_gas(atom->atomic_number));
}

/** Improves search->nearest. Atoms are put one by one into cells as large as the longest distance that would still be
 *  an improvement. Cells are remade only when this distance has halved, at most some twenty times. Atoms in the cells
 *  are not closer to each other than the best ratio, so each cell contains few. */
static hf_status improve(struct search *search, bool noble_gases, struct hf_error *error)
{
    const struct hf_molecule *molecule = search->molecule;
    struct hf_neighbours neighbours;
    struct hf_nearest *nearest = &search->nearest;
    double largest_radius = 0.0;
    for (int i = 0; i < molecule->n_atom; i++)
        if (counts(&molecule->atom[i], noble_gases))
            largest_radius =
                fmax(largest_radius, hf_covalent_radius_angstrom(molecule->atom[i].atomic_number));
    const double reach_bohr = 2.0 * largest_radius / HF_BOHR_IN_ANGSTROM; /* at ratio 1 */
    const hf_status status = hf_neighbours_init(&neighbours, molecule, INFINITY, error);
    int n_seen = 0, first = -1;
    for (int i = 0; status == HF_OK && i < molecule->n_atom; i++) {
        if (!counts(&molecule->atom[i], noble_gases)) continue;
        search->atom = i;
        if (n_seen == 1 && !isfinite(nearest->ratio)) look_for_nearest(search, first);
        if (n_seen == 0) first = i;
        const double reach = nearest->ratio * reach_bohr * (1.0 + 1e-12);
        if (++n_seen == 1 && !isfinite(reach)) continue;
        if (reach < 0.5 * neighbours.cell_bohr) {
            clear(&neighbours, reach);
            for (int j = 0; j < i; j++)
                if (counts(&molecule->atom[j], noble_gases)) hf_neighbours_add(&neighbours, j);
        }
        hf_neighbours_visit(&neighbours, molecule->atom[i].position_bohr, look_for_nearest, search);
        hf_neighbours_add(&neighbours, i);
    }
    search->nearest.n_visit = neighbours.n_visit;
    hf_arena_done(&neighbours.arena);
    return status;
}

hf_status hf_find_nearest(const struct hf_molecule *molecule, double loose_ratio,
                          struct hf_nearest *nearest, struct hf_error *error)
{
    struct search search = {.molecule = molecule,
                            .nearest = {-1, -1, nextafter(loose_ratio, INFINITY), 0}};
    HF_CHECK(improve(&search, true, error));
    int64_t n_visit = search.nearest.n_visit;
    if (search.nearest.later < 0) {
        search.nearest = (struct hf_nearest){-1, -1, INFINITY, 0};
        HF_CHECK(improve(&search, false, error));
        n_visit += search.nearest.n_visit;
    }
    *nearest = search.nearest;
    nearest->n_visit = n_visit;
    return HF_OK;
}
