#!/bin/sh
# GNU strip and objcopy give a program header of notes address zero when they remove the first of
# the notes in it. The section keeps its address, and so does what is loaded. So whoever finds notes
# at run time by p_vaddr, as dl_iterate_phdr suggests, reads elsewhere; p_offset is right.
#
# Seen with GNU Binutils 2.40 (Debian 2.40-2), after `strip -R .note.gnu.build-id`:
#
#     .note.mine        NOTE            000000000040010c 00010c
#     NOTE           0x00010c 0x0000000000000000
#
# Needs Debian 12 with apt-get. Fails if what is seen differs.
set -eu
version=2.40-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0; do
    apt-get download -q -o APT::Sandbox::User=root "$package=$version" >/dev/null
done
for file in *.deb; do dpkg -x "$file" root; done
LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH
tool() {
    name=$1
    shift
    "$folder/root/usr/bin/x86_64-linux-gnu-$name" "$@"
}

cat >notes.s <<'END'
    .globl _start
    .text
_start:
    mov $60, %eax
    xor %edi, %edi
    syscall
    .section .note.mine, "a", @note
    .balign 4
    .long 4, 4, 1
    .asciz "own"
    .long 7
END
tool strip --version | head -n 1
tool as notes.s -o notes.o
tool ld --build-id=sha1 notes.o -o notes
before=$(tool readelf -lW notes | awk '$1 == "NOTE" { print $3 }')
tool strip -R .note.gnu.build-id notes -o stripped
tool readelf -SW stripped | grep 'note.mine'
tool readelf -lW stripped | grep '^  NOTE'
after=$(tool readelf -lW stripped | awk '$1 == "NOTE" { print $3 }')
section=$(tool readelf -SW stripped | sed -n 's/.*note.mine *NOTE *\([0-9a-f]*\).*/\1/p')
[ "$((before))" -ne 0 ]
[ "$((after))" -eq 0 ]
[ "$((0x$section))" -ne 0 ]
