/* See replay.h. */
#include "tests/fuzz/replay.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int one_input(const uint8_t *data, size_t size);

static bool run_file(const char *path, one_input *one)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    bool sought = fseek(f, 0, SEEK_END) == 0;
    long size = sought ? ftell(f) : -1;
    uint8_t *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(f);
    /* The block begins one byte early: an input of no bytes has an address, too. */
    bool whole = data && fread(data + 1, 1, (size_t)size, f) == (size_t)size;
    fclose(f);
    if (whole)
        one(data + 1, (size_t)size);
    free(data);
    return whole;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *d) { return d->d_name[0] != '.'; }

static int run_folder(const char *path, one_input *one, unsigned *done)
{
    struct dirent **entry;
    int n = scandir(path, &entry, is_visible, by_name), bad = 0;
    for (int i = 0; i < n; i++) {
        char file[1024];
        snprintf(file, sizeof file, "%s/%s", path, entry[i]->d_name);
        bool ran = run_file(file, one);
        if (!ran)
            fprintf(stderr, "%s: cannot be read\n", file);
        bad += !ran;
        *done += ran;
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return n < 0 ? -1 : bad;
}

int fuzz_replay(int argc, char **argv, one_input *one)
{
    unsigned done = 0;
    int bad = 0;
    for (int i = 1; i < argc; i++) {
        int n = run_folder(argv[i], one, &done);
        if (n < 0) {
            n = !run_file(argv[i], one);
            done += !n;
            if (n)
                fprintf(stderr, "%s: cannot be read\n", argv[i]);
        }
        bad += n;
    }
    printf("%u inputs\n", done);
    return bad || done == 0;
}
