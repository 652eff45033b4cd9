/*
 * One line on stderr, rewritten in place.  It appears after a second: quick things stay quiet.
 */
#include <stdio.h>
#include <unistd.h>

#include "scenarios/run/clock.h"
#include "scenarios/run/progress.h"

#define QUIET_S 1.0
#define EVERY_S 0.2

void progress_init(struct progress *p, uint32_t total, bool silent)
{
    *p = (struct progress){.total = total, .begun_s = clock_wall_s()};
    p->on = !silent && isatty(STDERR_FILENO);
}

void progress_step(struct progress *p, bool failed)
{
    p->done++;
    p->failed += failed;
}

static void print_line(const struct progress *p, double spent_s)
{
    fprintf(stderr, "\r\033[K%u of %u runs done", p->done, p->total);
    if (p->failed)
        fprintf(stderr, ", %u failed", p->failed);
    if (p->done > 0 && p->done < p->total) {
        double left_s = spent_s / p->done * (p->total - p->done);
        if (left_s >= 120)
            fprintf(stderr, ", about %.0f min left", left_s / 60);
        else
            fprintf(stderr, ", about %.0f s left", left_s);
    }
    fflush(stderr);
}

void progress_show(struct progress *p)
{
    double now_s = clock_wall_s();
    if (!p->on || now_s - p->begun_s < QUIET_S || now_s - p->shown_s < EVERY_S)
        return;
    print_line(p, now_s - p->begun_s);
    p->shown_s = now_s;
    p->line_open = true;
}

void progress_clear(struct progress *p)
{
    if (p->line_open)
        fputs("\r\033[K", stderr);
    p->line_open = false;
}
