// Names as the source writes them, by LLVM's own demangler, which knows whatever this compiler
// mangles.
//
// A name of a few hundred bytes may stand for one of gigabytes, since it says "the same as before"
// again and again. So the text is bounded, and what is longer stays mangled.
#include "text.h"
#include "llvm/Demangle/ItaniumDemangle.h"
#include "llvm/Support/Allocator.h"
#include <cstdlib>

using namespace llvm;
using namespace llvm::itanium_demangle;

namespace {
// Where the parser has its nodes from.
class Arena {
  BumpPtrAllocator Memory;

public:
  void reset() { Memory.Reset(); }
  template <class T, class... Arguments> T *makeNode(Arguments &&...Values) {
    return new (Memory.Allocate(sizeof(T), alignof(T))) T(std::forward<Arguments>(Values)...);
  }
  void *allocateNodeArray(size_t Size) {
    return Memory.Allocate(sizeof(Node *) * Size, alignof(Node *));
  }
};

// Text that ends before it is too long. Nodes without text count, too.
class Text : public OutputBuffer {
  static constexpr size_t Longest = 1 << 16;
  size_t Nodes = 0;

  // Whether arguments of templates are left out.
  bool Plain;

  bool hasRoom() { return getCurrentPosition() < Longest && ++Nodes < Longest; }
  bool shows(const Node &N) { return hasRoom() && !(Plain && N.getKind() == Node::KTemplateArgs); }

public:
  explicit Text(bool Plain = false) : Plain(Plain) {}
  ~Text() override { std::free(getBuffer()); }
  void printLeft(const Node &N) override {
    if (shows(N))
      OutputBuffer::printLeft(N);
  }
  void printRight(const Node &N) override {
    if (shows(N))
      OutputBuffer::printRight(N);
  }
  bool isWhole() { return hasRoom(); }
  std::string_view text() { return {getBuffer(), getCurrentPosition()}; }
};
} // namespace

// Nesting that no program has would only exhaust the stack.
static constexpr size_t LongestName = 1 << 14;

static PathpassText textOf(std::string_view Text) { return {Text.data(), Text.size()}; }

// Visits the whole name, the name without parameters and return type, the same without arguments of
// templates, and of that the last part.
extern "C" void pathpass_demangle(const char *Name, size_t Length, void *Visitor,
                                  void (*Visit)(void *, const PathpassText *)) {
  std::string_view Mangled(Name, Length);
  if (Mangled.substr(0, 2) != "_Z" || Length > LongestName)
    return;
  ManglingParser<Arena> Parser(Mangled.data(), Mangled.data() + Length);
  const Node *Root = Parser.parse();
  if (!Root)
    return;
  Text Whole, Short, Plain(true);
  Root->print(Whole);
  const bool IsFunction = Root->getKind() == Node::KFunctionEncoding;
  auto *Named = IsFunction ? static_cast<const FunctionEncoding *>(Root)->getName() : Root;
  Named->print(Short);
  Named->print(Plain);
  const PathpassText Texts[] = {textOf(Whole.text()), textOf(Short.text()), textOf(Plain.text()),
                                textOf(Named->getBaseName())};
  if (Whole.isWhole() && Short.isWhole() && Plain.isWhole())
    Visit(Visitor, Texts);
}
