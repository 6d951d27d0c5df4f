; A coroutine that is not split yet: a path ends where it is suspended, and another starts behind that, whatever becomes of it.
; RUN: opt -passes=pathcc -pathcc-stage=early -pathcc-promotion=no -S %s | FileCheck %s
; RUN: opt -passes='pathcc,module(coro-early),cgscc(coro-split),module(coro-cleanup),verify' -pathcc-stage=early -S %s | FileCheck --check-prefix=SPLIT %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define ptr @f
; Once for the call that may not come back, and once for the path.
; CHECK: call void asm "incq $0"
; CHECK-NEXT: %memory = call ptr @malloc
; CHECK: call void asm "incq $0"
; CHECK-NEXT: %frame = call ptr @llvm.coro.begin
; CHECK-NEXT: %state = call i8 @llvm.coro.suspend
; The address of the counters is not kept over it.
; CHECK-NEXT: switch i8 %state
; CHECK: call ptr asm sideeffect "movq __pathcc.base.{{[0-9a-f]+}}@GOTTPOFF(%rip), $0
; CHECK: call void @g()
; CHECK: call void @llvm.coro.end
; CHECK: ret ptr %frame

; Both parts count.
; SPLIT-LABEL: define ptr @f
; SPLIT: __pathcc.base
; SPLIT-LABEL: define internal fastcc void @f.resume
; SPLIT: __pathcc.base
; SPLIT: call void @g()
define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %state = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %state, label %suspended [
    i8 0, label %resumed
    i8 1, label %cleanup
  ]

resumed:
  call void @g()
  br label %cleanup

cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %old)
  br label %suspended

suspended:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @g()
declare ptr @malloc(i64)
declare void @free(ptr)
