/* The lines of a scenario file: where entries stand, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "scenarios/reader/scan.h"
#include "tests/suite.h"

static const char *refusal_of(const char *data, size_t len)
{
    static struct sc_error err;
    struct scan s;
    if (!scan_text("f.ini", data, len, &s, &err))
        return err.text;
    scan_clear(&s);
    return "";
}

#define REFUSED(text, message) CU_ASSERT_STRING_EQUAL(refusal_of(text, sizeof(text) - 1), message)

static void scan_good_file_tells_lines(void)
{
    static const char text[] = "# comment\n[a]\nx = 1\n\n  y=2  \n[b c]\nx = 3\n[a]\nz = 4";
    struct scan s;
    struct sc_error err;
    CU_ASSERT_FATAL(scan_text("f.ini", text, sizeof text - 1, &s, &err));
    CU_ASSERT_EQUAL_FATAL(s.count, 7);
    CU_ASSERT_STRING_EQUAL(s.entry[0].group, "a");
    CU_ASSERT_PTR_NULL(s.entry[0].key);
    CU_ASSERT_EQUAL(s.entry[0].line, 2);
    CU_ASSERT_STRING_EQUAL(s.entry[2].key, "y");
    CU_ASSERT_EQUAL(s.entry[2].line, 5);
    CU_ASSERT_STRING_EQUAL(s.entry[4].group, "b c");
    CU_ASSERT_EQUAL(s.entry[4].line, 7);
    CU_ASSERT_STRING_EQUAL(s.entry[6].group, "a");
    CU_ASSERT_STRING_EQUAL(s.entry[6].key, "z");
    CU_ASSERT_EQUAL(s.entry[6].line, 9);
    scan_clear(&s);
}

static void scan_crlf_and_byte_order_mark_are_accepted(void)
{
    static const char text[] = "\xef\xbb\xbf[a]\r\nx = 1\r\n";
    struct scan s;
    struct sc_error err;
    CU_ASSERT_FATAL(scan_text("f.ini", text, sizeof text - 1, &s, &err));
    CU_ASSERT_EQUAL(s.skip, 3);
    CU_ASSERT_EQUAL_FATAL(s.count, 2);
    CU_ASSERT_STRING_EQUAL(s.entry[1].key, "x");
    scan_clear(&s);
}

static void scan_repeated_key_names_both_lines(void)
{
    REFUSED("[a]\nx = 1\n[b]\nx = 2\n[a]\nx = 3\n",
            "f.ini:6: [a] x was given before, on line 2; give it once");
}

static void scan_text_out_of_place_is_refused(void)
{
    REFUSED("x = 1\n[a]\n",
            "f.ini:1: 'x = 1' stands before the first group; begin with [scenario]");
    REFUSED("[a\nx = 1\n", "f.ini:1: the group header '[a' does not end with ]");
    REFUSED("[]\n", "f.ini:1: '[]' is not a group header; write one as [fabric]");
    REFUSED("[a[b]\n", "f.ini:1: '[a[b]' is not a group header; write one as [fabric]");
    REFUSED("[ a ]\n", "f.ini:1: '[ a ]' is not a group header; write one as [fabric]");
    REFUSED("[a]\n= 5\n", "f.ini:2: [a] a value without a key; write key = value");
    REFUSED("[a]\nx\n", "f.ini:2: [a] 'x' has no value; write key = value");
    REFUSED("[a]\nx =  \n", "f.ini:2: [a] x: a key without a value");
    REFUSED("[a]\nx[de] = 1\n", "f.ini:2: [a] x[de]: a key has no brackets");
}

static void scan_binary_is_refused(void)
{
    REFUSED("[a]\nx = \0y\n", "f.ini:2: the line holds a NUL byte; this is not a text file");
    REFUSED("[a]\nx = \xff\xfe\n", "f.ini:2: the line is not UTF-8 text");
}

static void scan_huge_input_is_refused(void)
{
    size_t len = SCAN_LINE_MAX + 10;
    char *line = malloc(SCAN_FILE_MAX + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(line);
    memset(line, 'x', SCAN_FILE_MAX + 1);
    memcpy(line, "[a]\n", 4);
    CU_ASSERT_STRING_EQUAL(refusal_of(line, len), "f.ini:2: the line is longer than 65536 bytes");
    CU_ASSERT_STRING_EQUAL(refusal_of(line, SCAN_FILE_MAX + 1),
                           "f.ini: the file is larger than 16 MiB; this is not a scenario");
    free(line);
}

static void scan_too_many_entries_are_refused(void)
{
    char *text = malloc(20 * (SCAN_ENTRIES_MAX + 2));
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    int at = sprintf(text, "[a]\n");
    for (unsigned i = 0; i < SCAN_ENTRIES_MAX; i++)
        at += sprintf(text + at, "k%u = 1\n", i);
    CU_ASSERT_STRING_EQUAL(
        refusal_of(text, (size_t)at),
        "f.ini:10001: the file has more than 10000 entries; this is not a scenario");
    free(text);
}

static const struct test tests[] = {
    TEST(scan_good_file_tells_lines),
    TEST(scan_crlf_and_byte_order_mark_are_accepted),
    TEST(scan_repeated_key_names_both_lines),
    TEST(scan_text_out_of_place_is_refused),
    TEST(scan_binary_is_refused),
    TEST(scan_huge_input_is_refused),
    TEST(scan_too_many_entries_are_refused),
    TESTS_END,
};
const struct suite suite_scan = {"scan", tests};
