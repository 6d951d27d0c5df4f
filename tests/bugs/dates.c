// The number of days from 1 January 1600 to a date: YEAR MONTH DAY.
// Bug in leap: a year that 400 divides is no leap year.
#include <stdio.h>
#include <stdlib.h>

static int leap(int year) {
    if (year % 4 != 0)
        return 0;
    if (year % 100 != 0)
        return 1;
#ifdef BUG
    return 0; /* bug */
#else
    return year % 400 == 0;
#endif
}

static int month_length(int month) {
    switch (month) {
    case 2:
        return 28;
    case 4:
    case 6:
    case 9:
    case 11:
        return 30;
    default:
        return 31;
    }
}

static int is_valid(int year, int month, int day) {
    if (year < 1600 || month < 1 || month > 12 || day < 1)
        return 0;
    if (month == 2 && day == 29)
        return leap(year);
    return day <= month_length(month);
}

static int days_before_year(int year) {
    int years = year - 1600;
    int leaps = 0;
    if (years > 0)
        leaps = 1 + (years - 1) / 4 - (years - 1) / 100 + (years - 1) / 400;
    return years * 365 + leaps;
}

static int day_of_year(int year, int month, int day) {
    int days = day - 1;
    for (int before = 1; before < month; before++)
        days += month_length(before);
    if (month > 2 && leap(year))
        days++;
    return days;
}

int main(int count, char **words) {
    if (count != 4)
        return 2;
    int year = atoi(words[1]), month = atoi(words[2]), day = atoi(words[3]);
    if (!is_valid(year, month, day)) {
        puts("no date");
        return 0;
    }
    printf("%d\n", days_before_year(year) + day_of_year(year, month, day));
    return 0;
}
