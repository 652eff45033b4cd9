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
    for (uint32_t i = 0; i < key_count(); i++) {
        char *head = g_strdup_printf("\n  %-20s default ", key_at(i)->name);
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

static void keys_print_of_one_key_is_that_key(void)
{
    struct sc_error err;
    bool ok;
    char *text = printed("qp.timeout", false, &err, &ok);
    CU_ASSERT_TRUE(ok);
    CU_ASSERT_STRING_EQUAL(text,
                           "[qp]\n"
                           "  timeout              default 14\n"
                           "    ACK timeout, the code of verbs: 4.096 us * 2^code; 0: no timer.\n"
                           "    A whole number from 0 to 31.\n");
    free(text);
}

static void keys_print_breaks_lines_without_stray_blanks(void)
{
    struct sc_error err;
    bool ok;
    char *text = printed(NULL, false, &err, &ok);
    char **line = g_strsplit(text, "\n", -1);
    CU_ASSERT_TRUE(ok);
    for (char **l = line; *l; l++) {
        CU_ASSERT_FALSE(g_str_has_suffix(*l, " "));
        CU_ASSERT_FALSE(g_str_has_prefix(*l, "     "));
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n    Payload bytes of a packet.  The default is "));
    g_strfreev(line);
    free(text);
}

static void keys_print_of_an_unknown_word_names_the_nearest(void)
{
    static const char *const row[][2] = {
        {"fabirc", "there is no group or key 'fabirc'; did you mean 'fabric'?"},
        {"injct", "there is no group or key 'injct'; did you mean 'inject'?"},
        {"metric", "there is no group or key 'metric'; did you mean 'metrics'?"},
        {"qp.timeuot", "there is no group or key 'qp.timeuot'; did you mean 'qp.timeout'?"},
        {"retry_cmt", "there is no group or key 'retry_cmt'; did you mean 'qp.retry_cnt'?"},
        {"hca.mtu", "there is no group or key 'hca.mtu'; did you mean 'qp.mtu'?"},
        {"weather", "there is no group or key 'weather'; `rdmasim keys` lists those there are"},
        {"", "there is no group or key ''; `rdmasim keys` lists those there are"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(row); i++) {
        struct sc_error err;
        bool ok;
        char *text = printed(row[i][0], false, &err, &ok);
        CU_ASSERT_FALSE(ok);
        CU_ASSERT_STRING_EQUAL(text, "");
        CU_ASSERT_STRING_EQUAL(err.text, row[i][1]);
        free(text);
    }
}

static void keys_print_as_roff_has_every_key(void)
{
    struct sc_error err;
    bool ok;
    char *text = printed(NULL, true, &err, &ok);
    for (uint32_t i = 0; i < key_count(); i++) {
        char *head = g_strdup_printf("\n.TP\n.B %s\n", key_at(i)->name);
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
    TEST(keys_print_of_one_key_is_that_key),
    TEST(keys_print_breaks_lines_without_stray_blanks),
    TEST(keys_print_of_an_unknown_word_names_the_nearest),
    TEST(keys_print_as_roff_has_every_key),
    TESTS_END,
};
const struct suite suite_keys_print = {"keys_print", tests};
