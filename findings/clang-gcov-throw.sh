#!/bin/sh
# clang's gcov data (--coverage) say that a `throw` ran which never did. clang gives the clean-up of
# an exception's object the line of one of the throws that share it, here of the first one; so when
# the second throw unwinds, line 4 is counted. The same compiler's own coverage
# (-fcoverage-mapping) says 0 for that line.
#
# Seen with clang and llvm-cov 22.1.8 (Debian 1:22.1.8-1~deb12u1), -O0:
#
#     gcov        1:    4:        throw std::runtime_error("empty");
#     llvm-cov    4|      0|        throw std::runtime_error("empty");
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

cat >throws.cpp <<'END'
#include <stdexcept>
static int size(const std::string &text) {
    if (text.empty())
        throw std::runtime_error("empty");
    if (text[0] == 'x')
        throw std::runtime_error("bad " + text);
    return text.size();
}
int main() {
    int sum = 0;
    for (const char *word : {"x", "y"})
        try {
            sum += size(word);
        } catch (const std::exception &) {
            sum += 100;
        }
    return sum != 101;
}
END
"$bin/clang++" --version | head -n 1
"$bin/clang++" -g -O0 --coverage throws.cpp -o by-gcov
./by-gcov
"$bin/llvm-cov" gcov by-gcov-throws.gcda >/dev/null
gcov=$(grep '"empty"' throws.cpp.gcov)
"$bin/clang++" -g -O0 -fprofile-instr-generate -fcoverage-mapping throws.cpp -o by-mapping
./by-mapping
"$bin/llvm-profdata" merge -o profile default.profraw
mapping=$("$bin/llvm-cov" show by-mapping -instr-profile=profile throws.cpp | grep '"empty"')
echo "gcov     $gcov"
echo "llvm-cov $mapping"
case $gcov in *" 1:    4:"*) ;; *) exit 1 ;; esac
case $mapping in *"4|      0|"*) ;; *) exit 1 ;; esac
