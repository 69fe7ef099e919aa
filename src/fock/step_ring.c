/* The ring of steps whose blocks are on their way; see distributed_state.h. */
#include "distributed_state.h"

#include <sched.h>
#include <string.h>

const int hf_combination[HF_N_COMBINATION][2] = {{HF_ATOM_A, HF_ATOM_B}, {HF_ATOM_C, HF_ATOM_D},
                                                 {HF_ATOM_A, HF_ATOM_C}, {HF_ATOM_A, HF_ATOM_D},
                                                 {HF_ATOM_B, HF_ATOM_C}, {HF_ATOM_B, HF_ATOM_D}};

/** Pins the density blocks of a step, which requests missing ones. On failure the blocks pinned so far stay in
 *  the step. */
static bool begin_step(const struct hf_basis *basis, struct hf_distributed *data,
                       struct hf_step *step)
{
    memset(step->density, 0, sizeof step->density);
    for (int k = 0; k < step->part.n_ket; k++) {
        int atom[HF_N_ATOM] = {step->part.bra->atom_a, step->part.bra->atom_b};
        hf_strip_atoms(basis, step->part.ket[k].atoms, &atom[HF_ATOM_C], &atom[HF_ATOM_D]);
        for (int c = 0; c < HF_N_COMBINATION; c++) {
            const int i = atom[hf_combination[c][0]], j = atom[hf_combination[c][1]];
            if (!(hf_is_coulomb(c) ? step->coulomb : step->exchange)[k]) continue;
            step->density[k][c] = hf_block_cache_pin(data->density, i, j);
            if (step->density[k][c] == NULL) return false;
        }
    }
    return true;
}

void hf_step_end(struct hf_distributed *data, struct hf_step *step)
{
    for (int k = 0; k < step->part.n_ket; k++) {
        for (int c = 0; c < HF_N_COMBINATION; c++) {
            if (step->density[k][c] != NULL)
                hf_block_cache_unpin(data->density, step->density[k][c]);
            step->density[k][c] = NULL;
        }
    }
}

/** Raises the depth if this step waited for its blocks and the cache has room. Lowers it after many steps that
 *  did not wait, or if the cache has no room: steps under way pin blocks. On shared cores every step waits, so
 *  memory would grow without this limit. */
static void adapt_depth(struct hf_step_ring *ring, bool room, double waited)
{
    enum { CALM = 64 };
    static const double NOTICED_SECONDS = 5e-6;
    if (!room) {
        if (ring->depth > ring->least) ring->depth--;
        ring->n_calm = 0;
    } else if (waited > NOTICED_SECONDS) {
        if (ring->depth < HF_MAX_DEPTH) ring->depth++;
        ring->n_calm = 0;
    } else if (++ring->n_calm == CALM) {
        if (ring->depth > ring->least) ring->depth--;
        ring->n_calm = 0;
    }
}

/** Waits for the turn to call MPI, if MPI allows one thread at a time. */
static void enter_mpi(struct hf_distributed *data)
{
    if (!data->apart) pthread_mutex_lock(&data->in_turn);
}

static void leave_mpi(struct hf_distributed *data)
{
    if (!data->apart) pthread_mutex_unlock(&data->in_turn);
}

/** Requests the blocks of a step and puts it into the ring. The caller holds both locks. */
static hf_status enter_step(struct hf_fock_builder *self, struct hf_step *step,
                            struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    struct hf_step_ring *ring = &data->ring;
    if (!begin_step(self->pairs->basis, data, step)) {
        hf_step_end(data, step);
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for cached blocks");
    }
    ring->step[(ring->first + ring->n++) % HF_MAX_DEPTH] = *step;
    return HF_OK;
}

/** Finds one more step, which the ring counts as coming. The lock is not held during the call of the scheduler,
 *  which may take long, nor during screening. */
static hf_status add_step(struct hf_fock_builder *self, struct hf_worker *worker,
                          struct hf_step_thread *thread, struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    struct hf_step *step = &thread->next;
    enter_mpi(data);
    hf_status status = hf_step_next(self, worker, &thread->source, step, error);
    pthread_mutex_lock(&data->lock);
    data->ring.coming--;
    if (status == HF_OK && step->part.task < 0) thread->source_ended = true;
    if (status == HF_OK && step->part.task >= 0 && !data->ended)
        status = enter_step(self, step, error);
    pthread_mutex_unlock(&data->lock);
    leave_mpi(data);
    return status;
}

/** Whether the blocks of a step have arrived. */
static bool has_blocks(struct hf_distributed *data, const struct hf_step *step)
{
    bool all = true;
    enter_mpi(data);
    pthread_mutex_lock(&data->lock);
    for (int k = 0; all && k < step->part.n_ket; k++)
        for (int c = 0; all && c < HF_N_COMBINATION; c++)
            all = step->density[k][c] == NULL ||
                  hf_block_cache_test(data->density, step->density[k][c]);
    pthread_mutex_unlock(&data->lock);
    hf_onesided_poke(data->onesided);
    leave_mpi(data);
    return all;
}

/** Waits for the blocks of a step; releases the locks, and perhaps the core, between two tests. */
static void wait_for_blocks(struct hf_distributed *data, const struct hf_step *step)
{
    const double start = hf_wall_seconds();
    while (!has_blocks(data, step)) sched_yield();
    const double waited = hf_wall_seconds() - start;
    pthread_mutex_lock(&data->lock);
    hf_block_cache_book_wait(data->density, waited);
    adapt_depth(&data->ring, hf_block_cache_has_room(data->density), waited);
    pthread_mutex_unlock(&data->lock);
}

/** Whether this thread must find one more step. The caller holds the lock. */
static bool wants_step(struct hf_distributed *data, const struct hf_step_thread *thread)
{
    struct hf_step_ring *ring = &data->ring;
    const bool wants =
        !thread->source_ended && !data->ended && ring->n + ring->coming < ring->depth;
    ring->coming += wants;
    return wants;
}

/** Moves the first step of the ring to the thread; false: there is none. The caller holds the lock. */
static bool take_first(struct hf_step_ring *ring, struct hf_step_thread *thread)
{
    if (ring->n == 0) return false;
    thread->step = ring->step[ring->first];
    ring->first = (ring->first + 1) % HF_MAX_DEPTH;
    ring->n--;
    return true;
}

hf_status hf_step_take(struct hf_fock_builder *self, struct hf_worker *worker,
                       struct hf_step_thread *thread, struct hf_error *error)
{
    struct hf_distributed *data = self->data;
    thread->step.part.task = -1;
    thread->step.part.n_ket = 0;
    for (;;) {
        pthread_mutex_lock(&data->lock);
        const bool wants = wants_step(data, thread);
        const bool taken = !wants && take_first(&data->ring, thread);
        const bool ended = thread->source_ended || data->ended;
        pthread_mutex_unlock(&data->lock);
        if (taken) break;
        if (wants) {
            HF_CHECK(add_step(self, worker, thread, error));
        } else if (ended) {
            return HF_OK;
        } else {
            sched_yield(); /* other threads are finding enough steps */
        }
    }
    const double start = hf_wall_seconds();
    wait_for_blocks(data, &thread->step);
    hf_work_trace_wait(worker, &hf_phase_fock_wait_blocks, start);
    return HF_OK;
}

/** Drops steps that were not computed because a thread failed. */
static void drop_steps(struct hf_distributed *data)
{
    struct hf_step_ring *ring = &data->ring;
    for (; ring->n > 0; ring->n--) {
        hf_step_end(data, &ring->step[ring->first]);
        ring->first = (ring->first + 1) % HF_MAX_DEPTH;
    }
}

void hf_steps_give_up(struct hf_distributed *data, struct hf_worker *worker,
                      struct hf_step_thread *thread)
{
    pthread_mutex_lock(&data->lock);
    data->ended = true;
    hf_step_end(data, &thread->step);
    drop_steps(data);
    pthread_mutex_unlock(&data->lock);
    enter_mpi(data);
    hf_work_give_up(worker);
    leave_mpi(data);
}
