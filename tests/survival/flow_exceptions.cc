//#with: | -O2 | -fuse-ld=lld | -static | -fpath-stage=early -O2
//#build: case $CC in clang*) FLAGS=$(echo $FLAGS | sed 's/-fpath[^ ]*//');; esac; $CXX -g -O1 $FLAGS "$HERE/flow_exceptions.cc" -o prog -pthread
//#entries: thrower 300
//#entries: middle 300
//#entries: rethrower 200
//#entries: catcher 300
//#entries: Guard::~Guard 300
// Exceptions through frames with and without handlers, rethrown, in threads.
#include <cstdio>
#include <thread>
struct Guard { int *n; __attribute__((noinline)) ~Guard() { ++*n; __asm__ volatile(""); } };
__attribute__((noinline)) int thrower(int x) { if (x % 3) throw x; __asm__ volatile(""); return x; }
__attribute__((noinline)) int middle(int x, int *n) { Guard guard{n}; return thrower(x) + 1; }
__attribute__((noinline)) int rethrower(int x, int *n) { try { return middle(x, n); } catch (int y) { __asm__ volatile(""); throw; } }
__attribute__((noinline)) int catcher(int x, int *n) { try { return x % 3 ? rethrower(x, n) : middle(x, n); } catch (int y) { return -y; } }
static void run(long *sum) { int n = 0; for (int i = 0; i < 150; i++) *sum += catcher(i, &n); *sum += n * 1000000; }
int main() {
    long sums[2] = {};
    std::thread other(run, &sums[1]);
    run(&sums[0]);
    other.join();
    std::printf("%ld %ld\n", sums[0], sums[1]);
}
