//#needs: c=/sys/fs/cgroup; [ -e $c/memory/memory.limit_in_bytes ] && c=$c/memory; mkdir $c/pathcc-try && { [ -e $c/pathcc-try/memory.max ] || [ -e $c/pathcc-try/memory.limit_in_bytes ]; s=$?; rmdir $c/pathcc-try; exit $s; }
//#run: c=/sys/fs/cgroup; [ -e $c/memory/memory.limit_in_bytes ] && c=$c/memory; g=$c/pathcc-$$; mkdir $g; for f in memory.max memory.limit_in_bytes; do [ ! -e $g/$f ] || echo 33554432 >$g/$f; done; for f in memory.swap.max memory.swappiness; do [ ! -e $g/$f ] || echo 0 >$g/$f; done; sh -c "echo \$\$ >$g/cgroup.procs; exec timeout -s INT 60 ./prog"; s=$?; sleep 0.1; rmdir $g; (exit $s)
//#status: 137
//#incomplete: 1
//#entries: work 100
// The kernel kills it for want of memory.
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int main(void) {
    for (int i = 0; i < 100; i++) work(i);
    for (;;) { char *block = malloc(1 << 20); if (block) memset(block, 1, 1 << 20); __asm__ volatile("" : : "r"(block) : "memory"); }
}
