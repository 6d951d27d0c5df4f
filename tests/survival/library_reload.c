//#build: $CC -g -shared -fPIC -DPLUGIN "$HERE/library_reload.c" -o plugin.so; clang-22 -g "$HERE/library_reload.c" -o prog -ldl
//#processes: 1
//#entries: plugin 200
//#incomplete: 0
// A plain program loads a library with counters a hundred times; its address space does not grow with that.
#ifdef PLUGIN
int plugin(int x) { return x & 1 ? x + 1 : x - 1; }
#else
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
static long pages(void) { long n = 0; FILE *f = fopen("/proc/self/statm", "r"); if (fscanf(f, "%ld", &n) != 1) n = -1; fclose(f); return n; }
int main(void) {
    long before = 0;
    for (int i = 0; i < 100; i++) {
        void *library = dlopen("./plugin.so", RTLD_NOW);
        int (*plugin)(int) = (int (*)(int))dlsym(library, "plugin");
        plugin(i);
        plugin(i + 1);
        dlclose(library);
        if (i == 10) before = pages();
    }
    if (pages() > before + 4) printf("%ld pages more\n", pages() - before);
    return 0;
}
#endif
