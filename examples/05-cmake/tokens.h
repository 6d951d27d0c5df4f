// Moves `text` behind its next word; returns 0 if there is none.
int next_token(const char **text);
