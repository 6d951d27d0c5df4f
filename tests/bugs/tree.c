// A search tree: a number is added, -NUMBER removes one ...; what is left, in order.
// Bug in removed: the successor of a number that stands right below it is not taken out.
#include <stdio.h>
#include <stdlib.h>

typedef struct Node {
    int key;
    struct Node *left, *right;
} Node;

static Node *new_node(int key) {
    Node *node = calloc(1, sizeof *node);
    node->key = key;
    return node;
}

/* Where the number is, or would be. */
static Node **place(Node **root, int key) {
    while (*root != NULL && (*root)->key != key)
        root = key < (*root)->key ? &(*root)->left : &(*root)->right;
    return root;
}

static int add(Node **root, int key) {
    Node **at = place(root, key);
    if (*at != NULL)
        return 0;
    *at = new_node(key);
    return 1;
}

static int removed(Node **root, int key) {
    Node **at = place(root, key);
    Node *node = *at;
    if (node == NULL)
        return 0;
    if (node->left == NULL) {
        *at = node->right;
        return 1;
    }
    if (node->right == NULL) {
        *at = node->left;
        return 1;
    }
    Node *above = node, *next = node->right;
    while (next->left != NULL) {
        above = next;
        next = next->left;
    }
    node->key = next->key;
    if (above != node)
        above->left = next->right;
    else
#ifdef BUG
        above->right = next; /* bug */
#else
        above->right = next->right;
#endif
    return 1;
}

static int show(const Node *node) {
    if (node == NULL)
        return 0;
    int before = show(node->left);
    printf("%d ", node->key);
    return before + 1 + show(node->right);
}

int main(int count, char **words) {
    Node *root = NULL;
    int ignored = 0;
    for (int n = 1; n < count; n++) {
        int key = atoi(words[n]);
        if (!(key < 0 ? removed(&root, -key) : add(&root, key)))
            ignored++;
    }
    printf("(%d)", show(root));
    printf(" %d ignored\n", ignored);
    return 0;
}
