; Code that may become part of a library has no thread-local word to itself: it is lent
; one, and a variable tells where it is.
; RUN: opt -passes=pathcc -S %s | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-NOT: __pathcc.base
; CHECK: @[[PLACE:__pathcc.place.[0-9a-f]+]] = weak hidden global i64 96, comdat
; CHECK-NOT: thread_local
; CHECK-LABEL: define i32 @one
; CHECK: %path.delta = call i64 asm "movq [[PLACE]](%rip), $0\0A\09movq %fs:($0), $0"

define i32 @one() {
  ret i32 1
}

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
