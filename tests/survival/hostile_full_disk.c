//#with: tmpfs | ext4 | overlay
//#needs: unshare --mount sh -ec 'd=$(mktemp -d); mount -t tmpfs -o size=4m none $d; truncate -s 2m $d/i; mkfs.ext4 -q $d/i; mkdir $d/m $d/u $d/w; mount -o loop $d/i $d/m; umount $d/m; mount -t overlay -o lowerdir=/bin,upperdir=$d/u,workdir=$d/w none $d/m'
//#build: $CC -g -O1 "$HERE/hostile_full_disk.c" -o prog -pthread
//#run: mkdir d; export d=$PWD/d; export PATHCC_PROFILE=$d/ FLAGS; unshare --mount sh -ec 'case $FLAGS in tmpfs) mount -t tmpfs -o size=2m none $d;; ext4) truncate -s 4m i; mkfs.ext4 -q -m 0 i; mount -o loop i $d;; overlay) mkdir o; mount -t tmpfs -o size=2m none o; mkdir o/l o/u o/w; mount -t overlay -o lowerdir=o/l,upperdir=o/u,workdir=o/w none $d;; esac; set +e; ./prog; s=$?; rm -f $d/filler; cp -a $d/. profiles/; exit $s'
//#entries: hot 1000
//#incomplete: 0
//#unwritten: 1
//#partial: 1
//#entries: rare 1
//#processes: 1
// The disk becomes full while the program runs, and then it touches counters that it had not touched before. There is no
// room any more for the slots of new threads, and that is said.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
// Four thousand paths and more, so that its counters are far from the others.
__attribute__((noinline)) int rare(int x) {
    int s = 0;
#define BIT if (x & 1) s += x; x >>= 1; __asm__ volatile("" : "+r"(x), "+r"(s));
    BIT BIT BIT BIT BIT BIT BIT BIT BIT BIT BIT
    return s;
}
static void *run(void *x) { for (int i = 0; i < 1000; i++) hot(i); return x; }
int main(void) {
    char block[4096] = "";
    int filler = open("d/filler", O_CREAT | O_WRONLY, 0666);
    // What the file system held back for itself may come free when it is done with what it was given.
    for (int i = 0; i < 5; i++) {
        while (write(filler, block, sizeof block) > 0) {}
        while (write(filler, block, 1) > 0) {}
        fsync(filler);
    }
    close(filler);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) if (pthread_create(&threads[i], NULL, run, NULL)) return 1;
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    run(NULL);
    printf("%d\n", rare(0x7ff));
    return 0;
}
