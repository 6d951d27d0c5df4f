; A loop: a path ends and the next one starts on the back edge, with the register in a PHI.
; RUN: opt -passes=pathcc -S %s | FileCheck %s
; RUN: opt -passes=pathcc -pathcc-in-flight=yes -S %s | FileCheck --check-prefix=FLIGHT %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @loop
; CHECK: head:
; CHECK-NEXT: %path{{.*}} = phi i64 [ {{-?[0-9]+}}, %entry ], [ {{-?[0-9]+}}, %{{.*}} ]
; CHECK: ret void
; CHECK-NOT: alloca

; Around the call, which may not come back, the path up to it is in flight.
; FLIGHT: a:
; FLIGHT: call void asm "incq $0"
; FLIGHT: call void @work()
; FLIGHT: call void asm "decq $0"
; FLIGHT: br label
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
