#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <pthread.h>
#include <unwind.h>
struct A { int n; ~A() { std::printf("~A%d ", n); } };
static void *run(void *p) { A a{1}; try { A b{2}; if (p) pthread_exit(p); } catch (abi::__forced_unwind &) { std::printf("forced "); throw; } catch (...) { std::printf("never "); } return nullptr; }
static _Unwind_Reason_Code stop(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception *, _Unwind_Context *, void *) { if (actions & _UA_END_OF_STACK) { std::puts("end"); std::exit(0); } return _URC_NO_REASON; }
static void force() { A c{3}; static _Unwind_Exception e; _Unwind_ForcedUnwind(&e, stop, nullptr); }
int main() { for (long i = 0; i < 2; i++) { pthread_t t; pthread_create(&t, nullptr, run, (void *)i); pthread_join(t, nullptr); } std::puts(""); force(); }
