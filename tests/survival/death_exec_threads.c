//#build: $CC -g -O1 $HERE/death_exec_threads.c -o prog -pthread
//#processes: 1
//#incomplete: 1
//#entries: main 2
//#entries: work 200
//#unlike
// A program with two threads executes itself: nobody knows what the other thread still counts, so that the raw file stays.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *waiting(void *nothing) {
  pause();
  return nothing;
}
__attribute__((noinline)) static int work(int x) {
  __asm__ volatile("" : "+r"(x));
  return x & 1;
}
int main(int count, char **words) {
  int sum = 0;
  for (int i = 0; i < 100; i++) sum += work(i);
  if (count > 1) return sum != 50;
  pthread_t thread;
  pthread_create(&thread, 0, waiting, 0);
  execl("/proc/self/exe", words[0], "again", (char *)0);
  abort();
}
