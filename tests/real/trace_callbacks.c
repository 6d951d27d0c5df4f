// What clang's own coverage calls for each load and store: writes down what is accessed.
//
// Beside each address stand the thread's block and its word from which on the chunk of the trace is
// full, so that what the code of the trace itself does can be told from what the program does.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern __thread uint64_t distance __asm__("__pathcc.trace.distance")
    __attribute__((tls_model("initial-exec"), weak));
extern char block[] __asm__("__pathcc.trace.block") __attribute__((weak));

struct access {
    uint64_t address, size, full, block;
};

static struct access seen[1 << 16];
static unsigned used;
static FILE *file;

static void flush(void) {
    if (!file && getenv("ACCESSES"))
        file = fopen(getenv("ACCESSES"), "w");
    if (file) {
        fwrite(seen, sizeof *seen, used, file);
        fflush(file);
    }
    used = 0;
}

__attribute__((constructor)) static void begin(void) { atexit(flush); }

static void note(const volatile void *address, uint64_t size) {
    if (used == sizeof seen / sizeof *seen)
        flush();
    const uint64_t *words = (const uint64_t *)(block + distance);
    seen[used++] = (struct access){(uint64_t)address, size, words[1], (uint64_t)words};
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) { (void)guard; }
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) { (void)start, (void)stop; }

// Stores have the sizes 101, 102, ...
#define CALLBACKS(bytes)                                                                            \
    void __sanitizer_cov_load##bytes(const volatile void *address) { note(address, bytes); }        \
    void __sanitizer_cov_store##bytes(const volatile void *address) { note(address, 100 + bytes); }

CALLBACKS(1)
CALLBACKS(2)
CALLBACKS(4)
CALLBACKS(8)
CALLBACKS(16)
