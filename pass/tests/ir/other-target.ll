; RUN: opt -passes=pathcc -S %s | FileCheck %s
target triple = "bpf"
; CHECK: module asm {{.*}}.pushsection .pathcc.manifest
; CHECK-NOT: __pathcc_counters
; CHECK: ret i32 0
define i32 @f() {
  ret i32 0
}
