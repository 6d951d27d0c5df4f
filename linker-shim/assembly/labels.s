# What a program calls to name what it does. See src/labels.rs.
        .text

# A function of a label: its argument is a text or nothing, its number is the second one.
        .type   change, @function
change:
        endbr64
        movl    $number, %esi
        jmp     handler
        .size   change, . - change
