//#run: mkdir p p/dir.pathprof; mkfifo p/pipe.pathprof; ln -s /dev/null p/link.pathprof; echo mine >p/file.pathprof; chmod 1777 p; [ $(id -u) != 0 ] || chown 1:1 p/dir.pathprof; for n in dir pipe link file file; do PATHCC_PROFILE=p/$n.pathprof ./prog; done; cat p/file.pathprof; rm p/file.pathprof p/link.pathprof; find p -type f -exec mv {} profiles ';'; ls p; [ $(id -u) != 0 ] || rmdir p/dir.pathprof; rm -rf p
//#needs: [ $(id -u) = 0 ]
//#profiles: 5
//#entries: main 5
//#entries: work 50
//#incomplete: 0
// A pipe, a link, another user's directory and somebody's file stand where the profile shall be: nothing waits, nothing is
// followed, and nothing is overwritten.
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int main(void) { for (int i = 0; i < 10; i++) work(i); return 0; }
