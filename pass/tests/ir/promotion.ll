; With promotion the counter of a loop of one block is a register in it, and is added to memory
; where the loop is left, before anything is taken back there, so that no counter is below zero. A
; loop that waits for others steps its counter in memory.
; RUN: opt -passes=pathcc-last -pathcc-promotion=yes -S %s | FileCheck %s
; RUN: opt -passes=pathcc-last -S %s | FileCheck --check-prefix=USUAL %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @fill
; CHECK: {{^}}head:
; CHECK-NOT: store volatile i64
; CHECK: br i1 %more, label %head
; CHECK: add i64 %{{[0-9]+}}, %{{[0-9]+}}
; CHECK-NEXT: store volatile i64
; CHECK: add i64 %{{[0-9]+}}, -1
; CHECK-NEXT: store volatile i64
; USUAL-LABEL: define void @fill
; USUAL: {{^}}head:
; USUAL: store volatile i64
; USUAL: br i1 %more, label %head
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

; CHECK-LABEL: define void @wait
; CHECK: {{^}}head:
; CHECK: store volatile i64
; CHECK: br i1 %more, label %head
define void @wait(ptr %p) {
entry:
  br label %head
head:
  %seen = load atomic i32, ptr %p acquire, align 4
  %more = icmp ne i32 %seen, 0
  br i1 %more, label %head, label %done
done:
  ret void
}
