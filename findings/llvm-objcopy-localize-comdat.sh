#!/bin/sh
# `llvm-objcopy --localize-hidden` takes the flag GRP_COMDAT from a section group whose signature is
# a hidden symbol, so that linkers keep each copy of it. GNU objcopy leaves the flag. `inline`
# functions of C++ with hidden visibility are such groups.
#
# Seen with llvm-objcopy 22.1.8 (Debian 1:22.1.8-1~deb12u1) and GNU objcopy 2.40 (Debian 2.40-2);
# `readelf -g` says:
#
#     llvm-objcopy    group section [    1] `.group' [shared] contains 1 sections
#     GNU objcopy     COMDAT group section [    1] `.group' [shared] contains 1 sections
#
# Needs Debian 12 with apt-get. Fails if what is seen differs.
set -eu
llvm=1:22.1.8-1~deb12u1
binutils=2.40-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in llvm-22=$llvm libllvm22=$llvm \
    binutils-x86-64-linux-gnu=$binutils libbinutils=$binutils; do
    apt-get download -q -o APT::Sandbox::User=root "$package" >/dev/null
done
for file in *.deb; do dpkg -x "$file" root; done
LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH
gnu=$folder/root/usr/bin/x86_64-linux-gnu

cat >group.s <<'END'
.section .text.shared,"axG",@progbits,shared,comdat
.weak shared
.hidden shared
.type shared, @function
shared: ret
END
"$gnu-as" group.s -o group.o
"$folder/root/usr/lib/llvm-22/bin/llvm-objcopy" --localize-hidden group.o by-llvm.o
"$gnu-objcopy" --localize-hidden group.o by-gnu.o
"$folder/root/usr/lib/llvm-22/bin/llvm-objcopy" --version | sed -n 's/^ *\(.*LLVM version\)/\1/p'
"$gnu-objcopy" --version | head -n 1
groups() { "$gnu-readelf" -gW "$1" | grep 'group section'; }
for object in group by-llvm by-gnu; do echo "$object: $(groups $object.o)"; done
case $(groups group.o) in COMDAT*) ;; *) exit 1 ;; esac
case $(groups by-llvm.o) in group*) ;; *) exit 1 ;; esac
case $(groups by-gnu.o) in COMDAT*) ;; *) exit 1 ;; esac
