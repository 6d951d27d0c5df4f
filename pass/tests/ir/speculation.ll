; Ways that meet in a loop each count for themselves, ahead of its last branch; where the loop is
; left the count is taken back. A loop of one block counts at its top and stays one block.
; RUN: opt -passes=pathcc-last -S %s | FileCheck %s
; RUN: opt -passes=pathcc-last -pathcc-without=speculation -S %s | FileCheck --check-prefix=NOT %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @fill
; CHECK: {{^}}head:
; CHECK: store volatile i64
; CHECK: br i1 %more, label %head, label %[[OUT:.*]]
; CHECK: [[OUT]]:
; CHECK: add i64 %{{.*}}, -1
; NOT-NOT: , -1{{$}}
define void @fill(ptr %p, i64 %n) {
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

; CHECK-LABEL: define void @ways
; CHECK: {{^}}a:
; CHECK: store volatile i64
; CHECK: {{^}}b:
; CHECK: store volatile i64
; CHECK: {{^}}latch:
; CHECK-NOT: store volatile i64
; CHECK: br i1 %more, label %head, label %[[OUT:.*]]
define void @ways(ptr %p, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %odd = trunc i64 %i to i1
  br i1 %odd, label %a, label %b
a:
  store i32 0, ptr %p
  br label %latch
b:
  store i32 1, ptr %p
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %head, label %done
done:
  ret void
}
