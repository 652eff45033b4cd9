/* The program's entry; everything else is a subcommand (scenarios/run/cli_main.c). */
#include "scenarios/run/cli.h"

int main(int argc, char **argv) { return cli_main(argc, argv); }
