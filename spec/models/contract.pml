/* contract.pml: rules C1 to C7 of spec/concurrency.md a second time, for Spin, written apart from txn.m so that a slip in one shows in the other.
 *
 * What:       NW writers that take turns, a reader, a reclaimer, a log. Two blocks of one row, 0 (absent), 1 or 2; a write steps it. The plane
 *             counts rows of value 1 and 2. Unlike in txn.m buffers are explicit (three a block, with pins), undone entries stay where they
 *             are, entries name a transaction whose commit number is stored later, and a writer may read before it takes its turn.
 *             An atomic block is one hold of a latch or one store.
 * Invariants: asserted by their names in the contract. `hist`, `mark_*`, `seen_*` are ghosts.
 * Not here:   widths, bounds, summaries made in a transaction, weak memory, crash and recovery.
 * Run by:     spec/models/run_spin, which takes sizes and faults (-DName) from cases_spin.
 */
#ifndef NC
#define NC 2            /* commits */
#endif
#ifndef NT
#define NT 2            /* transactions that begin */
#endif
#ifndef NW
#define NW 1            /* writers */
#endif
#ifndef ENT
#define ENT 2           /* entries of a transaction */
#endif
#ifndef J
#define J 4             /* entries in all, undone ones too */
#endif
/* LAG: D lags behind H, as a sync completes; without it a memory database, D = H. SAVE: a savepoint. */
#define NONE 255
#define GARBAGE 3
#define VAL(b) buf[cur[b]]
#define DELTA(c, x) delta[2 * (c) + (x)]
#define HIST(c, b) hist[2 * (c) + (b)]
#define ONE(v, x) ((v) == (x) + 1 -> 1 : 0)
#define COUNT(c, x) ((ONE(HIST(c, 0), x) + ONE(HIST(c, 1), x)) & 3)
#define COMMITTED(t, s) (txc[t] != 0 && txc[t] <= (s))
#define UNTOUCHED(b) (!read[b] || lastchg[b] == 0 || COMMITTED(lastchg[b], s))
#define REGISTERED(i, low, high) (reg[i] && snap[i] >= (low) && snap[i] < (high))

byte buf[6], cur[2], pins[6];                                   /* buffers of block b: 3b .. 3b + 2 */
byte head[2], jn, je_b[J + 1], je_old[J + 1], je_prev[J + 1], je_tx[J + 1], je_chg[J + 1];
bool je_gone[J + 1];
byte txc[NT + 1], nt, lastchg[2];                               /* commit number of a transaction, 0: none; last change names it */
byte cells[2], pend[2], delta[2 * NC + 2], home[NC + 1];        /* home: tag under which a commit's delta lives, 0: dropped */
byte H, D, logged, frozen_at, seen, hist[2 * NC + 2];
bool failed, turn;
bool reg[NW + 1]; byte snap[NW + 1];                            /* registered snapshots: of the writers, of the reader (the last) */
bool C1_block, C1_plane, C3_gone, C4_rollback, C5_pending, C5_delta, C6_zone, C7_snapshot, C7_told, C7_overtaken, C7_frozen;

#define CHECK(name, holds) name = (holds); assert(name)

/* C2: in place if nobody has pinned the buffer, else on a copy that is swapped in. C5: undo applies the inverse. */
inline set_bytes(b, v, undoing) {
  old = VAL(b); x = 0;
  do :: x < 2 ->
#ifdef NoInverse
       if :: undoing -> skip :: else -> pend[x] = (pend[x] + ONE(v, x) + 4 - ONE(old, x)) & 3 fi;
#elif defined(MissedDelete)
       pend[x] = (pend[x] + ONE(v, x)) & 3;
#else
       pend[x] = (pend[x] + ONE(v, x) + 4 - ONE(old, x)) & 3;
#endif
       x++
     :: else -> break od;
  k = cur[b];
#ifndef InPlace
  if :: pins[k] != 0 -> k = 3 * b; do :: pins[k] != 0 || k == cur[b] -> k++ :: else -> break od; cur[b] = k :: else fi;   /* three buffers: two readers at most */
#endif
  buf[k] = v; x = 0; k = 0; old = 0
}

inline undo_last() {
  e = own[n - 1]; n--;
#ifdef UnlinkFirst
  head[je_b[e]] = je_prev[e]; lastchg[je_b[e]] = je_chg[e];
#else
  set_bytes(je_b[e], je_old[e], true); head[je_b[e]] = je_prev[e]; lastchg[je_b[e]] = je_chg[e];
#endif
  own[n] = 0
}
/* An entry that nobody walks any more is cleared, so that states do not differ by it. */
inline clear_entry() { if :: pins[0] + pins[1] + pins[2] + pins[3] + pins[4] + pins[5] == 0 -> je_b[e] = 0; je_old[e] = 0; je_prev[e] = 0; je_tx[e] = 0; je_chg[e] = 0; if :: e == jn -> jn-- :: else fi :: else fi }
#ifdef UnlinkFirst
#define UNDO atomic { undo_last() }; atomic { set_bytes(je_b[e], je_old[e], true); e = 0 }
#else
#define UNDO atomic { undo_last(); clear_entry(); e = 0 }
#endif

inline write_row(b) {
#ifdef EntryLate
  v = VAL(b); lastchg[b] = t; set_bytes(b, (v + 1) % 3, false)
#else
  jn++; je_b[jn] = b; je_old[jn] = VAL(b); je_prev[jn] = head[b]; je_tx[jn] = t; je_chg[jn] = lastchg[b]; own[n] = jn; n++;
  v = VAL(b); head[b] = jn;
#ifndef StampLate
  lastchg[b] = t;
#endif
  set_bytes(b, (v + 1) % 3, false); v = 0
#endif
}
#ifdef EntryLate
#define WRITE(b) atomic { write_row(b) }; atomic { jn++; je_b[jn] = b; je_old[jn] = v; je_prev[jn] = head[b]; je_tx[jn] = t; head[b] = jn; own[n] = jn; n++; v = 0 }
#else
#define WRITE(b) atomic { write_row(b) }
#endif

/* What a snapshot sees of a pinned buffer: entries of its chain that it does not see are taken back. */
inline rewind(buffer, chain, s) {
  v = buf[buffer]; e = chain;
  do :: e != 0 && !COMMITTED(je_tx[e], s) -> CHECK(C3_gone, !je_gone[e]); v = je_old[e]; e = je_prev[e]
     :: else -> break od;
  e = 0
}

inline unpin(k) { pins[k]--; if :: pins[k] == 0 && k != cur[0] && k != cur[1] -> buf[k] = 0 :: else fi }

/* C3: D is read and the snapshot registered under one hold of the registry's latch. */
inline take_snapshot(i) {
#ifdef TakeH
  atomic { snap[i] = H; reg[i] = true; s = snap[i]; CHECK(C7_snapshot, s <= D) }
#elif defined(Window)
  atomic { snap[i] = D };
  atomic { reg[i] = true; s = snap[i]; CHECK(C7_snapshot, s <= D) }
#else
  atomic { snap[i] = D; reg[i] = true; s = snap[i]; CHECK(C7_snapshot, s <= D) }
#endif
}

proctype writer(byte me) {
  byte own[ENT], n, t, c, b, e, v, x, k, old, mark = NONE, mark_0, mark_1, s; bool read[2], read_only;
next:
  do
  :: atomic { H < NC && nt < NT && !failed && !turn -> turn = true; nt++; t = nt; s = H }; goto work
#if NW > 1
  :: read_only == false && nt < NT && H < NC && !failed -> take_snapshot(me);
       atomic { read_only = true; if :: b = 0 :: b = 1 fi; read[b] = true; k = cur[b]; pins[k]++; x = head[b] };
       atomic { rewind(k, x, s); CHECK(C1_block, v == HIST(s, b)); unpin(k); k = 0; x = 0; v = 0; b = 0 };
       if   /* the upgrade: with the turn, nothing read may have changed in (S, H] */
#ifdef CheckBeforeTurn
       :: atomic { UNTOUCHED(0) && UNTOUCHED(1) -> skip };
          atomic { H < NC && nt < NT && !failed && !turn -> turn = true; nt++; t = nt; reg[me] = false }; goto work
#elif defined(NoCheck)
       :: atomic { H < NC && nt < NT && !failed && !turn -> turn = true; nt++; t = nt; reg[me] = false }; goto work
#else
       :: atomic { H < NC && nt < NT && !failed && !turn && UNTOUCHED(0) && UNTOUCHED(1) -> turn = true; nt++; t = nt; reg[me] = false }; goto work
#endif
       :: atomic { reg[me] = false; read[0] = false; read[1] = false; read_only = false; s = 0; snap[me] = 0 }
       fi
#endif
  :: atomic { H == NC || nt == NT || failed -> goto done }
  od;
work:
  do
  :: jn < J && n < ENT -> if :: WRITE(0) :: WRITE(1) fi
#ifdef SAVE
  :: n < ENT && mark == NONE -> atomic { mark = n; mark_0 = VAL(0); mark_1 = VAL(1) }
#endif
  :: mark != NONE && n > mark ->                                         /* ROLLBACK TO, or a statement that fails */
#ifdef MarkOffByOne
       do :: n > mark + 1 -> UNDO :: else -> break od;
#else
       do :: n > mark -> UNDO :: else -> break od;
#endif
       atomic { CHECK(C4_rollback, VAL(0) == mark_0 && VAL(1) == mark_1) }
  :: goto roll_back
  :: n > 0 && !failed -> break                                           /* prepared and appended */
  od;
  atomic { mark = NONE; mark_0 = 0; mark_1 = 0; c = H + 1; HIST(c, 0) = VAL(0); HIST(c, 1) = VAL(1); logged = c; home[c] = c;
    CHECK(C7_overtaken, c == s + 1 || ((!read[0] || HIST(s + 1, 0) == HIST(s, 0)) && (!read[1] || HIST(s + 1, 1) == HIST(s, 1))));   /* two commits at most */
    CHECK(C5_pending, ((COUNT(H, 0) + pend[0]) & 3) == COUNT(c, 0) && ((COUNT(H, 1) + pend[1]) & 3) == COUNT(c, 1)) };
#ifdef HBeforePlane
  atomic { txc[t] = c }; atomic { H = c };
#endif
  atomic { cells[0] = (cells[0] + pend[0]) & 3;
#ifndef AttachLate
    DELTA(c, 0) = pend[0]
#endif
  };
  atomic { cells[1] = (cells[1] + pend[1]) & 3;
#ifndef AttachLate
    DELTA(c, 1) = pend[1]
#endif
  };
#ifdef AttachLate
  atomic { DELTA(c, 0) = pend[0]; DELTA(c, 1) = pend[1] };
#endif
#ifdef HBeforeNumber
  atomic { H = c };
#endif
  atomic { txc[t] = c };
  atomic { H = c; pend[0] = 0; pend[1] = 0;
#ifndef LAG
    D = c; seen = c;
#endif
    x = 0; do :: x < n -> je_chg[own[x]] = 0; x++ :: else -> break od; x = 0;
#ifdef StampLate
    x = 0; do :: x < n -> lastchg[je_b[own[x]]] = t; x++ :: else -> break od; x = 0;
#endif
    n = 0; c = 0; t = 0; s = 0; read[0] = false; read[1] = false; read_only = false; own[0] = 0;
#if ENT > 1
    own[1] = 0;
#endif
    turn = false };
  goto next;
roll_back:
  do :: n > 0 -> UNDO :: else -> break od;
  atomic { CHECK(C4_rollback, VAL(0) == HIST(H, 0) && VAL(1) == HIST(H, 1)); CHECK(C5_pending, pend[0] == 0 && pend[1] == 0);
    mark = NONE; mark_0 = 0; mark_1 = 0; t = 0; s = 0; read[0] = false; read[1] = false; read_only = false; turn = false };
  goto next;
done: skip
}

proctype reader() {
  byte b, k, chain, v, e, x, s, i, sum; i = NW;
  do
  :: take_snapshot(i);
     do
     :: atomic { if :: b = 0 :: b = 1 fi; k = cur[b]; pins[k]++; chain = head[b] };                /* the pin: one hold of the latch */
        atomic { rewind(k, chain, s); CHECK(C1_block, v == HIST(s, b)); unpin(k); k = 0; chain = 0; v = 0; b = 0 }
     :: atomic { if :: b = 0 :: b = 1 fi;                                 /* C6: the block's latest state serves if its last change is seen */
        if :: lastchg[b] == 0 || COMMITTED(lastchg[b], s) -> CHECK(C6_zone, VAL(b) == HIST(s, b)) :: else fi; b = 0 }
     :: atomic { if :: x = 0 :: x = 1 fi; sum = cells[x]; e = s + 1;      /* a cell: current minus newer deltas */
        do :: e <= NC -> sum = (sum + 4 - DELTA(e, x)) & 3; e++ :: else -> break od;
        CHECK(C1_plane, sum == COUNT(s, x)); sum = 0; e = 0; x = 0 }
     :: break
     od;
     atomic { reg[i] = false; snap[i] = 0; s = 0 }
  :: break
  od
}

/* The oldest commit that somebody needs: registered snapshots and D, read under one latch. */
inline oldest() {
#ifdef ReclaimPastD
  low = H;
#else
  low = D;
#endif
  i = 0; do :: i <= NW -> if :: reg[i] && snap[i] < low -> low = snap[i] :: else fi; i++ :: else -> break od; i = 0
}

proctype background() {
  byte i, low, e; bool across;
  do
#ifdef LAG
  :: atomic { D < H && !failed -> D = D + 1 }                             /* a sync completes */
#ifdef DPastH
  :: atomic { D < logged && !failed -> D = logged }
#endif
#ifdef SyncAfterFail
  :: atomic { failed && D < H -> D = D + 1; CHECK(C7_frozen, D == frozen_at) }
#endif
  :: atomic { !failed && D < logged -> failed = true; frozen_at = D }     /* a sync fails: frozen at D */
#ifdef ResultEarly
  :: atomic { seen < H -> seen = H; CHECK(C7_told, seen <= D) }
#else
  :: atomic { seen < H && D >= H -> seen = H; CHECK(C7_told, seen <= D) } /* results reach callers */
#endif
#endif
  :: atomic { oldest(); e = 1;                                            /* reclaim what all see */
       do :: e <= jn -> if :: COMMITTED(je_tx[e], low) && !je_gone[e] -> je_gone[e] = true; je_old[e] = GARBAGE; je_prev[e] = 0; je_b[e] = 0 :: else fi; e++ :: else -> break od;
       e = 0; low = 0 }
#if NC > 1
  :: atomic { home[1] == 1 && home[2] == 2 && H >= 2 ->                   /* C5: merge 1 into 2 */
#ifdef MergeAcross
       if :: D >= 2 ->
#else
       i = 0; across = false; do :: i <= NW -> across = across || REGISTERED(i, 1, 2); i++ :: else -> break od; i = 0;
#ifdef MergePastD
       if :: !across ->
#else
       if :: D >= 2 && !across ->
#endif
#endif
            DELTA(2, 0) = (DELTA(2, 0) + DELTA(1, 0)) & 3; DELTA(2, 1) = (DELTA(2, 1) + DELTA(1, 1)) & 3; DELTA(1, 0) = 0; DELTA(1, 1) = 0; home[1] = 2
       :: else fi; across = false }
#endif
  :: atomic { e = 1; oldest();                                            /* drop a delta that nobody needs */
#ifdef DropEarly
       low = D;
#endif
       do :: e <= NC -> if :: home[e] == e && e <= low && e <= H -> DELTA(e, 0) = 0; DELTA(e, 1) = 0; home[e] = 0 :: else fi; e++ :: else -> break od;
       e = 0; low = 0 }
  :: break
  od
}

init {
  atomic {
    buf[0] = 1; cur[1] = 3; HIST(0, 0) = 1; cells[0] = 1; C1_block = true;
#ifndef NOREADER
    run reader();
#endif
    run background(); run writer(0);
#if NW > 1
    run writer(1)
#endif
  }
}
