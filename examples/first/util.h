// What a word stands for: a decimal number, else its length.
long parse_number(const char *word);
