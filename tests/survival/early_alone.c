//#with: -static | -O2 -static | -static -nostartfiles -nodefaultlibs | -no-pie | -static -fuse-ld=lld | -static -fuse-ld=mold | -static -s | -O2 -static -flto -fuse-ld=lld | -static -Wl,-e,begin
//#entries: f 5
//#entries: start 1
//#incomplete: 1
//#build: $CC -g -nostdlib $FLAGS "$HERE/early_alone.c" -o prog
// A program without a C library: nobody makes a thread pointer, calls constructors or tells of the end.
static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
__attribute__((noinline)) int f(int x) {
    if (x & 1) __asm__ volatile("nop");
    return x + 1;
}
__attribute__((used)) void start(void) {
    int sum = 0;
    for (int i = 0; i < 5; i++) sum += f(i);
    call(1, 1, (long)(sum == 15 ? "ok\n" : "no\n"), 3);
    call(231, 0, 0, 0);
}
__asm__(".globl _start, begin\n_start: begin: and $-16, %rsp\n call start\n hlt");
