/* completions.csv: order, and cells that verbs leave undefined. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "scenarios/run/completions.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

#define HEADER "t_us,host,qp,peer,queue,wr_id,op,status,status_name,byte_len,imm\n"

/* The file that these completions, all of peer 9, make. */
struct taken {
    uint32_t host;
    tm_ps at;
    struct xp_wc wc;
};

static char *file_of(const struct taken *t, uint32_t n)
{
    struct sc_error err = {""};
    char *dir = g_dir_make_tmp("rdmasim-XXXXXX", NULL), *text = NULL;
    char *path = g_build_filename(dir, "completions.csv", NULL);
    struct completions *c = completions_new();
    for (uint32_t i = 0; i < n; i++)
        completions_note(c, t[i].host, 9, &t[i].wc, t[i].at);
    CU_ASSERT_TRUE(completions_write(c, dir, &err));
    g_file_get_contents(path, &text, NULL, NULL);
    completions_free(c);
    g_unlink(path);
    g_rmdir(dir);
    g_free(path);
    g_free(dir);
    return text;
}

static void completions_are_sorted_by_time_host_qp_and_polling(void)
{
    static const struct taken taken[] = {{1, 2000, {.wr_id = 7, .qpn = 2}},
                                         {0, 2000, {.wr_id = 9, .qpn = 3}},
                                         {0, 2000, {.wr_id = 8, .qpn = 3}},
                                         {0, 2000, {.wr_id = 6, .qpn = 2}},
                                         {3, 1000, {.wr_id = 1, .qpn = 5}}};
    char *text = file_of(taken, 5);
    CU_ASSERT_STRING_EQUAL(text, HEADER "0.001000,3,5,9,send,1,SEND,0,SUCCESS,,\n"
                                        "0.002000,0,2,9,send,6,SEND,0,SUCCESS,,\n"
                                        "0.002000,0,3,9,send,9,SEND,0,SUCCESS,,\n"
                                        "0.002000,0,3,9,send,8,SEND,0,SUCCESS,,\n"
                                        "0.002000,1,2,9,send,7,SEND,0,SUCCESS,,\n");
    g_free(text);
}

static void completions_undefined_cells_are_empty(void)
{
    static const struct taken taken[] = {
        {0, 1, {.qpn = 2, .op = XP_WC_WRITE, .status = XP_WC_RETRY_EXC_ERR, .byte_len = 5}},
        {0, 2, {.qpn = 2, .op = XP_WC_RECV, .byte_len = 5, .imm = 4}},
        {0,
         3,
         {.qpn = 2, .op = XP_WC_RECV_WRITE_IMM, .byte_len = 0, .imm = 4, .flags = XP_WC_WITH_IMM}},
        {0,
         4,
         {.qpn = 2,
          .op = XP_WC_RECV,
          .status = XP_WC_WR_FLUSH_ERR,
          .byte_len = 5,
          .imm = 4,
          .flags = XP_WC_WITH_IMM}}};
    char *text = file_of(taken, 4);
    CU_ASSERT_STRING_EQUAL(text, HEADER "0.000001,0,2,9,send,0,WRITE,12,RETRY_EXC_ERR,,\n"
                                        "0.000002,0,2,9,recv,0,RECV,0,SUCCESS,5,\n"
                                        "0.000003,0,2,9,recv,0,RECV_WRITE_IMM,0,SUCCESS,0,4\n"
                                        "0.000004,0,2,9,recv,0,RECV,5,WR_FLUSH_ERR,,\n");
    g_free(text);
}

static void completions_none_leave_the_header(void)
{
    char *text = file_of(NULL, 0);
    CU_ASSERT_STRING_EQUAL(text, HEADER);
    g_free(text);
}

/* An incast: completions of many hosts at the same instants. */
static void completions_do_not_depend_on_domains(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(
        &r, "i.ini",
        "[fabric]\ntopology = star\nhosts = 5\nrate = 100Gbps\ndelay = 1us\n"
        "loss.rate = 0.01\n[qp]\nservice = rc\ntimeout = 8\n[workload]\npattern = incast\n"
        "op = write_imm\nsize = 4KiB\ndepth = 2\nmessages = 20\n");
    CU_ASSERT_EQUAL(cli_run(&r, "run i.ini --completions --out a"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "run i.ini --completions --out b --domains 3"), 0);
    char *a = cli_run_read(&r, "a/completions.csv"), *b = cli_run_read(&r, "b/completions.csv");
    CU_ASSERT_STRING_EQUAL(a, b);
    /* 4 flows of 20 messages, each completes at both ends; the last immediate is 19. */
    CU_ASSERT_PTR_NOT_NULL(strstr(a, ",recv,0,RECV_WRITE_IMM,0,SUCCESS,4096,19\n"));
    char **line = g_strsplit(a, "\n", -1);
    CU_ASSERT_EQUAL(g_strv_length(line), 1 + 4 * 20 * 2 + 1);
    g_strfreev(line);
    g_free(a);
    g_free(b);
    CU_ASSERT_EQUAL(cli_run(&r, "run i.ini --out c"), 0);
    CU_ASSERT_FALSE(cli_run_exists(&r, "c/completions.csv"));
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(completions_are_sorted_by_time_host_qp_and_polling),
                                    TEST(completions_undefined_cells_are_empty),
                                    TEST(completions_none_leave_the_header),
                                    TEST(completions_do_not_depend_on_domains), TESTS_END};
const struct suite suite_completions = {"completions", tests};
