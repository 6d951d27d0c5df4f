#!/bin/sh
# clang's coverage mapping (-fcoverage-mapping) gives the line of a comparison that is declared as
# `= default` a multiple of its calls: each expression of the body that clang makes adds the calls
# once more. Called twice, a comparison of two members has 18, and a branch that went one way 12
# times. gcc's gcov says 2, as does clang's own gcov.
#
# Seen with clang and llvm-cov 22.1.8 (Debian 1:22.1.8-1~deb12u1), -O0:
#
#     llvm-cov    5|     18|    friend bool operator==(const Pair &, const Pair &) = default;
#     gcov        2:    5:    friend bool operator==(const Pair &, const Pair &) = default;
#
# Needs Debian 12 with apt-get and libstdc++-12-dev. Fails if what is seen differs.
set -eu
version=1:22.1.8-1~deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in clang-22 libclang-cpp22 libllvm22 libclang-common-22-dev libclang-rt-22-dev llvm-22; do
    apt-get download -q -o APT::Sandbox::User=root "$package=$version" >/dev/null
done
for file in *.deb; do dpkg -x "$file" root; done
bin=$folder/root/usr/lib/llvm-22/bin
LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH

cat >pairs.cpp <<'END'
#include <compare>
struct Pair {
    int first;
    int second;
    friend bool operator==(const Pair &, const Pair &) = default;
};
int main() {
    Pair one{1, 2}, other{1, 2};
    return !(one == other) + (one != other);
}
END
"$bin/clang++" --version | head -n 1
"$bin/clang++" -std=c++20 -g -O0 --coverage pairs.cpp -o by-gcov
./by-gcov
"$bin/llvm-cov" gcov by-gcov-pairs.gcda >/dev/null
gcov=$(grep default pairs.cpp.gcov)
"$bin/clang++" -std=c++20 -g -O0 -fprofile-instr-generate -fcoverage-mapping pairs.cpp -o by-mapping
./by-mapping
"$bin/llvm-profdata" merge -o profile default.profraw
mapping=$("$bin/llvm-cov" show by-mapping -instr-profile=profile pairs.cpp | grep default)
echo "gcov     $gcov"
echo "llvm-cov $mapping"
case $gcov in *" 2:    5:"*) ;; *) exit 1 ;; esac
case $mapping in *"5|     18|"*) ;; *) exit 1 ;; esac
