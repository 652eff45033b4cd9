/*
 * Folders and manifests.
 */
#define _GNU_SOURCE /* nftw */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "scenarios/run/out_dir.h"

#define STEM_LINE "# scenario: "

/* The name in a manifest's first line, NULL if the file is none. */
static char *manifest_stem(const char *path)
{
    char line[300] = "";
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    if (!fgets(line, sizeof line, f))
        line[0] = 0;
    fclose(f);
    if (!g_str_has_prefix(line, STEM_LINE))
        return NULL;
    return g_strdup(g_strchomp(line + strlen(STEM_LINE)));
}

char *scenario_stem(const char *path)
{
    char *stem = manifest_stem(path);
    if (stem)
        return stem;
    stem = g_path_get_basename(path);
    if (g_str_has_suffix(stem, ".ini") && strlen(stem) > 4)
        stem[strlen(stem) - 4] = 0;
    return stem;
}

bool folder_make(const char *dir, char *err, uint32_t err_size)
{
    int why = g_mkdir_with_parents(dir, 0777) != 0 ? errno : 0;
    if (!why && !g_file_test(dir, G_FILE_TEST_IS_DIR))
        why = ENOTDIR;
    if (why)
        snprintf(err, err_size, "%s: the folder cannot be made: %s", dir, strerror(why));
    return !why;
}

int out_dir_open(const char *dir, const char *stem, char *err, uint32_t err_size)
{
    char *manifest = g_build_filename(dir, "manifest.ini", NULL);
    char *other = manifest_stem(manifest);
    int exit_code = 0;
    if (other && strcmp(other, stem) != 0) {
        snprintf(err, err_size,
                 "%s: holds the results of scenario %s; choose another folder with --out, or "
                 "remove this one",
                 dir, other);
        exit_code = 2;
    } else if (!folder_make(dir, err, err_size)) {
        exit_code = 3;
    } else if (access(dir, W_OK | X_OK) != 0) {
        snprintf(err, err_size, "%s: the folder cannot be written to: %s", dir, strerror(errno));
        exit_code = 3;
    }
    g_free(other);
    g_free(manifest);
    return exit_code;
}

bool out_dir_lock(const char *dir, int *lock, char *err, uint32_t err_size)
{
    *lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return true;
    close(*lock);
    *lock = -1;
    snprintf(err, err_size,
             "%s: another rdmasim is writing to this folder; wait for it, or choose another with "
             "--out",
             dir);
    return false;
}

void out_dir_clear_tables(const char *dir)
{
    static const char *const name[] = {
        "summary.csv", "results.csv",     "buckets.csv", "inject.csv", "messages.csv",   "qps.csv",
        "packets.csv", "completions.csv", "ports.csv",   "counters.csv",  "series.csv", "performance.csv",
        "series_ports.csv", "trace.pcap"};
    for (size_t i = 0; i < G_N_ELEMENTS(name); i++) {
        char *path = g_build_filename(dir, name[i], NULL);
        struct stat st;
        if (lstat(path, &st) == 0 && S_ISREG(st.st_mode)) /* a pipe is the reader's own */
            g_unlink(path);
        g_free(path);
    }
}

/* The last value that the overrides give a key, NULL if none does. */
static const char *fixed_value(const char *name, const struct sc_override *ov, uint32_t n)
{
    for (uint32_t i = n; i-- > 0;)
        if (strcmp(ov[i].name, name) == 0)
            return ov[i].value;
    return NULL;
}

/* One step of a sweep line, "a,x": fixed keys take their value.  In place. */
static char *fix_step(const char *step, char *const *key, const struct sc_override *ov, uint32_t n)
{
    char **value = g_strsplit(step, ",", -1);
    for (uint32_t i = 0; key[i] && value[i]; i++) {
        const char *fixed = fixed_value(key[i], ov, n);
        if (!fixed)
            continue;
        g_free(value[i]);
        value[i] = g_strdup(fixed);
    }
    char *fixed_step = g_strjoinv(",", value);
    g_strfreev(value);
    return fixed_step;
}

/* A line of [sweep] with the fixed keys fixed; a line without a free key keeps one step. */
static void write_sweep_line(FILE *out, const struct sc_line *line, const struct sc_override *ov,
                             uint32_t n)
{
    char **key = g_strsplit(line->key, ",", -1);
    uint32_t keys = g_strv_length(key), fixed = 0;
    for (uint32_t i = 0; i < keys; i++)
        fixed += fixed_value(g_strstrip(key[i]), ov, n) != NULL;
    if (fixed == 0)
        fprintf(out, "%s = %s\n", line->key, line->value);
    else if (keys == 1)
        fprintf(out, "%s = %s\n", line->key, fixed_value(key[0], ov, n));
    else {
        char **step = g_strsplit(line->value, ";", fixed == keys ? 2 : -1);
        fprintf(out, "%s = ", line->key);
        for (uint32_t i = 0; step[i] && (i == 0 || fixed < keys); i++) {
            char *text = fix_step(step[i], key, ov, n);
            fprintf(out, "%s%s", i ? "; " : "", g_strstrip(text));
            g_free(text);
        }
        fputc('\n', out);
        g_strfreev(step);
    }
    g_strfreev(key);
}

static void write_sweep(FILE *out, const struct sc_file *f, const struct sc_override *ov,
                        uint32_t n)
{
    const struct sc_line *line;
    uint32_t lines = sc_lines(f, "sweep", &line);
    if (lines)
        fputs("\n[sweep]\n", out);
    for (uint32_t i = 0; i < lines; i++)
        write_sweep_line(out, &line[i], ov, n);
}

char *manifest_text(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                    const char *stem, bool with_sweep)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, STEM_LINE "%s\n", stem);
    bool ok = sc_manifest_write(f, ov, n, out);
    if (with_sweep)
        write_sweep(out, f, ov, n);
    ok = fclose(out) == 0 && ok;
    char *copy = ok ? g_strdup(text) : NULL;
    free(text);
    return copy;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    return remove(path);
}

void out_dir_remove(const char *dir) { nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }
