#include <cstdio>
#include <exception>
static int during, normally;
struct Guard { int before = std::uncaught_exceptions(); ~Guard() { if (std::uncaught_exceptions() > before) during++; else normally++; try { if (during & 1) throw 1; } catch (int) { normally += 10; } } };
static void f(int n) { Guard a; if (n & 1) throw n; Guard b; if (n & 2) throw 2.0; }
int main() { for (int i = 0; i < 8; i++) try { f(i); } catch (int) { } catch (double) { Guard c; } std::printf("%d %d\n", during, normally); }
