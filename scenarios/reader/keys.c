/* The key table: see keys.h.  Its rows are in keys_*.c. */
#include "scenarios/reader/keys.h"

#include <string.h>

#include "scenarios/reader/keys_rows.h"
#include "scenarios/reader/nearest.h"
#include "sim/base/check.h"

static const struct key_list *const lists[] = {&keys_fabric, &keys_hca, &keys_qp, &keys_workload};
#define LISTS (sizeof lists / sizeof lists[0])

uint32_t key_count(void)
{
    uint32_t all = 0;
    for (size_t l = 0; l < LISTS; l++)
        all += lists[l]->count;
    return all;
}

const struct key *key_at(uint32_t i)
{
    size_t l = 0;
    while (i >= lists[l]->count)
        i -= lists[l++]->count;
    return &lists[l]->row[i];
}

static const struct key *find(const char *group, size_t len, const char *name)
{
    for (size_t l = 0; l < LISTS; l++)
        for (const struct key *k = lists[l]->row; k < lists[l]->row + lists[l]->count; k++)
            if (k->name[0] == name[0] && strcmp(k->name, name) == 0 &&
                strncmp(k->group, group, len) == 0 && k->group[len] == 0)
                return k;
    return NULL;
}

const struct key *key_find(const char *group, const char *name)
{
    return find(group, strlen(group), name);
}

const struct key *key_find_dotted(const char *dotted)
{
    const char *dot = strchr(dotted, '.');
    return dot ? find(dotted, (size_t)(dot - dotted), dot + 1) : NULL;
}

/* The default service is the core's first: no name of one stands here. */
const char *key_standard(const struct key *k)
{
    return k->standard ? k->standard : xp_service_name((enum xp_service_id)0);
}

uint32_t key_index(const struct key *k)
{
    uint32_t before = 0;
    for (size_t l = 0; l < LISTS; l++) {
        if (k >= lists[l]->row && k < lists[l]->row + lists[l]->count)
            return before + (uint32_t)(k - lists[l]->row);
        before += lists[l]->count;
    }
    CHECK(!"a row of the table");
    return 0;
}

bool key_group_known(const char *group)
{
    for (uint32_t i = 0; i < key_count(); i++)
        if (strcmp(key_at(i)->group, group) == 0)
            return true;
    return false;
}

/* A key of this name in another group: the likeliest mistake of all. */
static const struct key *find_elsewhere(const char *name)
{
    for (uint32_t i = 0; i < key_count(); i++)
        if (strcmp(key_at(i)->name, name) == 0)
            return key_at(i);
    return NULL;
}

bool key_unknown(const char *group, const char *name, struct sc_error *err)
{
    const struct key *other = find_elsewhere(name);
    struct nearest n = nearest_to(name);
    if (other)
        return sc_fail(err, "there is no such key in [%s]; it belongs to [%s]", group,
                       other->group);
    for (uint32_t i = 0; i < key_count(); i++)
        if (strcmp(key_at(i)->group, group) == 0)
            nearest_try(&n, key_at(i)->name);
    if (n.best)
        return sc_fail(err, "there is no such key; did you mean '%s'?", n.best);
    return sc_fail(err, "there is no such key; `rdmasim keys %s` lists those there are", group);
}

bool key_unknown_dotted(const char *dotted, struct sc_error *err)
{
    char name[64];
    struct nearest n = nearest_to(dotted);
    const struct key *other = find_elsewhere(dotted);
    if (!strchr(dotted, '.') && !other)
        return sc_fail(err, "'%s' is not a key; write group.key, such as qp.timeout", dotted);
    if (other)
        return sc_fail(err, "'%s' lacks its group; write %s.%s", dotted, other->group, other->name);
    const char *best = NULL;
    for (uint32_t i = 0; i < key_count(); i++) {
        snprintf(name, sizeof name, "%s.%s", key_at(i)->group, key_at(i)->name);
        nearest_try(&n, name);
        if (n.best == name) {
            best = key_at(i)->name;
            other = key_at(i);
            n.best = NULL;
        }
    }
    if (best)
        return sc_fail(err, "there is no key '%s'; did you mean '%s.%s'?", dotted, other->group,
                       best);
    return sc_fail(err, "there is no key '%s'; `rdmasim keys` lists those there are", dotted);
}
