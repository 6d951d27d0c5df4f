; Where a coroutine hands over to another one, and where it ends, code behind is dropped: paths are counted before.
; RUN: opt -passes=pathcc -pathcc-stage=early -pathcc-promotion=no -S %s | FileCheck %s
; RUN: opt -passes='pathcc,module(coro-early),cgscc(coro-split),module(coro-cleanup),verify' -pathcc-stage=early -S %s | FileCheck --check-prefix=SPLIT %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define ptr @f
; CHECK: call ptr @malloc
; CHECK: call void asm "incq $0"
; CHECK-NEXT: %frame = call ptr @llvm.coro.begin
; CHECK-NEXT: %save = call token @llvm.coro.save
; CHECK-NEXT: invoke void @llvm.coro.await.suspend.handle
; Nothing is counted in the block that only suspends.
; CHECK: suspend:
; CHECK-NEXT: %state = call i8 @llvm.coro.suspend
; CHECK-NEXT: switch
; CHECK: suspended:
; CHECK: call void asm "addq $2, $0"
; CHECK-NEXT: call void @llvm.coro.end
; CHECK-NEXT: ret ptr %frame

; The part in which it is destroyed counts its end.
; SPLIT-LABEL: define internal fastcc void @f.destroy
; SPLIT: call void @free
; SPLIT: call ptr asm sideeffect "movq __pathcc.base
; SPLIT: store i64
; SPLIT: CoroEnd:
; SPLIT-NEXT: ret void
define ptr @f() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %save = call token @llvm.coro.save(ptr null)
  invoke void @llvm.coro.await.suspend.handle(ptr null, ptr %frame, ptr @await)
          to label %suspend unwind label %pad

suspend:
  %state = call i8 @llvm.coro.suspend(token %save, i1 false)
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

pad:
  %exception = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %exception
}

declare ptr @await(ptr, ptr)
declare void @g()
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @__gxx_personality_v0(...)
