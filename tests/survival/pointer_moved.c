//#with: | -O2 | -no-pie | -static | -fPIC | -O2 -fpath-stage=early | -DSYSCALL | -DASSEMBLY -O2
//#build: case $CC in clang*) FLAGS=$(echo $FLAGS | sed 's/-fpath[^ ]*//');; esac; $CC -g $FLAGS "$HERE/pointer_moved.c" -o prog -pthread
//#entries: f 1000
//#entries: main 1
//#incomplete: 0
// A while with another thread pointer, which has nothing on either side.
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(ASSEMBLY)
static void pointer(int what, unsigned long at) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_arch_prctl), "D"((long)what), "S"(at) : "rcx", "r11", "memory");
}
#elif defined(SYSCALL)
#define pointer(what, at) syscall(SYS_arch_prctl, what, at)
#else
int arch_prctl(int what, unsigned long at);
#define pointer arch_prctl
#endif
static volatile int n;
__attribute__((noinline)) int f(int x) { if (x & 1) __asm__ volatile("nop"); return x; }
int main(void) {
    unsigned long own, *other = mmap(0, 3 << 12, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect((char *)other + 4096, 4096, PROT_READ | PROT_WRITE);
    unsigned long at = (unsigned long)other + 4096;
    pointer(ARCH_GET_FS, (unsigned long)&own);
    pointer(ARCH_SET_FS, at);
    for (int i = 0; i < 1000; i++) n += f(i) & 1;
    pointer(ARCH_SET_FS, own);
    printf("%d\n", n);
    return 0;
}
