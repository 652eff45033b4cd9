/* `rdmasim keys` and the man page: complete, and fit for a terminal of 100 columns. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/reader/keys.h"
#include "tests/suite.h"

/* What a printer writes; the caller frees it. */
static char *printed(const char *group, bool roff, struct sc_error *err, bool *ok)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    *ok = true;
    if (roff)
        sc_keys_roff(out);
    else
        *ok = sc_keys_print(out, group, err);
    fclose(out);
    return text;
}

static void keys_print_lists_every_key_within_100_columns(void)
{
    struct sc_error err;
    bool ok;
    char *text = printed(NULL, false, &err, &ok);
    char **line = g_strsplit(text, "\n", -1);
    CU_ASSERT_TRUE(ok);
    for (char **l = line; *l; l++)
        CU_ASSERT_TRUE(strlen(*l) <= 100);
    for (uint32_t i = 0; i < key_count; i++) {
        char *head = g_strdup_printf("\n  %-20s default ", key_table[i].name);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, head));
        g_free(head);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n[inject]\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n[expect]\n"));
    g_strfreev(line);
    free(text);
}

static void keys_print_of_one_group_is_that_group(void)
{
    struct sc_error err;
    bool ok;
    char *text = printed("sweep", false, &err, &ok);
    CU_ASSERT_TRUE(ok);
    CU_ASSERT_STRING_EQUAL(
        text, "[sweep]\n"
              "    group.key = a; b; c | lo..hi step S | lo..hi log N\n"
              "    group.key1, group.key2 = a, x; b, y: these vary together.\n"
              "    All points are the cross product in file order, the first key slowest.\n");
    free(text);
    text = printed("qp", false, &err, &ok);
    CU_ASSERT_TRUE(ok);
    CU_ASSERT_PTR_NOT_NULL(strstr(
        text, "  mtu                  default 1024\n"
              "    Payload bytes of a packet.  The default is what RoCE gets on Ethernet of 1500 "
              "bytes.\n"
              "    One of 256, 512, 1024, 2048 or 4096.\n"));
    CU_ASSERT_PTR_NULL(strstr(text, "[fabric]"));
    free(text);
}

static void keys_print_of_inject_says_how_qps_are_numbered(void)
{
    struct sc_error err;
    bool ok;
    char *text = printed("inject", false, &err, &ok);
    CU_ASSERT_TRUE(ok);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n    MATCH: from=H to=H dir=a2b|b2a class=data|ack|nak "
                                        "op=RC_SEND_ONLY psn=+K qp=N tx=N link=A-B\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n    qp=N and dest_qp=N are QP numbers as packets carry "
                                        "them (qps.csv lists them); the first QP of\n    a host is "
                                        "2, the next 3."));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n    forge at=T from=H to=H opcode=OP dest_qp=N "
                                        "FIELD=VALUE...\n"));
    free(text);
}

static void keys_print_of_an_unknown_group_names_the_nearest(void)
{
    struct sc_error err;
    bool ok;
    char *text = printed("fabirc", false, &err, &ok);
    CU_ASSERT_FALSE(ok);
    CU_ASSERT_STRING_EQUAL(text, "");
    CU_ASSERT_STRING_EQUAL(err.text, "there is no group 'fabirc'; did you mean 'fabric'?");
    free(text);
}

static void keys_print_as_roff_has_every_key(void)
{
    struct sc_error err;
    bool ok;
    char *text = printed(NULL, true, &err, &ok);
    for (uint32_t i = 0; i < key_count; i++) {
        char *head = g_strdup_printf("\n.TP\n.B %s\n", key_table[i].name);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, head));
        g_free(head);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "Default: go\\-back\\-n.\n"));
    free(text);
}

static const struct test tests[] = {
    TEST(keys_print_lists_every_key_within_100_columns),
    TEST(keys_print_of_one_group_is_that_group),
    TEST(keys_print_of_inject_says_how_qps_are_numbered),
    TEST(keys_print_of_an_unknown_group_names_the_nearest),
    TEST(keys_print_as_roff_has_every_key),
    TESTS_END,
};
const struct suite suite_keys_print = {"keys_print", tests};
