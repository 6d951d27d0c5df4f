// Names with long templates, code of system headers, and lines whose code is all inlined.

#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace storage {

/** A table by pairs. */
template <typename Key, typename Value> class Table {
public:
    __attribute__((noinline)) void insert_or_add(const Key &key, Value value) {
        auto found = values_.find(key);
        if (found == values_.end()) values_.emplace(key, value);
        else found->second += value;
    }
    __attribute__((noinline)) Value sum_of_all_values() const {
        Value all{};
        for (const auto &[key, value] : values_) all += value;
        return all;
    }

private:
    std::map<Key, Value> values_;
};

} // namespace storage

static void add(int *all, int value) {
    if (value % 3 == 0) *all += value * 7;
    else *all ^= value;
}

/** Its hottest line has no code of its own. */
__attribute__((noinline)) int hottest(int count) {
    int all = 0;
    for (int at = 0; at < count; at++)
        add(&all, at);
    return all;
}

int main() {
    storage::Table<std::pair<std::string, std::vector<int>>, long> table;
    std::vector<int> values;
    for (int at = 0; at < 300; at++) {
        table.insert_or_add({ std::string(at % 7, 'x'), { at % 3 } }, at);
        values.push_back(at);
    }
    std::printf("%ld %d\n", table.sum_of_all_values(), hottest(300));
    return 0;
}
