// A suite of tests in one process, each with a label: see docs/labels.md.
#include <pathcc/profile.h>
#include <stdio.h>

static int is_number(const char *text) {
    if (*text == '-')
        text++;
    if (!*text)
        return 0;
    for (; *text; text++)
        if (*text < '0' || *text > '9')
            return 0;
    return 1;
}

static int failed;

static void check(const char *test, const char *text, int expected) {
    pathcc_label(test);
    if (is_number(text) != expected) {
        printf("%s failed\n", test);
        failed = 1;
    }
    pathcc_label(NULL);
}

int main(void) {
    check("digits", "4711", 1);
    check("a sign", "-12", 1);
    check("a sign alone", "-", 0);
    check("nothing", "", 0);
    check("letters", "12a", 0);
    check("letters first", "a12", 0);
    return failed;
}
