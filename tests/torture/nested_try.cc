#include <cstdio>
static int f(int a, int b) {
    int s = 0;
    try { s++; try { s += 10; if (a) throw a; try { if (b) throw 'b'; s += 100; } catch (int) { s = -1; } } catch (int x) { s += 1000; if (b) throw 2.5; } catch (double) { s = -2; } }
    catch (char) { s += 10000; try { if (a == b) throw s; } catch (...) { s++; } }
    catch (double d) { s += int(d * 2); }
    return s;
}
int main() { for (int i = 0; i < 4; i++) std::printf("%d ", f(i & 1, i & 2)); std::puts(""); }
