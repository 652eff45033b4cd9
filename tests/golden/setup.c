/* What golden.ini and a folder of captures say. */
#include "tests/golden/setup.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenarios/reader/scenario.h"
#include "sim/base/check.h"

#define SETUP "tests/golden/golden.ini"

static bool resolve(const struct sc_override *set, uint32_t sets, struct xp_profile *out,
                    struct trouble *why)
{
    struct sc_error err;
    struct scenario s;
    setenv("RDMASIM_PATH", "scenarios", 0); /* wherever the program lies */
    struct sc_file *f = sc_file_load(SETUP, &err);
    bool ok = f && sc_resolve(f, set, sets, &s, &err);

    if (ok) {
        const struct xp_profile spec = xp_profile_spec();
        *out = s.hca.xp;
        if (!out->port_mtu) { /* what no key sets */
            out->max.srq_wr = spec.max.srq_wr;
            out->port_mtu = spec.port_mtu;
            out->grh = spec.grh;
        }
        scenario_clear(&s);
    } else {
        trouble_say(why, "%.500s", err.text);
    }
    sc_file_free(f);
    return ok;
}

bool golden_profile_with(const char *key, const char *value, struct xp_profile *out,
                         struct trouble *why)
{
    char *name = strdup(key), *text = strdup(value);
    struct sc_override set = {name, text, "--profile"};
    bool ok = resolve(&set, 1, out, why);
    free(name);
    free(text);
    return ok;
}

bool golden_profile(const char *name, struct xp_profile *out, struct trouble *why)
{
    return name ? golden_profile_with("hca.profile", name, out, why) : resolve(NULL, 0, out, why);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

char **golden_names(const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, by_name), kept = 0;
    if (n < 0)
        return NULL;
    char **names = calloc((size_t)n + 1, sizeof *names);
    CHECK(names != NULL);
    for (int i = 0; i < n; i++) {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s/case.json", folder, entry[i]->d_name);
        if (access(path, R_OK) == 0)
            names[kept++] = strdup(entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return names;
}

void golden_names_free(char **names)
{
    for (char **p = names; p && *p; p++)
        free(*p);
    free(names);
}
