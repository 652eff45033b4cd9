/*
 * A main for the fuzz targets where there is no fuzzer: FUZZ_MAIN under -DFUZZ_REPLAY runs the files and
 * folders of the command line once each.  Each input lies in a block of exactly its size.
 */
#ifndef FUZZ_REPLAY_H
#define FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

/* 0: all were run; 1: one could not be read, which is said. */
int fuzz_replay(int argc, char **argv, int (*one)(const uint8_t *data, size_t size));

#ifdef FUZZ_REPLAY
#define FUZZ_MAIN                                                                                  \
    int main(int argc, char **argv) { return fuzz_replay(argc, argv, LLVMFuzzerTestOneInput); }
#else
#define FUZZ_MAIN
#endif

#endif
