; The first iteration of a short loop is peeled off. Its path ends on the edge into the rest of the loop, whose own paths need
; no register.
; RUN: opt -passes=pathcc-last -S %s | FileCheck %s
; RUN: opt -passes=pathcc -S %s | FileCheck --check-prefix=KEPT %s
; RUN: opt -passes=pathcc-last -pathcc-without=peeling -S %s | FileCheck --check-prefix=KEPT %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @fill
; CHECK: head.peel:
; CHECK: br i1 %more.peel, label %[[INTO:[a-zA-Z._]*]], label %
; CHECK: [[INTO]]:
; CHECK: load volatile i64
; CHECK: br label %head
; CHECK: head:
; CHECK-NOT: %path{{.*}} = phi
; CHECK: ret void

; KEPT-LABEL: define void @fill
; KEPT-NOT: peel
; KEPT: head:
; KEPT-NEXT: %path{{.*}} = phi
; KEPT: ret void
define void @fill(ptr %p, i64 %n, i1 %c) {
entry:
  br i1 %c, label %one, label %head
one:
  store i32 1, ptr %p
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ 0, %one ], [ %next, %head ]
  %at = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %head, label %done
done:
  ret void
}

; A loop with a call keeps its iteration, and so does code that shall be small.
; CHECK-LABEL: define void @calls
; CHECK-NOT: peel
; CHECK-LABEL: define void @small
; CHECK-NOT: peel
define void @calls(i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  call void @work()
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %head, label %done
done:
  ret void
}
define void @small(ptr %p, i64 %n) optsize {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  %at = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %head, label %done
done:
  ret void
}

; Nested loops: both lose an iteration, and the inner loop of the peeled one stays as it is.
; CHECK-LABEL: define void @nest
; CHECK: inner.peel:
; CHECK-NOT: inner.peel.peel:
; CHECK: ret void
define void @nest(ptr %p, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ %i, %outer ], [ %next, %inner ]
  %at = getelementptr i32, ptr %p, i64 %j
  store i32 0, ptr %at
  %next = add i64 %j, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %inner, label %latch
latch:
  %i.next = add i64 %i, 1
  %again = icmp slt i64 %i.next, %n
  br i1 %again, label %outer, label %done
done:
  ret void
}
declare void @work()
