/* A list of parcels, sent by one thread at a time; see outbox.h. */
#include "outbox.h"

void hf_outbox_init(struct hf_outbox *outbox)
{
    *outbox = (struct hf_outbox){0};
    pthread_mutex_init(&outbox->lock, NULL);
    pthread_mutex_init(&outbox->sending, NULL);
}

void hf_outbox_done(struct hf_outbox *outbox)
{
    pthread_mutex_destroy(&outbox->sending);
    pthread_mutex_destroy(&outbox->lock);
}

void hf_outbox_put(struct hf_outbox *outbox, struct hf_parcel *parcel)
{
    parcel->next = NULL;
    pthread_mutex_lock(&outbox->lock);
    if (outbox->last != NULL)
        outbox->last->next = parcel;
    else
        outbox->first = parcel;
    outbox->last = parcel;
    outbox->bytes += parcel->bytes;
    pthread_mutex_unlock(&outbox->lock);
}

/** The parcel that has waited longest; NULL: there is none. */
static struct hf_parcel *take(struct hf_outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    struct hf_parcel *parcel = outbox->first;
    if (parcel != NULL) {
        outbox->first = parcel->next;
        if (parcel->next == NULL) outbox->last = NULL;
        outbox->bytes -= parcel->bytes;
    }
    pthread_mutex_unlock(&outbox->lock);
    return parcel;
}

bool hf_outbox_is_full(struct hf_outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    const bool full = outbox->bytes > outbox->most_bytes;
    pthread_mutex_unlock(&outbox->lock);
    return full;
}

void hf_outbox_send(struct hf_outbox *outbox)
{
    struct hf_parcel *parcel;
    if (pthread_mutex_trylock(&outbox->sending) != 0) {
        if (!hf_outbox_is_full(outbox)) return;
        pthread_mutex_lock(&outbox->sending);
    }
    while ((parcel = take(outbox)) != NULL) {
        if (outbox->in_turn != NULL) pthread_mutex_lock(outbox->in_turn);
        parcel->deliver(parcel, true);
        if (outbox->in_turn != NULL) pthread_mutex_unlock(outbox->in_turn);
    }
    pthread_mutex_unlock(&outbox->sending);
}

void hf_outbox_drop(struct hf_outbox *outbox)
{
    struct hf_parcel *parcel;
    while ((parcel = take(outbox)) != NULL) parcel->deliver(parcel, false);
}
