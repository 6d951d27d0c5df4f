# pthread_create of a static executable. It is in an archive of its own, from which the linker takes
# it if the program creates threads; then it finds the C library's function by its other name, which
# glibc and musl share. See src/threads.rs.
        .section .text.pthread_create, "ax", @progbits
        .globl  pthread_create
        .hidden __pathcc_create_thread
        .type   pthread_create, @function
        .p2align 4
pthread_create:
        endbr64
        leaq    __pthread_create(%rip), %r8
        xorl    %r9d, %r9d
        jmp     __pathcc_create_thread
        .size   pthread_create, . - pthread_create

        .section .note.gnu.property, "a", @note
        .p2align 3
        .long   4, 16, 5
        .asciz  "GNU"
        .long   0xc0000002, 4, 3, 0
        .section .note.GNU-stack, "", @progbits
