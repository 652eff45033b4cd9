/*
 * Looking up reference files.
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenarios/run/lookup.h"

/* dir/name if it is a file, else NULL. */
static char *try_folder(const char *dir, const char *name)
{
    char *path = g_build_filename(dir, name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return path;
    g_free(path);
    return NULL;
}

static char *find(const char *name, const char *beside)
{
    const char *list = getenv("RDMASIM_PATH");
    char *found = g_path_is_absolute(name) ? try_folder("/", name) : try_folder(beside, name);
    char **dir = g_strsplit(list ? list : "", ":", -1);
    for (uint32_t i = 0; !found && dir[i]; i++)
        if (*dir[i])
            found = try_folder(dir[i], name);
    g_strfreev(dir);
    return found;
}

struct csv_table *lookup_table(const char *name, const char *beside, char *err, uint32_t err_size)
{
    char *path = find(name, beside);
    struct csv_table *t = NULL;
    if (path)
        t = csv_table_read(path, err, err_size);
    else
        snprintf(err, err_size, "%s: not found beside the scenario (%s) nor in $RDMASIM_PATH", name,
                 beside);
    g_free(path);
    return t;
}
