#include <cstdio>
#include <stdexcept>
static int classify() { try { throw; } catch (const std::out_of_range &) { return 1; } catch (const std::logic_error &) { return 2; } catch (int n) { return n > 3 ? 3 : 4; } catch (...) { return 5; } }
static void raise(int n) {
    switch (n % 5) { case 0: throw std::out_of_range("a"); case 1: throw std::invalid_argument("b"); case 2: throw n; case 3: throw 'c'; }
}
static void pass(int n) { try { raise(n); } catch (...) { if (n & 1) throw; try { throw; } catch (int) { throw; } catch (...) { throw 100 + n; } } }
int main() { int s = 0; for (int i = 0; i < 15; i++) try { pass(i); s += 1000; } catch (...) { s += classify() * (i + 1); } std::printf("%d\n", s); }
