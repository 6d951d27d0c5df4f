; A loop: a path ends and the next one starts on the back edge, with the register in a PHI.
; RUN: opt -passes=pathcc -S %s | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @loop
; CHECK: head:
; CHECK-NEXT: %path{{.*}} = phi i64 [ {{-?[0-9]+}}, %entry ], [ {{-?[0-9]+}}, %{{.*}} ]
; CHECK-NOT: alloca
; Before the call, which may not come back, the path up to it is counted. Behind it the iteration
; is counted, ahead of the branch that may leave the loop.
; CHECK: a:
; CHECK: asm "incq $0"
; CHECK-NEXT: call void @work()
; CHECK: asm "incq $0"
; CHECK: latch:
; CHECK-NOT: asm "incq
; CHECK: br i1 %more
; CHECK-NOT: alloca
; CHECK: asm "decq $0"
; CHECK: asm "incq $0"
; CHECK: ret void
define void @loop(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %odd = trunc i32 %i to i1
  br i1 %odd, label %a, label %latch
a:
  call void @work()
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  ret void
}
declare void @work()
