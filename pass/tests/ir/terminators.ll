; Every kind of terminator that a function for this target can have. The verifier checks what comes out.
; RUN: opt -passes=pathcc -S %s | FileCheck %s
; RUN: opt -passes=pathcc -pathcc-limit=1 -S %s | FileCheck %s
; RUN: opt -passes=pathcc -pathcc-mode=log -S %s | FileCheck --check-prefix=LOG %s

target triple = "x86_64-pc-linux-gnu"

; LOG-LABEL: define i32 @computed_goto
; LOG: %[[F:.*]] = call i64 @__pathcc_log_enter(ptr @__pathcc_log_module, i32 0)
; LOG: call void @__pathcc_log_block(i64 %[[F]], i32 0)
; LOG: call void @__pathcc_log_end(i64 %[[F]])
; LOG-NEXT: indirectbr

; The path ends before the indirect branch and starts with a constant in its targets.
; CHECK-LABEL: define i32 @computed_goto
; CHECK: asm "incq $0"
; CHECK-NEXT: indirectbr
; CHECK: two:
; CHECK: ret i32 2
define i32 @computed_goto(ptr %p) {
  indirectbr ptr %p, [label %one, label %two]
one:
  ret i32 1
two:
  ret i32 2
}

; CHECK-LABEL: define i32 @asm_goto
; CHECK: asm "incq $0"
; CHECK-NEXT: callbr
define i32 @asm_goto(i32 %x) {
  callbr void asm sideeffect "", "r,!i"(i32 %x) to label %fall [label %jumped]
fall:
  ret i32 0
jumped:
  ret i32 1
}

; CHECK-LABEL: define i32 @invokes
; CHECK: landingpad
; CHECK: resume
define i32 @invokes(i1 %c) personality ptr @__gxx_personality_v0 {
  %a = invoke i32 @may_throw() to label %next unwind label %pad
next:
  %b = invoke i32 @may_throw() to label %done unwind label %pad
done:
  %s = add i32 %a, %b
  ret i32 %s
pad:
  %e = landingpad { ptr, i32 } cleanup
  br i1 %c, label %swallow, label %raise
swallow:
  ret i32 -1
raise:
  resume { ptr, i32 } %e
}

; Cases with one target are one edge, and its PHI has one value for all of them.
; CHECK-LABEL: define i32 @switches
; CHECK: ret i32
define i32 @switches(i32 %x) {
  switch i32 %x, label %other [
    i32 1, label %same
    i32 2, label %same
    i32 3, label %join
    i32 4, label %join
  ]
same:
  br label %join
other:
  br label %join
join:
  %v = phi i32 [ 1, %same ], [ 2, %other ], [ 3, %0 ], [ 3, %0 ]
  ret i32 %v
}

; Counted before the call that does not come back.
; CHECK-LABEL: define void @gives_up
; CHECK: asm "incq $0"
; CHECK-NEXT: call void @abort()
; CHECK-NEXT: unreachable
define void @gives_up() {
  call void @abort() noreturn
  unreachable
}

; Counted before the tail call, after which only a return may stand.
; CHECK-LABEL: define i32 @tail
; CHECK: asm "incq $0"
; CHECK-NEXT: musttail call i32 @tail
; CHECK-NEXT: ret i32
define i32 @tail(i32 %x) {
  %r = musttail call i32 @tail(i32 %x)
  ret i32 %r
}

; A call that returns twice ends a path, and the next one starts behind it: what was in a register before is not to be trusted.
; CHECK-LABEL: define i32 @returns_twice
; CHECK: asm "incq $0"
; CHECK-NEXT: %r = call i32 @setjmp
; CHECK-NEXT: %again
define i32 @returns_twice(ptr %buffer) {
  %r = call i32 @setjmp(ptr %buffer) returns_twice
  %again = icmp ne i32 %r, 0
  br i1 %again, label %second, label %first
first:
  ret i32 1
second:
  ret i32 2
}

; CHECK-LABEL: define void @forever
; CHECK: br label
define void @forever() {
  br label %loop
loop:
  br label %loop
}

; CHECK-LABEL: define void @self_loop
define void @self_loop(i1 %c) {
  br label %loop
loop:
  br i1 %c, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define i32 @irreducible
define i32 @irreducible(i1 %c, i1 %d) {
  br i1 %c, label %left, label %right
left:
  br i1 %d, label %right, label %done
right:
  br i1 %c, label %left, label %done
done:
  ret i32 0
}

; CHECK-LABEL: define void @unreachable_block
define void @unreachable_block() {
  ret void
dead:
  br label %dead2
dead2:
  br label %dead
}

; What is known about memory no longer holds.
; CHECK-LABEL: define i32 @pure
; CHECK-NOT: memory(none)
; CHECK: ret i32
define i32 @pure(i32 %x) memory(none) {
  ret i32 %x
}

declare i32 @may_throw()
declare i32 @__gxx_personality_v0(...)
declare void @abort()
declare i32 @setjmp(ptr) returns_twice
