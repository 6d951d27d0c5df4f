//#with: -DCOUNTED | -DPLAIN
//#build: $CC -g -O1 -shared -fPIC -DPLUGIN "$HERE/library_late.c" -o plugin.so; case $FLAGS in *PLAIN) CC=clang-22;; esac; $CC -g -O1 "$HERE/library_late.c" -o prog -ldl
//#run: mkdir elsewhere p; PATHCC_PROFILE=off ./prog; PATHCC_PROFILE=$PWD/p/%e.%p.pathprof ./prog; PATHCC_PROFILE=here/%e.%p.pathprof ./prog; case $CC$FLAGS in *pathcc-DCOUNTED) find . -name '*.so*.pathprof' | sed 's/[0-9][0-9]*/N/' | sort >places; printf './here/plugin.so.N.pathprof\n./p/plugin.so.N.pathprof\n' | cmp - places;; esac; find . -path ./profiles -prune -o -name '*.so*.pathprof' -exec cp {} profiles ';'
//#profiles: 2
//#entries: plugin 200
// A program overwrites its environment and changes its directory, as servers do, and then opens a library. What the program was
// started with holds for the library.
#ifdef PLUGIN
int plugin(int x) { return x & 1 ? x + 1 : x - 1; }
#else
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
int main(void) {
    char **copy = calloc(1000, sizeof *copy), here[4096];
    if (!getcwd(here, sizeof here)) return 1;
    for (int i = 0; environ[i]; i++) copy[i] = strdup(environ[i]);
    char *first = environ[0];
    for (int i = 0; environ[i]; i++) memset(environ[i], 0, strlen(environ[i]));
    strcpy(first, "title");
    environ = copy;
    strcat(here, "/plugin.so");
    if (chdir("elsewhere")) return 1;
    void *library = dlopen(here, RTLD_NOW);
    if (!library) { puts(dlerror()); return 1; }
    int (*plugin)(int) = (int (*)(int))dlsym(library, "plugin");
    for (int i = 0; i < 100; i++) plugin(i);
    return 0;
}
#endif
