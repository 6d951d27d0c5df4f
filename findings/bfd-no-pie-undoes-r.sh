#!/bin/sh
# GNU ld's `-no-pie` undoes a `-r` that stands before it: the output is an executable at a fixed
# address, without an error. The other way round, `-no-pie -r`, it is a relocatable object. gold
# makes an object in both orders. A compiler driver that adds `-no-pie` to a user's `-r` gets no
# object from one of them.
#
# Seen with GNU ld and gold 2.40 (Debian 2.40-2), where readelf gives these types:
#
#     ld.bfd  -r -no-pie    EXEC
#     ld.bfd  -no-pie -r    REL
#     ld.gold -r -no-pie    REL
#
# Needs Debian 12 with apt-get. Fails if what is seen differs.
set -eu
version=2.40-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in binutils-x86-64-linux-gnu libbinutils; do
    apt-get download -q -o APT::Sandbox::User=root "$package=$version" >/dev/null
done
for file in *.deb; do dpkg -x "$file" root; done
LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH
tool() { # name, arguments
    name=$1
    shift
    "$folder/root/usr/bin/x86_64-linux-gnu-$name" "$@"
}

printf '.globl _start\n_start: ret\n' >start.s
tool as start.s -o start.o
tool ld.bfd --version | head -n 1
seen=
for linker in ld.bfd ld.gold; do
    for order in '-r -no-pie' '-no-pie -r'; do
        # shellcheck disable=SC2086 # two options
        tool "$linker" start.o $order -o out
        type=$(tool readelf -h out | sed -n 's/^ *Type: *\([A-Z]*\).*/\1/p')
        echo "$linker $order: $type"
        seen="$seen$type "
    done
done
[ "$seen" = 'EXEC REL REL REL ' ]
