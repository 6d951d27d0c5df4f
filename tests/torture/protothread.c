#include <stdio.h>
struct state { int line, i; };
static int next(struct state *s) {
    switch (s->line) {
    case 0:
        for (s->i = 0; s->i < 3; s->i++) { s->line = 1; return s->i; case 1:; }
        while (s->i < 100) { s->line = 2; return s->i; case 2: s->i *= 4; }
    }
    return -1;
}
int main(void) { struct state s = {0}; for (int v; (v = next(&s)) >= 0;) printf("%d\n", v); }
