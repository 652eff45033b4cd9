/*
 * Each child has a pipe to the parent: its last words come through it, and its end shows as the end
 * of the pipe, so the parent waits in poll() and needs no SIGCHLD.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenarios/run/pool.h"

#define MESSAGE_MAX 2048 /* under PIPE_BUF: one write, never blocks on an empty pipe */
#define WORKERS_MAX 256
#define TICK_MS 250
#define GRACE_TICKS 20 /* from SIGTERM to SIGKILL */

struct worker {
    pid_t pid;
    uint32_t job;
    size_t length;
    char message[MESSAGE_MAX];
};

struct crew {
    const struct pool *p;
    uint32_t next, busy, stopping_ticks;
    struct worker worker[WORKERS_MAX];
    struct pollfd pipe[WORKERS_MAX]; /* same index */
};

static volatile sig_atomic_t stop_wanted;
static volatile sig_atomic_t
    is_child; /* a child ends when its run looks at the flag, never abruptly */

static void on_signal(int signal_number)
{
    if (stop_wanted && !is_child && signal_number == SIGINT)
        _exit(3);
    stop_wanted = 1;
}

const volatile sig_atomic_t *pool_catch_signals(void)
{
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    return &stop_wanted;
}

_Noreturn static void child(const struct pool *p, uint32_t job, int pipe_end, pid_t parent)
{
    char message[MESSAGE_MAX] = "";
    is_child = 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(POOL_STOPPED);
    enum pool_end end = p->work(p->self, job, message, sizeof message);
    size_t len = strlen(message);
    fflush(NULL);
    if (len > 0 && write(pipe_end, message, len) != (ssize_t)len)
        _exit(POOL_FAILED);
    _exit((int)end);
}

static bool start(struct crew *c, char *err, uint32_t err_size)
{
    int ends[2];
    pid_t parent = getpid(), pid = -1;
    fflush(NULL);
    if (pipe(ends) == 0) {
        pid = fork();
        if (pid == 0)
            child(c->p, c->next, ends[1], parent);
        close(ends[1]);
        if (pid < 0)
            close(ends[0]);
    }
    if (pid < 0) {
        snprintf(err, err_size, "no worker process can be started: %s", strerror(errno));
        return false;
    }
    struct worker *w = &c->worker[c->busy];
    *w = (struct worker){.pid = pid, .job = c->next++};
    c->pipe[c->busy++] = (struct pollfd){.fd = ends[0], .events = POLLIN};
    return true;
}

/* The child's pipe has ended: so has the child, or it will at once. */
static void finish(struct crew *c, uint32_t i)
{
    struct worker *w = &c->worker[i];
    enum pool_end end = POOL_FAILED;
    int status = 0;
    close(c->pipe[i].fd);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= POOL_STOPPED)
        end = (enum pool_end)WEXITSTATUS(status);
    else if (WIFSIGNALED(status) && c->stopping_ticks > 0)
        end = POOL_STOPPED;
    else if (WIFSIGNALED(status))
        snprintf(w->message, sizeof w->message, "the worker process was killed by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (end == POOL_FAILED && !w->message[0])
        snprintf(w->message, sizeof w->message, "the worker process ended with exit code %d",
                 WEXITSTATUS(status));
    c->p->ended(c->p->self, w->job, end, w->message);
    c->busy--;
    c->worker[i] = c->worker[c->busy];
    c->pipe[i] = c->pipe[c->busy];
}

/* Takes what the child wrote; false at the end of the pipe. */
static bool take_words(struct crew *c, uint32_t i)
{
    struct worker *w = &c->worker[i];
    char spill[256];
    size_t room = sizeof w->message - 1 - w->length;
    ssize_t got =
        read(c->pipe[i].fd, room ? w->message + w->length : spill, room ? room : sizeof spill);
    if (got > 0 && room)
        w->length += (size_t)got;
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

static void look_at_pipes(struct crew *c)
{
    if (poll(c->pipe, c->busy, TICK_MS) <= 0)
        return;
    for (uint32_t i = c->busy; i-- > 0;)
        if (c->pipe[i].revents && !take_words(c, i))
            finish(c, i);
}

static void pass_on_stop(struct crew *c)
{
    int signal_number = c->stopping_ticks == 0 ? SIGTERM : SIGKILL;
    if (c->stopping_ticks == 0 || c->stopping_ticks >= GRACE_TICKS)
        for (uint32_t i = 0; i < c->busy; i++)
            kill(c->worker[i].pid, signal_number);
    c->stopping_ticks++;
}

static bool stopping(const struct crew *c) { return c->p->stop && *c->p->stop; }

bool pool_run(const struct pool *p, char *err, uint32_t err_size)
{
    struct crew *c = calloc(1, sizeof *c);
    uint32_t most = p->workers < 1 ? 1 : p->workers > WORKERS_MAX ? WORKERS_MAX : p->workers;
    bool ok = c != NULL;
    if (!ok)
        snprintf(err, err_size, "out of memory");
    while (ok) {
        c->p = p;
        while (ok && !stopping(c) && c->next < p->jobs && c->busy < most)
            ok = start(c, err, err_size) || c->busy > 0;
        if (stopping(c))
            pass_on_stop(c);
        if (c->busy == 0)
            break;
        look_at_pipes(c);
        if (p->tick)
            p->tick(p->self);
    }
    free(c);
    return ok;
}
