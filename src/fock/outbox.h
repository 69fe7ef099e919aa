/* What waits to be sent by a rank whose threads share its messages: a list with a lock of its own, and a lock
 * for whoever sends. A thread puts parcels in while it holds other locks, and sends when it holds none.
 *
 * One thread sends at a time, what the others have put in, too; those go on computing, unless too much waits.
 * So nothing that threads need for computing is locked while a message waits for its receiver. */
#ifndef HF_OUTBOX_H
#define HF_OUTBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/** One thing to be sent; a member of it. */
struct hf_parcel {
    /** Sends it, unless it is not wanted any more, and frees its memory, the parcel with it. */
    void (*deliver)(struct hf_parcel *parcel, bool wanted);
    void *owner; /**< what the parcel is a member of */
    size_t bytes;
    struct hf_parcel *next; /**< the outbox's */
};

struct hf_outbox {
    pthread_mutex_t lock; /**< of the list */
    struct hf_parcel *first, *last;
    size_t bytes;            /**< of all that wait */
    size_t most_bytes;       /**< more than that, and whoever comes to send waits for the turn */
    pthread_mutex_t sending; /**< held while parcels are delivered, one by one */
    /** Held, too, for each parcel, where threads may be in MPI in turn only; NULL: no need. Borrowed. */
    pthread_mutex_t *in_turn;
};

/** An empty outbox. Not collective, as all here. */
void hf_outbox_init(struct hf_outbox *outbox);

/** It must be empty. */
void hf_outbox_done(struct hf_outbox *outbox);

/** Waits for no message. Any thread. */
void hf_outbox_put(struct hf_outbox *outbox, struct hf_parcel *parcel);

/** Whether more waits than most_bytes. Any thread. */
bool hf_outbox_is_full(struct hf_outbox *outbox);

/** Sends what waits, or leaves it to the thread that is sending. Any thread that holds none of the locks that
 *  others compute with. With one thread the outbox is empty afterwards. */
void hf_outbox_send(struct hf_outbox *outbox);

/** Drops what waits, unsent. One thread. */
void hf_outbox_drop(struct hf_outbox *outbox);

#endif
