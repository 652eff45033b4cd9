/*
 * `rdmasim plot`: the figures of a result folder, drawn again from its tables.  The manifest that lies
 * there holds the [plot] groups.
 */
#include <glib.h>
#include <stdio.h>

#include "analysis/plot.h"
#include "scenarios/run/cli.h"
#include "scenarios/run/commands.h"
#include "scenarios/run/plots.h"

static int plot_dir(const char *dir, const char *formats)
{
    struct sc_error err = {""};
    if (!plot_formats_known(formats, err.text, sizeof err.text)) {
        fprintf(stderr, "rdmasim plot: --format %s\n", err.text);
        return 2;
    }
    char *manifest = g_build_filename(dir, "manifest.ini", NULL);
    struct sc_file *f = cli_load("plot", manifest);
    int code = 2;
    if (f && !plots_wanted(f))
        fprintf(stderr, "rdmasim plot: %s: there is no [plot NAME] group\n", manifest);
    else if (f) {
        code = plots_draw(f, dir, formats, false, &err);
        if (code)
            fprintf(stderr, "rdmasim plot: %s\n", err.text);
    }
    cli_unload(f);
    g_free(manifest);
    return code;
}

int cmd_plot(int argc, char **argv)
{
    const char *formats = "svg,png";
    int words;
    const struct cli_option options[] = {
        {"--format", CLI_TEXT, &formats, "svg,png,pdf", "formats to write (svg,png)"}, {0}};
    const struct cli_command command = {
        "plot",  "DIR", "Draws the [plot NAME] figures of a sweep's result folder again.",
        options, 1,     1};
    enum cli_parsed parsed = cli_parse(&command, argc, argv, &words);
    return parsed == CLI_OK ? plot_dir(argv[1], formats) : cli_exit_code(parsed);
}
