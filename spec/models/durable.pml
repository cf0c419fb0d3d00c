/* durable.pml: commit, checkpoint, recovery and restore points a second time (C12 to C14), for Spin, written apart from log.m, pages.m and durable.m.
 *
 * What:       a writer whose commits add 1, a process that makes checkpoints, and a machine that stops. Unlike in durable.m the checkpoint is a process
 *             of its own, a root only names pages and the value is read from these, the log's groups say which value they lead to, and what was not
 *             synced meets its fate in one step. An atomic block is one call of the file system, or one hold of the turn.
 * Invariants: asserted by their names: C7_told, C12_once, C13_root, C14_point, K1_log.
 * Not here:   bytes, failed syncs, stripes.
 * Run by:     spec/models/run_spin_durable, which takes sizes and faults (-DName) from cases_spin_durable.
 */
#ifndef NC
#define NC 3            /* commits */
#endif
#ifndef NG
#define NG 3            /* roots written */
#endif
#ifndef NX
#define NX 2            /* crashes */
#endif
#define GARBAGE 99
#define RESTORED 50     /* the group of a RESTORE TO: replayed as nothing, for the root has it */

byte H, synced, told, hist[NC + 1];                     /* hist: ghost */
byte g[NC + 1], gd[NC + 1];                             /* the log: value + 1 after the commit, 0: no group; as seen, and on the disk */
byte base, obase, og[NC + 1]; bool moved;               /* first commit behind it; moved: a rename is not durable, the disk's name means obase, og */
byte rgen[2], rcom[2], dgen[2], dcom[2]; bool rwhole[2], dwhole[2], rdirty[2];   /* roots, as seen and on the disk */
bool rkeep[2], dkeep[2]; byte rkc[2], dkc[2], keptpages;       /* a kept root: whose pages lie where no other root's do */
byte pages[2], dpages[2]; bool pdirty[2];               /* the pages that the root of a slot names */
byte cur, epoch, crashes, i, j, v, last; bool up = true, turn, cutting;
bool C7_told, C12_once, C13_root, C14_point, K1_log;
#define CHECK(name, holds) name = (holds); assert(name)
#define ALIVE up && mine == epoch

inline sync_log() { i = 1; do :: i <= NC -> gd[i] = g[i]; i++ :: else -> break od; i = 0; synced = H }
inline sync_file() {
  i = 0;
  do :: i < 2 -> if :: pdirty[i] -> dpages[i] = pages[i]; pdirty[i] = false :: else fi;
        if :: rdirty[i] -> dgen[i] = rgen[i]; dcom[i] = rcom[i]; dwhole[i] = rwhole[i]; dkeep[i] = rkeep[i]; dkc[i] = rkc[i]; rdirty[i] = false :: else fi; i++
     :: else -> break od;
  i = 0
}
inline append(value, group) { hist[H + 1] = value; g[H + 1] = group; H++ }

proctype writer() {
end_w:
  do
  :: atomic { up && !turn && !cutting && H < NC -> append(hist[H] + 1, hist[H + 1] + 1) }
#ifdef RedoOpen
  :: atomic { up && !turn && !cutting && H < NC && g[H + 1] == 0 -> g[H + 1] = hist[H] + 2 }     /* and its transaction may still roll back */
#endif
  :: atomic { up && !cutting && synced < H -> sync_log() }
#ifdef EarlyAck
  :: atomic { up && told < H -> told = H }
#else
  :: atomic { up && told < synced -> told = synced }
#endif
  od
}

proctype checkpointer() {
  byte mine, c, slot, value, made; bool restoring, keeping, kept; byte kc;
end_c:
again:
  atomic { mine = 0; c = 0; slot = 0; value = 0; restoring = false; keeping = false; kept = false; kc = 0; up -> mine = epoch };
  if
  :: atomic { ALIVE && made < NG -> made++; c = synced; value = hist[c]; kept = rkeep[cur]; kc = rkc[cur];
#ifdef TakesOpen
       if :: c == H -> value = hist[c] + 1 :: true fi
#endif
     }
#ifdef RESTORE
  :: atomic { ALIVE && made < NG && rgen[cur] > 0 && !rkeep[cur] -> made++; c = rcom[cur]; value = pages[cur]; keeping = true; kept = true; kc = c; keptpages = value }
  :: atomic { ALIVE && made < NG && rkeep[cur] && !turn && synced == H && H < NC -> made++; turn = true; restoring = true; value = keptpages; kept = true; kc = rkc[cur]; c = H + 1;
#ifdef NumberRecurs
       c = kc
#else
       hist[H + 1] = value
#endif
     }
#ifdef CommitFirst
  if :: restoring -> atomic { ALIVE -> append(value, RESTORED); sync_log() } :: else fi;
#endif
#endif
  :: atomic { mine != epoch || made == NG -> skip };
     if :: made == NG -> goto rest :: else -> goto again fi
  fi;
  slot = 1 - cur;
#ifdef OneSlot
  slot = cur;
#endif
  if :: atomic { ALIVE -> pages[slot] = value; pdirty[slot] = true } :: mine != epoch -> goto again fi;
#ifndef NoDataSync
  if :: atomic { ALIVE -> sync_file() } :: mine != epoch -> goto again fi;
#endif
  if :: atomic { ALIVE -> rgen[slot] = rgen[cur] + 1; rcom[slot] = c; rwhole[slot] = true; rkeep[slot] = kept; rkc[slot] = kc; rdirty[slot] = true } :: mine != epoch -> goto again fi;
#ifndef CutEarly
  if :: atomic { ALIVE -> sync_file(); cur = slot } :: mine != epoch -> goto again fi;
#endif
#if !defined(CommitFirst) && !defined(NumberRecurs)
  if :: atomic { ALIVE && restoring -> append(value, RESTORED) } :: !restoring -> skip :: mine != epoch -> goto again fi;
#endif
#ifdef NumberRecurs
  if :: atomic { ALIVE && restoring -> hist[H] = value } :: !restoring -> skip :: mine != epoch -> goto again fi;
#endif
  if :: restoring -> if :: atomic { ALIVE -> turn = false } :: mine != epoch -> goto again fi :: else fi;
  /* A new log with what is behind c, synced, takes the old one's place; then the directory is synced. */
  if :: atomic { ALIVE && base < c -> cutting = true; moved = true; obase = base; base = c;
#ifdef CutTooFar
         base = H;
#endif
         i = 1; do :: i <= NC -> og[i] = gd[i];
#ifdef CutUnsynced
                        gd[i] = 0;
#endif
                        if :: i <= base -> g[i] = 0; gd[i] = 0 :: else -> skip fi;
#ifndef CutUnsynced
                        gd[i] = g[i];
#endif
                        i++
                   :: else -> break od; i = 0
#ifdef AppendBetween
         ; cutting = false; synced = H
#endif
       };
       if :: atomic { ALIVE -> moved = false; obase = 0; i = 1; do :: i <= NC -> og[i] = 0; i++ :: else -> break od; i = 0; cutting = false; synced = H } :: mine != epoch -> goto again fi
     :: atomic { ALIVE && base >= c -> skip }
     :: mine != epoch -> goto again
  fi;
#ifdef CutEarly
  if :: atomic { ALIVE -> sync_file(); cur = slot } :: mine != epoch -> goto again fi;
#endif
  goto again;
rest: skip
}

/* Everything that was not synced is kept, lost or torn. */
inline settle() {
  if :: moved -> if :: true -> skip
                    :: base = obase; j = 1; do :: j <= NC -> g[j] = og[j]; gd[j] = og[j]; j++ :: else -> break od
                 fi
     :: else fi;
  moved = false; obase = 0; j = 1;
  do :: j <= NC -> og[j] = 0; if :: gd[j] != g[j] -> if :: gd[j] = g[j] :: g[j] = gd[j] fi :: else fi; j++ :: else -> break od;
  j = 0;
  do :: j < 2 ->
        if :: pdirty[j] -> if :: dpages[j] = pages[j] :: rdirty[j] -> dpages[j] = GARBAGE :: skip fi :: else fi;
        if :: rdirty[j] -> if :: dgen[j] = rgen[j]; dcom[j] = rcom[j]; dwhole[j] = true; dkeep[j] = rkeep[j]; dkc[j] = rkc[j]
                              :: skip
                              :: dwhole[j] = false; dgen[j] = 0; dcom[j] = 0; dkeep[j] = false; dkc[j] = 0
                           fi
           :: else fi;
        pdirty[j] = false; rdirty[j] = false; pages[j] = dpages[j]; rgen[j] = dgen[j]; rcom[j] = dcom[j]; rwhole[j] = dwhole[j]; rkeep[j] = dkeep[j]; rkc[j] = dkc[j]; j++
     :: else -> break od;
  j = 0
}
/* The newest whole root, then each group behind it once; what the log does not say goes. */
inline recover() {
  CHECK(C13_root, rwhole[0] || rwhole[1]);
#ifdef OldRoot
  if :: rwhole[0] && (!rwhole[1] || rgen[0] < rgen[1]) -> cur = 0 :: else -> cur = 1 fi;
#else
  if :: rwhole[0] && (!rwhole[1] || rgen[0] > rgen[1]) -> cur = 0 :: else -> cur = 1 fi;
#endif
  CHECK(C13_root, pages[cur] != GARBAGE);
  CHECK(K1_log, base <= rcom[cur]);
  v = pages[cur]; last = base; j = base + 1;
  do :: j <= NC && g[j] != 0 -> last = j;
#ifdef NoSequence
        v = v + 1;
#else
        if :: j > rcom[cur] && g[j] != RESTORED -> CHECK(C12_once, g[j] == v + 2); v = g[j] - 1 :: else fi;
#endif
        j++
     :: else -> break od;
  j = last + 1;
  do :: j <= NC -> g[j] = 0; gd[j] = 0; j++ :: else -> break od;
#ifdef NoFreshLog
  if :: last < rcom[cur] -> last = rcom[cur] :: else fi;
#else
  if :: last < rcom[cur] -> last = rcom[cur]; base = last; j = 1; do :: j <= NC -> g[j] = 0; gd[j] = 0; j++ :: else -> break od :: else fi;
#endif
  j = 0; H = last; synced = last;
  CHECK(C7_told, told <= H);
  CHECK(C12_once, v == hist[H]);
  CHECK(C14_point, !rkeep[cur] || keptpages == hist[rkc[cur]]);
  told = H; v = 0; last = 0; j = H + 1;                /* what is found is what callers see */
  do :: j <= NC -> hist[j] = 0; j++ :: else -> break od;
  j = 0
}

proctype machine() {
end_m:
  do :: atomic { up && crashes < NX -> crashes++; epoch++; up = false; turn = false; cutting = false; settle(); recover(); up = true } od
}

init {
  atomic { rwhole[0] = true; dwhole[0] = true; run writer(); run checkpointer(); run machine() }
}
