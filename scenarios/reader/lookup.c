/*
 * Where profiles, presets and traffic files are found: beside the scenario, in $RDMASIM_PATH, in
 * the tree that the program was built in, in the installed share folder.  The first wins.
 */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/file.h"
#include "scenarios/reader/nearest.h"

#ifndef RDMASIM_SHARE
#define RDMASIM_SHARE "/usr/local/share/rdmasim"
#endif

/* base/folder, and base itself. */
static void add_base(GPtrArray *dirs, const char *base, const char *folder)
{
    g_ptr_array_add(dirs, g_build_filename(base, folder, NULL));
    g_ptr_array_add(dirs, g_strdup(base));
}

static void add_user_path(GPtrArray *dirs, const char *folder)
{
    const char *path = g_getenv("RDMASIM_PATH");
    char **part = g_strsplit(path ? path : "", ":", -1);
    for (char **p = part; *p; p++)
        if (**p)
            add_base(dirs, *p, folder);
    g_strfreev(part);
}

/* The program lies in the tree's root, in its build folder, or in bin beside share. */
static void add_program_dirs(GPtrArray *dirs, const char *folder)
{
    char *exe = g_file_read_link("/proc/self/exe", NULL);
    if (!exe)
        return;
    char *dir = g_path_get_dirname(exe);
    g_ptr_array_add(dirs, g_build_filename(dir, "scenarios", folder, NULL));
    g_ptr_array_add(dirs, g_build_filename(dir, "..", "scenarios", folder, NULL));
    g_ptr_array_add(dirs, g_build_filename(dir, "..", "share", "rdmasim", folder, NULL));
    g_free(dir);
    g_free(exe);
}

static GPtrArray *search_dirs(const struct sc_file *f, const char *folder)
{
    GPtrArray *dirs = g_ptr_array_new_with_free_func(g_free);
    add_base(dirs, f->dir, folder);
    add_user_path(dirs, folder);
    add_program_dirs(dirs, folder);
    g_ptr_array_add(dirs, g_build_filename(RDMASIM_SHARE, folder, NULL));
    return dirs;
}

static char *try_dir(const char *dir, const struct lookup *how, const char *name)
{
    for (const char *const *e = how->endings; *e; e++) {
        char *file = g_strconcat(name, *e, NULL);
        char *path = g_path_is_absolute(file) ? g_strdup(file) : g_build_filename(dir, file, NULL);
        bool is_there = g_file_test(path, G_FILE_TEST_IS_REGULAR);
        g_free(file);
        if (is_there)
            return path;
        g_free(path);
    }
    return NULL;
}

/* The names in a folder that look like `name`; the best of them is copied to *best. */
static void try_names(struct nearest *n, const char *dir, const struct lookup *how, char **best)
{
    GDir *d = g_dir_open(dir, 0, NULL);
    const char *entry;
    while (d && (entry = g_dir_read_name(d))) {
        for (const char *const *e = how->endings; *e; e++) {
            if (!g_str_has_suffix(entry, *e))
                continue;
            char *stem = g_strndup(entry, strlen(entry) - strlen(*e));
            n->best = NULL;
            nearest_try(n, stem);
            if (n->best) {
                g_free(*best);
                *best = g_strdup(stem);
            }
            g_free(stem);
        }
    }
    if (d)
        g_dir_close(d);
}

/* Folders that hold `folder` alone are asked for names: the scenario's own holds anything. */
static void refuse(GPtrArray *dirs, const struct lookup *how, const char *name,
                   struct sc_error *err)
{
    struct nearest n = nearest_to(name);
    char *best = NULL;
    for (guint i = 0; i < dirs->len; i++) {
        const char *dir = g_ptr_array_index(dirs, i);
        if (g_str_has_suffix(dir, how->folder))
            try_names(&n, dir, how, &best);
    }
    sc_fail(err,
            "there is no %s '%s' beside the scenario, in $RDMASIM_PATH or in the folder %s%s%s%s",
            how->noun, name, how->folder, best ? "; did you mean '" : "", best ? best : "",
            best ? "'?" : "");
    g_free(best);
}

char *lookup_find(const struct sc_file *f, const struct lookup *how, const char *name,
                  struct sc_error *err)
{
    GPtrArray *dirs = search_dirs(f, how->folder);
    char *found = NULL;
    for (guint i = 0; i < dirs->len && !found; i++)
        found = try_dir(g_ptr_array_index(dirs, i), how, name);
    if (!found)
        refuse(dirs, how, name, err);
    g_ptr_array_free(dirs, TRUE);
    return found;
}

char *sc_share_folder(const char *folder)
{
    GPtrArray *dirs = g_ptr_array_new_with_free_func(g_free);
    char *found = NULL;
    add_user_path(dirs, folder);
    add_program_dirs(dirs, folder);
    g_ptr_array_add(dirs, g_build_filename(RDMASIM_SHARE, folder, NULL));
    for (guint i = 0; i < dirs->len && !found; i++) {
        const char *end = strrchr(dirs->pdata[i], G_DIR_SEPARATOR);
        /* add_base also gives the base itself, which is not the folder asked for. */
        if (end && strcmp(end + 1, folder) == 0 && g_file_test(dirs->pdata[i], G_FILE_TEST_IS_DIR))
            found = g_strdup(dirs->pdata[i]);
    }
    g_ptr_array_free(dirs, TRUE);
    return found;
}
