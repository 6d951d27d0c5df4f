; Code for others than x86-64 Linux is left as it is: not every format of objects has a section for a manifest.
; RUN: opt -passes=pathcc -S %s | FileCheck %s
; RUN: sed s/bpf/wasm32-wasi/ %s | opt -passes=pathcc -S | FileCheck %s
; RUN: sed s/bpf/x86_64-pc-windows-msvc/ %s | opt -passes=pathcc -S | FileCheck %s
; RUN: sed s/bpf/arm64-apple-macosx/ %s | opt -passes=pathcc -S | FileCheck %s
; RUN: sed s/bpf/nvptx64-nvidia-cuda/ %s | opt -passes=pathcc -S | FileCheck %s
; RUN: sed s/bpf/x86_64-linux-gnux32/ %s | opt -passes=pathcc -S | FileCheck %s
target triple = "bpf"
; CHECK-NOT: pathcc
; CHECK: ret i32 0
; CHECK-NOT: pathcc
define i32 @f() {
  ret i32 0
}
