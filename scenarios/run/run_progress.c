/*
 * The line, the timer that asks for it, and the loop around the engine.
 */
#include "scenarios/run/run_progress.h"

#include "scenarios/run/clock.h"

#define QUIET_S 1.0
#define EVERY_US 250000

/* Set by the timer; the engine takes it for a wish to stop. */
static volatile sig_atomic_t look_up;

static void on_alarm(int signal) { look_up = 1; }

void run_progress_text(double share, double spent_s, tm_ps now, char *out, size_t size)
{
    double left_s = share > 0 ? spent_s * (1 - share) / share : -1;

    out[0] = 0;
    if (spent_s < QUIET_S)
        return;
    int n = snprintf(out, size, "simulated %.6g ms", (double)now / (double)TM_MS);
    if (share >= 0 && n > 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, ", %.0f %%", share * 100);
    if (left_s < 0 || n <= 0 || (size_t)n >= size)
        return;
    if (left_s >= 120)
        snprintf(out + n, size - (size_t)n, ", about %.0f min left", left_s / 60);
    else
        snprintf(out + n, size - (size_t)n, ", about %.0f s left", left_s);
}

static void show(struct ev *ev, double begun_s, double share)
{
    char line[120];

    run_progress_text(share, clock_wall_s() - begun_s, ev_now(ev), line, sizeof line);
    if (line[0])
        fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
}

bool run_progress(struct ev *ev, tm_ps until, const volatile sig_atomic_t *stop, run_share *share,
                  void *self)
{
    struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART}, before;
    double begun_s = clock_wall_s();
    bool whole = false, stopped = false;

    sigaction(SIGALRM, &act, &before);
    clock_alarm_every(EVERY_US);
    while (!whole && !stopped) {
        look_up = 0;
        whole = ev_run(ev, until, &look_up);
        stopped = stop && *stop;
        if (!whole && !stopped)
            show(ev, begun_s, share(self));
    }
    clock_alarm_every(0);
    sigaction(SIGALRM, &before, NULL);
    if (clock_wall_s() - begun_s >= QUIET_S)
        fputs("\r\033[K", stderr);
    return whole;
}
