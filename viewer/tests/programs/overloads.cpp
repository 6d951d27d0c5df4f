// Functions that share a name, and one whose name is long where it was inlined.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define APART __attribute__((noinline))

APART bool agree(const char *one, const char *other) { return std::strcmp(one, other) == 0; }
APART bool agree(const char *one, int other) { return std::atoi(one) == other; }
APART bool agree(const char *one, bool other) { return agree(one, int(other)) || agree(one, "a"); }

namespace storage {
struct Table {
    struct KeyComparator {
        bool before(const char *one, const char *other) const {
            return std::strcmp(one, other) < 0;
        }
    };
};

template <typename Key, class Comparator> class OrderedList {
  public:
    APART void Insert(const Key &key) {
        Node *last = FindGreaterOrEqual(key);
        last->next = new Node{key, last->next};
    }

  private:
    struct Node {
        Key key;
        Node *next;
    };
    Node *FindGreaterOrEqual(const Key &key) const {
        Node *at = head;
        while (at->next && compare.before(at->next->key, key))
            at = at->next;
        return at;
    }
    Node *head = new Node{"", nullptr};
    Comparator compare;
};
} // namespace storage

static char texts[3000][8];

int main(int, char **words) {
    storage::OrderedList<const char *, storage::Table::KeyComparator> list;
    int sum = 0;
    for (int at = 0; at < 3000; at++) {
        std::snprintf(texts[at], sizeof texts[at], "%04d", at * 7919 % 3000);
        list.Insert(texts[at]);
        sum += agree(texts[at], words[0]) + agree(texts[at], at) + agree(texts[at], at > 3);
    }
    return sum < 0;
}
