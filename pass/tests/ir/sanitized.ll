; Counters of a function that a sanitizer will check are stepped by assembly, before optimisation
; too: the optimiser joins two steps beside each other to one of a vector, which the sanitizer would
; check.
; RUN: opt -passes=pathcc -pathcc-stage=early -S %s | FileCheck %s
; RUN: opt -passes=pathcc-last -S %s | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @checked
; CHECK-NOT: store i64
; CHECK: asm "incq
define void @checked() sanitize_thread {
  call void @work()
  ret void
}
declare void @work()
