//#needs: [ $(id -u) = 0 ] && command -v setpriv
//#build: $CC -g -O1 "$HERE/hostile_setuid.c" -o prog; chmod 755 . ; chown 65534 prog; chmod 4755 prog; chmod 777 profiles
//#run: setpriv --reuid 1 --regid 1 --clear-groups ./prog
//#quiet
// A program that gained rights trusts no variable.
#include <stdio.h>
#include <unistd.h>
int main(void) { printf("%d\n", geteuid() == 65534 || geteuid() == 1); return 0; }
