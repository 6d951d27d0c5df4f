; What functions say of themselves wins over the filter.
; RUN: opt -passes=pathcc -pathcc-filter=plain,skipped -S %s 2>/dev/null | FileCheck %s
; RUN: opt -passes=pathcc -S %s 2>&1 >/dev/null | FileCheck --check-prefix=SAID %s

target triple = "x86_64-pc-linux-gnu"

@.skip = private unnamed_addr constant [12 x i8] c"pathcc:skip\00", section "llvm.metadata"
@.count = private unnamed_addr constant [13 x i8] c"pathcc:count\00", section "llvm.metadata"
@.other = private unnamed_addr constant [6 x i8] c"other\00", section "llvm.metadata"
@.wrong = private unnamed_addr constant [10 x i8] c"pathcc:no\00", section "llvm.metadata"
@.file = private unnamed_addr constant [4 x i8] c"a.c\00", section "llvm.metadata"
@llvm.global.annotations = appending global [4 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @skipped, ptr @.skip, ptr @.file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @counted, ptr @.other, ptr @.file, i32 2, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @counted, ptr @.count, ptr @.file, i32 2, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @left, ptr @.wrong, ptr @.file, i32 3, ptr null }], section "llvm.metadata"

; CHECK: @__pathcc.counters.{{.*}} = weak hidden global [2 x i64]

; CHECK-LABEL: define i32 @plain
; CHECK: call void asm
define i32 @plain() {
  ret i32 0
}

; CHECK-LABEL: define i32 @skipped
; CHECK-NEXT: ret i32
define i32 @skipped() {
  ret i32 1
}

; CHECK-LABEL: define i32 @counted
; CHECK: call void asm
define i32 @counted() {
  ret i32 2
}

; SAID: pathcc: warning: left: unknown annotation 'pathcc:no', expected pathcc:count or pathcc:skip
; CHECK-LABEL: define i32 @left
; CHECK-NEXT: ret i32
define i32 @left() {
  ret i32 3
}
