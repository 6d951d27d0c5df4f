# _exit of a static executable, in the archive of pthread_create. The C library's exit ends in it,
# too; by the third name the runtime knows that. The C library's own does no more
# than to end the process, and there is no sanitizer.
        .section .text._exit, "ax", @progbits
        .globl  _exit, _Exit, __pathcc_static_exit
        .hidden __pathcc_leave, __pathcc_static_exit
        .type   _exit, @function
        .type   _Exit, @function
        .p2align 4
_exit:
_Exit:
__pathcc_static_exit:
        endbr64
        xorl    %esi, %esi
        jmp     __pathcc_leave
        .size   _exit, . - _exit
        .size   _Exit, . - _Exit

        .section .note.gnu.property, "a", @note
        .p2align 3
        .long   4, 16, 5
        .asciz  "GNU"
        .long   0xc0000002, 4, 3, 0
        .section .note.GNU-stack, "", @progbits
