/*
 * CHECK: invariants that stay on in release builds.
 *
 * A failed CHECK is a mistake of the program, never of a user's file and never
 * of a peer.  The hook is the only thing the pure layers (sim/base, models/wire,
 * models/transport) ask of the outside; sim/engine/check.c supplies it.
 */
#ifndef SIM_BASE_CHECK_H
#define SIM_BASE_CHECK_H

/* Says what failed and where on stderr, then aborts.  Does not return. */
_Noreturn void sim_check_failed(const char *what, const char *file, int line);

#define CHECK(cond)                                                                               \
    do {                                                                                          \
        if (__builtin_expect(!(cond), 0))                                                         \
            sim_check_failed(#cond, __FILE__, __LINE__);                                          \
    } while (0)

#endif
