//#needs: [ $(id -u) = 0 ] && [ -w /sys/fs/cgroup ] && { [ -e /sys/fs/cgroup/memory.max ] || mkdir -p /sys/fs/cgroup/pathcc-test && [ -e /sys/fs/cgroup/pathcc-test/memory.max ]; }
//#run: g=/sys/fs/cgroup/pathcc-$$; mkdir $g && echo 33554432 >$g/memory.max && echo 0 >$g/memory.swap.max; sh -c "echo \$\$ >$g/cgroup.procs; exec ./prog"; s=$?; rmdir $g; (exit $s)
//#status: 137
//#incomplete: 1
//#entries: work 100
// The kernel kills it for want of memory.
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int main(void) {
    for (int i = 0; i < 100; i++) work(i);
    for (;;) memset(malloc(1 << 20), 1, 1 << 20);
}
