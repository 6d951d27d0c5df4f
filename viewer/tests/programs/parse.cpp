// A parser of sums and products: templates, inlining, virtual calls, exceptions, a global object.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::string title = std::string("parser ") + "of sums";

struct Value {
    virtual ~Value() = default;
    virtual long get() const = 0;
};

struct Number final : Value {
    explicit Number(long value) : value(value) {}
    long get() const override { return value; }
    long value;
};

template <class Operation> struct Binary final : Value {
    Binary(std::unique_ptr<Value> left, std::unique_ptr<Value> right)
        : left(std::move(left)), right(std::move(right)) {}
    long get() const override { return Operation::apply(left->get(), right->get()); }
    std::unique_ptr<Value> left, right;
};

struct Add {
    static long apply(long left, long right) { return left + right; }
};

struct Divide {
    static long apply(long left, long right) {
        if (right == 0) throw std::domain_error("division by zero");
        return left / right;
    }
};

class Parser {
  public:
    explicit Parser(const std::string &text) : text(text) {}

    std::unique_ptr<Value> sum() {
        auto left = quotient();
        while (accept('+')) left = std::make_unique<Binary<Add>>(std::move(left), quotient());
        return left;
    }

  private:
    std::unique_ptr<Value> quotient() {
        auto left = number();
        while (accept('/')) left = std::make_unique<Binary<Divide>>(std::move(left), number());
        return left;
    }

    std::unique_ptr<Value> number() {
        if (!is_digit()) throw std::invalid_argument("no number at " + std::to_string(at));
        long value = 0;
        while (is_digit()) value = value * 10 + (text[at++] - '0');
        return std::make_unique<Number>(value);
    }

    bool is_digit() const { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

    bool accept(char wanted) {
        if (at >= text.size() || text[at] != wanted) return false;
        at++;
        return true;
    }

    const std::string &text;
    std::size_t at = 0;
};

long evaluate(const std::string &text) {
    try {
        return Parser(text).sum()->get();
    } catch (const std::domain_error &) {
        return -1;
    } catch (const std::exception &) {
        return -2;
    }
}

} // namespace

int main() {
    const std::vector<std::string> inputs{"1+2", "10/2+3", "7/0", "oops", "1+22+333+4444", "9/"};
    long total = 0;
    for (int round = 0; round < 200; round++)
        for (const auto &input : inputs) total += evaluate(input);
    std::printf("%s: %ld\n", title.c_str(), total);
    return 0;
}
