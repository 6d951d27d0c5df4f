// Sorts by inserting into a treap (a binary tree kept balanced by random priorities): pointers and recursion.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    uint32_t key, priority, times;
};

static struct node *pool;
static uint32_t seed = 2463534242u, used;

static uint32_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static struct node *insert(struct node *tree, uint32_t key) {
    if (tree == NULL) {
        struct node *leaf = &pool[used++];
        *leaf = (struct node){NULL, NULL, key, next_random(), 1};
        return leaf;
    }
    if (key == tree->key) {
        tree->times++;
    } else if (key < tree->key) {
        struct node *left = tree->left = insert(tree->left, key);
        if (left->priority > tree->priority) {
            tree->left = left->right;
            left->right = tree;
            return left;
        }
    } else {
        struct node *right = tree->right = insert(tree->right, key);
        if (right->priority > tree->priority) {
            tree->right = right->left;
            right->left = tree;
            return right;
        }
    }
    return tree;
}

static uint64_t visit(const struct node *tree, uint64_t sum) {
    if (tree == NULL)
        return sum;
    sum = visit(tree->left, sum);
    sum = sum * 31 + tree->key * (uint64_t)tree->times;
    return visit(tree->right, sum);
}

int main(int argc, char **argv) {
    uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1500000;
    pool = malloc(n * sizeof *pool + 1);
    if (pool == NULL)
        return 1;
    struct node *tree = NULL;
    for (uint32_t i = 0; i < n; i++)
        tree = insert(tree, next_random() % (n + 1));
    printf("tree %u %llu\n", used, (unsigned long long)visit(tree, 0));
    free(pool);
    return 0;
}
