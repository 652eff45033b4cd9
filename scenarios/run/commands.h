/*
 * The subcommands: each takes its own argv (argv[0] is its name) and returns the exit code: 0 done,
 * 1 an expectation or comparison failed, 2 wrong use or scenario, 3 runtime failure.
 */
#ifndef RUN_COMMANDS_H
#define RUN_COMMANDS_H

int cmd_run(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_keys(int argc, char **argv);
int cmd_explore(int argc, char **argv);
int cmd_ladder(int argc, char **argv);
int cmd_read(int argc, char **argv);
int cmd_bench(int argc, char **argv);

#endif
