# One function that executes another program, in place of the C library's: the process ends there, so that
# what it counted is written first. NAME is the function, and NAMED is defined if its first argument is the
# path of the program. The linker calls it by --wrap, for all code that it links, and takes it from the
# archive if that code calls the function.
#define JOIN(a, b) a ## b
#define WRAP(name) JOIN(__wrap_, name)
#define REAL(name) JOIN(__real_, name)

        .section .text.pathcc.execute, "ax", @progbits
        .globl  WRAP(NAME)
        .hidden WRAP(NAME), __pathcc_execute
        .type   WRAP(NAME), @function
        .p2align 4
WRAP(NAME):
        .cfi_startproc
        endbr64
        # The arguments, and the number of those in vector registers.
        .irp register, rdi, rsi, rdx, rcx, r8, r9, rax
        pushq   %\register
        .cfi_adjust_cfa_offset 8
        .endr
#ifndef NAMED
        xorl    %edi, %edi
#endif
        call    __pathcc_execute
        .irp register, rax, r9, r8, rcx, rdx, rsi, rdi
        popq    %\register
        .cfi_adjust_cfa_offset -8
        .endr
        jmp     REAL(NAME)@PLT
        .cfi_endproc
        .size   WRAP(NAME), . - WRAP(NAME)

        .section .note.gnu.property, "a", @note
        .p2align 3
        .long   4, 16, 5
        .asciz  "GNU"
        .long   0xc0000002, 4, 3, 0
        .section .note.GNU-stack, "", @progbits
