#!/bin/sh
# A Fortran program of flang prints a warning of libomp to its standard error only because a tool of
# OMPT listens: flang sets no flag that says what a team shares, libomp cannot tell the tool the
# kind of the construct, and says so in the program's output. It calls for "an up-to-date compiler",
# which has the version of libomp itself. Without a tool, or with one that does not ask for
# `ompt_callback_work`, nothing is printed; clang sets the flag.
#
# Seen with flang and libomp 22.1.8 (Debian 1:22.1.8-1~deb12u1):
#
#     without a tool: 0 lines
#     with a tool: OMP: Warning #189: OMPT: Cannot determine workshare type; using the default
#     (loop) instead. This issue is fixed in an up-to-date compiler.
#
# Needs Debian 12 with apt-get, gcc and libstdc++-12-dev. Fails if what is seen differs.
set -eu
version=1:22.1.8-1~deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in flang-22 libflang-22-dev libclang-cpp22 libllvm22 libmlir-22 clang-22 \
    libclang-common-22-dev libomp-22-dev; do
    apt-get download -q -o APT::Sandbox::User=root "$package=$version" >/dev/null
done
for file in *.deb; do dpkg -x "$file" root; done
bin=$folder/root/usr/lib/llvm-22/bin
LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-22/lib
export LD_LIBRARY_PATH

cat >tool.c <<'END'
#include <omp-tools.h>
#include <stdlib.h>

static void shared(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t *region,
                   ompt_data_t *task, uint64_t count, const void *code) {}

static int initialise(ompt_function_lookup_t find, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)find("ompt_set_callback");
    set(ompt_callback_work, (ompt_callback_t)shared);
    return 1;
}

static void finalise(ompt_data_t *data) {}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *library) {
    static ompt_start_tool_result_t tool = {initialise, finalise, {0}};
    return getenv("LISTEN") ? &tool : NULL;
}
END
cat >loop.f90 <<'END'
program main
  implicit none
  integer :: i, total
  total = 0
!$omp parallel do reduction(+:total)
  do i = 1, 10
    total = total + i
  end do
!$omp end parallel do
  if (total /= 55) stop 1
end program
END
"$bin/flang" --version | head -n 1
"$bin/clang" -fPIC -shared -w -I root/usr/lib/llvm-22/lib/clang/22/include tool.c -o tool.so
"$bin/flang" -O0 -fopenmp -L root/usr/lib/llvm-22/lib loop.f90 -o loop
export OMP_TOOL_LIBRARIES="$folder/tool.so"
without=$(./loop 2>&1)
with=$(LISTEN=1 ./loop 2>&1)
echo "without a tool: $(printf %s "$without" | wc -l) lines"
echo "with a tool: $with"
test -z "$without"
case $with in *"OMP: Warning #189: OMPT: Cannot determine workshare type"*) ;; *) exit 1 ;; esac
