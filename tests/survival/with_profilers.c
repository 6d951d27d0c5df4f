//#with: -fpath-stage=early | -fpath-stage=early -DFRONT | -fpath-stage=early -DMADE | -fpath-stage=early -O0 | -fpath-stage=late
//#needs: command -v llvm-profdata-22
//#build: S="$HERE/with_profilers.c"; F=$(echo $FLAGS | sed 's/-fpath[^ ]*//'); case $CC in clang*) FLAGS=$F;; esac; G=-fprofile-generate; P=clang-22; case $FLAGS in *FRONT*) G=-fprofile-instr-generate;; *MADE*) P=$CC\ $FLAGS;; esac; $P -O2 $F $G "$S" -o made; PATHCC_PROFILE=off LLVM_PROFILE_FILE=p.profraw ./made; llvm-profdata-22 merge p.profraw -o p.profdata; clang-22 -O2 $F -fprofile-use=p.profdata -S -emit-llvm "$S" -o plain.ll; $CC -O2 $F -fprofile-use=p.profdata -S -emit-llvm $FLAGS "$S" -o prog.ll; test $(grep -c function_entry_count plain.ll) = $(grep -c function_entry_count prog.ll); $CC -g -O2 $FLAGS -fprofile-use=p.profdata "$S" -o prog
//#entries: main 1
//#entries: rare 10
//#entries: often 1000
// The user's own profile, by clang's profiler, is read from the code that it was made of, wherever we count; and the other way round.
#include <stdio.h>
__attribute__((noinline)) static int rare(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x * 3 : x; }
__attribute__((noinline)) static int often(int x) {
    __asm__ volatile("" : "+r"(x));
    if (x % 100 == 0) return rare(x);
    for (int i = 0; i < x % 5; i++) x ^= i;
    return x;
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 1000; i++) sum += often(i);
    printf("%d\n", sum);
    return 0;
}
