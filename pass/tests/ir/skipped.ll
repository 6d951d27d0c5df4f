; Functions that are left as they are.
; RUN: opt -passes=pathcc -S %s | FileCheck %s
; RUN: opt -passes=pathcc -pathcc-skip=freestanding -S %s | FileCheck --check-prefix=ALL %s
; RUN: opt -passes=pathcc -pathcc-skip=kernel -S %s | FileCheck --check-prefix=KERNEL %s

target triple = "x86_64-pc-linux-gnu"

@f = ifunc i32 (), ptr @resolver

; ALL: module asm {{.*}}.pushsection .pathcc.manifest
; ALL-NOT: __pathcc.counters
; KERNEL-NOT: module asm

; CHECK: @__pathcc.counters.{{.*}} = weak hidden global [1 x i64]

; CHECK-LABEL: define void @naked
; CHECK-NOT: load
; CHECK: unreachable
define void @naked() naked {
  call void asm sideeffect "ret", ""()
  unreachable
}

; CHECK-LABEL: define ptr @resolver
; CHECK-NEXT: call void @__pathcc.early()
; CHECK-NEXT: ret ptr
define ptr @resolver() {
  ret ptr @counted
}

; CHECK-LABEL: define void @not_wanted
; CHECK-NEXT: ret void
define void @not_wanted() noprofile {
  ret void
}

; As the compilers of other languages than C++ make them.
; CHECK-LABEL: define ptr @coroutine
; CHECK-NEXT: call token @llvm.coro.id.retcon
; CHECK-NEXT: ret ptr
define ptr @coroutine(ptr %buffer) presplitcoroutine {
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @free)
  ret ptr null
}

declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @prototype(ptr, i1)
declare ptr @allocate(i32)
declare void @free(ptr)

; CHECK-LABEL: define i32 @counted
; CHECK: asm "incq $0"
define i32 @counted() {
  ret i32 0
}

; CHECK-LABEL: define available_externally i32 @copy
; CHECK-NEXT: ret i32
define available_externally i32 @copy() {
  ret i32 0
}
