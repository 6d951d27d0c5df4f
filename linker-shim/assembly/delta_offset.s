# The function that gives the distance of the image's thread-local word from the thread pointer. See
# src/module.rs.
        .text

        .type   of_word, @function
of_word:
        endbr64
        movq    delta@GOTTPOFF(%rip), %rax
        ret
        .size   of_word, . - of_word

# The image has no word.
        .type   zero, @function
zero:
        endbr64
        xorl    %eax, %eax
        ret
        .size   zero, . - zero
