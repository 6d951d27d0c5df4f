//#with: | -static | -O2 -fuse-ld=lld | -O0 -fuse-ld=mold
//#build: for side in program library; do $CXX -g -O1 ${FLAGS%%-fuse*} -fPIC -DSIDE=$side -DIS_$side -c "$HERE/late_places.cc" -o $side.o; done; case $FLAGS in *static) $CXX -g $FLAGS program.o library.o -o prog;; *) $CXX -g $FLAGS -shared library.o -o liblate.so; $CXX -g $FLAGS program.o -o prog -L. -llate -Wl,-rpath,.;; esac
//#run: ./prog; ./prog leaves; echo $?
//#processes: 2
//#incomplete: 0
//#unwritten: 0
//#entries: program_first_constructor 2
//#entries: program_constructor 2
//#entries: program_at_exit 1
//#entries: program_on_exit 1
//#entries: program_static 1
//#entries: program_thread_local 1
//#entries: program_destructor 1
//#entries: program_last_destructor 1
//#entries: program_fini 1
//#entries: program_called_back 1
//#entries: program_handler 1
//#entries: program_context 1
//#entries: library_first_constructor 2
//#entries: library_constructor 2
//#entries: library_at_exit 1
//#entries: library_on_exit 1
//#entries: library_static 1
//#entries: library_thread_local 1
//#entries: library_destructor 1
//#entries: library_last_destructor 1
//#entries: library_fini 1
//#entries: library_called_back 1
//#entries: library_handler 1
//#entries: library_context 1
// Code runs before main and behind its end, in each of the places that there are for it, in a program and in its library. The
// second time the program leaves at once, so that nothing runs at its end.
#include <csignal>
#include <cstdlib>
#include <ucontext.h>
#include <unistd.h>
#define NAME_OF(side, what) side##_##what
#define NAME(side, what) NAME_OF(side, what)
#define PLACE(what) extern "C" __attribute__((noinline)) void NAME(SIDE, what)() { __asm__ volatile(""); }
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
PLACE(first_constructor)
PLACE(constructor)
PLACE(at_exit)
PLACE(on_exit)
PLACE(static)
PLACE(thread_local)
PLACE(destructor)
PLACE(last_destructor)
PLACE(fini)
PLACE(called_back)
PLACE(handler)
PLACE(context)
typedef void (*function)();
extern "C" void program_called_back();
extern "C" void library_called_back();
extern "C" void set_library_callback(function);
extern "C" void use_library();
static function callback;
namespace {
struct Static { ~Static() { NAME(SIDE, static)(); } } object;
thread_local struct ThreadLocal { int used; ~ThreadLocal() { NAME(SIDE, thread_local)(); } } local;
}
static void handle(int) { NAME(SIDE, handler)(); }
static ucontext_t here, there;
static void in_context() { NAME(SIDE, context)(); swapcontext(&there, &here); }
__attribute__((constructor)) static void construct() { NAME(SIDE, constructor)(); }
__attribute__((section(".init_array.00000"), used)) static function first = NAME(SIDE, first_constructor);
static void end() {
    NAME(SIDE, last_destructor)();
    // The first that ends calls back the others.
    if (callback) callback();
    std::signal(SIGUSR1, handle);
    std::raise(SIGUSR1);
    static char stack[65536];
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, in_context, 0);
    swapcontext(&here, &there);
}
__attribute__((section(".fini_array.00000"), used)) static function last = end;
__attribute__((destructor)) static void destruct() { NAME(SIDE, destructor)(); }
#define CALL(name) ".section .fini,\"ax\",@progbits\n call " TEXT(name) "\n .text\n"
__asm__(CALL(NAME(SIDE, fini)));
static void use() {
    std::atexit(NAME(SIDE, at_exit));
    on_exit([](int, void *) { NAME(SIDE, on_exit)(); }, nullptr);
    local.used++;
}
#ifdef IS_library
void set_library_callback(function function) { callback = function; }
void use_library() { use(); }
#else
int main(int count, char **) {
    use();
    use_library();
    set_library_callback(program_called_back);
    callback = library_called_back;
    if (count > 1) _exit(7);
    return 0;
}
#endif
