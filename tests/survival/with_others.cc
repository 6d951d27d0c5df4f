//#with: -fsanitize=address | -fsanitize=undefined | -fsanitize=thread | -fsanitize=address,undefined -O0 | -D_FORTIFY_SOURCE=3 -O2 | -fcf-protection=full -fstack-clash-protection | -mcmodel=medium | -fno-pic -no-pie | -fstack-protector-all | -fsanitize=thread -fpath-stage=early -O2
//#build: case $CC in clang*) FLAGS=$(echo $FLAGS | sed 's/-fpath[^ ]*//g');; esac; $CXX -g -O1 $FLAGS "$HERE/with_others.cc" -o prog -pthread
//#entries: hot 40000
//#entries: run 4
//#entries: fails 300
//#incomplete: 0
// With sanitizers and hardening: no report, and the same counts.
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>
__attribute__((noinline)) static int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
__attribute__((noinline)) static int fails(int x) { if (x % 3 == 0) throw x; return x; }
static void run(long *sum) { char text[32]; for (int i = 0; i < 10000; i++) { std::snprintf(text, sizeof text, "%d", hot(i)); *sum += std::strlen(text); } }
int main() {
    long sums[4] = {}, caught = 0;
    std::vector<std::thread> threads;
    for (auto &sum : sums) threads.emplace_back(run, &sum);
    for (auto &thread : threads) thread.join();
    for (int i = 0; i < 300; i++) try { fails(i); } catch (int) { caught++; }
    std::printf("%ld %ld %ld\n", sums[0], sums[3], caught);
}
