/* The one place that reads a clock: for performance.csv and the progress line, never for results. */
#ifndef RUN_CLOCK_H
#define RUN_CLOCK_H

#include <stdint.h>

double clock_wall_s(void);          /* monotonic */
double clock_user_s(void);          /* user CPU time of this process */
uint64_t clock_peak_rss_bytes(void);
uint64_t clock_memory_bytes(void);  /* physical memory of the machine */
uint64_t clock_rss_bytes(void);     /* resident now; 0 where /proc is not there */

/* SIGALRM every so many microseconds (below a second); 0: no more. */
void clock_alarm_every(long us);

#endif
