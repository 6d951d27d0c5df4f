/* Names what a program does, so that its profile says what each part of it counted: see
 * docs/labels.md of pathcc.
 *
 * These functions do nothing, unless the program counts: ld.pathld defines others then, which take
 * their place. They may be called from any thread and from signal handlers, and are of the whole
 * process. No counter is set back: what follows a call is what was counted after it.
 */
#ifndef PATHCC_PROFILE_H
#define PATHCC_PROFILE_H

#ifdef __clang__
#define PATHCC_PROFILE_SKIP __attribute__((annotate("pathcc:skip")))
#else
#define PATHCC_PROFILE_SKIP
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What is counted from here on has this label, at most 500 bytes long. An empty one, or NULL, is
 * none. A path belongs to the label under which it ends, whichever thread executes it. */
__attribute__((weak, visibility("default"))) PATHCC_PROFILE_SKIP void
pathcc_label(const char *name) {
  (void)name;
}

/* The profile has all that was counted until here, as if the program had ended. */
__attribute__((weak, visibility("default"))) PATHCC_PROFILE_SKIP void pathcc_dump(void) {}

/* What was counted since the last change of the label, or since the last call of pathcc_dump or
 * pathcc_reset, is forgotten. */
__attribute__((weak, visibility("default"))) PATHCC_PROFILE_SKIP void pathcc_reset(void) {}

#ifdef __cplusplus
}
#endif

#undef PATHCC_PROFILE_SKIP
#endif
