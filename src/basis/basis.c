/* Basis sets: from choices of names to the shells of a molecule. */
#include "basis_private.h"

#include <stdio.h>
#include <string.h>

/** What hf_basis_create works with: it turns the chosen basis sets into shells. */
struct maker {
    struct hf_context *context;
    const struct hf_molecule *molecule;
    int n_choice;
    const struct hf_basis_choice *choice;
    enum hf_convention convention;
    int *set_of_choice;  /**< [n_choice] */
    int *choice_of_atom; /**< [n_atom] */
    int n_set;
    struct hf_basis_set *set; /**< [n_set], at most n_choice */
    bool *is_kept;            /**< [n_set] it belongs to context->basis_sets */
    struct hf_arena arena;    /**< owns these arrays */
    struct hf_error *error;
};

/** Puts "where: " before the message of a failure if the choice has a place. */
static hf_status locate(const struct hf_basis_choice *choice, hf_status status,
                        struct hf_error *error)
{
    if (status == HF_OK || choice->where == NULL || error == NULL) return status;
    char message[sizeof error->message];
    memcpy(message, error->message, sizeof message);
    message[sizeof message - 1] = '\0';
    return hf_fail(error, status, "%.200s: %.800s", choice->where, message);
}

static hf_status check_choices(const struct maker *maker)
{
    for (int i = 0; i < maker->n_choice; i++) {
        const struct hf_basis_choice *choice = &maker->choice[i];
        hf_status status = HF_OK;
        if (choice->atom >= maker->molecule->n_atom)
            status = hf_fail(maker->error, HF_BAD_INPUT,
                             "a basis set is chosen for atom %d, but the molecule has %d atoms",
                             choice->atom + 1, maker->molecule->n_atom);
        else if (choice->atom < 0 && choice->atomic_number > HF_N_ELEMENT)
            status =
                hf_fail(maker->error, HF_BAD_INPUT,
                        "a basis set is chosen for the unknown element %d", choice->atomic_number);
        if (status != HF_OK) return locate(choice, status, maker->error);
    }
    return HF_OK;
}

/** Whether all ranks have kept the set of that name; then *set = that set, which stays theirs. Collective. */
static bool find_kept(const struct hf_context *context, const char *name, struct hf_basis_set *set)
{
    const struct hf_basis_set *kept = hf_basis_sets_find(context->basis_sets, name);
    int all = kept != NULL;
    if (context->n_rank > 1) MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, context->comm);
    if (all) *set = *kept;
    return all != 0;
}

/** Reads the set of choice `i`, unless it was kept or an earlier choice has the same name. Collective. */
static hf_status read_set(struct maker *maker, int i)
{
    const struct hf_basis_choice *choice = &maker->choice[i];
    struct hf_context *context = maker->context;
    char path[HF_MAX_PATH] = "";
    struct hf_text text = {0};
    hf_status status = HF_OK;
    for (int earlier = 0; earlier < i; earlier++) {
        if (choice->name == NULL || strcmp(maker->choice[earlier].name, choice->name) != 0)
            continue;
        maker->set_of_choice[i] = maker->set_of_choice[earlier];
        return HF_OK;
    }
    if (choice->text != NULL) {
        HF_TRY(hf_text_from_string(choice->name, choice->text, &text, maker->error));
        HF_TRY(hf_basis_set_parse(&text, &maker->set[maker->n_set], maker->error));
        maker->set_of_choice[i] = maker->n_set++;
        goto cleanup;
    }
    maker->is_kept[maker->n_set] = find_kept(context, choice->name, &maker->set[maker->n_set]);
    if (maker->is_kept[maker->n_set]) {
        maker->set_of_choice[i] = maker->n_set++;
        return HF_OK;
    }
    if (context->rank == 0) status = hf_basis_find(choice->name, path, maker->error);
    HF_TRY(hf_agree(context->comm, status, maker->error));
    HF_TRY(hf_text_read(context, path, &text, maker->error));
    status = hf_basis_set_parse(&text, &maker->set[maker->n_set], maker->error);
    HF_TRY(hf_agree(context->comm, status, maker->error));
    maker->is_kept[maker->n_set] =
        hf_basis_sets_keep(context->basis_sets, choice->name, &maker->set[maker->n_set]);
    maker->set_of_choice[i] = maker->n_set++;
cleanup:
    hf_text_done(&text);
    return locate(choice, status, maker->error);
}

/** Finds the choice of each atom: its own, else the one of its element, else the general one. */
static hf_status choose(struct maker *maker)
{
    int everywhere = -1, of_element[HF_N_ELEMENT + 1];
    for (int z = 0; z <= HF_N_ELEMENT; z++) of_element[z] = -1;
    for (int atom = 0; atom < maker->molecule->n_atom; atom++) maker->choice_of_atom[atom] = -1;
    for (int i = 0; i < maker->n_choice; i++) {
        const struct hf_basis_choice *choice = &maker->choice[i];
        if (choice->atom >= 0)
            maker->choice_of_atom[choice->atom] = i;
        else if (choice->atomic_number > 0)
            of_element[choice->atomic_number] = i;
        else
            everywhere = i;
    }
    for (int atom = 0; atom < maker->molecule->n_atom; atom++) {
        const int z = maker->molecule->atom[atom].atomic_number;
        int *const chosen = &maker->choice_of_atom[atom];
        if (*chosen < 0) *chosen = of_element[z] >= 0 ? of_element[z] : everywhere;
        if (*chosen < 0)
            return hf_fail(maker->error, HF_BAD_INPUT, "no basis set is chosen for atom %d (%s)",
                           atom + 1, hf_element_symbol(z));
    }
    return HF_OK;
}

static const struct hf_basis_set *set_of_atom(const struct maker *maker, int atom)
{
    return &maker->set[maker->set_of_choice[maker->choice_of_atom[atom]]];
}

/** Fails because the element is absent or its core potential is missing; rank 0 lists sets that have the element. */
static hf_status fail_element(const struct maker *maker, const struct hf_basis_set *set,
                              int atomic_number)
{
    const struct hf_set_element *element = &set->element[atomic_number];
    const char *symbol = hf_element_symbol(atomic_number);
    char others[320] = "";
    if (maker->context->rank == 0) hf_basis_sets_with_element(atomic_number, sizeof others, others);
    if (others[0] == '\0') snprintf(others, sizeof others, "none of the library");
    if (element->needs_core_potential && element->core_line == 0)
        return hf_fail(
            maker->error, HF_BAD_INPUT,
            "the basis set %.60s needs an effective core potential for %s (%d core "
            "electrons), which %.200s lacks; sets that have %s: %s (more: Basis Set Exchange, as "
            "gaussian94, --basis FILE)",
            set->name, symbol, element->n_core_electron, set->path, symbol, others);
    return hf_fail(
        maker->error, HF_BAD_INPUT,
        "the basis set %.60s (%.200s) has no functions for %s; sets that have %s: %s (more: "
        "Basis Set Exchange, as gaussian94, --basis FILE)",
        set->name, set->path, symbol, symbol, others);
}

/** Checks that the set has what an atom needs. */
static hf_status check_atom(const struct maker *maker, int atom)
{
    const struct hf_basis_set *set = set_of_atom(maker, atom);
    const int z = maker->molecule->atom[atom].atomic_number;
    const struct hf_set_element *element = &set->element[z];
    if (element->n_shell == 0 || (element->needs_core_potential && element->core_line == 0))
        return fail_element(maker, set, z);
    for (int i = 0; i < element->n_shell; i++) {
        const struct hf_set_shell *shell = &set->shell[element->first_shell + i];
        if (shell->l > HF_MAX_L)
            return hf_fail(maker->error, HF_NO_RESOURCE,
                           "%.300s, line %d: the basis set %.60s has a shell of angular momentum "
                           "%d (%c) for %s; the integral library goes up to %d (%c)",
                           set->path, shell->line, set->name, shell->l, hf_angular_letter(shell->l),
                           hf_element_symbol(z), HF_MAX_L, hf_angular_letter(HF_MAX_L));
    }
    return HF_OK;
}

static hf_status check_atoms(const struct maker *maker)
{
    for (int atom = 0; atom < maker->molecule->n_atom; atom++)
        HF_CHECK(locate(&maker->choice[maker->choice_of_atom[atom]], check_atom(maker, atom),
                        maker->error));
    return HF_OK;
}

static bool is_spherical(const struct maker *maker, const struct hf_basis_set *set, int l)
{
    if (l < 2) return false;
    if (maker->convention == HF_CONVENTION_SPHERICAL) return true;
    if (maker->convention == HF_CONVENTION_CARTESIAN) return false;
    return set->spherical[l];
}

/** Appends the shells of an atom; `basis` has room for them. */
static hf_status add_atom(const struct maker *maker, int atom, struct hf_basis *basis)
{
    const struct hf_basis_set *set = set_of_atom(maker, atom);
    const struct hf_atom *about = &maker->molecule->atom[atom];
    const struct hf_set_element *element = &set->element[about->atomic_number];
    for (int i = 0; i < element->n_shell; i++) {
        const struct hf_set_shell *from = &set->shell[element->first_shell + i];
        struct hf_shell shell = {.l = from->l,
                                 .spherical = is_spherical(maker, set, from->l),
                                 .n_primitive = from->n_primitive,
                                 .exponent = set->exponent + from->first,
                                 .coefficient = set->coefficient + from->first};
        memcpy(shell.centre_bohr, about->position_bohr, sizeof shell.centre_bohr);
        shell.n_function = shell.spherical ? 2 * from->l + 1 : (from->l + 1) * (from->l + 2) / 2;
        double *coefficient = hf_basis_add_shell(&shell, atom, basis);
        if (!hf_shell_normalise(from->l, from->n_primitive, shell.exponent, coefficient))
            return hf_fail(maker->error, HF_BAD_INPUT,
                           "%.300s, line %d: the %c shell of %s cannot be normalised", set->path,
                           from->line, hf_angular_letter(from->l),
                           hf_element_symbol(about->atomic_number));
    }
    basis->first_shell_of_atom[atom + 1] = basis->n_shell;
    return HF_OK;
}

/** Makes a basis with room for all shells of the molecule. */
static hf_status reserve(const struct maker *maker, struct hf_basis **basis)
{
    size_t n_shell = 0, n_primitive = 0;
    const int n_atom = maker->molecule->n_atom;
    for (int atom = 0; atom < n_atom; atom++) {
        const struct hf_basis_set *set = set_of_atom(maker, atom);
        const struct hf_set_element *element =
            &set->element[maker->molecule->atom[atom].atomic_number];
        n_shell += (size_t)element->n_shell;
        for (int i = 0; i < element->n_shell; i++)
            n_primitive += (size_t)set->shell[element->first_shell + i].n_primitive;
    }
    if (n_primitive > (size_t)1 << 28)
        return hf_fail(maker->error, HF_NO_RESOURCE, "the basis of the molecule is too large");
    return hf_basis_reserve(n_atom, n_shell, n_primitive, basis, maker->error);
}

/** Marks the elements of the atoms that use `set`; false: no atom uses it. */
static bool find_users(const struct maker *maker, const struct hf_basis_set *set,
                       bool element[HF_N_ELEMENT + 1])
{
    bool any = false;
    memset(element, 0, (HF_N_ELEMENT + 1) * sizeof *element);
    for (int atom = 0; atom < maker->molecule->n_atom; atom++) {
        if (set_of_atom(maker, atom) != set) continue;
        element[maker->molecule->atom[atom].atomic_number] = true;
        any = true;
    }
    return any;
}

static bool overlap(const bool a[HF_N_ELEMENT + 1], const bool b[HF_N_ELEMENT + 1])
{
    for (int z = 1; z <= HF_N_ELEMENT; z++)
        if (a[z] && b[z]) return true;
    return false;
}

/** Writes the name of the basis, and one line of literature for each citation of the sets and elements used. */
static hf_status describe(const struct maker *maker, struct hf_basis *basis)
{
    size_t length = 0, size = 1;
    const char *name = NULL;
    bool element[HF_N_ELEMENT + 1];
    for (int s = 0; s < maker->n_set; s++) {
        const struct hf_basis_set *set = &maker->set[s];
        if (!find_users(maker, set, element)) continue;
        name = name == NULL || strcmp(name, set->name) == 0 ? set->name : "mixed";
        for (int i = 0; i < set->n_citation; i++)
            size += strlen(set->name) + strlen(set->citation[i].text) + 4;
    }
    if (name == NULL) name = "none";
    struct hf_arena *arena = hf_basis_arena(basis);
    basis->name = hf_copy_string(arena, name);
    HF_TAKE(arena, basis->citation, size);
    HF_CHECK(hf_arena_check(arena, maker->error));
    for (int s = 0; s < maker->n_set; s++) {
        const struct hf_basis_set *set = &maker->set[s];
        if (!find_users(maker, set, element)) continue;
        for (int i = 0; i < set->n_citation; i++) {
            if (!overlap(element, set->citation[i].element)) continue;
            length += (size_t)snprintf(basis->citation + length, size - length, "%s%s: %s",
                                       length > 0 ? "\n" : "", set->name, set->citation[i].text);
        }
    }
    if (length == 0) basis->citation = NULL;
    return HF_OK;
}

/** Adds the core potentials of the real atoms. */
static hf_status add_core_potentials(struct maker *maker, struct hf_basis *basis)
{
    const struct hf_molecule *molecule = maker->molecule;
    int n = 0;
    struct hf_core_potential *potential =
        HF_TAKE(&maker->arena, potential, (size_t)molecule->n_atom);
    HF_CHECK(hf_arena_check(&maker->arena, maker->error));
    for (int atom = 0; atom < molecule->n_atom; atom++) {
        const struct hf_basis_set *set = set_of_atom(maker, atom);
        const struct hf_set_element *element = &set->element[molecule->atom[atom].atomic_number];
        if (element->core_line == 0 || molecule->atom[atom].ghost) continue;
        potential[n++] = (struct hf_core_potential){
            .atom = atom,
            .n_core = element->n_core_electron,
            .max_l = element->core_max_l,
            .n_term = element->n_core_term,
            .term = element->n_core_term > 0 ? set->core_term + element->first_core_term : NULL};
    }
    return hf_basis_set_core_potentials(molecule, n, potential, basis, maker->error);
}

/** Makes the shells from parsed sets. Local. */
static hf_status make_shells(struct maker *maker, struct hf_basis **basis)
{
    HF_CHECK(choose(maker));
    HF_CHECK(check_atoms(maker));
    HF_CHECK(reserve(maker, basis));
    for (int atom = 0; atom < maker->molecule->n_atom; atom++)
        HF_CHECK(locate(&maker->choice[maker->choice_of_atom[atom]], add_atom(maker, atom, *basis),
                        maker->error));
    HF_CHECK(add_core_potentials(maker, *basis));
    return describe(maker, *basis);
}

hf_status hf_basis_create(struct hf_context *context, const struct hf_molecule *molecule,
                          int n_choice, const struct hf_basis_choice choice[],
                          enum hf_convention convention, struct hf_basis **basis,
                          struct hf_error *error)
{
    struct maker maker = {.context = context,
                          .molecule = molecule,
                          .n_choice = n_choice,
                          .choice = choice,
                          .convention = convention,
                          .error = error,
                          .arena = {.label = "the basis"}};
    struct hf_basis *made = NULL;
    HF_TAKE(&maker.arena, maker.set_of_choice, (size_t)n_choice);
    HF_TAKE(&maker.arena, maker.choice_of_atom, (size_t)molecule->n_atom);
    HF_TAKE(&maker.arena, maker.set, (size_t)n_choice);
    HF_TAKE(&maker.arena, maker.is_kept, (size_t)n_choice);
    hf_status status = hf_arena_check(&maker.arena, error);
    if (status == HF_OK) status = check_choices(&maker);
    HF_TRY(hf_agree(context->comm, status, error));
    for (int i = 0; i < n_choice; i++) HF_TRY(read_set(&maker, i));
    HF_TRY(hf_agree(context->comm, make_shells(&maker, &made), error));
    *basis = made;
    made = NULL;
cleanup:
    for (int s = 0; s < maker.n_set; s++)
        if (!maker.is_kept[s]) hf_basis_set_done(&maker.set[s]);
    hf_arena_done(&maker.arena);
    hf_basis_destroy(&made);
    return status;
}
