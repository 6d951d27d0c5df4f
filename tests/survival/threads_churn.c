//#entries: run 20000
//#entries: main 1
//#entries: slots 1
//#incomplete: 0
// Twenty thousand short threads, four at once, need the memory of a few.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *run(void *x) { return x ? (char *)x - 1 : NULL; }
// How much of the raw file is mapped, in multiples of the least.
__attribute__((noinline)) static void slots(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    unsigned long least = -1ul, all = 0, from, to;
    while (fgets(line, sizeof line, maps))
        if (strstr(line, ".pathprof.raw") && sscanf(line, "%lx-%lx", &from, &to) == 2) {
            all += to - from;
            if (to - from < least) least = to - from;
        }
    fclose(maps);
    if (all > 16 * least) printf("%lu slots\n", all / least);
}
int main(void) {
    for (int i = 0; i < 5000; i++) {
        pthread_t threads[4];
        for (int k = 0; k < 4; k++) if (pthread_create(&threads[k], NULL, run, threads)) abort();
        for (int k = 0; k < 4; k++) pthread_join(threads[k], NULL);
    }
    slots();
    return 0;
}
