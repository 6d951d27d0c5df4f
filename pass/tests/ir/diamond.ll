; A diamond: the register is never needed, each way counts at a constant.
; RUN: opt -passes=pathcc -S %s | FileCheck %s
; RUN: opt -passes=pathcc -pathcc-threads=single -S %s | FileCheck --check-prefix=SINGLE %s
; RUN: opt -passes=pathcc -pathcc-threads=atomic -S %s | FileCheck --check-prefix=ATOMIC %s
; RUN: opt -passes=pathcc -pathcc-filter='!diam*' -S %s | FileCheck --check-prefix=LEFTOUT %s
; RUN: opt -passes=pathcc -pathcc-stage=early -S %s | FileCheck --check-prefix=EARLY %s
; RUN: opt -passes=pathcc -pathcc-stage=early -pathcc-promotion=no -S %s | FileCheck %s
; RUN: opt -passes=pathcc,pathcc -S %s | FileCheck %s
; RUN: opt -passes=pathcc -pathcc-base=delta -S %s | FileCheck --check-prefix=DELTA %s

target triple = "x86_64-pc-linux-gnu"

; CHECK: module asm {{.*}}.pushsection .pathcc.manifest
; CHECK-NOT: module asm {{.*}}.pushsection
; CHECK-DAG: $[[ARRAY:__pathcc.counters.[0-9a-f]+]] = comdat any
; CHECK-DAG: @[[ARRAY]] = weak hidden global [2 x i64] zeroinitializer, comdat, align 64
; CHECK-DAG: @__pathcc.base.{{[0-9a-f]+}} = weak hidden thread_local(initialexec) global ptr @[[ARRAY]], comdat

; CHECK-LABEL: define i32 @diamond
; CHECK: %path.array = call ptr asm "movq __pathcc.base.{{[0-9a-f]+}}@GOTTPOFF(%rip), $0\0A\09movq %fs:($0), $0", "=r"()
; CHECK: %path.base = getelementptr i64, ptr %path.array, i64 0
; CHECK: yes:
; CHECK: call void asm "incq $0", "=*m,*m,~{dirflag},~{fpsr},~{flags}"(ptr elementtype(i64) %path.base, ptr elementtype(i64) %path.base)
; CHECK: no:
; CHECK: getelementptr i64, ptr %path.base, i64 1
; CHECK-NOT: phi i64
; CHECK: ret i32

; DELTA: @[[PLACE:__pathcc.place.[0-9a-f]+]] = weak hidden global i64 96, comdat
; DELTA: %path.delta = call i64 asm "movq [[PLACE]](%rip), $0\0A\09movq %fs:($0), $0"
; DELTA: getelementptr i8, ptr @__pathcc.counters.{{[0-9a-f]+}}, i64 %path.delta

; SINGLE-NOT: __pathcc.base
; SINGLE: call void asm "incq $0"{{.*}} @__pathcc.counters.
; ATOMIC-NOT: __pathcc.base
; ATOMIC: atomicrmw add ptr @__pathcc.counters.{{.*}}, i64 1 monotonic
; EARLY: yes:
; EARLY: %[[Y:.*]] = load i64, ptr %path.base
; EARLY: add i64 %[[Y]], 1
; LEFTOUT: module asm {{.*}}.pushsection .pathcc.manifest
; LEFTOUT-NOT: __pathcc.counters
define i32 @diamond(i1 %c) {
  br i1 %c, label %yes, label %no
yes:
  br label %join
no:
  br label %join
join:
  %v = phi i32 [ 1, %yes ], [ 2, %no ]
  ret i32 %v
}
