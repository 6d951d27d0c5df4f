# The functions of the C library that create threads or end the process, as an executable defines
# them. Each hands its arguments on to the runtime. See src/threads.rs.
        .text

# pthread_create: the last two arguments become 0, "look for the real one" and "POSIX".
        .type   posix, @function
posix:
        endbr64
        xorl    %r8d, %r8d
        xorl    %r9d, %r9d
        jmp     create_thread
        .size   posix, . - posix

# thrd_create: the function and its argument move on by one, and the last argument says "C".
        .type   c, @function
c:
        endbr64
        movq    %rdx, %rcx
        movq    %rsi, %rdx
        xorl    %r8d, %r8d
        movl    $1, %r9d
        jmp     create_thread
        .size   c, . - c

# _exit: calls the runtime, which ends the process. The second argument is the _exit of a sanitizer,
# or 0. That one is looked up here and not in the runtime: builds whose libraries must not end the
# process, such as libpq's, refuse a library that names a function like that.
        .type   exit, @function
exit:
        endbr64
        movq    sanitizer@GOTPCREL(%rip), %rsi
        jmp     leave
        .size   exit, . - exit
