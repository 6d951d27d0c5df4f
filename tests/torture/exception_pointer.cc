#include <cstdio>
#include <exception>
#include <stdexcept>
static std::exception_ptr keep(int n) { try { if (n & 1) throw std::runtime_error("odd"); if (n & 2) throw n; } catch (...) { return std::current_exception(); } return nullptr; }
static int unwrap(const std::exception &e) { int depth = 1; try { std::rethrow_if_nested(e); } catch (const std::exception &inner) { depth += unwrap(inner); } catch (...) { depth += 10; } return depth; }
static void nest(int n) { try { if (n == 0) throw 3; nest(n - 1); } catch (...) { std::throw_with_nested(std::logic_error("more")); } }
int main() {
    int s = 0;
    for (int i = 0; i < 6; i++) if (auto p = keep(i)) try { std::rethrow_exception(p); } catch (std::exception &) { s++; } catch (int) { s += 10; } else s += 100;
    for (int i = 0; i < 3; i++) try { nest(i); } catch (std::exception &e) { s += 1000 * unwrap(e); }
    std::printf("%d\n", s);
}
