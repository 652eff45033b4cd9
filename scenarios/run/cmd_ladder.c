/*
 * `rdmasim ladder`: two ends of a run that was made with --trace.
 */
#include <glib.h>

#include "scenarios/run/cli.h"
#include "scenarios/run/commands.h"
#include "scenarios/run/ladder_out.h"

/* `title` of the manifest, NULL if there is none; g_free. */
static char *title_of(const char *dir)
{
    char *path = g_build_filename(dir, "manifest.ini", NULL), *title = NULL;
    GKeyFile *key = g_key_file_new();

    if (g_key_file_load_from_file(key, path, G_KEY_FILE_NONE, NULL))
        title = g_key_file_get_string(key, "scenario", "title", NULL);
    g_key_file_free(key);
    g_free(path);
    return title;
}

static int ladder_of(const char *dir, const struct ladder_out *o)
{
    char *path = g_build_filename(dir, "packets.csv", NULL), *title = title_of(dir);
    char err[400] = "";
    int code = 2;

    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        fprintf(stderr, "rdmasim ladder: %s: is not there; rdmasim run --trace writes it\n", path);
    else {
        struct talk *t = talk_from_trace(path, err, sizeof err);
        if (t)
            code = ladder_out(o, "ladder", t, title);
        else
            fprintf(stderr, "rdmasim ladder: %s\n", err);
        talk_free(t);
    }
    g_free(title);
    g_free(path);
    return code;
}

int cmd_ladder(int argc, char **argv)
{
    struct ladder_out o = {0};
    const struct cli_option options[] = {LADDER_OUT_OPTIONS(o), {0}};
    const struct cli_command command = {
        "ladder", "DIR", "Draws the packets between two ends of a run that was made with --trace.",
        options,  1,     1};
    int words;
    enum cli_parsed parsed = cli_parse(&command, argc, argv, &words);

    return parsed == CLI_OK ? ladder_of(argv[1], &o) : cli_exit_code(parsed);
}
