/* A window of messages in either direction; see block_traffic.h. */
#include "block_traffic.h"

#include "block_cache.h"
#include "fock/fock.h"
#include "text/json.h"

#include <math.h>
#include <sched.h>

/** Along a row and along a column. */
enum { N_WAY = 2 };

void hf_block_traffic_create(struct hf_context *context, struct hf_block_traffic *traffic)
{
    *traffic = (struct hf_block_traffic){.arena = {.memory = context->memory,
                                                   .kind = HF_MEMORY_MATRIX,
                                                   .label = "blocks between nodes"}};
    MPI_Comm_dup(context->comm, &traffic->comm);
}

void hf_block_traffic_destroy(struct hf_block_traffic *traffic)
{
    MPI_Comm_free(&traffic->comm);
}

/** The messages that this rank sends (out) or receives on the current way. */
static const struct hf_piece_list *list_of(const struct hf_block_traffic *self, bool out)
{
    const struct hf_node_blocks *blocks = self->blocks;
    const struct hf_piece_way *way =
        (self->way == 0) != self->spread ? &blocks->row : &blocks->column;
    return out != self->spread ? &way->out : &way->in;
}

static struct hf_traffic_lane make_lane(struct hf_block_traffic *self, bool out)
{
    const struct hf_piece_way *row = &self->blocks->row, *column = &self->blocks->column;
    const size_t n_row = out != self->spread ? row->out.n : row->in.n;
    const size_t n_column = out != self->spread ? column->out.n : column->in.n;
    const size_t n_most = n_row > n_column ? n_row : n_column;
    const size_t n = n_most < HF_TRAFFIC_WINDOW ? n_most : HF_TRAFFIC_WINDOW;
    struct hf_traffic_lane lane = {.list = list_of(self, out)};
    HF_TAKE(&self->arena, lane.buffer, n * self->most_number);
    for (int k = 0; k < HF_TRAFFIC_WINDOW; k++) lane.request[k] = MPI_REQUEST_NULL;
    return lane;
}

hf_status hf_block_traffic_begin(struct hf_block_traffic *traffic,
                                 const struct hf_node_blocks *blocks, bool spread, int n_plane,
                                 const struct hf_block_traffic_ops *ops, void *self,
                                 struct hf_error *error)
{
    traffic->ops = ops;
    traffic->self = self;
    traffic->blocks = blocks;
    traffic->spread = spread;
    traffic->way = 0;
    traffic->most_number = blocks->most_block + (size_t)n_plane * blocks->most_element;
    traffic->out = make_lane(traffic, true);
    traffic->in = make_lane(traffic, false);
    const hf_status status = hf_arena_check(&traffic->arena, error);
    if (status != HF_OK) hf_block_traffic_end(traffic);
    return status;
}

void hf_block_traffic_end(struct hf_block_traffic *traffic)
{
    hf_arena_done(&traffic->arena);
    traffic->out = traffic->in = (struct hf_traffic_lane){.list = NULL};
}

static const struct hf_piece_message *message_at(const struct hf_block_traffic *self,
                                                 const struct hf_traffic_lane *lane, size_t k)
{
    return &lane->list->message[self->spread ? lane->list->n - 1 - k : k];
}

static double *buffer_at(const struct hf_block_traffic *self, const struct hf_traffic_lane *lane,
                         size_t k)
{
    return lane->buffer + k % HF_TRAFFIC_WINDOW * self->most_number;
}

/** Whether one more message may begin. */
static bool has_room(const struct hf_traffic_lane *lane)
{
    return lane->begun < lane->list->n && lane->begun - lane->done < HF_TRAFFIC_WINDOW;
}

/** Whether the oldest message under way is complete. */
static bool is_next_done(struct hf_traffic_lane *lane)
{
    int done = 0;
    if (lane->done < lane->begun)
        MPI_Test(&lane->request[lane->done % HF_TRAFFIC_WINDOW], &done, MPI_STATUS_IGNORE);
    return done;
}

static void receive(struct hf_block_traffic *self)
{
    struct hf_traffic_lane *in = &self->in;
    for (; has_room(in); in->begun++)
        MPI_Irecv(buffer_at(self, in, in->begun), (int)self->most_number, MPI_DOUBLE,
                  message_at(self, in, in->begun)->peer, self->way, self->comm,
                  &in->request[in->begun % HF_TRAFFIC_WINDOW]);
}

static void send(struct hf_block_traffic *self)
{
    struct hf_traffic_lane *out = &self->out;
    for (; has_room(out); out->begun++) {
        const struct hf_piece_message *message = message_at(self, out, out->begun);
        double *buffer = buffer_at(self, out, out->begun);
        const size_t n = self->ops->pack(self->self, &message->piece, buffer);
        self->bytes_sent += (int64_t)(n * sizeof *buffer);
        MPI_Isend(buffer, (int)n, MPI_DOUBLE, message->peer, self->way, self->comm,
                  &out->request[out->begun % HF_TRAFFIC_WINDOW]);
    }
}

/** Sends and receives the messages of one way. True: all are done. */
static bool progress(struct hf_block_traffic *traffic)
{
    struct hf_traffic_lane *out = &traffic->out, *in = &traffic->in;
    receive(traffic);
    while (is_next_done(out)) out->done++;
    send(traffic);
    for (; is_next_done(in); in->done++) {
        traffic->ops->unpack(traffic->self, &message_at(traffic, in, in->done)->piece,
                             buffer_at(traffic, in, in->done));
    }
    receive(traffic);
    return out->done == out->list->n && in->done == in->list->n;
}

bool hf_block_traffic_progress(struct hf_block_traffic *traffic)
{
    while (traffic->way < N_WAY && progress(traffic)) {
        struct hf_traffic_lane *out = &traffic->out, *in = &traffic->in;
        traffic->way++;
        if (traffic->way == N_WAY) break;
        out->list = list_of(traffic, true);
        in->list = list_of(traffic, false);
        out->begun = out->done = in->begun = in->done = 0;
    }
    return traffic->way == N_WAY;
}

void hf_block_traffic_wait(struct hf_block_traffic *traffic)
{
    while (!hf_block_traffic_progress(traffic)) sched_yield();
}

double hf_block_traffic_bytes(double n_own, int n_group, int n_plane)
{
    const double n_row = ceil((double)n_group / hf_node_blocks_columns(n_group));
    const double piece = fmin(n_own * n_row, HF_PIECE_ELEMENTS * 1.1);
    return 2.0 * HF_TRAFFIC_WINDOW * n_plane * piece * sizeof(double);
}

void hf_fock_put_model(struct hf_json to)
{
    HF_PUT(to, "messages_under_way", HF_TRAFFIC_WINDOW, NULL,
           "messages that a rank sends at a time");
    HF_PUT(to, "least_cache_bytes", HF_LEAST_CACHE_BYTES, "bytes", "smallest cache of blocks");
}
