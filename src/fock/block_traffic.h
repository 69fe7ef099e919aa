/* Messages with pieces of blocks between nodes. A few are under way at a time, so that buffers stay small.
 * Their order excludes a deadlock. A rank that has other work calls hf_block_traffic_progress now and then
 * and hf_block_traffic_wait at the end. */
#ifndef HF_BLOCK_TRAFFIC_H
#define HF_BLOCK_TRAFFIC_H

#include "node_blocks.h"

#include <stdbool.h>

/** Most messages under way in each direction. */
enum { HF_TRAFFIC_WINDOW = 4 };

/** Writes and reads messages. */
struct hf_block_traffic_ops {
    /** Writes the message of a piece; returns its length in numbers, at most most_number. */
    size_t (*pack)(void *self, const struct hf_piece *piece, double *buffer);
    /** Reads a message that pack wrote on another rank. */
    void (*unpack)(void *self, const struct hf_piece *piece, const double *buffer);
};

/** One direction of messages. */
struct hf_traffic_lane {
    const struct hf_piece_list *list; /**< borrowed */
    size_t begun, done;
    double *buffer; /**< [HF_TRAFFIC_WINDOW][most_number] */
    MPI_Request request[HF_TRAFFIC_WINDOW];
};

struct hf_block_traffic {
    struct hf_arena arena; /**< has the buffers */
    MPI_Comm comm;         /**< a duplicate, owned */
    const struct hf_block_traffic_ops *ops;
    void *self;                          /**< argument of ops */
    const struct hf_node_blocks *blocks; /**< borrowed */
    bool spread;                         /**< densities, not sums: the lists are used backwards */
    int way;            /**< sums: 0 row, 1 column; densities reversed; 2: all is done */
    size_t most_number; /**< numbers in a message */
    struct hf_traffic_lane out, in;
    int64_t bytes_sent; /**< since it was created */
};

/** Collective. */
void hf_block_traffic_create(struct hf_context *context, struct hf_block_traffic *traffic);

/** Collective. */
void hf_block_traffic_destroy(struct hf_block_traffic *traffic);

/** Prepares to send sums to their owners or, if `spread`, densities from owners to all nodes. A message has
 *  at most n_plane numbers for each element of a piece, and one for each block. Not collective;
 *  HF_NO_RESOURCE. */
hf_status hf_block_traffic_begin(struct hf_block_traffic *traffic,
                                 const struct hf_node_blocks *blocks, bool spread, int n_plane,
                                 const struct hf_block_traffic_ops *ops, void *self,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Sends and receives without waiting. True: all messages were sent and received. Not collective. */
bool hf_block_traffic_progress(struct hf_block_traffic *traffic);

/** Waits for all messages. Every rank must call it, or hf_block_traffic_progress until that returns true. */
void hf_block_traffic_wait(struct hf_block_traffic *traffic);

/** Frees the buffers; no message may be under way. Not collective. */
void hf_block_traffic_end(struct hf_block_traffic *traffic);

/** Most bytes of the buffers if a rank owns n_own elements of a matrix. */
double hf_block_traffic_bytes(double n_own, int n_group, int n_plane);

#endif
