/*
 * Draws with gnuplot, an external program: started without a shell, in a folder of its own beside
 * the target, from which whole files are moved into place.  A figure that fails leaves what
 * stood there before.
 */
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/file_whole.h"
#include "analysis/plot.h"
#include "analysis/plot_script.h"

#define LOG_FILE "gnuplot.log"

extern char **environ;

struct place {
    char *folder; /* where the figure goes */
    char *name;   /* file name without its ending */
    char *work;   /* folder in which gnuplot runs */
};

static bool say(char *err, uint32_t err_size, const char *what, const char *path, const char *why)
{
    snprintf(err, err_size, "%s%s%s%s%s", path, *path ? ": " : "", what, *why ? ": " : "", why);
    return false;
}

/* First line of what gnuplot complained about. */
static void read_complaint(const struct place *at, char *out, size_t size)
{
    char *path = g_build_filename(at->work, LOG_FILE, NULL), *text = NULL;
    out[0] = 0;
    if (g_file_get_contents(path, &text, NULL, NULL)) {
        char **line = g_strsplit(text, "\n", -1);
        for (uint32_t i = 0; line[i] && !out[0]; i++)
            if (strstr(line[i], "line ") || strstr(line[i], "rror"))
                snprintf(out, size, "%s", g_strstrip(line[i]));
        g_strfreev(line);
    }
    g_free(text);
    g_free(path);
}

static int spawn_gnuplot(const struct place *at, char *script_file, pid_t *pid)
{
    static char gnuplot[] = "gnuplot", no_startup[] = "-d";
    char *argv[] = {gnuplot, no_startup, script_file, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, at->work);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, LOG_FILE,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    int why = posix_spawnp(pid, gnuplot, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

static bool run_gnuplot(const struct place *at, char *err, uint32_t err_size)
{
    char *script_file = g_strconcat(at->name, ".gp", NULL);
    char complaint[300];
    pid_t pid;
    int status = 0;
    int why = spawn_gnuplot(at, script_file, &pid);
    g_free(script_file);
    if (why == ENOENT)
        return say(err, err_size,
                   "gnuplot is not installed (Debian: gnuplot-nox); the results are kept "
                   "and `rdmasim plot` draws them later",
                   "", "");
    if (why)
        return say(err, err_size, "gnuplot cannot be started", "", strerror(why));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    read_complaint(at, complaint, sizeof complaint);
    return say(err, err_size, "gnuplot failed", at->name, complaint);
}

/* ---- files -------------------------------------------------------------------------------------- */

static char *file_in(const char *folder, const char *name, const char *ending)
{
    return g_strconcat(folder, "/", name, ".", ending, NULL);
}

static bool put_file(const struct place *at, const char *ending, const char *text, char *err,
                     uint32_t err_size)
{
    char *path = file_in(at->work, at->name, ending);
    bool ok = file_whole_put(path, text, err, err_size);
    g_free(path);
    return ok;
}

static bool move_file(const struct place *at, const char *ending, char *err, uint32_t err_size)
{
    char *from = file_in(at->work, at->name, ending), *to = file_in(at->folder, at->name, ending);
    bool ok =
        g_rename(from, to) == 0 || say(err, err_size, "cannot be written", to, strerror(errno));
    g_free(from);
    g_free(to);
    return ok;
}

/*
 * Cairo stamps a PDF with the time of day.  The stamp is overwritten with blanks of the same length, so
 * that the offsets inside the file stay right.
 */
static bool unstamp_pdf(const struct place *at, char *err, uint32_t err_size)
{
    static const char key[] = "/CreationDate (";
    char *path = file_in(at->work, at->name, "pdf"), *text = NULL;
    gsize len = 0;
    bool ok = g_file_get_contents(path, &text, &len, NULL);
    char *stamp = ok ? memmem(text, len, key, sizeof key - 1) : NULL;
    if (stamp) {
        char *end = memchr(stamp, ')', (size_t)(text + len - stamp));
        if (end)
            memset(stamp, ' ', (size_t)(end + 1 - stamp));
        ok = g_file_set_contents(path, text, (gssize)len, NULL);
    }
    if (!ok)
        say(err, err_size, "cannot be written", path, "");
    g_free(text);
    g_free(path);
    return ok;
}

/* A full disk shows as a file that is empty or not there; gnuplot itself does not look. */
static bool is_drawn(const struct place *at, const char *format, char *err, uint32_t err_size)
{
    char *path = file_in(at->work, at->name, format), *to = file_in(at->folder, at->name, format);
    GStatBuf st;
    bool ok = (g_stat(path, &st) == 0 && st.st_size > 0) ||
              say(err, err_size, "gnuplot wrote nothing there", to, "is the disk full?");
    g_free(path);
    g_free(to);
    return ok && (strcmp(format, "pdf") != 0 || unstamp_pdf(at, err, err_size));
}

static bool move_all(const struct place *at, const char *formats, char *err, uint32_t err_size)
{
    char **format = g_strsplit(formats, ",", -1);
    bool ok = true;
    for (uint32_t i = 0; ok && format[i]; i++)
        ok = is_drawn(at, g_strstrip(format[i]), err, err_size);
    ok = ok && move_file(at, "dat", err, err_size) && move_file(at, "gp", err, err_size);
    for (uint32_t i = 0; ok && format[i]; i++)
        ok = move_file(at, format[i], err, err_size);
    g_strfreev(format);
    return ok;
}

static void remove_work(const struct place *at)
{
    const char *name;
    GDir *dir = g_dir_open(at->work, 0, NULL);
    while (dir && (name = g_dir_read_name(dir))) {
        char *path = g_build_filename(at->work, name, NULL);
        g_unlink(path);
        g_free(path);
    }
    if (dir)
        g_dir_close(dir);
    g_rmdir(at->work);
}

static bool draw_at(const struct place *at, const char *script, const char *data,
                    const char *formats, char *err, uint32_t err_size)
{
    if (g_mkdir(at->work, 0777) != 0 && errno != EEXIST)
        return say(err, err_size, "cannot be made", at->work, strerror(errno));
    bool ok = put_file(at, "dat", data, err, err_size) &&
              put_file(at, "gp", script, err, err_size) && run_gnuplot(at, err, err_size) &&
              move_all(at, formats, err, err_size);
    remove_work(at);
    return ok;
}

bool plot_draw(const struct plot *p, const char *path, const char *formats, char *err,
               uint32_t err_size)
{
    struct place at = {.folder = g_path_get_dirname(path),
                       .name = g_path_get_basename(path),
                       .work = g_strconcat(path, ".part", NULL)};
    char *script, *data;
    bool ok = plot_script_make(p, at.name, formats, &script, &data, err, err_size) &&
              draw_at(&at, script, data, formats, err, err_size);
    g_free(script);
    g_free(data);
    g_free(at.folder);
    g_free(at.name);
    g_free(at.work);
    return ok;
}
