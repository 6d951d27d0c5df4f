#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i & 1 ? i : 1; return s; }
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int child = fork();
        if (child == 0) exit(work(i + 2));
        int status;
        waitpid(child, &status, 0);
        sum += WEXITSTATUS(status);
    }
    printf("%d\n", sum);
}
