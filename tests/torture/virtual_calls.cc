#include <cstdio>
struct Shape { virtual int area(int k) const = 0; virtual ~Shape() { } int twice() const { return area(1) * 2; } };
struct Square : Shape { int a; Square(int n) : a(n) {} int area(int k) const override { return k > 1 ? a * a * k : a * a; } };
struct Line final : Shape { int area(int) const override { return 0; } ~Line() { std::printf("~Line "); } };
int main() {
    int s = 0;
    for (int i = 0; i < 8; i++) { Shape *p = i % 3 ? static_cast<Shape *>(new Square(i)) : new Line; s += p->area(i) + p->twice(); if (dynamic_cast<Line *>(p)) s++; int (Shape::*m)(int) const = &Shape::area; s += (p->*m)(i); delete p; }
    std::printf("%d\n", s);
}
