// A tiny stack machine: the switch in its loop has one way out for each instruction.
#include <stdio.h>

enum op { PUSH, ADD, MUL, DUP, JUMP_IF_LESS, HALT };

static long run(const int *code) {
    long stack[16] = {0};
    int top = 0;
    for (const int *pc = code;;) {
        switch (*pc++) {
        case PUSH:
            stack[top++] = *pc++;
            break;
        case ADD:
            top--;
            stack[top - 1] += stack[top];
            break;
        case MUL:
            top--;
            stack[top - 1] *= stack[top];
            break;
        case DUP:
            stack[top] = stack[top - 1];
            top++;
            break;
        case JUMP_IF_LESS: // limit, target
            if (stack[top - 1] < pc[0])
                pc = code + pc[1];
            else
                pc += 2;
            break;
        default:
            return stack[top - 1];
        }
    }
}

int main(void) {
    // Squares and adds one until a million is passed.
    static const int code[] = {PUSH, 1, DUP, MUL, PUSH, 1, ADD, JUMP_IF_LESS, 1000000, 2, HALT};
    printf("%ld\n", run(code));
    return 0;
}
