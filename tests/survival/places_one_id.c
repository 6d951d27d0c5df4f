//#needs: unshare --pid --fork --mount-proc true
//#run: mkdir p; for i in $(seq 40); do PATHCC_PROFILE=p/ unshare --pid --fork --mount-proc ./prog; done; cp -a p/. profiles/
//#profiles: 40
//#entries: main 40
//#entries: work 400
//#incomplete: 0
// Forty processes of one id, as in containers, some of which start within one tick of the clock: each keeps its profile.
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int main(void) { for (int i = 0; i < 10; i++) work(i); return 0; }
