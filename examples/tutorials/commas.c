// Prints numbers with a comma between thousands: 1234567 is 1,234,567.
#include <stdio.h>
#include <string.h>

static void group(const char *digits, int negative, char *out) {
    char *end = out;
    if (negative)
        *end++ = '-';
    for (size_t left = strlen(digits); left > 0; left--) {
        if (end != out && left % 3 == 0)
            *end++ = ',';
        *end++ = *digits++;
    }
    *end = 0;
}

int main(int count, char **words) {
    char out[100];
    for (int i = 1; i < count; i++) {
        int negative = words[i][0] == '-';
        group(words[i] + negative, negative, out);
        puts(out);
    }
    return 0;
}
