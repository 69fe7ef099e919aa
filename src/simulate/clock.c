/* Events, threads and shared cores; see clock.h. */
#undef _FORTIFY_SOURCE /* its longjmp refuses to change stacks */
#include "clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum {
    STACK_BYTES = 98304,
    LOOKS_AT_ONCE = 16,   /**< fruitless looks that take no time */
    PAUSES_IN_FULL = 200, /**< before pauses are joined: loops that begin to nap do so before */
    PART_OF_WAITING = 8,  /**< of which joined pauses are one */
};
static const double LOOKS_SECONDS = 1e-6, LONGEST_LOOKS_SECONDS = 20e-6;

struct hf_sim_thread {
    int rank;
    void (*run)(void *data);
    void *data;
    jmp_buf place; /**< where it waits */
    char *stack;
    bool begun, ended, waits, in_mpi;
    uint64_t wake; /**< number of the event that continues it */
    double wake_time;
    double period; /**< of a pause; 0: it waits for something */
    double paused_at;
    double idle_since; /**< negative: it has found something, or computed */
    int n_look, n_pause;
    double work_end;            /**< of its computing, on the node's clock */
    struct hf_sim_thread *next; /**< of the rank */
};

struct event {
    double time;
    uint64_t number;              /**< of equal times the first comes first */
    struct hf_sim_thread *thread; /**< or NULL, and */
    void (*act)(void *data);
    void *data;
};

/** Cores that threads share: a clock that runs slower while there are more threads than cores. */
struct node {
    double work, since; /**< what each of its threads has computed until `since` */
    int n_thread, n_room;
    struct hf_sim_thread **thread;
    double due; /**< when the next one is through */
};

static struct {
    double now;
    uint64_t n_number;
    size_t n_event, n_room;
    struct event *event; /**< a heap */
    struct hf_sim_thread *current;
    struct hf_sim_thread **first; /**< [n_rank] threads of a rank */
    int n_rank, n_alive;
    int n_core, ranks_per_node;
    struct node *node;
    jmp_buf hub;
} sim;

void *hf_sim_memory(size_t n, size_t n_bytes)
{
    void *memory = calloc(n + 1, n_bytes);
    if (memory != NULL) return memory;
    fprintf(stderr, "hf-simulate: out of memory\n");
    exit(3);
}

bool hf_sim_clock_create(int n_rank, int cores_per_node, int ranks_per_node)
{
    sim.now = 0.0;
    sim.n_rank = n_rank;
    sim.n_core = cores_per_node;
    sim.ranks_per_node = ranks_per_node;
    sim.first = calloc((size_t)n_rank, sizeof *sim.first);
    sim.node = calloc((size_t)n_rank / (size_t)ranks_per_node + 1, sizeof *sim.node);
    return sim.first != NULL && sim.node != NULL;
}

static void free_thread(struct hf_sim_thread *thread)
{
    free(thread->stack);
    free(thread);
}

void hf_sim_clock_destroy(void)
{
    for (int r = 0; sim.first != NULL && r < sim.n_rank; r++) {
        while (sim.first[r] != NULL) {
            struct hf_sim_thread *thread = sim.first[r];
            sim.first[r] = thread->next;
            free_thread(thread);
        }
    }
    for (int i = 0; sim.node != NULL && i <= sim.n_rank / sim.ranks_per_node; i++)
        free(sim.node[i].thread);
    free(sim.node);
    free(sim.first);
    free(sim.event);
    sim.node = NULL;
    sim.first = NULL;
    sim.event = NULL;
    sim.n_event = sim.n_room = 0;
    sim.n_alive = 0;
}

/* ---- Events ---- */

static bool before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static uint64_t push(double time, struct hf_sim_thread *thread, void (*act)(void *), void *data)
{
    if (sim.n_event == sim.n_room) {
        sim.n_room = 2 * sim.n_room + 64;
        sim.event = realloc(sim.event, sim.n_room * sizeof *sim.event);
        if (sim.event == NULL) hf_sim_memory(SIZE_MAX - 1, 1);
    }
    const struct event made = {time, ++sim.n_number, thread, act, data};
    size_t k = sim.n_event++;
    for (; k > 0 && before(&made, &sim.event[(k - 1) / 2]); k = (k - 1) / 2)
        sim.event[k] = sim.event[(k - 1) / 2];
    sim.event[k] = made;
    return made.number;
}

static struct event pop(void)
{
    const struct event first = sim.event[0], last = sim.event[--sim.n_event];
    size_t k = 0;
    for (;;) {
        size_t child = 2 * k + 1;
        if (child >= sim.n_event) break;
        if (child + 1 < sim.n_event && before(&sim.event[child + 1], &sim.event[child])) child++;
        if (!before(&sim.event[child], &last)) break;
        sim.event[k] = sim.event[child];
        k = child;
    }
    sim.event[k] = last;
    return first;
}

double hf_sim_now(void)
{
    return sim.now;
}

void hf_sim_at(double time, void (*act)(void *data), void *data)
{
    push(time, NULL, act, data);
}

/* ---- Threads ---- */

static void begin(void)
{
    struct hf_sim_thread *thread = sim.current;
    thread->run(thread->data);
    thread->ended = true;
    sim.n_alive--;
    hf_sim_wake(thread->rank);
    _longjmp(sim.hub, 1);
}

static void enter(struct hf_sim_thread *thread)
{
    static ucontext_t first; /* setcontext copies it */
    if (thread->begun) _longjmp(thread->place, 1);
    thread->begun = true;
    getcontext(&first);
    first.uc_stack.ss_sp = thread->stack;
    first.uc_stack.ss_size = STACK_BYTES;
    first.uc_link = NULL;
    makecontext(&first, begin, 0);
    setcontext(&first);
}

static void resume(struct hf_sim_thread *thread)
{
    sim.current = thread;
    if (_setjmp(sim.hub) == 0) enter(thread);
    if (sim.current->ended) {
        free(sim.current->stack);
        sim.current->stack = NULL;
    }
    sim.current = NULL;
}

int hf_sim_run(void)
{
    while (sim.n_event > 0) {
        const struct event event = pop();
        if (event.thread != NULL && event.thread->wake != event.number) continue;
        sim.now = event.time;
        if (event.thread != NULL)
            resume(event.thread);
        else
            event.act(event.data);
    }
    return sim.n_alive;
}

static void continue_at(struct hf_sim_thread *thread, double time)
{
    thread->wake_time = time;
    thread->wake = push(time, thread, NULL, NULL);
}

static void hand_over(void)
{
    if (_setjmp(sim.current->place) == 0) _longjmp(sim.hub, 1);
}

struct hf_sim_thread *hf_sim_start(int rank, void (*run)(void *data), void *data)
{
    struct hf_sim_thread *made = hf_sim_memory(1, sizeof *made);
    *made = (struct hf_sim_thread){.rank = rank, .run = run, .data = data, .idle_since = -1.0};
    made->stack = malloc(STACK_BYTES);
    if (made->stack == NULL) hf_sim_memory(SIZE_MAX - 1, 1);
    made->next = sim.first[rank];
    sim.first[rank] = made;
    sim.n_alive++;
    continue_at(made, sim.now);
    return made;
}

bool hf_sim_has_ended(const struct hf_sim_thread *thread)
{
    return thread->ended;
}

int hf_sim_rank(void)
{
    return sim.current->rank;
}

void hf_sim_sleep(double seconds)
{
    const double end = sim.now + seconds;
    sim.current->idle_since = -1.0;
    sim.current->n_look = 0;
    if (sim.n_event == 0 || sim.event[0].time > end) {
        sim.now = end;
        return;
    }
    continue_at(sim.current, end);
    hand_over();
}

void hf_sim_block(void)
{
    struct hf_sim_thread *self = sim.current;
    self->wake = 0;
    self->wake_time = INFINITY;
    self->period = 0.0;
    self->waits = true;
    hand_over();
    self->waits = false;
}

void hf_sim_block_in_mpi(void)
{
    struct hf_sim_thread *self = sim.current;
    self->in_mpi = true;
    hf_sim_block();
    self->in_mpi = false;
}

void hf_sim_pause(double period, double longest)
{
    struct hf_sim_thread *self = sim.current;
    if (self->idle_since < 0.0) {
        self->idle_since = sim.now;
        self->n_pause = 0;
    }
    double n = 1.0;
    if (++self->n_pause > PAUSES_IN_FULL)
        n = floor(fmin(longest, (sim.now - self->idle_since) / PART_OF_WAITING) / period);
    self->n_look = 0;
    self->period = period;
    self->paused_at = sim.now;
    self->waits = true;
    continue_at(self, sim.now + fmax(n, 1.0) * period);
    hand_over();
    self->waits = false;
}

void hf_sim_look(bool found)
{
    struct hf_sim_thread *self = sim.current;
    if (found)
        self->idle_since = -1.0;
    else if (++self->n_look >= LOOKS_AT_ONCE)
        hf_sim_pause(LOOKS_SECONDS, LONGEST_LOOKS_SECONDS);
}

void hf_sim_wake(int rank)
{
    for (struct hf_sim_thread *one = sim.first[rank]; one != NULL; one = one->next) {
        if (!one->waits) continue;
        double time = sim.now;
        if (one->period > 0.0)
            time = one->paused_at + ceil((sim.now - one->paused_at) / one->period) * one->period;
        if (time < one->wake_time) continue_at(one, fmax(time, sim.now));
    }
}

bool hf_sim_waits(int rank)
{
    for (const struct hf_sim_thread *one = sim.first[rank]; one != NULL; one = one->next)
        if (one->in_mpi) return true;
    return false;
}

/* ---- Cores ---- */

static void go_on(struct node *node);

/** A thread of the node has computed enough. */
static void finish_work(void *data)
{
    struct node *node = data;
    if (!(sim.now < node->due) && !(sim.now > node->due))
        go_on(node); /* else the threads have changed since */
}

static double rate(const struct node *node)
{
    return node->n_thread <= sim.n_core ? 1.0 : (double)sim.n_core / node->n_thread;
}

/** Brings the node's clock up to now. */
static void advance(struct node *node)
{
    node->work += (sim.now - node->since) * rate(node);
    node->since = sim.now;
}

/** Continues the threads that are through, and waits for the next one. */
static void go_on(struct node *node)
{
    double next = INFINITY;
    int n_left = 0;
    advance(node);
    for (int i = 0; i < node->n_thread; i++) {
        struct hf_sim_thread *one = node->thread[i];
        if (one->work_end <= node->work * (1.0 + 1e-14)) {
            continue_at(one, sim.now);
            continue;
        }
        next = fmin(next, one->work_end);
        node->thread[n_left++] = one;
    }
    node->n_thread = n_left;
    if (n_left == 0) return;
    node->due = sim.now + fmax(0.0, next - node->work) / rate(node);
    hf_sim_at(node->due, finish_work, node);
}

void hf_sim_compute(double seconds)
{
    struct hf_sim_thread *self = sim.current;
    struct node *node = &sim.node[self->rank / sim.ranks_per_node];
    self->idle_since = -1.0;
    self->n_look = 0;
    if (sim.n_core == 0 || !(seconds > 0.0)) {
        hf_sim_sleep(seconds);
        return;
    }
    if (node->n_thread == node->n_room) {
        node->n_room = 2 * node->n_room + 8;
        node->thread = realloc(node->thread, (size_t)node->n_room * sizeof(void *));
        if (node->thread == NULL) hf_sim_memory(SIZE_MAX - 1, 1);
    }
    advance(node);
    self->work_end = node->work + seconds;
    node->thread[node->n_thread++] = self;
    self->waits = false;
    self->wake = 0;
    go_on(node);
    hand_over();
}
