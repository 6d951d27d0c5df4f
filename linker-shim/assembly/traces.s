# What traced code calls. See src/traces.rs.
        .text

# The common block, and the runtime's table: pathformat::descriptor::trace_block.
        .set    RUNTIME_OFFSET, 16
        .set    ROOM_OFFSET, 8

# Makes room for a record: jumps to the function of the runtime that the block belongs to. Distances
# lead there, since the image may not be relocated yet. A block that pathld did not define has no
# runtime: then the function is that of this image. It may change two registers.
        .type   room, @function
room:
        endbr64
        movq    block@GOTPCREL(%rip), %r11
        movq    RUNTIME_OFFSET(%r11), %rax
        testq   %rax, %rax
        je      1f
        addq    %r11, %rax
        addq    ROOM_OFFSET(%rax), %rax
        jmp     *%rax
1:      jmp     give_room
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

# A function that synchronises or allocates: its number is the fifth argument.
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
