#!/bin/sh
# A tool of OMPT that asks for `ompt_callback_dispatch` is told of one chunk only of a loop with
# `schedule(static, 1)`, whatever the number of chunks: libomp computes the bounds of the first one,
# and the compiled code steps to the others by itself. A thread that executes 32 iterations is
# reported with `iterations` = 1. In a team of one thread nothing is dispatched at all, and all
# iterations are one chunk, whatever the program asks for. One would expect an event for each chunk,
# as a dynamic schedule has.
#
# Seen with clang and libomp 22.1.8 (Debian 1:22.1.8-1~deb12u1):
#
#     static,1  2 threads: 2 events with 2 iterations
#     static,1  1 threads: 0 events with 0 iterations
#     dynamic,1 2 threads: 64 events with 64 iterations
#     dynamic,1 1 threads: 1 events with 64 iterations
#
# Needs Debian 12 with apt-get and libc6-dev. Fails if what is seen differs.
set -eu
version=1:22.1.8-1~deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in clang-22 libclang-cpp22 libllvm22 libclang-common-22-dev libomp-22-dev; do
    apt-get download -q -o APT::Sandbox::User=root "$package=$version" >/dev/null
done
for file in *.deb; do dpkg -x "$file" root; done
bin=$folder/root/usr/lib/llvm-22/bin
LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-22/lib
export LD_LIBRARY_PATH

cat >loop.c <<'END'
#include <omp-tools.h>
#include <stdio.h>

static long events, iterations, sum;

static void dispatched(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind,
                       ompt_data_t instance) {
    const ompt_dispatch_chunk_t *chunk = instance.ptr;
    if (kind == ompt_dispatch_ws_loop_chunk) {
        __atomic_add_fetch(&events, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&iterations, (long)chunk->iterations, __ATOMIC_RELAXED);
    }
}

static int initialise(ompt_function_lookup_t find, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)find("ompt_set_callback");
    set(ompt_callback_dispatch, (ompt_callback_t)dispatched);
    return 1;
}

static void finalise(ompt_data_t *data) {}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *library) {
    static ompt_start_tool_result_t tool = {initialise, finalise, {0}};
    return &tool;
}

int main(void) {
#pragma omp parallel for schedule(KIND, 1) reduction(+ : sum)
    for (int i = 0; i < 64; i++)
        sum += i;
    printf("%ld events with %ld iterations\n", events, iterations);
    return sum != 2016;
}
END
"$bin/clang" --version | head -n 1
seen=
for kind in static dynamic; do
    "$bin/clang" -O0 -w -fopenmp -DKIND=$kind -I root/usr/lib/llvm-22/lib/clang/22/include \
        -L root/usr/lib/llvm-22/lib loop.c -o loop
    for threads in 2 1; do
        told=$(OMP_NUM_THREADS=$threads ./loop)
        printf '%-9s %s threads: %s\n' "$kind,1" "$threads" "$told"
        seen="$seen$told;"
    done
done
expected="2 events with 2 iterations;0 events with 0 iterations;"
expected="${expected}64 events with 64 iterations;1 events with 64 iterations;"
test "$seen" = "$expected"
