#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>
#include <functional>
#include <optional>
#include <variant>
#include <any>
struct A { virtual ~A() {} };
struct B : A {};
static int f(int n) {
    A a, *none = nullptr;
    std::vector<int> v(3);
    try {
        switch (n) {
        case 0: return v.at(5);
        case 1: dynamic_cast<B &>(a); return 1;
        case 2: return typeid(*none).name()[0];
        case 3: { volatile long big = -1; return new char[big] != nullptr; }
        case 4: return std::stoi("x");
        case 5: return std::function<int()>{}();
        case 6: return std::optional<int>{}.value();
        case 7: return std::get<int>(std::variant<char, int>{'c'});
        case 8: return std::any_cast<int>(std::any{2.0});
        case 9: return (int)std::string(3, 'a').substr(9).size();
        case 10: v.resize(std::size_t(-1)); return 3;
        }
        return v.at(1);
    } catch (std::bad_any_cast &) { return 10; } catch (std::bad_cast &) { return 11; } catch (std::bad_typeid &) { return 12; } catch (std::bad_array_new_length &) { return 13; } catch (std::bad_alloc &) { return 14; } catch (std::out_of_range &) { return 15; } catch (std::logic_error &) { return 16; } catch (std::exception &) { return 17; }
}
int main() { for (int i = 0; i < 12; i++) std::printf("%d ", f(i)); std::puts(""); }
