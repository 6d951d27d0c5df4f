#include <cstdio>
struct V { V(int n = 0) { std::printf("V%d ", n); } ~V() { std::printf("~V "); } };
struct A : virtual V { A() : V(1) { std::printf("A "); } ~A() { std::printf("~A "); } };
struct B : virtual V { B() : V(2) { std::printf("B "); } ~B() { std::printf("~B "); } };
struct C : A, B { int m = (std::printf("m "), 3); C(int n) : V(n > 1 ? 3 : 4) { if (n == 2) throw n; std::printf("C "); } ~C() { std::printf("~C "); } };
int main() { for (int i = 0; i < 4; i++) try { C c(i); A a; (void)a; std::puts(""); } catch (int) { std::puts("!"); } }
