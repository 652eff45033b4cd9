#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenarios/run/cli.h"
#include "scenarios/run/out_dir.h"
#include "tests/unit/cli_run.h"

const char cli_run_scenario[] = "[scenario]\n"
                                "question = Does depth matter?\n"
                                "repetitions = 2\n"
                                "seed = 5\n"
                                "[fabric]\n"
                                "topology = pair\n"
                                "rate = 100Gbps\n"
                                "delay = 1us\n"
                                "loss.rate = 1e-3\n"
                                "[qp]\n"
                                "service = rc\n"
                                "timeout = 8\n"
                                "[workload]\n"
                                "pattern = pair\n"
                                "op = write\n"
                                "size = 4KiB\n"
                                "messages = 200\n"
                                "[sweep]\n"
                                "qp.service = rc;uc\n"
                                "workload.depth = 1;8\n";

void cli_run_begin(struct cli_run *r)
{
    memset(r, 0, sizeof *r);
    snprintf(r->dir, sizeof r->dir, "/tmp/rdmasim-test-XXXXXX");
    if (!mkdtemp(r->dir))
        abort();
}

void cli_run_done(struct cli_run *r) { out_dir_remove(r->dir); }

static void redirect(const char *name, int fd)
{
    int to = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(to, fd);
    close(to);
}

_Noreturn static void child(const struct cli_run *r, const char *words)
{
    char *line = g_strconcat("rdmasim ", words, NULL);
    char **argv = g_strsplit(line, " ", -1);
    if (chdir(r->dir) != 0)
        _exit(99);
    redirect(".stdout", STDOUT_FILENO);
    redirect(".stderr", STDERR_FILENO);
    if (r->no_path)
        g_setenv("PATH", "/nonexistent", TRUE);
    if (r->file_bytes_max) {
        struct rlimit limit = {(rlim_t)r->file_bytes_max, (rlim_t)r->file_bytes_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    int code = cli_main((int)g_strv_length(argv), argv);
    fflush(NULL);
    _exit(code);
}

static void catch (const struct cli_run *r, const char *name, char *out, size_t size)
{
    char *text = cli_run_read(r, name);
    g_strlcpy(out, text, size);
    g_free(text);
}

int cli_run(struct cli_run *r, const char *words)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        child(r, words);
    if (r->interrupt_ms) {
        usleep((useconds_t)r->interrupt_ms * 1000);
        kill(pid, SIGINT);
    }
    waitpid(pid, &status, 0);
    r->code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    catch (r, ".stdout", r->out, sizeof r->out);
    catch (r, ".stderr", r->err, sizeof r->err);
    return r->code;
}

void cli_run_write(const struct cli_run *r, const char *name, const char *text)
{
    char *path = g_build_filename(r->dir, name, NULL), *dir = g_path_get_dirname(path);
    g_mkdir_with_parents(dir, 0777);
    if (!g_file_set_contents(path, text, -1, NULL))
        abort();
    g_free(dir);
    g_free(path);
}

char *cli_run_read(const struct cli_run *r, const char *name)
{
    char *path = g_build_filename(r->dir, name, NULL), *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        text = g_strdup("");
    g_free(path);
    return text;
}

bool cli_run_exists(const struct cli_run *r, const char *name)
{
    char *path = g_build_filename(r->dir, name, NULL);
    bool is_there = access(path, F_OK) == 0;
    g_free(path);
    return is_there;
}
