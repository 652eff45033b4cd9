/*
 * Write, fsync, rename.  A full disk shows itself at the latest in fflush, fsync or close: each is
 * looked at, because a result file that lost its tail would still parse.
 */
#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/file_whole.h"

static bool complain(const char *path, int why, char *err, uint32_t err_size)
{
    snprintf(err, err_size, "%s: cannot be written: %s", path, strerror(why));
    return false;
}

static void clear(struct file_whole *w)
{
    g_free(w->path);
    g_free(w->part);
    *w = (struct file_whole){0};
}

bool file_whole_open(struct file_whole *w, const char *path, char *err, uint32_t err_size)
{
    struct stat st;
    bool in_place = lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
    w->path = g_strdup(path);
    w->part = in_place ? NULL : g_strconcat(path, ".part", NULL);
    w->out = fopen(in_place ? path : w->part, "w");
    if (w->out)
        return true;
    complain(path, errno, err, err_size);
    clear(w);
    return false;
}

/* A pipe or a terminal cannot be synced (EINVAL); that is no loss. */
static int flush_to_disk(FILE *f)
{
    if (fflush(f) != 0)
        return errno;
    if (ferror(f)) { /* an earlier write failed and its reason is gone: the next fails alike */
        fputc('\n', f);
        return fflush(f) != 0 ? errno : EIO;
    }
    if (fsync(fileno(f)) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
        return errno;
    return 0;
}

bool file_whole_commit(struct file_whole *w, char *err, uint32_t err_size)
{
    int why = flush_to_disk(w->out);
    if (fclose(w->out) != 0 && !why)
        why = errno;
    if (!why && w->part && rename(w->part, w->path) != 0)
        why = errno;
    if (why) {
        complain(w->path, why, err, err_size);
        if (w->part)
            unlink(w->part);
    }
    clear(w);
    return !why;
}

void file_whole_drop(struct file_whole *w)
{
    fclose(w->out);
    if (w->part)
        unlink(w->part);
    clear(w);
}

bool file_whole_put(const char *path, const char *text, char *err, uint32_t err_size)
{
    struct file_whole w;
    if (!file_whole_open(&w, path, err, err_size))
        return false;
    fputs(text, w.out);
    return file_whole_commit(&w, err, err_size);
}
