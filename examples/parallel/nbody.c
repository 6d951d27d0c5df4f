// N bodies that attract each other: the force of each body on each other one, in steps of velocity
// Verlet (Verlet: Computer "experiments" on classical fluids, 1967; Swope et al., 1982).
//
//     nbody [THREADS [BODIES]]
//
// Each thread moves its share of the bodies. Two barriers in each step: nobody may move a body
// while others compute forces.
#include "team.h"

#include <math.h>

enum { STEPS = 8, MOST_BODIES = 100000 };

struct vector {
    double x, y, z;
};

static const double STEP = 0.01, SOFTENING = 0.05;

static size_t bodies = 600;
static struct vector *place, *speed, *force;
static double *mass;

static void place_body(size_t i) {
    place[i] = (struct vector){fraction(7 * i), fraction(7 * i + 1), fraction(7 * i + 2)};
    speed[i] = (struct vector){fraction(7 * i + 3) - 0.5, fraction(7 * i + 4) - 0.5,
                               fraction(7 * i + 5) - 0.5};
    mass[i] = (0.5 + fraction(7 * i + 6)) / (double)bodies;
}

// The acceleration of body i. All others are added in the same order in every run.
static struct vector attraction(size_t i) {
    struct vector sum = {0, 0, 0};
    for (size_t j = 0; j < bodies; j++) {
        if (j == i)
            continue;
        double x = place[j].x - place[i].x, y = place[j].y - place[i].y,
               z = place[j].z - place[i].z;
        double squared = x * x + y * y + z * z + SOFTENING * SOFTENING;
        double pull = mass[j] / (squared * sqrt(squared));
        sum.x += pull * x;
        sum.y += pull * y;
        sum.z += pull * z;
    }
    return sum;
}

static void accelerate(size_t i) {
    speed[i].x += force[i].x * STEP / 2;
    speed[i].y += force[i].y * STEP / 2;
    speed[i].z += force[i].z * STEP / 2;
}

static void move(size_t i) {
    place[i].x += speed[i].x * STEP;
    place[i].y += speed[i].y * STEP;
    place[i].z += speed[i].z * STEP;
}

static void simulate(int thread, int threads) {
    size_t from = share_begin(bodies, thread, threads);
    size_t to = share_begin(bodies, thread + 1, threads);
    for (size_t i = from; i < to; i++)
        place_body(i);
    team_barrier();
    for (size_t i = from; i < to; i++)
        force[i] = attraction(i);
    team_barrier();
    for (int step = 0; step < STEPS; step++) {
        for (size_t i = from; i < to; i++) {
            accelerate(i);
            move(i);
        }
        team_barrier();
        for (size_t i = from; i < to; i++) {
            force[i] = attraction(i);
            accelerate(i);
        }
        team_barrier();
    }
}

int main(int argc, char **argv) {
    int threads = 2;
    read_arguments(argc, argv, &threads, &bodies, MOST_BODIES);
    place = allocate(bodies, sizeof *place);
    speed = allocate(bodies, sizeof *speed);
    force = allocate(bodies, sizeof *force);
    mass = allocate(bodies, sizeof *mass);
    team_run(simulate, threads);
    uint64_t sum = 0;
    for (size_t i = 0; i < bodies; i++)
        sum = checksum(checksum(checksum(sum, bits_of(place[i].x)), bits_of(place[i].y)),
                       bits_of(speed[i].z));
    printf("nbody: %zu bodies, %d steps, %016lx\n", bodies, STEPS, (unsigned long)sum);
    free(place);
    free(speed);
    free(force);
    free(mass);
    return 0;
}
