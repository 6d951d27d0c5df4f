#include <cstdio>
#include <initializer_list>
struct Upto {
    int n;
    struct It { int i; int operator*() const { return i; } It &operator++() { i++; if (i == 2) i++; return *this; } bool operator!=(const It &o) const { return i < o.i; } };
    It begin() const { return {0}; }
    It end() const { return {n}; }
};
struct End {};
struct To {
    const char *p;
    const char *begin() const { return p; }
    struct S {};
    S end() const { return {}; }
    friend bool operator!=(const char *a, S) { return *a; }
};
int main() {
    int s = 0, a[] = {3, 1, 4, 1, 5}, m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    for (int x : a) { if (x == 4) continue; s += x; }
    for (auto &row : m) for (int &x : row) { x *= 2; if (x == 8) break; }
    for (int x : {7, 8, 9}) s += x;
    for (int x : Upto{6}) s += x * 10;
    for (int k = 2; char c : To{"abc"}) s += c * k++;
    for (int x : Upto{0}) s += 1000 + x;
    for (struct P { int a, b; } p[] = {{1, 2}, {3, 4}}; auto [x, y] : p) s += x * y;
    std::printf("%d\n", s + m[1][2]);
}
