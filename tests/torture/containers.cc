#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>
int main() {
    std::map<std::string, int> words;
    std::string text = "the cat and the dog and the bird", word;
    for (char c : text + " ") if (c == ' ') { if (!word.empty()) words[word]++; word.clear(); } else word += c;
    std::vector<int> v;
    for (auto &[w, n] : words) for (int i = 0; i < n; i++) v.push_back(int(w.size()) * n);
    std::sort(v.begin(), v.end(), [](int a, int b) { return a % 5 != b % 5 ? a % 5 < b % 5 : a < b; });
    v.erase(std::remove_if(v.begin(), v.end(), [](int n) { return n & 1; }), v.end());
    std::printf("%zu %d %d\n", v.size(), std::accumulate(v.begin(), v.end(), 0), int(std::count_if(words.begin(), words.end(), [](auto &p) { return p.second > 1; })));
}
