/* Says which part of a program is traced: see docs/traces.md of pathcc.
 *
 * The program records while more parts were begun than ended. The run itself is a part, unless the
 * variable PATHCC_TRACE is `off` or -fpath-trace-from= says where a part begins. An end without a
 * beginning does nothing.
 *
 * These functions do nothing, unless the program is compiled with -fpath-mode=trace: ld.pathld
 * defines others then, which take their place. They may be called from any thread and from signal
 * handlers, and are of the whole process.
 */
#ifndef PATHCC_TRACE_H
#define PATHCC_TRACE_H

#ifdef __clang__
#define PATHCC_TRACE_SKIP __attribute__((annotate("pathcc:skip")))
#else
#define PATHCC_TRACE_SKIP
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A part begins that is traced. */
__attribute__((weak, visibility("default"))) PATHCC_TRACE_SKIP void pathcc_trace_begin(void) {}

/* The part ends. */
__attribute__((weak, visibility("default"))) PATHCC_TRACE_SKIP void pathcc_trace_end(void) {}

#ifdef __cplusplus
}
#endif

#undef PATHCC_TRACE_SKIP
#endif
