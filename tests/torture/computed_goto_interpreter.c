#include <stdio.h>
static int run(const unsigned char *code) {
    static void *const table[] = {&&push, &&add, &&mul, &&jump, &&loop, &&stop};
    int stack[16], top = 0, count = 0;
    goto *table[*code];
push: stack[top++] = code[1]; code += 2; goto *table[*code];
add:  top--; stack[top - 1] += stack[top]; code++; goto *table[*code];
mul:  top--; stack[top - 1] *= stack[top]; code++; goto *table[*code];
jump: code += code[1]; goto *table[*code];
loop: if (++count < 5) code -= code[1]; else code += 2; goto *table[*code];
stop: return stack[0];
}
int main(void) {
    static const unsigned char program[] = {0, 3, 0, 4, 1, 3, 2, 0, 2, 1, 4, 3, 0, 7, 2, 5};
    printf("%d\n", run(program));
}
