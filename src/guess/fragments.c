/* Puts occupied orbitals of separately computed fragments together as orbitals of the whole molecule:
 *
 *             pairs                singles
 *     A  | C_A             |   | C_A             |
 *     B  |       C_B       |   |       C_B       |       rows: functions of all fragments
 *     ...|             ... |   |             ... |       columns: their occupied orbitals
 *
 * A fragment has as many pairs as beta electrons; its other alpha orbitals are singles. Pairs come first, as in
 * orbitals shared by both spins. The projection used for all initial orbitals (projection.c) makes them orthonormal
 * and moves their functions to the atoms of the molecule. */
#include "hf/guess.h"

#include "hf/basis.h"
#include "hf/molecule.h"
#include "hf/units.h"
#include "orbitals/orbitals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Largest deviation of an atom when its fragment is moved as a whole, bohr: about a tenth of a bond, or the effect
 *  of a rotation by fifteen degrees on a bond. */
static const double MOST_DISTORTION = 0.5;

/** Position of a fragment in the whole. */
struct part {
    const char *name;
    const struct hf_scf_orbitals *orbitals;
    struct hf_spin_count n_electron;
    int first_atom, first_function; /**< in the molecule; in the functions of all fragments */
    int first_pair, first_single;   /**< columns */
};

struct hf_scf_fragments {
    int n_part;
    struct hf_basis *basis;
    struct hf_scf_orbitals orbitals;
    struct part part[]; /**< [n_part] */
};

/** Copies a row of a fragment's orbitals to their columns in the whole. */
static void scatter(const struct part *part, int n_column, const double from[], double to[])
{
    const int n_pair = part->n_electron.beta;
    for (int j = 0; j < n_column; j++)
        to[j < n_pair ? part->first_pair + j : part->first_single + j - n_pair] = from[j];
}

/** Reads rows first .. end-1 of the whole; all belong to one fragment. */
static hf_status read_part(const struct part *part, int spin, int first, int end, size_t n_there,
                           double rows[], struct hf_error *error)
{
    const struct hf_scf_orbitals *from = part->orbitals;
    const int set = spin < from->n_spin ? spin : 0;
    const size_t n_column = (size_t)from->n_column[set], n_row = (size_t)(end - first);
    const int n_wanted = spin == 0 ? part->n_electron.alpha : part->n_electron.beta;
    if (n_wanted == 0) return HF_OK;
    double *read = malloc(n_row * n_column * sizeof *read);
    if (read == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for rows of orbitals");
    const hf_status status = from->read(from->data, HF_RESTART_ORBITALS, 0, set,
                                        first - part->first_function, end - first, read, error);
    for (size_t i = 0; i < n_row && status == HF_OK; i++)
        scatter(part, n_wanted, read + i * n_column, rows + i * n_there);
    free(read);
    return status;
}

/** A function for hf_scf_orbitals.read. */
static hf_status read_rows(void *data, enum hf_restart_matrix which, int index, int spin, int first,
                           int n, double rows[], struct hf_error *error)
{
    const struct hf_scf_fragments *self = data;
    const size_t n_there = (size_t)self->orbitals.n_column[spin];
    hf_status status = HF_OK;
    (void)which;
    (void)index;
    memset(rows, 0, (size_t)n * n_there * sizeof *rows);
    for (int i = 0; i < self->n_part && status == HF_OK; i++) {
        const struct part *part = &self->part[i];
        const int last = part->first_function + part->orbitals->basis->n_function;
        const int begin = first > part->first_function ? first : part->first_function;
        const int end = first + n < last ? first + n : last;
        if (begin < end)
            status = read_part(part, spin, begin, end, n_there,
                               rows + (size_t)(begin - first) * n_there, error);
    }
    return status;
}

/** Checks that an atom of a fragment is the same as the corresponding atom of the molecule. */
static hf_status check_atom(const struct part *part, int a, const struct hf_molecule *molecule,
                            struct hf_error *error)
{
    const struct hf_atom *there = &part->orbitals->molecule->atom[a];
    const struct hf_atom *here = &molecule->atom[part->first_atom + a];
    if (there->atomic_number != here->atomic_number || there->ghost != here->ghost)
        return hf_fail(error, HF_BAD_INPUT,
                       "atom %d of the fragment %.200s is %s%s, atom %d of the molecule %s%s; the "
                       "atoms of all fragments, one after another, must be those of the molecule",
                       a + 1, part->name, there->ghost ? "a ghost of " : "",
                       hf_element_symbol(there->atomic_number), part->first_atom + a + 1,
                       here->ghost ? "a ghost of " : "", hf_element_symbol(here->atomic_number));
    if (there->n_core != here->n_core)
        return hf_fail(error, HF_BAD_INPUT,
                       "atom %d of the fragment %.200s has %d electrons in its effective core "
                       "potential, atom %d of the molecule %d: its orbitals cannot be used",
                       a + 1, part->name, there->n_core, part->first_atom + a + 1, here->n_core);
    return HF_OK;
}

/** Checks that the fragment was only moved. */
static hf_status check_places(const struct part *part, const struct hf_molecule *molecule,
                              struct hf_error *error)
{
    const struct hf_molecule *from = part->orbitals->molecule;
    double shift[3] = {0.0, 0.0, 0.0}, most = 0.0;
    int farthest = 0;
    for (int a = 0; a < from->n_atom; a++)
        for (int k = 0; k < 3; k++)
            shift[k] += (molecule->atom[part->first_atom + a].position_bohr[k] -
                         from->atom[a].position_bohr[k]) /
                        from->n_atom;
    for (int a = 0; a < from->n_atom; a++) {
        const double *here = molecule->atom[part->first_atom + a].position_bohr;
        const double *there = from->atom[a].position_bohr;
        const double off =
            hypot(hypot(here[0] - there[0] - shift[0], here[1] - there[1] - shift[1]),
                  here[2] - there[2] - shift[2]);
        if (off > most) farthest = a;
        most = fmax(most, off);
    }
    if (most > MOST_DISTORTION)
        return hf_fail(error, HF_BAD_INPUT,
                       "the fragment %.200s is turned or distorted: moved to where it is in the "
                       "molecule, its atom %d is %.2f angstrom off; compute it with the "
                       "coordinates of the molecule",
                       part->name, farthest + 1, most * HF_BOHR_IN_ANGSTROM);
    return HF_OK;
}

/** Checks that the fragment has all occupied orbitals. */
static hf_status check_orbitals(const struct part *part, struct hf_error *error)
{
    const struct hf_scf_orbitals *from = part->orbitals;
    const int n_wanted[HF_MAX_SPIN] = {part->n_electron.alpha, part->n_electron.beta};
    for (int k = 0; k < from->n_spin; k++)
        if (from->n_column[k] < n_wanted[k])
            return hf_fail(error, HF_BAD_INPUT,
                           "the fragment %.200s has %d orbitals where %d are occupied", part->name,
                           from->n_column[k], n_wanted[k]);
    return HF_OK;
}

/** Checks that charges and multiplicities add up to those of the molecule. */
static hf_status check_electrons(const struct hf_scf_fragments *self,
                                 const struct hf_molecule *molecule, struct hf_error *error)
{
    int charge = 0, unpaired = 0;
    for (int i = 0; i < self->n_part; i++) {
        const struct hf_molecule *of_part = self->part[i].orbitals->molecule;
        charge += of_part->charge;
        unpaired += of_part->multiplicity - 1;
    }
    if (charge != molecule->charge)
        return hf_fail(error, HF_BAD_INPUT,
                       "the charges of the fragments add up to %+d, that of the molecule is %+d",
                       charge, molecule->charge);
    if (unpaired + 1 != molecule->multiplicity)
        return hf_fail(
            error, HF_BAD_INPUT,
            "the fragments have %d unpaired electrons, together multiplicity %d; that of "
            "the molecule is %d",
            unpaired, unpaired + 1, molecule->multiplicity);
    return HF_OK;
}

/** Adds a fragment after the present ones. */
static hf_status add(struct hf_scf_fragments *self, const struct hf_molecule *molecule,
                     const struct hf_scf_fragment *fragment, struct hf_error *error)
{
    const struct hf_molecule *from = fragment->orbitals->molecule;
    struct part *part = &self->part[self->n_part];
    *part = (struct part){.name = fragment->name, .orbitals = fragment->orbitals};
    if (self->n_part > 0) {
        const struct part *before = part - 1;
        part->first_atom = before->first_atom + before->orbitals->molecule->n_atom;
        part->first_function = before->first_function + before->orbitals->basis->n_function;
        part->first_pair = before->first_pair + before->n_electron.beta;
        part->first_single =
            before->first_single + before->n_electron.alpha - before->n_electron.beta;
    }
    if (part->first_atom + from->n_atom > molecule->n_atom)
        return hf_fail(error, HF_BAD_INPUT,
                       "up to %.200s the fragments have %d atoms, the molecule %d", part->name,
                       part->first_atom + from->n_atom, molecule->n_atom);
    hf_status status = hf_spin_count_of(from, &part->n_electron, error);
    for (int a = 0; a < from->n_atom && status == HF_OK; a++)
        status = check_atom(part, a, molecule, error);
    if (status == HF_OK) status = check_places(part, molecule, error);
    if (status == HF_OK) status = check_orbitals(part, error);
    self->n_part++;
    return status;
}

/** Joins functions and columns of all fragments. */
static hf_status make_orbitals(struct hf_scf_fragments *self, const struct hf_molecule *molecule,
                               struct hf_error *error)
{
    struct hf_scf_orbitals *orbitals = &self->orbitals;
    hf_status status = hf_basis_join(self->part[0].orbitals->basis, self->part[1].orbitals->basis,
                                     NULL, &self->basis, error);
    for (int i = 2; i < self->n_part && status == HF_OK; i++) {
        struct hf_basis *longer = NULL;
        status = hf_basis_join(self->basis, self->part[i].orbitals->basis, NULL, &longer, error);
        hf_basis_destroy(&self->basis);
        self->basis = longer;
    }
    *orbitals = (struct hf_scf_orbitals){
        .molecule = molecule, .basis = self->basis, .n_spin = 1, .read = read_rows, .data = self};
    for (int i = 0; i < self->n_part; i++) {
        const struct part *part = &self->part[i];
        if (part->orbitals->n_spin > 1) orbitals->n_spin = 2;
        orbitals->n_column[0] += part->n_electron.alpha;
        orbitals->n_column[1] += part->n_electron.beta;
    }
    for (int i = 0; i < self->n_part; i++) self->part[i].first_single += orbitals->n_column[1];
    return status;
}

hf_status hf_scf_fragments_join(const struct hf_molecule *molecule, int n_fragment,
                                const struct hf_scf_fragment fragment[],
                                struct hf_scf_fragments **fragments, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_scf_fragments *made =
        calloc(1, sizeof *made + (size_t)n_fragment * sizeof *made->part);
    if (made == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %d fragments", n_fragment);
    for (int i = 0; i < n_fragment && status == HF_OK; i++)
        status = add(made, molecule, &fragment[i], error);
    if (status == HF_OK) {
        const struct part *last = &made->part[made->n_part - 1];
        const int n_atom = last->first_atom + last->orbitals->molecule->n_atom;
        if (n_atom < molecule->n_atom)
            status = hf_fail(error, HF_BAD_INPUT, "the fragments have %d atoms, the molecule %d",
                             n_atom, molecule->n_atom);
    }
    if (status == HF_OK) status = check_electrons(made, molecule, error);
    if (status == HF_OK) status = make_orbitals(made, molecule, error);
    if (status != HF_OK) hf_scf_fragments_destroy(&made);
    *fragments = made;
    return status;
}

void hf_scf_fragments_destroy(struct hf_scf_fragments **fragments)
{
    if (fragments == NULL || *fragments == NULL) return;
    hf_basis_destroy(&(*fragments)->basis);
    free(*fragments);
    *fragments = NULL;
}

const struct hf_scf_orbitals *hf_scf_fragments_orbitals(const struct hf_scf_fragments *fragments)
{
    return &fragments->orbitals;
}
