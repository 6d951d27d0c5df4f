; Code that may become part of a library has no thread-local word to itself: those of libraries that are loaded at run time
; must be few.
; RUN: opt -passes=pathcc -S %s | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-NOT: __pathcc_base
; CHECK: @[[DELTA:__pathcc_delta_[0-9a-f]+]] = weak hidden thread_local(initialexec) global i64 0, comdat
; CHECK-LABEL: define i32 @one
; CHECK: %path.delta = load i64, ptr @[[DELTA]], align 8, !invariant.load

define i32 @one() {
  ret i32 1
}

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
