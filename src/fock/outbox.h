/* Parcels that the threads of a rank want to send. The list has its own lock, and sending has another one. A
 * thread may put parcels in while it holds other locks; it sends when it holds none.
 *
 * One thread at a time sends the parcels of all threads. The others compute, unless too many bytes wait. So no
 * lock that threads need for computing is held while a message waits for its receiver. */
#ifndef HF_OUTBOX_H
#define HF_OUTBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/** A parcel to send; it is a member of the struct that is sent. */
struct hf_parcel {
    /** Sends it if `wanted`, and frees its memory and the parcel. */
    void (*deliver)(struct hf_parcel *parcel, bool wanted);
    void *owner; /**< what the parcel is a member of */
    size_t bytes;
    struct hf_parcel *next; /**< the outbox's */
};

struct hf_outbox {
    pthread_mutex_t lock; /**< of the list */
    struct hf_parcel *first, *last;
    size_t bytes;            /**< of all waiting parcels */
    size_t most_bytes;       /**< above this, hf_outbox_send waits for its turn */
    pthread_mutex_t sending; /**< held while parcels are delivered, one by one */
    /** Held for each parcel if MPI allows one thread at a time; NULL otherwise. Borrowed. */
    pthread_mutex_t *in_turn;
};

/** Makes an empty outbox. No function here is collective. */
void hf_outbox_init(struct hf_outbox *outbox);

/** It must be empty. */
void hf_outbox_done(struct hf_outbox *outbox);

/** Waits for no message. Any thread. */
void hf_outbox_put(struct hf_outbox *outbox, struct hf_parcel *parcel);

/** Whether more than most_bytes wait. Any thread. */
bool hf_outbox_is_full(struct hf_outbox *outbox);

/** Sends all parcels, or leaves them to the thread that is sending. The caller must hold no lock that other
 *  threads need. With one thread the outbox is empty afterwards. */
void hf_outbox_send(struct hf_outbox *outbox);

/** Drops all parcels. One thread. */
void hf_outbox_drop(struct hf_outbox *outbox);

#endif
