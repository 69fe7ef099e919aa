/* Transport by communication threads: what the compute thread and the communication thread of a
 * rank share (book section 4.4 and Fig. 8.5).
 *
 *     compute thread of A                      communication thread of B
 *     get          -- GET header -------------->
 *                  <------------- the numbers --    received straight to its place
 *     accumulate   -- ADD header + data ------->  adds
 *
 *     caller computes:
 *                  -- LOCK_GET header --------->  waits for its turn
 *                  <------------- the numbers --
 *     adds         -- PUT_UNLOCK header + data ->  stores, lets the next one in
 *
 * Ranks of a node have their windows in memory that they share, if the node can: gets between them are copies, without
 * messages. Sums always go through the owner.
 *
 * ADD and PUT_UNLOCK are synchronous sends: they complete when B has begun to receive. B holds its mutex from
 * then until the data are in place. So a rank has all that was sent to it when all sends are complete, a
 * barrier is passed and the rank has taken its own mutex. No messages are counted.
 *
 * The compute thread also serves requests, whenever it calls the transport: it has a core, while a
 * communication thread may wait some milliseconds for one when every core computes. The communication thread
 * serves when the compute thread does not. */
#ifndef HF_THREAD_PRIVATE_H
#define HF_THREAD_PRIVATE_H

#include "onesided_private.h"

#include "base/node_memory.h"

#include <pthread.h>
#include <stdatomic.h>

enum hf_thread_tag { HF_TAG_GET = 1, HF_TAG_ADD, HF_TAG_LOCK_GET, HF_TAG_PUT_UNLOCK };

/** Head of every request; elements may follow it. */
struct hf_thread_header {
    int64_t slot; /**< of the window, equal on all ranks */
    int64_t offset, size;
    int64_t reply_tag;
};

/** A rank that waits to lock a window. */
struct hf_lock_waiter {
    struct hf_thread_header header;
    int rank;
    struct hf_lock_waiter *next;
};

struct hf_thread_window {
    int slot;
    struct hf_node_memory *memory; /**< parts of the ranks of the node */
    bool locked;                   /**< by a rank that computes the sum itself */
    struct hf_lock_waiter *first_waiter, *last_waiter;
};

/** A message on its way; the buffer is freed after it has arrived. */
struct hf_thread_send {
    MPI_Request request;
    void *buffer;
    size_t bytes;
};

enum { HF_MOST_SENDS = 32, HF_MOST_REPLIES = 64 };

/** Room for an incoming message; grows as needed. */
struct hf_thread_inbox {
    char *buffer;
    size_t size;
};

struct hf_thread_transport {
    const struct hf_onesided *onesided; /**< borrowed */
    MPI_Comm requests, replies;         /**< duplicates, owned */

    pthread_mutex_t mutex; /**< protects the members below and the memory of the windows */
    pthread_cond_t changed;
    struct hf_window **window; /**< [n_slot]; NULL: free */
    int64_t room;              /**< for slots */
    int n_slot, n_window;
    bool resting; /**< no requests until the next fence or window */
    bool stop;
    /** Replies on their way, sent directly from the windows. */
    MPI_Request reply[HF_MOST_REPLIES];
    int n_reply;

    atomic_bool visited; /**< the compute thread has served since the last check */

    pthread_t thread;
    bool has_thread;

    /* compute threads: of the serving one, of the adding one, of all */
    atomic_bool visiting; /**< one of them serves */
    struct hf_thread_inbox inbox;
    struct hf_thread_send send[HF_MOST_SENDS];
    size_t bytes_sent;    /**< of all messages on their way */
    atomic_uint n_header; /**< headers made so far: gives each reply its tag */
    int last_tag;
};

/** malloc for a message. Without memory it ends the job, since other ranks may be in the middle of a request. */
void *hf_thread_allocate(const struct hf_thread_transport *self, size_t bytes);

/** Receives and serves one request if there is one. For both threads; each has its own inbox. */
bool hf_thread_serve_one(struct hf_thread_transport *self, struct hf_thread_inbox *inbox);

/** Waits until the replies sent so far have gone. The mutex is held. */
void hf_thread_finish_replies(struct hf_thread_transport *self);

/** The communication thread; `argument` is the struct hf_thread_transport. */
void *hf_thread_serve(void *argument);

#endif
