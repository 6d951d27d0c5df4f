// N bodies that attract each other, where distant groups count as one body (Barnes, Hut: A
// hierarchical O(N log N) force-calculation algorithm, 1986).
//
//     barnes_hut [THREADS [BODIES]]
//
// Space is cut into 64 cubes. Each is the root of a tree of its own, which the next free thread
// builds, by a counter under a lock. The bodies of a cube are put in in their order, so the trees
// are the same in every run. Forces are computed in portions, which threads take from a counter
// too, as some bodies need more time than others.
#include "team.h"

#include <math.h>

enum { STEPS = 4, CUBES = 64, CUBES_A_SIDE = 4, PORTION = 16, MOST_BODIES = 1000000, DEEPEST = 40 };

struct body {
    double place[3], speed[3], force[3], mass;
};

// A cube of space: empty, with one body, or with eight cubes.
struct cell {
    double middle[3], half;
    // Of all bodies in it.
    double mass, centre[3];
    struct body *body;
    struct cell *parts[8];
};

// Cells that a thread hands out; those of a step are given back together.
struct pool {
    struct cell *cells;
    size_t used, size;
};

static const double STEP = 0.005, SOFTENING = 0.02, OPENING = 0.5;

static size_t bodies = 2000;
static struct body *body;
static struct cell root[CUBES];
static struct pool pools[MOST_THREADS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t next_cube, next_body;

// Takes so many from a counter; what it was.
static size_t take(size_t *counter, size_t count) {
    pthread_mutex_lock(&lock);
    size_t taken = *counter;
    *counter += count;
    pthread_mutex_unlock(&lock);
    return taken;
}

static void place_body(size_t i) {
    // A dense ball and a thin rest.
    double squeezed = i % 2 ? 0.2 : 1;
    for (size_t d = 0; d < 3; d++) {
        body[i].place[d] = 0.5 + squeezed * (fraction(8 * i + d) - 0.5);
        body[i].speed[d] = 0.1 * (fraction(8 * i + 3 + d) - 0.5);
    }
    body[i].mass = (0.5 + fraction(8 * i + 6)) / (double)bodies;
}

static struct cell *new_cell(struct pool *pool, const struct cell *parent, unsigned part) {
    if (pool->used == pool->size) {
        fputs("the bodies are too close to each other\n", stderr);
        exit(1);
    }
    struct cell *cell = &pool->cells[pool->used++];
    *cell = (struct cell){.half = parent->half / 2};
    for (unsigned d = 0; d < 3; d++)
        cell->middle[d] = parent->middle[d] + (part >> d & 1 ? cell->half : -cell->half);
    return cell;
}

static unsigned part_of(const struct cell *cell, const struct body *one) {
    unsigned part = 0;
    for (unsigned d = 0; d < 3; d++)
        part |= (unsigned)(one->place[d] >= cell->middle[d]) << d;
    return part;
}

static int has_parts(const struct cell *cell) {
    for (int part = 0; part < 8; part++)
        if (cell->parts[part])
            return 1;
    return 0;
}

static void insert(struct pool *pool, struct cell *cell, struct body *one) {
    for (int depth = 0; depth < DEEPEST; depth++) {
        int is_inner = has_parts(cell);
        if (!is_inner && !cell->body) {
            cell->body = one;
            return;
        }
        if (!is_inner) {
            // Two bodies do not stay in one cell.
            unsigned part = part_of(cell, cell->body);
            cell->parts[part] = new_cell(pool, cell, part);
            cell->parts[part]->body = cell->body;
            cell->body = NULL;
        }
        unsigned part = part_of(cell, one);
        if (!cell->parts[part])
            cell->parts[part] = new_cell(pool, cell, part);
        cell = cell->parts[part];
    }
    fputs("two bodies are at one place\n", stderr);
    exit(1);
}

static void weigh(struct cell *cell) {
    cell->mass = cell->body ? cell->body->mass : 0;
    for (int d = 0; d < 3; d++)
        cell->centre[d] = cell->body ? cell->body->mass * cell->body->place[d] : 0;
    for (int i = 0; i < 8; i++) {
        struct cell *part = cell->parts[i];
        if (!part)
            continue;
        weigh(part);
        cell->mass += part->mass;
        for (int d = 0; d < 3; d++)
            cell->centre[d] += part->mass * part->centre[d];
    }
    for (int d = 0; d < 3 && cell->mass > 0; d++)
        cell->centre[d] /= cell->mass;
}

// Which of the 64 cubes a place is in. Those at the border reach as far as there are bodies.
static size_t cube_of(const double *place) {
    size_t cube = 0;
    for (int d = 0; d < 3; d++) {
        double at = floor(place[d] * CUBES_A_SIDE);
        cube = cube * CUBES_A_SIDE + (size_t)fmin(fmax(at, 0), CUBES_A_SIDE - 1);
    }
    return cube;
}

static void build(struct pool *pool, size_t cube) {
    size_t at[3] = {cube / CUBES_A_SIDE / CUBES_A_SIDE, cube / CUBES_A_SIDE % CUBES_A_SIDE,
                    cube % CUBES_A_SIDE};
    root[cube] = (struct cell){.half = 0.5 / CUBES_A_SIDE};
    for (int d = 0; d < 3; d++)
        root[cube].middle[d] = ((double)at[d] + 0.5) / CUBES_A_SIDE;
    for (size_t i = 0; i < bodies; i++)
        if (cube_of(body[i].place) == cube)
            insert(pool, &root[cube], &body[i]);
    weigh(&root[cube]);
}

static void attract(struct body *one, const struct cell *cell) {
    if (cell->mass == 0 || cell->body == one)
        return;
    double apart[3], squared = SOFTENING * SOFTENING;
    for (int d = 0; d < 3; d++) {
        apart[d] = cell->centre[d] - one->place[d];
        squared += apart[d] * apart[d];
    }
    if (!cell->body && 4 * cell->half * cell->half > OPENING * OPENING * squared) {
        for (int i = 0; i < 8; i++)
            if (cell->parts[i])
                attract(one, cell->parts[i]);
        return;
    }
    double pull = cell->mass / (squared * sqrt(squared));
    for (int d = 0; d < 3; d++)
        one->force[d] += pull * apart[d];
}

static void find_force(struct body *one) {
    memset(one->force, 0, sizeof one->force);
    for (size_t cube = 0; cube < CUBES; cube++)
        attract(one, &root[cube]);
}

static void move(struct body *one) {
    for (int d = 0; d < 3; d++) {
        one->speed[d] += one->force[d] * STEP;
        one->place[d] += one->speed[d] * STEP;
    }
}

static void simulate(int thread, int threads) {
    size_t from = share_begin(bodies, thread, threads);
    size_t to = share_begin(bodies, thread + 1, threads);
    struct pool *pool = &pools[thread];
    for (size_t i = from; i < to; i++)
        place_body(i);
    for (int step = 0; step < STEPS; step++) {
        pool->used = 0;
        if (thread == 0)
            next_body = 0;
        team_barrier();
        for (size_t cube; (cube = take(&next_cube, 1)) < CUBES;)
            build(pool, cube);
        team_barrier();
        if (thread == 0)
            next_cube = 0;
        for (size_t i; (i = take(&next_body, PORTION)) < bodies;)
            for (size_t end = i + PORTION; i < end && i < bodies; i++)
                find_force(&body[i]);
        team_barrier();
        for (size_t i = from; i < to; i++)
            move(&body[i]);
    }
}

int main(int argc, char **argv) {
    int threads = 2;
    read_arguments(argc, argv, &threads, &bodies, MOST_BODIES);
    body = allocate(bodies, sizeof *body);
    for (int i = 0; i < threads; i++) {
        // Close pairs make chains of cells.
        pools[i].size = 8 * bodies + 1000;
        pools[i].cells = allocate(pools[i].size, sizeof *pools[i].cells);
    }
    team_run(simulate, threads);
    uint64_t sum = 0;
    for (size_t i = 0; i < bodies; i++)
        for (int d = 0; d < 3; d++)
            sum = checksum(checksum(sum, bits_of(body[i].place[d])), bits_of(body[i].speed[d]));
    printf("barnes_hut: %zu bodies, %d steps, %016lx\n", bodies, STEPS, (unsigned long)sum);
    for (int i = 0; i < threads; i++)
        free(pools[i].cells);
    free(body);
    return 0;
}
