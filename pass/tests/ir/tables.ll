; RUN: opt -passes=pathcc -pathcc-mode=calls -pathcc-callees=4 -S < %s | FileCheck %s --check-prefix=CALLS
; RUN: opt -passes=pathcc -pathcc-limit=6 -pathcc-table=8 -S < %s | FileCheck %s --check-prefix=WHOLE

target triple = "x86_64-unknown-linux-gnu"

; The array has the counters of both entries, five for the call, and the four keys of the call.
; CALLS: @[[ARRAY:__pathcc.counters.[0-9a-f]+]] = weak hidden global [11 x i64] zeroinitializer, comdat
; CALLS-LABEL: define i32 @indirect(ptr %to)
; CALLS: %[[CALLEE:.*]] = ptrtoint ptr %to to i64
; CALLS-NEXT: %[[KEY:.*]] = add i64 %[[CALLEE]], 1
; CALLS-NEXT: %[[SLOT:.*]] = call preserve_mostcc i64 @__pathcc_find(ptr getelementptr (i64, ptr @[[ARRAY]], i64 7), i64 4, i64 %[[KEY]])
; CALLS: call i32 %to(i32 1)
define i32 @indirect(ptr %to) {
  %result = call i32 %to(i32 1)
  ret i32 %result
}

; Eight paths are too many for the limit: a table counts them by their numbers plus one.
; WHOLE-LABEL: define void @eight(i1 %one, i1 %other)
; WHOLE: call preserve_mostcc i64 @__pathcc_find(ptr getelementptr (i64, ptr @__pathcc.counters.{{[0-9a-f]+}}, i64 {{[0-9]+}}), i64 8, i64 %{{.*}})
define void @eight(i1 %one, i1 %other) {
  br i1 %one, label %a, label %b
a:
  br label %middle
b:
  br label %middle
middle:
  br i1 %other, label %c, label %d
c:
  br label %end
d:
  br label %end
end:
  br i1 %one, label %e, label %f
e:
  br label %last
f:
  br label %last
last:
  ret void
}

; CALLS: define internal preserve_mostcc i64 @__pathcc_find(ptr %keys, i64 %size, i64 %key)
; WHOLE: define internal preserve_mostcc i64 @__pathcc_find(ptr %keys, i64 %size, i64 %key)
