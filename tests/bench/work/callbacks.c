// What clang's -fsanitize-coverage calls for blocks, loads and stores: nothing happens.
#include <stdint.h>

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) { (void)guard; }
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) { (void)start, (void)stop; }

#define CALLBACKS(bytes)                                                                            \
    void __sanitizer_cov_load##bytes(const volatile void *address) { (void)address; }               \
    void __sanitizer_cov_store##bytes(const volatile void *address) { (void)address; }

CALLBACKS(1)
CALLBACKS(2)
CALLBACKS(4)
CALLBACKS(8)
CALLBACKS(16)
