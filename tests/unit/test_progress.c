/* Nothing is printed when stderr is no terminal; counts are kept all the same. */
#define _GNU_SOURCE /* posix_openpt */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scenarios/run/progress.h"
#include "tests/suite.h"

static void progress_piped_is_silent(void)
{
    struct progress p;
    int ends[2], kept = dup(STDERR_FILENO);
    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    fflush(stderr);
    dup2(ends[1], STDERR_FILENO);
    progress_init(&p, 3, false);
    p.begun_s -= 100; /* as if it had run for long */
    progress_step(&p, false);
    progress_step(&p, true);
    progress_show(&p);
    progress_clear(&p);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(ends[1]);
    char byte;
    CU_ASSERT_EQUAL(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    CU_ASSERT_EQUAL(p.done, 2);
    CU_ASSERT_EQUAL(p.failed, 1);
}

/* A pseudo-terminal: the line appears, with an estimate, and is wiped. */
static void progress_on_a_terminal_shows_an_estimate(void)
{
    struct progress p;
    char text[300] = "", *name;
    int master = posix_openpt(O_RDWR | O_NOCTTY), kept = dup(STDERR_FILENO);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || !(name = ptsname(master)))
        return;
    fflush(stderr);
    FILE *terminal = fopen(name, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(terminal);
    dup2(fileno(terminal), STDERR_FILENO);
    progress_init(&p, 4, false);
    p.begun_s -= 10;
    progress_step(&p, true);
    progress_show(&p);
    progress_clear(&p);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    size_t length = 0;
    ssize_t got;
    fcntl(master, F_SETFL, O_NONBLOCK);
    while ((got = read(master, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    CU_ASSERT_STRING_EQUAL(text, "\r\033[K1 of 4 runs done, 1 failed, about 30 s left\r\033[K");
    fclose(terminal);
    close(master);
}

static const struct test tests[] = {TEST(progress_piped_is_silent),
                                    TEST(progress_on_a_terminal_shows_an_estimate), TESTS_END};
const struct suite suite_progress = {"progress", tests};
