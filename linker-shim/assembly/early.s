# The function that makes the thread-local words of the calling thread, for code that runs before
# the C library does. See src/early.rs.
        .text

        .type   make_words, @function
make_words:
        endbr64
        leaq    region(%rip), %rdi
        leaq    modules(%rip), %rsi
        movl    $count, %edx
        movq    delta@GOTTPOFF(%rip), %rcx
        leaq    place(%rip), %r8
        jmp     prepare_thread
        .size   make_words, . - make_words

# In place of the instruction that loads the distance, where there is no word.
        .type   no_delta, @function
no_delta:
        xorl    %ecx, %ecx
        .nops   5
        .size   no_delta, . - no_delta

# What linkers make of that instruction in an executable.
        .type   constant_delta, @function
constant_delta:
        movq    $distance, %rcx
        .size   constant_delta, . - constant_delta

# In place of the jump in a library, which is loaded when there is a thread pointer. The
# instructions before it still give pathld the addresses.
        .type   no_jump, @function
no_jump:
        ret
        .nops   4
        .size   no_jump, . - no_jump
