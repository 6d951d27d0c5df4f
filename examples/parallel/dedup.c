// Finds what is twice in a stream, compresses what is new, and sums up what would be written: a
// pipeline like the one in PARSEC (Bienia: Benchmarking modern multiprocessors, 2011).
//
//     dedup [THREADS [KILOBYTES]]
//
// One thread makes up the stream and cuts it where a rolling hash says so, so that what is the same
// is cut alike wherever it stands (Muthitacharoen, Chen, Mazières: A low-bandwidth network file
// system, 2001). THREADS threads look chunks up in a table, THREADS others compress what is new
// there, and the last thread brings chunks into their order again. Between them are queues of
// limited length, each a lock and two conditions. Which of two equal chunks is compressed depends
// on time; what is summed up does not, as it is the first one in the order of the stream.
#include "team.h"

enum {
    WINDOW = 32,
    LEAST_CHUNK = 256,
    MOST_CHUNK = 4096,
    CUT = 1023, // a mask of hashes: chunks of about a kilobyte
    ROOM = 32,
    SLOTS = 1 << 14,
    LOCKS = 64,
    MOST_KILOBYTES = 1 << 20
};

struct chunk {
    size_t number, length;
    const uint8_t *bytes;
    uint64_t hash;
    // What it shares with all chunks that are equal to it.
    struct content *content;
    struct chunk *after;
};

// What is in equal chunks. Chains of a table.
struct content {
    const struct chunk *example;
    size_t compressed;
    struct content *next;
    // Only the last thread looks at it.
    int is_written;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled, drained;
    struct chunk *items[ROOM];
    size_t first, count;
    // Threads that may still put something in.
    int writers;
};

static size_t kilobytes = 512;
static uint8_t *stream;
static struct queue found, fresh, done;
static struct content *table[SLOTS];
static pthread_mutex_t locks[LOCKS];

static void open_queue(struct queue *queue, int writers) {
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->filled, NULL);
    pthread_cond_init(&queue->drained, NULL);
    queue->writers = writers;
}

static void put(struct queue *queue, struct chunk *chunk) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == ROOM)
        pthread_cond_wait(&queue->drained, &queue->lock);
    queue->items[(queue->first + queue->count++) % ROOM] = chunk;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

// The next chunk, or NULL if none comes any more.
static struct chunk *take(struct queue *queue) {
    struct chunk *chunk = NULL;
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0 && queue->writers > 0)
        pthread_cond_wait(&queue->filled, &queue->lock);
    if (queue->count > 0) {
        chunk = queue->items[queue->first];
        queue->first = (queue->first + 1) % ROOM;
        queue->count--;
        pthread_cond_signal(&queue->drained);
    }
    pthread_mutex_unlock(&queue->lock);
    return chunk;
}

static void close_queue(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->writers--;
    pthread_cond_broadcast(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

// Records of bytes that look random; two of three are copies of earlier ones.
static void make_stream(size_t length) {
    for (size_t at = 0, record = 0; at < length; record++) {
        uint64_t origin = record % 3 ? dice(record) % record / 3 * 3 : record;
        size_t size = 2000 + dice(origin) % 10000;
        for (size_t i = 0; i < size && at < length; i++, at++)
            stream[at] = (uint8_t)"abcdefgh"[dice(origin << 20 | i / 3) % 8];
    }
}

// Where the chunk ends that begins here: behind bytes whose rolling hash ends in ones.
static size_t chunk_length(const uint8_t *bytes, size_t left) {
    uint32_t hash = 0, power = 1;
    size_t most = left < MOST_CHUNK ? left : MOST_CHUNK;
    for (int i = 0; i < WINDOW; i++)
        power *= 31;
    for (size_t i = 0; i < most; i++) {
        hash = hash * 31 + bytes[i];
        if (i >= WINDOW)
            hash -= power * bytes[i - WINDOW];
        if (i + 1 >= LEAST_CHUNK && (hash >> 7 & CUT) == CUT)
            return i + 1;
    }
    return most;
}

static void *cut(void *unused) {
    size_t length = kilobytes * 1024;
    make_stream(length);
    for (size_t at = 0, number = 0; at < length; number++) {
        struct chunk *chunk = allocate(1, sizeof *chunk);
        chunk->number = number;
        chunk->bytes = &stream[at];
        chunk->length = chunk_length(&stream[at], length - at);
        at += chunk->length;
        put(&found, chunk);
    }
    close_queue(&found);
    return unused;
}

static int are_equal(const struct chunk *one, const struct chunk *other) {
    return one->hash == other->hash && one->length == other->length &&
           memcmp(one->bytes, other->bytes, one->length) == 0;
}

// Gives a chunk its content; whether it is new in the table.
static int look_up(struct chunk *chunk) {
    size_t slot = chunk->hash % SLOTS;
    pthread_mutex_lock(&locks[slot % LOCKS]);
    struct content *content = table[slot];
    while (content && !are_equal(content->example, chunk))
        content = content->next;
    int is_new = content == NULL;
    if (is_new) {
        content = allocate(1, sizeof *content);
        content->example = chunk;
        content->next = table[slot];
        table[slot] = content;
    }
    chunk->content = content;
    pthread_mutex_unlock(&locks[slot % LOCKS]);
    return is_new;
}

static void *deduplicate(void *unused) {
    for (struct chunk *chunk; (chunk = take(&found));) {
        for (size_t i = 0; i < chunk->length; i++)
            chunk->hash = checksum(chunk->hash, chunk->bytes[i]);
        put(look_up(chunk) ? &fresh : &done, chunk);
    }
    close_queue(&fresh);
    close_queue(&done);
    return unused;
}

// How many bytes a chunk has after a compression by earlier occurrences of three bytes (Ziv,
// Lempel: A universal algorithm for sequential data compression, 1977).
static size_t compressed_length(const uint8_t *bytes, size_t length) {
    uint16_t last[256] = {0};
    size_t out = 0, at = 0;
    while (at + 3 <= length) {
        uint8_t key = (uint8_t)(bytes[at] * 31 + bytes[at + 1] * 7 + bytes[at + 2]);
        size_t before = last[key], same = 0;
        last[key] = (uint16_t)(at + 1);
        while (before > 0 && at + same < length && bytes[before - 1 + same] == bytes[at + same])
            same++;
        at += same >= 3 ? same : 1;
        out += same >= 3 ? 3 : 1;
    }
    return out + length - at;
}

static void *compress(void *unused) {
    for (struct chunk *chunk; (chunk = take(&fresh));) {
        chunk->content->compressed = compressed_length(chunk->bytes, chunk->length);
        put(&done, chunk);
    }
    close_queue(&done);
    return unused;
}

// All chunks in the order of the stream.
static struct chunk *gather(void) {
    struct chunk *all = NULL;
    for (struct chunk *chunk; (chunk = take(&done));) {
        struct chunk **place = &all;
        while (*place && (*place)->number > chunk->number)
            place = &(*place)->after;
        chunk->after = *place;
        *place = chunk;
    }
    struct chunk *ordered = NULL;
    while (all) {
        struct chunk *next = all->after;
        all->after = ordered;
        ordered = all;
        all = next;
    }
    return ordered;
}

static void write_out(struct chunk *all) {
    size_t chunks = 0, contents = 0, bytes = 0;
    uint64_t sum = 0;
    for (struct chunk *chunk = all; chunk; chunk = chunk->after, chunks++) {
        sum = checksum(sum, chunk->hash);
        if (!chunk->content->is_written) {
            chunk->content->is_written = 1;
            contents++;
            bytes += chunk->content->compressed;
            sum = checksum(sum, chunk->content->compressed);
        }
    }
    printf("dedup: %zu KiB, %zu chunks, %zu different, %zu bytes, %016lx\n", kilobytes, chunks,
           contents, bytes, (unsigned long)sum);
}

static void start(pthread_t *id, void *(*stage)(void *)) {
    if (pthread_create(id, NULL, stage, NULL) != 0)
        abort();
}

static void free_all(struct chunk *all) {
    for (size_t slot = 0; slot < SLOTS; slot++)
        while (table[slot]) {
            struct content *next = table[slot]->next;
            free(table[slot]);
            table[slot] = next;
        }
    while (all) {
        struct chunk *next = all->after;
        free(all);
        all = next;
    }
    free(stream);
}

int main(int argc, char **argv) {
    int threads = 2;
    read_arguments(argc, argv, &threads, &kilobytes, MOST_KILOBYTES);
    stream = allocate(kilobytes, 1024);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&locks[i], NULL);
    open_queue(&found, 1);
    open_queue(&fresh, threads);
    open_queue(&done, 2 * threads);
    pthread_t cutter, ids[2][MOST_THREADS];
    start(&cutter, cut);
    for (int i = 0; i < threads; i++) {
        start(&ids[0][i], deduplicate);
        start(&ids[1][i], compress);
    }
    struct chunk *all = gather();
    pthread_join(cutter, NULL);
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[0][i], NULL);
        pthread_join(ids[1][i], NULL);
    }
    write_out(all);
    free_all(all);
    return 0;
}
