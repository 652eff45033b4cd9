/* Who is there, who has gone: by hand for small caches, against a list that is searched for random ones. */
#include <stdlib.h>
#include <string.h>

#include "models/hca/cache.h"
#include "sim/base/rng.h"
#include "tests/unit/rig.h"

/* "m": missed, "h": there, for each key of the text in turn. */
static void touches(const struct cache_cfg *cfg, const char *keys, const char *wanted)
{
    char got[64] = "";
    struct cache *c = cache_new(cfg, 1);
    for (size_t i = 0; keys[i]; i++)
        got[i] = cache_touch(c, (uint64_t)keys[i]) ? 'h' : 'm';
    TEXT_IS(got, wanted);
    cache_free(c);
}

static void cache_without_entries_has_room_for_all(void)
{
    CU_ASSERT_PTR_NULL(cache_new(&(struct cache_cfg){0}, 1));
    CU_ASSERT_TRUE(cache_touch(NULL, 7));
    CU_ASSERT_EQUAL(cache_counts(NULL).touches, 0);
    cache_forget(NULL, 7);
    cache_free(NULL);
}

static void cache_lru_sends_away_what_was_touched_longest_ago(void)
{
    struct cache_cfg two = {.entries = 2}, three = {.entries = 3};
    touches(&two, "abab", "mmhh");
    /* c takes b's place: a was touched after it */
    touches(&two, "abacab", "mmhmhm");
    touches(&three, "abcabcdabcd", "mmmhhhmmmmm");
    touches(&three, "abcdbcda", "mmmmhhhm");
}

static void cache_in_turn_through_too_few_places_never_hits(void)
{
    struct cache_cfg lru = {.entries = 4}, random = {.entries = 4, .random = true};
    uint64_t missed[2];
    for (int r = 0; r < 2; r++) {
        struct cache *c = cache_new(r ? &random : &lru, 1);
        for (uint64_t i = 0; i < 5000; i++)
            cache_touch(c, i % 5);
        missed[r] = cache_counts(c).misses;
        CU_ASSERT_EQUAL(cache_counts(c).touches, 5000);
        cache_free(c);
    }
    CU_ASSERT_EQUAL(missed[0], 5000);
    /* A key survives the misses m between its turns with (3/4)^m, m = 4(1 - h) on average: h is about 0.63. */
    CU_ASSERT_TRUE(missed[1] > 1500 && missed[1] < 2500);
}

/* Uniform touches of N keys find C of them: 1 - C/N are missed. */
static void cache_uniform_touches_miss_what_does_not_fit(void)
{
    struct cache_cfg cfg = {.entries = 1030};
    struct cache *c = cache_new(&cfg, 1);
    struct rng_stream r = rng_stream(1, RNG_HOST, 0, 0);
    for (int i = 0; i < 100000; i++)
        cache_touch(c, rng_below(&r, 2240));
    uint64_t warm = cache_counts(c).misses;
    for (int i = 0; i < 100000; i++)
        cache_touch(c, rng_below(&r, 2240));
    uint64_t missed = cache_counts(c).misses - warm;
    CU_ASSERT_TRUE(missed > 53300 && missed < 54700); /* 54018 */
    cache_free(c);
}

static void cache_forgotten_key_is_missed_and_leaves_room(void)
{
    struct cache *c = cache_new(&(struct cache_cfg){.entries = 2}, 1);
    cache_touch(c, 1);
    cache_touch(c, 2);
    cache_forget(c, 1);
    cache_forget(c, 9);
    CU_ASSERT_FALSE(cache_touch(c, 3));
    CU_ASSERT_TRUE(cache_touch(c, 2));
    CU_ASSERT_TRUE(cache_touch(c, 3));
    CU_ASSERT_FALSE(cache_touch(c, 1));
    cache_free(c);
}

/* ---- against a plain list ----------------------------------------------------------------------- */

struct plain {
    uint64_t key[64], used[64];
    uint32_t count, ways;
    uint64_t now;
};

/* LRU of one set, searched from end to end. */
static bool plain_touch(struct plain *p, uint64_t key)
{
    uint32_t oldest = 0;
    p->now++;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->key[i] == key) {
            p->used[i] = p->now;
            return true;
        }
        if (p->used[i] < p->used[oldest])
            oldest = i;
    }
    if (p->count < p->ways)
        oldest = p->count++;
    p->key[oldest] = key;
    p->used[oldest] = p->now;
    return false;
}

static void plain_forget(struct plain *p, uint64_t key)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->key[i] == key) {
            p->count--;
            p->key[i] = p->key[p->count];
            p->used[i] = p->used[p->count];
            return;
        }
}

static void cache_lru_is_what_a_searched_list_does(void)
{
    struct rng_stream r = rng_stream(3, RNG_HOST, 0, 0);
    for (uint32_t ways = 1; ways <= 40; ways += 3) {
        struct plain p = {.ways = ways};
        struct cache *c = cache_new(&(struct cache_cfg){.entries = ways}, 1);
        int differ = 0;
        for (int i = 0; i < 4000; i++) {
            uint64_t key = rng_below(&r, 60) * 0x10000001u;
            if (rng_below(&r, 10) == 0) {
                cache_forget(c, key);
                plain_forget(&p, key);
            } else {
                differ += cache_touch(c, key) != plain_touch(&p, key);
            }
        }
        CU_ASSERT_EQUAL(differ, 0);
        cache_free(c);
    }
}

/* A set is all that a key can have: with one way two keys of a set send each other away for ever. */
static void cache_ways_bound_where_a_key_can_be(void)
{
    struct cache_cfg direct = {.entries = 64, .ways = 1}, full = {.entries = 64};
    uint64_t missed[2];
    for (int r = 0; r < 2; r++) {
        struct cache *c = cache_new(r ? &full : &direct, 1);
        for (uint64_t i = 0; i < 6400; i++)
            cache_touch(c, i % 64);
        missed[r] = cache_counts(c).misses;
        cache_free(c);
    }
    CU_ASSERT_EQUAL(missed[1], 64);
    CU_ASSERT_TRUE(missed[0] > 2000);
}

static const struct test tests[] = {TEST(cache_without_entries_has_room_for_all),
                                    TEST(cache_lru_sends_away_what_was_touched_longest_ago),
                                    TEST(cache_in_turn_through_too_few_places_never_hits),
                                    TEST(cache_uniform_touches_miss_what_does_not_fit),
                                    TEST(cache_forgotten_key_is_missed_and_leaves_room),
                                    TEST(cache_lru_is_what_a_searched_list_does),
                                    TEST(cache_ways_bound_where_a_key_can_be),
                                    TESTS_END};
const struct suite suite_cache = {"cache", tests};
