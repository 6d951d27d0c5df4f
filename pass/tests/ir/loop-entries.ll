; Paths end where control enters a loop: the loop needs no register, and each way through it counts
; with a constant. Before optimisation, and where it is left out, a path goes on into the loop.
; RUN: opt -passes=pathcc-last -S %s | FileCheck %s
; RUN: opt -passes=pathcc-last -pathcc-without=loop-entries -S %s | FileCheck --check-prefix=WHOLE %s
; RUN: opt -passes=pathcc -S %s | FileCheck --check-prefix=WHOLE %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @loop
; CHECK: entry:
; CHECK: store volatile i64
; CHECK: head:
; CHECK-NOT: %path{{.*}} = phi
; CHECK: {{^}}a:
; WHOLE-LABEL: define void @loop
; WHOLE: head:
; WHOLE: %path{{.*}} = phi i64 [ {{-?[0-9]+}}, %entry ]
define void @loop(ptr %p, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %odd = trunc i32 %i to i1
  br i1 %odd, label %a, label %latch
a:
  store i32 %i, ptr %p
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  ret void
}
