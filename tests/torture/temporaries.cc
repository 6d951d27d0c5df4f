#include <cstdio>
static int gone;
struct T { int n; T(int k) : n(k) {} T(const T &o) : n(o.n + 1) {} ~T() { gone += n; } explicit operator bool() const { return n & 1; } };
static T make(int n) { return T(n); }
static int take(const T &t) { return t.n; }
static int f(int n) {
    int s = 0;
    if (make(n) && make(n + 2)) s++;
    if (make(n) || make(n + 1)) s += 10;
    s += n > 2 ? take(make(n)) : take(T(make(1)));
    const T &kept = n & 1 ? make(5) : T(6);
    s += kept.n;
    while (make(s)) s++;
    for (T t = make(3); t.n > 0; t.n--) s += take(t);
    return s, take(make(n)) + s;
}
int main() { int s = 0; for (int i = 0; i < 6; i++) s += f(i); std::printf("%d %d\n", s, gone); }
