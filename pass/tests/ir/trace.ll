; RUN: opt -passes=pathcc -pathcc-mode=trace -S %s | FileCheck %s
; RUN: opt -passes=pathcc -pathcc-mode=trace -pathcc-without=loops -S %s | FileCheck --check-prefix=OFFSETS %s
; RUN: opt -passes=pathcc -pathcc-mode=trace -pathcc-without=offsets,loops -S %s | FileCheck --check-prefix=ALL %s
; RUN: opt -passes=pathcc -pathcc-mode=trace -pathcc-without=variables -S %s | FileCheck --check-prefix=VARIABLES %s
; RUN: opt -passes=pathcc -pathcc-mode=trace -pathcc-trace=control-flow -S %s | FileCheck --check-prefix=PATHS %s
; RUN: opt -passes=pathcc -pathcc-mode=trace -pathcc-trace=all-memory -S %s | FileCheck --check-prefix=STACK %s

target triple = "x86_64-unknown-linux-gnu"

; A record for each turn. Where the loop is entered, the base of its addresses is recorded. Without
; that, only the first address of the fields of one element is.
; CHECK-LABEL: define i32 @sum(
; CHECK: %path.own = call i64 asm "movq __pathcc.trace.distance@GOTTPOFF(%rip), $0", "=r"()
; CHECK: [[OWN:%.*]] = inttoptr i64 %path.own to ptr addrspace(257)
; CHECK: [[DISTANCE:%.*]] = load i64, ptr addrspace(257) [[OWN]], align 1, !nosanitize
; CHECK: %path.common = call ptr asm "movq __pathcc.trace.block@GOTPCREL(%rip), $0", "=r"()
; CHECK: %path.block{{.*}} = getelementptr i8, ptr %path.common, i64 [[DISTANCE]]
; CHECK: %path.full = icmp uge i64
; CHECK: %path.room = call preserve_allcc ptr @__pathcc.trace.more()
; CHECK: call i64 asm "movq __pathcc.trace.distance@GOTTPOFF(%rip), $0", "=r"()
; CHECK: %path.block{{.*}} = phi ptr
; CHECK: [[BASE:%.*]] = ptrtoint ptr %list to i64
; CHECK: store volatile i64 [[BASE]], ptr %{{.*}}, align 1, !nosanitize
; CHECK: loop:
; CHECK-NOT: store volatile i64
; CHECK: load i32, ptr %y
; CHECK: [[NUMBER:%path.number.*]] = add i32
; CHECK: [[START:%.*]] = or i32 [[NUMBER]],
; CHECK: store volatile i32 [[START]], ptr %path.record{{.*}}, align 1, !nosanitize
; CHECK: %path.full{{.*}} = icmp uge i64
; CHECK: store volatile i64 %path.count
; CHECK: ret i32
; OFFSETS-LABEL: define i32 @sum(
; OFFSETS: loop:
; OFFSETS: store volatile i64 %{{.*}}, ptr %{{.*}}, align 1, !nosanitize
; OFFSETS: load i32, ptr %x
; OFFSETS-NOT: store volatile i64
; OFFSETS: load i32, ptr %y
; OFFSETS: ret i32
; ALL-LABEL: define i32 @sum(
; ALL: store volatile i64
; ALL: load i32, ptr %x
; ALL: store volatile i64
; ALL: load i32, ptr %y
; PATHS-LABEL: define i32 @sum(
; PATHS-NOT: store volatile i64
; PATHS: load i32, ptr %x
; PATHS-NOT: store volatile i64
; PATHS: load i32, ptr %y
define i32 @sum(ptr %list, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %added, %loop ]
  %x = getelementptr { i32, i32 }, ptr %list, i64 %i, i32 0
  %y = getelementptr { i32, i32 }, ptr %list, i64 %i, i32 1
  %a = load i32, ptr %x
  %b = load i32, ptr %y
  %both = add i32 %a, %b
  %added = add i32 %s, %both
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret i32 %added
}

; A path ends before a call, which finds the place of its records in the word. Behind it the place
; is read again.
; CHECK-LABEL: define void @caller(
; CHECK: [[NUMBER:%path.number.*]] = add i32
; CHECK: [[START:%.*]] = or i32 [[NUMBER]], 1
; CHECK: store volatile i32 [[START]]
; CHECK: store volatile ptr %{{.*}}, ptr %path.block
; CHECK: call void @other()
; CHECK: load i64, ptr addrspace(257)
; CHECK: store i32 2, ptr %p
; CHECK: ret void
define void @caller(ptr %p) {
  store i32 1, ptr %p
  call void @other()
  store i32 2, ptr %p
  ret void
}

; A call in tail position leaves the function: nothing stands behind it.
; CHECK-LABEL: define void @tail(
; CHECK: store volatile ptr %{{.*}}, ptr %path.block
; CHECK-NEXT: tail call void @other()
; CHECK-NEXT: ret void
define void @tail() {
  tail call void @other()
  ret void
}

; What the compiler may call anywhere ends no path.
; CHECK-LABEL: define i32 @library(
; CHECK: call ptr @memcpy(
; CHECK-NOT: %path.block
; CHECK: load i32, ptr %to
; CHECK: ret i32
define i32 @library(ptr %to, ptr %from, i64 %n) {
  %r = call ptr @memcpy(ptr %to, ptr %from, i64 %n)
  %v = load i32, ptr %to
  ret i32 %v
}

; A slot that nobody else can reach is not memory to others.
; CHECK-LABEL: define i32 @slot(
; CHECK-NOT: store volatile i64
; CHECK: ret i32
; STACK-LABEL: define i32 @slot(
; STACK: store volatile i64
; STACK: store i32 %a, ptr %slot
; STACK: ret i32
define i32 @slot(i32 %a) {
  %slot = alloca i32
  store i32 %a, ptr %slot
  %v = load i32, ptr %slot
  ret i32 %v
}

; Operations on many bytes record both addresses, and their length if it is not known.
; CHECK-LABEL: define void @bulk(
; CHECK: store volatile i64 %{{.*}}, ptr
; CHECK: store volatile i64 %n, ptr
; CHECK: store volatile i64 %{{.*}}, ptr
; CHECK: store volatile i64 %n, ptr
; CHECK: call void @llvm.memmove
; CHECK: store volatile i64 %{{.*}}, ptr
; CHECK-NOT: store volatile i64
; CHECK: call void @llvm.memset
; CHECK: ret void
define void @bulk(ptr %to, ptr %from, ptr %other, i64 %n) {
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr %other, i8 0, i64 64, i1 false)
  ret void
}

; The addresses of a gather and a scatter are not recorded. What a mask leaves out counts.
; CHECK-LABEL: define void @vectors(
; CHECK-NOT: store volatile i64
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK: call void @llvm.masked.scatter
; CHECK: store volatile i64
; CHECK: call <4 x i32> @llvm.masked.expandload
; CHECK: ret void
define void @vectors(<4 x ptr> %from, <4 x i1> %mask, ptr %p) {
  %a = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %from, i32 4, <4 x i1> %mask, <4 x i32> zeroinitializer)
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %a, <4 x ptr> %from, i32 4, <4 x i1> %mask)
  %b = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %p, <4 x i1> %mask, <4 x i32> %a)
  ret void
}

; Where control may come back to a call, each address is recorded.
; CHECK-LABEL: define i32 @twice(
; CHECK: store volatile i64
; CHECK: load i32, ptr %p
; CHECK: store volatile i64
; CHECK: store i32 1, ptr %p
; CHECK: ret i32
define i32 @twice(ptr %p, ptr %buffer) {
  %v = load i32, ptr %p
  %r = call i32 @setjmp(ptr %buffer) returns_twice
  store i32 1, ptr %p
  ret i32 %r
}

; A function of a name that the compiler calls is left as it is.
; CHECK-LABEL: define ptr @memcpy(
; CHECK-NOT: __pathcc
; CHECK: ret ptr
define ptr @memcpy(ptr %to, ptr %from, i64 %n) {
  ret ptr %to
}

; What releases takes a ticket before, what acquires takes one after; a relaxed access takes none.
; CHECK-LABEL: define i32 @ordered(
; CHECK: [[RELEASED:%.*]] = atomicrmw add ptr %path.tickets{{.*}}, i64 1 monotonic, align 8, !nosanitize
; CHECK-NEXT: [[BEFORE:%.*]] = add i64 [[RELEASED]], 1
; CHECK-NEXT: store volatile i64 [[BEFORE]]
; CHECK: store atomic i32 1, ptr %p release
; CHECK-NOT: atomicrmw add
; CHECK: load atomic i32, ptr %p acquire
; CHECK: atomicrmw add ptr %path.tickets
; CHECK-NOT: atomicrmw add
; CHECK: load atomic i32, ptr %p monotonic
; CHECK-NOT: atomicrmw add
; CHECK: atomicrmw add ptr %path.tickets
; CHECK: fence seq_cst
; CHECK-NEXT: call ptr asm "movq __pathcc.trace.tickets@GOTPCREL(%rip), $0", "=r"()
; CHECK-NEXT: atomicrmw add
; CHECK: fence syncscope("singlethread") seq_cst
; CHECK-NOT: atomicrmw add
; CHECK: ret i32
define i32 @ordered(ptr %p) {
  store atomic i32 1, ptr %p release, align 4
  %x = load atomic i32, ptr %p acquire, align 4
  %y = load atomic i32, ptr %p monotonic, align 4
  fence seq_cst
  fence syncscope("singlethread") seq_cst
  %s = add i32 %x, %y
  ret i32 %s
}

; An allocation is recorded behind the call, what is freed before it. A call that allocates does not
; stand in tail position.
; CHECK-LABEL: define ptr @again(
; CHECK: store volatile ptr %{{.*}}, ptr %path.block
; CHECK-NEXT: [[FREED:%.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: call void @__pathcc.trace.allocation(i64 0, i64 0, i64 [[FREED]], i64 0)
; CHECK-NEXT: call void @free(ptr %p)
; CHECK: [[NEW:%.*]] = call ptr @calloc(i64 %n, i64 8)
; CHECK-NEXT: [[ADDRESS:%.*]] = ptrtoint ptr [[NEW]] to i64
; CHECK-NEXT: [[SIZE:%.*]] = mul i64 %n, 8
; CHECK-NEXT: call void @__pathcc.trace.allocation(i64 [[ADDRESS]], i64 [[SIZE]], i64 0, i64 0)
; CHECK: ret ptr [[NEW]]
; PATHS-LABEL: define ptr @again(
; PATHS-NOT: @__pathcc.trace.allocation
; PATHS: ret ptr
declare void @free(ptr)
declare ptr @calloc(i64, i64)
define ptr @again(ptr %p, i64 %n) {
  call void @free(ptr %p)
  %q = tail call ptr @calloc(i64 %n, i64 8)
  ret ptr %q
}

; What may free memory and allocate other memory takes the ticket of the free before. The size of a
; task of OpenMP is a sum.
; CHECK-LABEL: define ptr @longer(
; CHECK: atomicrmw add ptr %path.tickets
; CHECK-NEXT: [[BEFORE:%.*]] = add i64
; CHECK-NEXT: [[NEW:%.*]] = call ptr @realloc(ptr %p, i64 %n)
; CHECK: call void @__pathcc.trace.allocation(i64 {{.*}}, i64 %n, i64 {{.*}}, i64 [[BEFORE]])
; CHECK: call ptr @__kmpc_omp_task_alloc(
; CHECK: [[SIZE:%.*]] = add i64 %n, 24
; CHECK-NEXT: call void @__pathcc.trace.allocation(i64 {{.*}}, i64 [[SIZE]], i64 0, i64 0)
; CHECK: ret ptr
declare ptr @realloc(ptr, i64)
declare ptr @__kmpc_omp_task_alloc(ptr, i32, i32, i64, i64, ptr)
define ptr @longer(ptr %p, i64 %n) {
  %q = call ptr @realloc(ptr %p, i64 %n)
  %t = call ptr @__kmpc_omp_task_alloc(ptr %p, i32 0, i32 1, i64 %n, i64 24, ptr %p)
  ret ptr %q
}

; Whoever initialises a static variable releases its guard, and whoever has waited acquires it.
; CHECK-LABEL: define i32 @initialised(
; CHECK: call i32 @__cxa_guard_acquire(ptr @guard)
; CHECK: load atomic i8, ptr @guard acquire
; CHECK: atomicrmw add ptr %path.tickets
; CHECK: atomicrmw add ptr %path.tickets
; CHECK: call void @__cxa_guard_release(ptr @guard)
; CHECK: ret i32
@guard = internal global i64 0
declare i32 @__cxa_guard_acquire(ptr)
declare void @__cxa_guard_release(ptr)
define i32 @initialised() {
  %first = call i32 @__cxa_guard_acquire(ptr @guard)
  call void @__cxa_guard_release(ptr @guard)
  ret i32 %first
}

; The address of a variable of the image is not recorded: a table tells where that is. That of one
; that a library may define is.
; CHECK-LABEL: define i32 @variables(
; CHECK: call void asm sideeffect "{{.*}}.pathcc.variables{{.*}}${0:c}-.{{.*}}", "i"(ptr @inside)
; CHECK-NOT: store volatile i64
; CHECK: load i32, ptr %last
; CHECK: store volatile i64 ptrtoint (ptr @outside to i64)
; CHECK: load i32, ptr @outside
; VARIABLES-LABEL: define i32 @variables(
; VARIABLES-NOT: .pathcc.variables
; VARIABLES: ptrtoint ptr %last to i64
; VARIABLES: store volatile i64
; VARIABLES: load i32, ptr %last
@inside = dso_local global [8 x i32] zeroinitializer
@outside = external global i32
define i32 @variables() {
  %last = getelementptr [8 x i32], ptr @inside, i64 0, i64 7
  %a = load i32, ptr %last
  %b = load i32, ptr @outside
  %sum = add i32 %a, %b
  ret i32 %sum
}

; A base that cannot be computed from the loop around it is a copy of how the loop computes it.
; CHECK-LABEL: define void @rows(
; CHECK: outer:
; CHECK: %parity = and i64 %row, 1
; CHECK: [[INDEX:%.*]] = add i64 %parity, %place
; CHECK: [[ADDRESS:%.*]] = getelementptr double, ptr %grid, i64 [[INDEX]]
; CHECK: ptrtoint ptr [[ADDRESS]] to i64
; CHECK: inner:
; CHECK-NOT: ptrtoint
; CHECK: store double 0.000000e+00, ptr %cell
define void @rows(ptr %grid, i64 %side) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next.row, %ended ]
  %parity = and i64 %row, 1
  %place = mul i64 %row, %side
  br label %inner
inner:
  %column = phi i64 [ %parity, %outer ], [ %next.column, %inner ]
  %index = add i64 %column, %place
  %cell = getelementptr double, ptr %grid, i64 %index
  store double 0.0, ptr %cell
  %next.column = add i64 %column, 2
  %more = icmp ult i64 %next.column, %side
  br i1 %more, label %inner, label %ended
ended:
  %next.row = add i64 %row, 1
  %again = icmp ult i64 %next.row, %side
  br i1 %again, label %outer, label %end
end:
  ret void
}

; What a call of MPI does is told before and behind it, unless the unit has a function of that name.
; CHECK-LABEL: define void @messages(
; CHECK: [[BEGAN:%path.began.*]] = call i64 @__pathcc.trace.message(i64 41, i64 0)
; CHECK-NEXT: call i32 @PMPI_Barrier(
; CHECK-NEXT: call i64 @__pathcc.trace.message(i64 41, i64 [[BEGAN]])
; CHECK-NOT: trace.message
; CHECK: ret void
declare i32 @PMPI_Barrier(i32)
declare i32 @MPI_Comm_rank(i32)
define void @messages() {
  call i32 @PMPI_Barrier(i32 1)
  call i32 @MPI_Comm_rank(i32 1)
  call i32 @MPI_Wait(i32 1)
  ret void
}
define i32 @MPI_Wait(i32 %x) {
  ret i32 %x
}


; Without pathld there is memory that nobody reads.
; CHECK: define weak {{.*}}preserve_allcc ptr @__pathcc.trace.more()
; CHECK: ret ptr @path.unread

declare void @other()
declare i32 @setjmp(ptr) returns_twice
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
