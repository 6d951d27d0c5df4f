// Codes text with a Huffman code bit by bit, and decodes it by walking the tree: bit loops.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS = 64, NODES = 2 * SYMBOLS };

static uint32_t weight[NODES];
static int left[NODES], right[NODES], parent[NODES], length[SYMBOLS];
static uint64_t code[SYMBOLS];

static int lightest(int nodes, int but) {
    int best = -1;
    for (int node = 0; node < nodes; node++)
        if (node != but && parent[node] < 0 && (best < 0 || weight[node] < weight[best]))
            best = node;
    return best;
}

static int tree(void) {
    int nodes = SYMBOLS;
    memset(parent, -1, sizeof parent);
    for (; nodes < NODES - 1; nodes++) {
        int one = lightest(nodes, -1), other = lightest(nodes, one);
        left[nodes] = one;
        right[nodes] = other;
        weight[nodes] = weight[one] + weight[other];
        parent[one] = parent[other] = nodes;
    }
    for (int symbol = 0; symbol < SYMBOLS; symbol++)
        for (int node = symbol; parent[node] >= 0; node = parent[node])
            code[symbol] |= (uint64_t)(right[parent[node]] == node) << length[symbol]++;
    return nodes - 1;
}

static size_t encode(const uint8_t *text, size_t n, uint8_t *bits) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        for (int bit = length[text[i]]; bit-- > 0; at++) {
            if (at % 8 == 0)
                bits[at / 8] = 0;
            if (code[text[i]] >> bit & 1)
                bits[at / 8] |= (uint8_t)(128 >> at % 8);
        }
    return at;
}

static uint32_t decode(const uint8_t *bits, size_t end, int root) {
    uint32_t sum = 0;
    int node = root;
    for (size_t at = 0; at < end; at++) {
        node = bits[at / 8] >> (7 - at % 8) & 1 ? right[node] : left[node];
        if (node < SYMBOLS) {
            sum = sum * 31 + (uint32_t)node;
            node = root;
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 15000000;
    uint8_t *text = malloc(n + 1), *bits = malloc(n * 8 + 1);
    if (text == NULL || bits == NULL)
        return 1;
    uint32_t seed = 3;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        text[i] = (uint8_t)((seed >> 26) * (seed >> 10 & 63) >> 6);
        weight[text[i]]++;
    }
    int root = tree();
    size_t end = encode(text, n, bits);
    printf("huffman %zu %u\n", end, decode(bits, end, root));
    free(text);
    free(bits);
    return 0;
}
