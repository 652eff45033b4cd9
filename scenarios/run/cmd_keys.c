/*
 * `rdmasim keys`: the table of keys, for a reader at the terminal or within the man page.
 */
#include <stdio.h>

#include "scenarios/run/cli.h"
#include "scenarios/run/commands.h"

int cmd_keys(int argc, char **argv)
{
    bool man = false;
    int words;
    struct sc_error err;
    const struct cli_option options[] = {
        {"--man", CLI_FLAG, &man, NULL, "the program's man page (roff), all keys in it"}, {0}};
    const struct cli_command command = {
        "keys",  "[GROUP]", "Prints every key of scenario files: type, unit, default, meaning.",
        options, 0,         1};
    enum cli_parsed parsed = cli_parse(&command, argc, argv, &words);
    if (parsed != CLI_OK)
        return cli_exit_code(parsed);
    if (man) {
        cli_man(stdout);
        return 0;
    }
    if (sc_keys_print(stdout, words ? argv[1] : NULL, &err))
        return 0;
    fprintf(stderr, "rdmasim keys: %s\n", err.text);
    return 2;
}
