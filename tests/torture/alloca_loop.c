#include <stdio.h>
struct node { struct node *next; int v; };
static int f(int n) {
    struct node *head = 0;
    for (int i = 0; i < n; i++) { struct node *fresh = __builtin_alloca(sizeof *fresh); fresh->next = head; fresh->v = i; head = fresh; }
    int sum = 0;
    for (; head; head = head->next) sum += head->v * (sum & 3);
    return sum;
}
int main(void) { printf("%d\n", f(20) + f(0)); }
