/* Pieces of blocks on their way between nodes: a few messages under way at a time, so that buffers stay
 * small, and in an order in which nobody waits for ever. Whoever has something else to do calls
 * hf_block_traffic_progress from time to time and waits for the rest later. */
#ifndef HF_BLOCK_TRAFFIC_H
#define HF_BLOCK_TRAFFIC_H

#include "node_blocks.h"

#include <stdbool.h>

/** Messages of either direction that are under way at most. */
enum { HF_TRAFFIC_WINDOW = 4 };

/** What messages are made of and become. */
struct hf_block_traffic_ops {
    /** Writes what a piece carries; the numbers written, at most those of a buffer. */
    size_t (*pack)(void *self, const struct hf_piece *piece, double *buffer);
    /** Takes what pack wrote on another rank. */
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
    struct hf_memory *memory; /**< borrowed */
    MPI_Comm comm;            /**< a duplicate, owned */
    const struct hf_block_traffic_ops *ops;
    void *self;                          /**< of ops */
    const struct hf_node_blocks *blocks; /**< borrowed */
    bool spread;        /**< densities instead of sums: backwards through the lists */
    int way;            /**< 0 or 1: the first or the second of row and column; 2: all is done */
    size_t most_number; /**< of a message */
    struct hf_traffic_lane out, in;
    int64_t bytes_sent; /**< since it was created */
};

/** Collective. */
void hf_block_traffic_create(struct hf_context *context, struct hf_block_traffic *traffic);

/** Collective. */
void hf_block_traffic_destroy(struct hf_block_traffic *traffic);

/** Gets ready to send sums to owners or, `spread`, from owners to all nodes; a message has no more than
 *  n_plane numbers for each element of a piece, and one for each block. Not collective; HF_NO_RESOURCE. */
hf_status hf_block_traffic_begin(struct hf_block_traffic *traffic,
                                 const struct hf_node_blocks *blocks, bool spread, int n_plane,
                                 const struct hf_block_traffic_ops *ops, void *self,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Does what can be done without waiting. True: all messages went and came. Not collective. */
bool hf_block_traffic_progress(struct hf_block_traffic *traffic);

/** Waits for all. Every rank has to come here, or to progress until that is true. */
void hf_block_traffic_wait(struct hf_block_traffic *traffic);

/** Lets the buffers go; nothing is under way. Not collective. */
void hf_block_traffic_end(struct hf_block_traffic *traffic);

/** Bytes of the buffers, at most, where a rank owns so many elements of a matrix. */
double hf_block_traffic_bytes(double n_own, int n_group, int n_plane);

#endif
