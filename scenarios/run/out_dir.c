/*
 * Folders and manifests.
 */
#define _GNU_SOURCE /* nftw */
#include <errno.h>
#include <ftw.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
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

int out_dir_open(const char *dir, const char *stem, char *err, uint32_t err_size)
{
    char *manifest = g_build_filename(dir, "manifest.ini", NULL);
    char *other = manifest_stem(manifest);
    int exit_code = 0;
    if (other && strcmp(other, stem) != 0) {
        snprintf(err, err_size,
                 "%s: holds the results of scenario %s; choose another folder with --out, or "
                 "remove this one", dir, other);
        exit_code = 2;
    } else if (g_mkdir_with_parents(dir, 0777) != 0) {
        snprintf(err, err_size, "%s: the folder cannot be made: %s", dir, strerror(errno));
        exit_code = 3;
    } else if (access(dir, W_OK | X_OK) != 0) {
        snprintf(err, err_size, "%s: the folder cannot be written to: %s", dir, strerror(errno));
        exit_code = 3;
    }
    g_free(other);
    g_free(manifest);
    return exit_code;
}

static bool is_fixed(const char *name, const struct sc_override *ov, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(ov[i].name, name) == 0)
            return true;
    return false;
}

/* "k1,k2" with every key fixed. */
static bool all_fixed(const char *keys, const struct sc_override *ov, uint32_t n)
{
    char **key = g_strsplit(keys, ",", -1);
    bool fixed = true;
    for (uint32_t i = 0; key[i]; i++)
        fixed = is_fixed(g_strstrip(key[i]), ov, n) && fixed;
    g_strfreev(key);
    return fixed;
}

static void write_sweep(FILE *out, const struct sc_file *f, const struct sc_override *ov, uint32_t n)
{
    const struct sc_line *line;
    uint32_t lines = sc_lines(f, "sweep", &line);
    bool begun = false;
    for (uint32_t i = 0; i < lines; i++) {
        if (all_fixed(line[i].key, ov, n))
            continue;
        fprintf(out, "%s%s = %s\n", begun ? "" : "\n[sweep]\n", line[i].key, line[i].value);
        begun = true;
    }
}

char *manifest_text(const struct sc_file *f, const struct sc_override *ov, uint32_t n, const char *stem,
                    bool with_sweep)
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
