; Where in a table a key is: in its own slot, or in a free one, which becomes its own. The size of a table is a power of two; the
; size itself says that there is no room. Keys are not 0. Threads share the keys, and a slot never changes its key.

; Mostly the first look finds it. This does with the two registers that its caller does not expect back.
define preserve_mostcc i64 @__pathcc_find(ptr %keys, i64 %size, i64 %key) noinline nounwind uwtable {
  ; 2^64 divided by the golden ratio spreads what differs in its low bits alone (Knuth, "The Art of Computer Programming" 3, §6.4).
  %product = mul i64 %key, -7046029254386353131
  %high = lshr i64 %product, 32
  %mask = add i64 %size, -1
  %start = and i64 %high, %mask
  %slot = getelementptr i64, ptr %keys, i64 %start
  %known = load atomic i64, ptr %slot monotonic, align 8
  %is.own = icmp eq i64 %known, %key
  br i1 %is.own, label %found, label %unlike, !prof !0

found:
  ret i64 %start

unlike:
  %elsewhere = tail call preserve_mostcc i64 @__pathcc_find_on(ptr %keys, i64 %size, i64 %key)
  ret i64 %elsewhere
}

define preserve_mostcc i64 @__pathcc_find_on(ptr %keys, i64 %size, i64 %key) noinline nounwind uwtable {
entry:
  %product = mul i64 %key, -7046029254386353131
  %high = lshr i64 %product, 32
  %mask = add i64 %size, -1
  %start = and i64 %high, %mask
  %is.large = icmp ugt i64 %size, 64
  %most = select i1 %is.large, i64 64, i64 %size
  br label %probe

probe:
  %at = phi i64 [ %start, %entry ], [ %next, %other ]
  %tries = phi i64 [ 1, %entry ], [ %more, %other ]
  %slot = getelementptr i64, ptr %keys, i64 %at
  %known = load atomic i64, ptr %slot monotonic, align 8
  %is.own = icmp eq i64 %known, %key
  br i1 %is.own, label %found, label %unlike

unlike:
  %is.free = icmp eq i64 %known, 0
  br i1 %is.free, label %claim, label %other

claim:
  %claimed = cmpxchg ptr %slot, i64 0, i64 %key monotonic monotonic, align 8
  %before = extractvalue { i64, i1 } %claimed, 0
  %is.ours = extractvalue { i64, i1 } %claimed, 1
  %is.same = icmp eq i64 %before, %key
  %is.done = or i1 %is.ours, %is.same
  br i1 %is.done, label %found, label %other

other:
  %after = add i64 %at, 1
  %next = and i64 %after, %mask
  %more = add i64 %tries, 1
  %is.last = icmp eq i64 %tries, %most
  br i1 %is.last, label %none, label %probe

found:
  ret i64 %at

none:
  ret i64 %size
}

!0 = !{!"branch_weights", i32 1000, i32 1}
