# What traced code calls. See src/traces.rs.
        .text

# The thread's block of words, and the runtime's table: pathformat::descriptor::trace_block.
        .set    RUNTIME_OFFSET, 16
        .set    ROOM_OFFSET, 8

# Makes room for a record: jumps to the function of the runtime that the thread's words belong to,
# or of this image's own runtime as long as there is none. It may change two registers.
        .type   room, @function
room:
        endbr64
        movq    words@GOTTPOFF(%rip), %rax
        movq    %fs:RUNTIME_OFFSET(%rax), %rax
        leaq    runtime(%rip), %r11
        testq   %rax, %rax
        cmoveq  %r11, %rax
        jmp     *ROOM_OFFSET(%rax)
        .size   room, . - room

# A function that installs handlers: its number is the fourth argument.
        .type   signal, @function
signal:
        endbr64
        movl    $number, %ecx
        jmp     handler
        .size   signal, . - signal

# A function that selects what is traced: its number is the only argument.
        .type   switch, @function
switch:
        endbr64
        movl    $number, %edi
        jmp     handler
        .size   switch, . - switch

# A function that synchronises: its number is the fifth argument.
        .type   synchronise, @function
synchronise:
        endbr64
        movl    $number, %r8d
        jmp     handler
        .size   synchronise, . - synchronise

# The function that records calls of MPI.
        .type   message, @function
message:
        endbr64
        jmp     handler
        .size   message, . - message
