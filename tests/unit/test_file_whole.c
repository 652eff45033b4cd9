/* Files that appear whole or not at all. */
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "analysis/file_whole.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static void file_whole_commit_replaces_the_old_file(void)
{
    struct cli_run r;
    char err[300] = "";
    cli_run_begin(&r);
    cli_run_write(&r, "f", "old");
    char *path = g_build_filename(r.dir, "f", NULL);
    CU_ASSERT_TRUE(file_whole_put(path, "new text\n", err, sizeof err));
    char *text = cli_run_read(&r, "f");
    CU_ASSERT_STRING_EQUAL(text, "new text\n");
    CU_ASSERT_FALSE(cli_run_exists(&r, "f.part"));
    g_free(text);
    g_free(path);
    cli_run_done(&r);
}

/* A full disk, played by a limit on the size of files. */
static void file_whole_disk_full_keeps_the_old_file(void)
{
    struct rlimit before, small = {4096, 4096};
    struct cli_run r;
    char err[300] = "";
    cli_run_begin(&r);
    cli_run_write(&r, "f", "old");
    char *path = g_build_filename(r.dir, "f", NULL), *big = g_strnfill(100000, 'x');
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    bool ok = file_whole_put(path, big, err, sizeof err);
    setrlimit(RLIMIT_FSIZE, &before);
    CU_ASSERT_FALSE(ok);
    CU_ASSERT_PTR_NOT_NULL(strstr(err, path));
    CU_ASSERT_PTR_NOT_NULL(strstr(err, "File too large"));
    char *text = cli_run_read(&r, "f");
    CU_ASSERT_STRING_EQUAL(text, "old");
    CU_ASSERT_FALSE(cli_run_exists(&r, "f.part"));
    g_free(text);
    g_free(big);
    g_free(path);
    cli_run_done(&r);
}

/* Renaming over a device would replace it. */
static void file_whole_device_is_written_in_place(void)
{
    char err[300] = "";
    struct stat st;
    CU_ASSERT_TRUE(file_whole_put("/dev/null", "x", err, sizeof err));
    CU_ASSERT_EQUAL(stat("/dev/null", &st), 0);
    CU_ASSERT_TRUE(S_ISCHR(st.st_mode));
    CU_ASSERT_FALSE(file_whole_put("/dev/full", "x", err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "/dev/full: cannot be written: No space left on device");
    CU_ASSERT_EQUAL(stat("/dev/full", &st), 0);
}

static const struct test tests[] = {TEST(file_whole_commit_replaces_the_old_file),
                                    TEST(file_whole_disk_full_keeps_the_old_file),
                                    TEST(file_whole_device_is_written_in_place), TESTS_END};
const struct suite suite_file_whole = {"file_whole", tests};
