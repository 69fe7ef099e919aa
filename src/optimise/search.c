/* The way to the structure of lowest energy: rank 0 makes the steps (optimise/optimise.h), all ranks energies and gradients
 * (surface/surface.h), and the calculation goes along. */
#include "optimise/optimisation.h"

#include "hf/interruption.h"
#include "output/output.h"
#include "surface/surface.h"
#include "vibrations/differences.h"

#include <math.h>
#include <string.h>

/** Times in succession that a step is halved because there is no gradient. */
enum { MOST_RETREATS = 5 };

/* ---- Checkpoints ------------------------------------------------------------------------------------- */

static bool is_wanted(void *data, enum hf_keep_reason reason)
{
    const struct hf_search *self = data;
    return self->base->wanted(self->base->data, reason);
}

/** A hf_scf_keeper.keep: what cannot be added is reported like a checkpoint that cannot be written. */
static hf_status keep(void *data, const struct hf_scf_state *state, enum hf_keep_reason reason,
                      struct hf_error *error)
{
    struct hf_search *self = data;
    struct hf_error why = {0};
    HF_CHECK(self->base->keep(self->base->data, state, reason, error));
    if (self->of->checkpoint == NULL) return HF_OK;
    if (hf_optimisation_keep(self->of, self->found, self->optimiser, &why) != HF_OK)
        hf_report_warning(self->of->report, "%s", why.message);
    return HF_OK;
}

/* ---- Steps -------------------------------------------------------------------------------------- */

/** Rank 0's places to all. */
static void share_places(struct hf_search *self)
{
    const size_t n = (size_t)self->found->n_atom;
    if (self->optimiser != NULL)
        memcpy(self->x, hf_optimiser_position(self->optimiser), n * sizeof *self->x);
    hf_broadcast_bytes(self->context->comm, 0, n * sizeof *self->x, self->x);
}

/** The SCFs are converged so that errors of forces, which are of the order of the commutator, are far below
 *  the threshold; farther away a small part of the last forces is enough. */
static void set_tolerance(const struct hf_search *self)
{
    const struct hf_optimisation *found = self->found;
    const struct hf_options *options = self->of->options;
    const double part = 0.005, most = 1e-4, sharp = 0.005 * found->settings.max_force;
    const double force = found->n_step > 0 ? found->step[found->n_step - 1].step.max_force : 0.0;
    if (hf_options_given(options, "commutator_tolerance") == NULL)
        hf_surface_set_tolerance(self->surface, fmin(fmax(sharp, part * force), most));
}

/** Energy and gradient at self->x. *good: there are; if not, self->reason says why. Collective. */
static hf_status compute(struct hf_search *self, struct hf_surface_point *point, bool *good,
                         struct hf_error *error)
{
    const double(*x)[3] = (const double(*)[3])self->x;
    point->gradient = self->gradient;
    hf_status status = self->of->move(self->of->calculation, x, error);
    if (status != HF_OK) return status;
    status = hf_surface_compute(self->surface, x, point, error);
    *good = status == HF_OK && point->converged;
    if (status == HF_BAD_INPUT)
        snprintf(self->reason, sizeof self->reason, "%.250s", error->message);
    else if (!*good)
        snprintf(self->reason, sizeof self->reason, "%s does not converge", point->unconverged);
    return status == HF_BAD_INPUT ? HF_OK : status;
}

/** Second derivatives where the atoms are, for a saddle point. Collective. */
static hf_status find_hessian(struct hf_search *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    const size_t n = 3 * (size_t)self->found->n_atom;
    const int n_group = hf_options_integer(self->of->options, "groups");
    double *hessian = NULL;
    bool good = false;
    struct hf_surface_point point = {0};
    struct hf_differences points = {0};
    HF_TRY(compute(self, &point, &good, error));
    if (!good)
        status = hf_fail(error, HF_NOT_CONVERGED,
                         "optimise: no gradient before second derivatives: %s", self->reason);
    const struct hf_scf_result here = {.energy = point.energy, .n_removed = point.n_removed};
    struct hf_quantity_source source = *self->of; /* at the places of `compute` */
    source.result = &here;
    if (status == HF_OK) status = hf_differences_create(&source, &points, error);
    HF_TAKE(&points.arena, hessian, n * n);
    if (status == HF_OK) status = hf_arena_check(&points.arena, error);
    HF_TRY(hf_agree(self->context->comm, status, error));
    HF_TRY(hf_differences_compute(&points, self->surface, n_group, NULL, error));
    hf_differences_hessian(&points, hessian);
    if (self->optimiser != NULL)
        status = hf_optimiser_set_hessian(self->optimiser, hessian,
                                          (const double(*)[3])self->gradient, error);
    status = hf_agree(self->context->comm, status, error);
cleanup:
    hf_arena_done(&points.arena);
    return status;
}

/** Notes what was computed, and lets the optimiser make the next step. Collective. */
static hf_status advance(struct hf_search *self, const struct hf_surface_point *point,
                         struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_optimisation *found = self->found;
    HF_CHECK(hf_agree(self->context->comm, hf_optimisation_add(found, error), error));
    struct hf_optimisation_step *it = &found->step[found->n_step - 1];
    it->n_build = point->n_build;
    it->point = self->point;
    it->n_removed = point->n_removed;
    memcpy(it->x, self->x, (size_t)found->n_atom * sizeof *it->x);
    it->gradient = it->x + found->n_atom;
    memcpy(it->gradient, self->gradient, (size_t)found->n_atom * sizeof *it->gradient);
    if (self->optimiser != NULL)
        status = hf_optimiser_advance(self->optimiser, point->energy,
                                      (const double(*)[3])self->gradient, &it->step, error);
    const char *note = self->optimiser != NULL ? it->step.note : "";
    HF_CHECK(hf_agree(self->context->comm, status, error));
    hf_broadcast_bytes(self->context->comm, 0, sizeof it->step, &it->step);
    it->step.note = note; /* a pointer of rank 0 */
    hf_optimisation_print_step(self->quantity);
    if (self->n_computed++ > 0) hf_optimisation_tell_removed(self->quantity);
    if (self->begins) hf_optimisation_begin_tell(self->quantity);
    self->begins = false;
    if (self->context->rank == 0) hf_optimisation_write(self->quantity);
    return HF_OK;
}

/** A step back from where there is no gradient. *can: there was one to make. Collective. */
static void retreat(struct hf_search *self, bool *can)
{
    *can = self->optimiser != NULL && hf_optimiser_retreat(self->optimiser);
    hf_broadcast_bytes(self->context->comm, 0, sizeof *can, can);
    if (*can) hf_report_text(self->of->report, "        no energy there: the step is halved\n");
}

/** Steps of a point until it is found. Collective. */
static hf_status follow(struct hf_search *self, struct hf_error *error)
{
    struct hf_optimisation *found = self->found;
    int n_failed = 0;
    for (int n = 0; n < found->max_step;) {
        struct hf_surface_point point = {0};
        bool good, can = false;
        share_places(self);
        set_tolerance(self);
        hf_interruption_count(self->context->interruption, "step", found->n_step + 1, 0);
        HF_CHECK(compute(self, &point, &good, error));
        if (!good) {
            if (n_failed++ < MOST_RETREATS) retreat(self, &can);
            if (can) continue;
            self->why = self->reason;
            return HF_OK;
        }
        n_failed = 0;
        n++;
        HF_CHECK(advance(self, &point, error));
        const struct hf_optimise_step *last = &found->step[found->n_step - 1].step;
        self->why = last->converged ? ""
                    : last->in_line ? "atoms of a torsion that is held come into line"
                    : last->held    ? "the steps are used up (--max-steps)"
                                    : "a constraint does not hold";
        if (last->converged || last->in_line) return HF_OK;
    }
    return HF_OK;
}

/** Where the point begins: where the calculation is, but where the last structure was found if the last point failed.
 *  Collective. */
static hf_status place_start(struct hf_search *self, struct hf_error *error)
{
    const struct hf_optimisation *found = self->found;
    const struct hf_molecule *molecule = self->of->molecule;
    const double(*x)[3] = hf_optimisation_last_found(found);
    if (x == NULL) x = (const double(*)[3])self->input;
    if (self->why[0] != '\0') HF_CHECK(self->of->move(self->of->calculation, x, error));
    self->why = "";
    for (int i = 0; i < found->n_atom; i++)
        memcpy(self->begun[i], molecule->atom[i].position_bohr, sizeof *self->begun);
    return HF_OK;
}

/** What the constraints did to bonds, on the way to the point or, at its end, in its steps. */
static void look_at_bonds(struct hf_search *self, bool at_end)
{
    const size_t bytes = (size_t)self->found->n_atom * sizeof *self->x;
    hf_optimisation_tell_bonds(self->quantity, self->point, at_end, (const double(*)[3])self->begun,
                               (const double(*)[3])self->x);
    memcpy(self->begun, self->x, bytes);
}

/** The optimiser for a point, which begins where the calculation is, or at `state`. Collective. */
static hf_status begin_point(struct hf_search *self, const double *state, int n,
                             struct hf_error *error)
{
    hf_status status = HF_OK;
    bool goes_on = false;
    struct hf_optimisation *found = self->found;
    hf_optimiser_destroy(&self->optimiser);
    if (found->n_point > 1)
        found->constraint[found->settings.n_constraint - 1].value =
            hf_optimisation_value(found, self->point);
    if (self->context->rank == 0) {
        status = hf_optimiser_create(self->of->molecule, &found->settings, &self->optimiser, error);
        if (status == HF_OK && state != NULL && n == (int)hf_optimiser_state_size(self->optimiser))
            status = hf_optimiser_load(self->optimiser, state, &goes_on, error);
    }
    HF_CHECK(hf_agree(self->context->comm, status, error));
    hf_broadcast_bytes(self->context->comm, 0, sizeof goes_on, &goes_on);
    share_places(self);
    self->begins = !goes_on;
    if (self->begins) look_at_bonds(self, false);
    if (found->settings.saddle && self->begins) HF_CHECK(find_hessian(self, error));
    return HF_OK;
}

/** A point. A scan goes on if it fails. Collective. */
static hf_status follow_point(struct hf_search *self, const double *state, int n,
                              struct hf_error *error)
{
    hf_status status;
    struct hf_optimisation *found = self->found;
    HF_CHECK(place_start(self, error));
    status = begin_point(self, state, n, error);
    if (found->n_point > 1 && status == HF_BAD_INPUT) {
        hf_report_warning(self->of->report, "%s", error->message);
        self->why = "the point could not be begun";
    } else if (found->n_point > 1 && status == HF_NOT_CONVERGED) {
        snprintf(self->reason, sizeof self->reason, "%.250s", error->message);
        self->why = self->reason;
    } else if (status != HF_OK)
        return status;
    status = self->why[0] == '\0' ? follow(self, error) : HF_OK;
    if (status != HF_OK) return status;
    if (self->why[0] == '\0')
        look_at_bonds(self, true);
    else
        hf_optimisation_tell_failure(self->quantity, self->point, self->why);
    return HF_OK;
}

/** The places of the last structure that was computed. */
static void take_last_places(struct hf_search *self)
{
    const struct hf_optimisation *found = self->found;
    if (found->n_step > 0)
        memcpy(self->x, found->step[found->n_step - 1].x, (size_t)found->n_atom * sizeof *self->x);
}

hf_status hf_search_run(struct hf_search *self, bool *all, struct hf_error *error)
{
    struct hf_optimisation *found = self->found;
    double *state = NULL;
    int n = 0;
    HF_CHECK(hf_optimisation_resume(self->of, found, &self->point, &state, &n, error));
    if (self->point < found->n_point)
        hf_optimisation_print_head(self->quantity);
    else if (self->context->rank == 0)
        hf_optimisation_write(self->quantity);
    for (; self->point < found->n_point; self->point++) {
        HF_CHECK(follow_point(self, state, n, error));
        state = NULL;
    }
    *all = hf_optimisation_n_failed(found) == 0;
    found->ended = true;
    take_last_places(self);
    return HF_OK;
}

/** Not collective. */
static hf_status make_room(struct hf_search *self, struct hf_error *error)
{
    const size_t n = (size_t)self->found->n_atom;
    struct hf_arena *arena = &self->found->arena;
    HF_TAKE(arena, self->x, n);
    HF_TAKE(arena, self->gradient, n);
    HF_TAKE(arena, self->input, n);
    HF_TAKE(arena, self->begun, n);
    for (size_t i = 0; i < n && !arena->failed; i++)
        memcpy(self->input[i], self->of->molecule->atom[i].position_bohr, sizeof *self->input);
    return hf_arena_check(arena, error);
}

hf_status hf_search_init(struct hf_search *self, struct hf_quantity *quantity,
                         struct hf_error *error)
{
    *self = (struct hf_search){.quantity = quantity,
                               .of = quantity->of,
                               .found = quantity->self,
                               .context = quantity->of->context,
                               .base = quantity->of->settings->keeper,
                               .why = ""};
    self->keeper = (struct hf_scf_keeper){.wanted = is_wanted, .keep = keep, .data = self};
    HF_CHECK(hf_agree(self->context->comm, make_room(self, error), error));
    HF_CHECK(hf_surface_create(self->of, &self->surface, error));
    if (self->base != NULL) hf_surface_set_keeper(self->surface, &self->keeper);
    return HF_OK;
}

void hf_search_done(struct hf_search *self)
{
    hf_interruption_count(self->context->interruption, NULL, 0, 0);
    hf_surface_destroy(&self->surface);
    hf_optimiser_destroy(&self->optimiser);
}
