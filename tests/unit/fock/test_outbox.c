/* An outbox of several threads: every parcel is delivered once, one at a time, in the order of each thread; what is
 * dropped is not sent. */
#include "../mpi_test.h"

#include "../../../src/fock/outbox.h"

#include <stdatomic.h>

enum { N_THREAD = 4, N_PARCEL = 500, N_BATCH = 10, BYTES = 100 };

/** What was delivered, and how. */
struct receiver {
    atomic_int n_inside; /**< deliveries at the same time */
    int n_delivered[N_THREAD], n_dropped, n_wrong;
};

struct message {
    struct hf_parcel parcel;
    struct receiver *to;
    int thread, number;
};

static void deliver(struct hf_parcel *parcel, bool wanted)
{
    struct message *message = parcel->owner;
    struct receiver *to = message->to;
    if (atomic_fetch_add(&to->n_inside, 1) != 0) to->n_wrong++;
    if (!wanted)
        to->n_dropped++;
    else if (message->number != to->n_delivered[message->thread]++)
        to->n_wrong++;
    atomic_fetch_sub(&to->n_inside, 1);
    free(message);
}

static void put(struct hf_outbox *outbox, struct receiver *to, int thread, int number)
{
    struct message *message = malloc(sizeof *message);
    if (message == NULL) abort();
    *message = (struct message){.to = to, .thread = thread, .number = number};
    message->parcel = (struct hf_parcel){.deliver = deliver, .owner = message, .bytes = BYTES};
    hf_outbox_put(outbox, &message->parcel);
}

struct writer {
    struct hf_outbox *outbox;
    struct receiver *to;
    int thread;
};

static void *write_all(void *argument)
{
    const struct writer *writer = argument;
    for (int k = 0; k < N_PARCEL; k++) {
        put(writer->outbox, writer->to, writer->thread, k);
        if (k % N_BATCH == 0) hf_outbox_send(writer->outbox);
    }
    hf_outbox_send(writer->outbox);
    return NULL;
}

/** All threads at once, with or without calls in turn. */
static void run_threads(size_t most_bytes, pthread_mutex_t *in_turn)
{
    struct hf_outbox outbox;
    struct receiver to = {0};
    struct writer writer[N_THREAD];
    pthread_t thread[N_THREAD];
    hf_outbox_init(&outbox);
    outbox.most_bytes = most_bytes;
    outbox.in_turn = in_turn;
    for (int t = 0; t < N_THREAD; t++) {
        writer[t] = (struct writer){.outbox = &outbox, .to = &to, .thread = t};
        assert_int_equal(pthread_create(&thread[t], NULL, write_all, &writer[t]), 0);
    }
    for (int t = 0; t < N_THREAD; t++) pthread_join(thread[t], NULL);
    hf_outbox_send(&outbox);
    assert_null(outbox.first);
    assert_int_equal(outbox.bytes, 0);
    assert_int_equal(to.n_wrong, 0);
    for (int t = 0; t < N_THREAD; t++) assert_int_equal(to.n_delivered[t], N_PARCEL);
    hf_outbox_done(&outbox);
}

TEST(every_parcel_is_delivered_once_and_in_order)
{
    pthread_mutex_t in_turn;
    pthread_mutex_init(&in_turn, NULL);
    run_threads(0, NULL);
    run_threads((size_t)BYTES * N_BATCH * 3, NULL);
    run_threads((size_t)BYTES * N_BATCH * 3, &in_turn);
    pthread_mutex_destroy(&in_turn);
}

TEST(dropped_parcels_are_not_sent)
{
    struct hf_outbox outbox;
    struct receiver to = {0};
    hf_outbox_init(&outbox);
    for (int k = 0; k < 3; k++) put(&outbox, &to, 0, k);
    assert_int_equal(outbox.bytes, 3 * BYTES);
    hf_outbox_drop(&outbox);
    assert_int_equal(to.n_dropped, 3);
    assert_int_equal(to.n_delivered[0], 0);
    assert_int_equal(outbox.bytes, 0);
    hf_outbox_done(&outbox);
}

TEST_MAIN
