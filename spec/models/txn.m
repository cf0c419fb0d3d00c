-- txn.m: rules C1 to C7 of spec/concurrency.md, small enough to be searched exhaustively (rumur).
--
-- What:       One writer, NR readers, two blocks of one row each, one plane of two cells, a log whose sync lags. A row
--             is absent (0) or counts in cell v - 1; a write steps it 0 -> 1 -> 2 -> 0. Cells, deltas: integers mod 3.
--             One rule is one hold of a latch or one atomic store, so every interleaving of these is searched. The
--             check of C7 takes each block for a table of its own; the plane reads both.
-- Invariants: carry the contract's names (C1.block). "Ghost" variables are known to invariants only.
-- Not here:   weak memory, crash and recovery, re-basing, indexes, dictionaries, NULLs, hashed planes, carries.
-- Run by:     spec/models/run, which sets constants from spec/models/cases.
--
-- A fault is a constant that is false in the contract. The part after its name says what it departs to; the invariant
-- that must refute it is in `cases`. A line here has one constant: the runner edits it by name.

const
  -- sizes
  NC: 2;                   -- commits
  ENT: 2;                  -- journal entries of a transaction
  J: 4;                    -- journal positions, NC * ENT
  NR: 1;                   -- readers
  -- features: each is a part of the contract that a configuration may leave out to stay small
  SAVE: true;              -- a savepoint, and a statement that reads at an earlier position
  LAG: true;               -- D lags behind H; false is a memory database with a null log: D = H
  WIDE: true;              -- the value 2 does not fit a narrow column
  CREATE: false;           -- the plane is a summary that a transaction creates
  BOUNDS: false;           -- a zone bound that is recomputed
  NUMBERFIRST: false;      -- publish the number before the cells: the order is free as long as H is last
  UNDOAPART: false;        -- undo restores bytes in one hold of the latch and unlinks the entry in the next
  -- faults of snapshots, pins and rewinding (C1, C2, C3)
  InPlace: false;          -- bytes change in place although a reader has pinned them
  HeaderApart: false;      -- base and width are read after the latch, not with the buffer
  WidenInPlace: false;     -- widening rewrites the pinned buffer
  WidthKept: false;        -- the buffer is widened, the header says narrow
  EntryLate: false;        -- bytes change in one hold of the latch, the undo entry is appended in the next
  UnlinkFirst: false;      -- undo unlinks the entry in one hold and restores bytes in the next
  FreeUndone: false;       -- an undone entry is freed while a reader walks it
  Window: false;           -- D is read first, the snapshot registered later
  BoundApart: false;       -- the reclaimer reads the registry first, D later
  ReclaimPastD: false;     -- the reclaimer's bound is min(registered, H)
  CursorSurvives: false;   -- ROLLBACK TO leaves later cursors open
  CursorLazy: false;       -- a cursor is tested when it is read, not closed by ROLLBACK TO; but positions recur
  CursorAllPending: false; -- a plane adds all of pending at an earlier position
  CursorZone: false;       -- zone sums serve an earlier position in a block that has later own entries
  -- faults of commit and deltas (C4, C5)
  HBeforePlane: false;     -- H is stored before the cells are added
  HBeforeNumber: false;    -- H is stored before the transaction's number
  AttachLate: false;       -- cells are added in one hold, the delta attached in the next
  DropEarly: false;        -- a delta <= D is dropped although a snapshot needs it
  MergeAcross: false;      -- two deltas are merged across a registered snapshot
  MergePastD: false;       -- two deltas are merged although the later is not durable
  MergeShy: false;         -- nothing is merged while any older snapshot lives: no bound on deltas
  NoInverse: false;        -- undo leaves its contribution in pending: a delta kept after rollback
  MissedDelete: false;     -- a change adds the new value's cell and keeps the old one's
  MarkOffByOne: false;     -- ROLLBACK TO stops one entry early
  NoReplay: false;         -- a summary made in a transaction ignores the transaction's earlier changes
  BuiltFromOwn: false;     -- it is built from the current rows, then replays the journal: counted twice
  NoValidFrom: false;      -- it serves snapshots from before it was built
  UndoKeepsPlane: false;   -- undoing its creation leaves it
  -- faults of zone sums and bounds (C6)
  ZoneDirty: false;        -- a block's last change is set at publication, uncommitted entries are not looked for
  StampLate: false;        -- uncommitted entries are looked for, the last change is set when H is stored
  NarrowEarly: false;      -- a recomputed bound is installed while the block has undo entries
  InstallStale: false;     -- a recomputed bound is installed although the block has changed since
  VersionIsChange: false;  -- "has changed" is told by the last change, which undo restores
  -- faults of durability and the upgrade (C7)
  TakeH: false;            -- readers take H
  DPastH: false;           -- D is the newest synced group, though it is not published yet
  SyncAfterFail: false;    -- D advances after a failed sync
  ResultEarly: false;      -- results are returned before D >= H0
  Early40001: false;       -- so is 40001
  NoCheck: false;          -- an upgrade checks nothing
  CheckBeforeTurn: false;  -- an upgrade checks, then waits for the turn
  ReadSetLate: false;      -- a table enters the read set after its block was read
  StayAtS: false;          -- after the upgrade statements still read at S

type
  Block: 0 .. 1;  Val: 0 .. 2;  Cell: 0 .. 1;  Mod3: 0 .. 2;
  Com: 0 .. NC;  Tag: 1 .. NC;  Pos: 0 .. J;  Reader: scalarset(NR);
  Db: array [Block] of Val;  Cells: array [Cell] of Mod3;
  Phase: enum { Idle, Active, Half, Undo, Unlink, Prepared, Publish };
  Act: enum { Chunk0, Chunk1, Attach, Number, StoreH };
  Made: enum { None, Own, There };                     -- the plane: not made, made by the open transaction, committed
  RState: enum { Closed, Taken, Open, Checked, Writing };   -- Taken: has read D, is not registered yet (Window)

var
  -- the store
  val: Db;  wide: array [Block] of boolean;            -- rows, and the width of each block's buffer
  lastChg: array [Block] of Com;                       -- last change of a block (C6) and of its table (C7)
  hi: array [Block] of Val;                            -- zone bound: no live snapshot sees a greater value
  calc: record on: boolean; b: Block; v: Val; moved: boolean; end;   -- a bound being recomputed
  -- the undo journal; t names the transaction, entries <= base are reclaimed, `reclaimed` is their newest tag
  j: array [1 .. J] of record ddl: boolean; b: Block; old: Val; oldChg: Com; t: Com; end;
  jn, base: Pos;  reclaimed: Com;
  stored: Com;                                         -- transactions <= stored have their commit number
  -- the plane
  made: Made;  validFrom: Com;  cells: Cells;  pend: Cells;  delta: array [Tag] of Cells;
  home: array [Tag] of Com;                            -- ghost: the tag under which a commit's delta lives, 0 = dropped
  -- commits
  H, D: Com;  failed: boolean;  frozenAt: Com;         -- newest commit, newest durable one; a sync failed, D was (ghost)
  gc: Com;  half: Com;  halfOn: boolean;               -- the reclaimer's bound; its first half (BoundApart)
  hist: array [Com] of Db;  seen: Com;                 -- ghosts: rows as of each commit; newest commit a caller knows of
  -- the writer
  ph: Phase;  k: 0 .. 4;  c: Com;  start, target: Pos;  all: boolean;
  hasSp: boolean;  sp: Pos;  spVal: Db;  spMade: Made; -- the savepoint; its rows and plane (ghosts)
  lateB: Block;  lateOld: Val;                         -- a change whose entry is not there yet (EntryLate, UnlinkFirst)
  cur: record open: boolean; p: Pos; v: Db; end;       -- a read at position p; the rows it must see (ghost)
  -- the readers. A pin holds a buffer and its header (hdr: wide), and the head of the undo chain. While `shared` the
  -- buffer is still the block's own, else the writer has swapped and `priv` has the pinned bytes.
  rd: array [Reader] of record
    st: RState;  s: Com;  read: array [Block] of boolean;
    pinned, shared, hdr: boolean;  blk: Block;  priv: Val;  head: Pos;
  end;

-- A narrow buffer has the value as it is, a wide one shifted, so that any mix of bytes and header reads wrong.
function enc(v: Val; w: boolean): Val; begin if w then return (v + 1) % 3; else return v; end; end;
function dec(v: Val; w: boolean): Val; begin if w then return (v + 2) % 3; else return v; end; end;

function one(v: Val; x: Cell): Mod3; begin if v = x + 1 then return 1; else return 0; end; end;
function count(d: Db; x: Cell): Mod3; begin return (one(d[0], x) + one(d[1], x)) % 3; end;

function top(b: Block): Pos; begin                     -- the head of a block's undo chain, 0 = none
  for i: 1 .. J do
    if J + 1 - i <= jn & J + 1 - i > base & j[J + 1 - i].b = b & !j[J + 1 - i].ddl then return J + 1 - i; end; end;
  return 0; end;

function dirty(b: Block): boolean; begin
  return exists i: 1 .. J do i <= jn & j[i].b = b & !j[i].ddl & j[i].t > stored end; end;

function zoneServes(s: Com; b: Block): boolean; begin  -- C6
  if ZoneDirty then return lastChg[b] <= s; end;
  if StampLate then return lastChg[b] <= s & !dirty(b); end;
  return lastChg[b] <= s & lastChg[b] <= stored; end;

function registered(r: Reader): boolean; begin
  return rd[r].st = Open | rd[r].st = Checked | rd[r].st = Writing; end;

function overtaken(r: Reader): boolean; begin          -- C7: something that it read was changed in (S, H]
  return exists b: Block do rd[r].read[b] & lastChg[b] > rd[r].s end; end;

function tail(): Com; begin if ph = Publish then return c; else return H; end; end;

function oldest(bound: Com): Com; var m: Com; begin    -- min(registered snapshots, bound)
  m := bound;
  for r: Reader do if registered(r) & rd[r].s < m then m := rd[r].s; end; end;
  return m; end;

function lives(t: Tag): boolean; begin return exists u: Tag do home[u] = t end; end;

function mergeable(t: Tag): boolean; begin             -- C5: deltas t and t + 1
  return t < NC & t + 1 <= (MergePastD ? H : D) & lives(t)
       & (MergeAcross | (forall r: Reader do registered(r) -> rd[r].s != t end))
       & (!MergeShy | (forall r: Reader do registered(r) -> rd[r].s > t end)); end;

function settled(): boolean; begin                     -- nothing is left to drop or to merge
  return forall t: Tag do lives(t) -> t > oldest(D) & !mergeable(t) end; end;

function deltas(): Com; var n: Com; begin
  n := 0; for t: Tag do if lives(t) then n := n + 1; end; end; return n; end;

function snapshots(): Com; var n: Com; begin           -- distinct registered S
  n := 0;
  for t: Com do if n < NC & (exists r: Reader do registered(r) & rd[r].s = t end) then n := n + 1; end; end;
  return n; end;

function planeAt(s: Com; x: Cell): Mod3; var z: Mod3; begin
  z := cells[x];
  for t: Tag do if t > s then z := (z + 3 - delta[t][x]) % 3; end; end;
  return z; end;

function act(): Act; begin                             -- C4: the order of publication
  if HBeforePlane then
    switch k case 0: return Number; case 1: return StoreH; case 2: return Chunk0; else return Chunk1; end; end;
  if HBeforeNumber then
    switch k case 0: return Chunk0; case 1: return Chunk1; case 2: return StoreH; else return Number; end; end;
  if NUMBERFIRST then
    switch k case 0: return Number; case 1: return Chunk0; case 2: return Chunk1; else return StoreH; end; end;
  if AttachLate then
    switch k case 0: return Chunk0; case 1: return Chunk1; case 2: return Attach; case 3: return Number;
             else return StoreH; end; end;
  switch k case 0: return Chunk0; case 1: return Chunk1; case 2: return Number; else return StoreH; end; end;

-- C2: in place if the buffer is not pinned, else on a copy that is swapped in; widening always swaps.
procedure setBytes(b: Block; v: Val; undo: boolean); var widen: boolean; begin
  widen := WIDE & v = 2 & !wide[b];
  if !InPlace & !(widen & WidenInPlace) then
    for r: Reader do if rd[r].pinned & rd[r].shared & rd[r].blk = b then
      rd[r].shared := false; rd[r].priv := enc(val[b], wide[b]); end; end; end;
  if made != None & !(undo & NoInverse) then            -- C5: undo applies the inverse
    for x: Cell do pend[x] := (pend[x] + one(v, x) + 3 - (MissedDelete ? 0 : one(val[b], x))) % 3; end; end;
  if widen then wide[b] := true; end;
  if BOUNDS & v > hi[b] then hi[b] := v; end;           -- C6: bounds only widen
  if calc.on & calc.b = b & !(undo & VersionIsChange) then calc.moved := true; end;
  val[b] := v; end;

procedure append(b: Block; old: Val); begin
  jn := jn + 1; j[jn].b := b; j[jn].old := old; j[jn].oldChg := lastChg[b]; j[jn].t := H + 1;
  if !ZoneDirty & !StampLate then lastChg[b] := H + 1; end; end;

procedure unlink(q: Pos); var b: Block; old: Val; begin
  b := j[q].b; old := j[q].old;
  if !ZoneDirty & !StampLate then lastChg[b] := j[q].oldChg; end;             -- C6: undo restores the last change
  clear j[q]; jn := jn - 1;
  for r: Reader do if rd[r].pinned & rd[r].blk = b & rd[r].head = q then
    -- C3: a reader may still walk the undone entry, which is kept for it by epoch. Here its copy is rewound at once.
    if !FreeUndone & !rd[r].shared then rd[r].priv := enc(old, rd[r].hdr); end;
    rd[r].head := top(b); end; end; end;

procedure dropPlane(); begin made := None; validFrom := 0; clear cells; clear pend; end;

procedure endTxn(); begin
  clear pend; clear cur; start := 0; target := 0; all := false; hasSp := false; sp := 0; clear spVal; spMade := None;
  for r: Reader do if rd[r].st = Writing then clear rd[r]; end; end;
  ph := Idle; k := 0; c := 0; end;

startstate begin
  clear val; val[0] := 1; clear hi; hi[0] := 1; clear wide; clear lastChg; clear calc;
  clear j; jn := 0; base := 0; reclaimed := 0; stored := 0;
  clear cells; clear delta; clear home; validFrom := 0; made := None;
  if !CREATE then made := There; cells[0] := 1; end;
  H := 0; D := 0; failed := false; frozenAt := 0; gc := 0; half := 0; halfOn := false;
  clear hist; hist[0] := val; seen := 0; lateB := 0; lateOld := 0;
  for r: Reader do clear rd[r]; end;
  endTxn(); end;

-- The writer ---------------------------------------------------------------------------------------------------------

rule "take the turn" ph = Idle & H < NC & !failed ==> begin ph := Active; start := jn; end;

ruleset b: Block do
  rule "write a row" ph = Active & jn - start < ENT ==> var old: Val; begin
    old := val[b];
    if EntryLate then lateB := b; lateOld := old; lastChg[b] := H + 1; ph := Half; else append(b, old); end;
    setBytes(b, (old + 1) % 3, false); end;
end;
rule "append the entry at last" ph = Half ==> begin
  append(lateB, lateOld); lateB := 0; lateOld := 0; ph := Active; end;

rule "create the summary" CREATE & ph = Active & made = None & jn - start < ENT ==> var d: Db; begin
  d := val;                                            -- C5: replay the own journal as pending; what is left is H
  for i: 1 .. J do if J + 1 - i <= jn & J + 1 - i > start then alias e: j[J + 1 - i] do
    for x: Cell do if !NoReplay then pend[x] := (pend[x] + one(d[e.b], x) + 3 - one(e.old, x)) % 3; end; end;
    d[e.b] := e.old; end; end; end;
  if BuiltFromOwn then d := val; end;
  for x: Cell do cells[x] := count(d, x); end;
  made := Own; validFrom := H; jn := jn + 1; j[jn].ddl := true; j[jn].t := H + 1; end;

rule "savepoint" SAVE & ph = Active & !hasSp ==> begin hasSp := true; sp := jn; spVal := val; spMade := made; end;
rule "rollback to savepoint" ph = Active & hasSp ==> begin   -- also the failure of a statement that began there
  ph := Undo; target := sp; if MarkOffByOne & sp < jn then target := sp + 1; end;
  if cur.p > sp & !CursorSurvives & !CursorLazy then clear cur; end; end;    -- C1: 24000
rule "rollback" ph = Active ==> begin ph := Undo; target := start; all := true; clear cur; end;

rule "undo an entry" ph = Undo & jn > target ==> begin
  if j[jn].ddl then
    if !UndoKeepsPlane then dropPlane(); end; clear j[jn]; jn := jn - 1;
  elsif UnlinkFirst then
    lateB := j[jn].b; lateOld := j[jn].old; unlink(jn); ph := Unlink;
  else
    setBytes(j[jn].b, j[jn].old, true);
    if UNDOAPART then ph := Unlink; else unlink(jn); end; end; end;
rule "undo it, second hold" ph = Unlink ==> begin
  if UnlinkFirst then setBytes(lateB, lateOld, true); lateB := 0; lateOld := 0; else unlink(jn); end;
  ph := Undo; end;

rule "undone" ph = Undo & jn = target ==> begin
  if all then
    assert made != Own & (forall b: Block do val[b] = hist[H][b] end) "C4.rollback: rows and planes are as before";
    assert forall x: Cell do pend[x] = 0 end "C5.pending: rollback leaves nothing pending";
    endTxn();
  else
    assert made = spMade & (forall b: Block do val[b] = spVal[b] end) "C4.rollback: rows are as at the savepoint";
    ph := Active; target := 0; end; end;

rule "prepare" ph = Active & jn > start ==> begin ph := Prepared; clear cur; end;
rule "prepare or append fails" ph = Prepared ==> begin ph := Undo; target := start; all := true; end;
rule "append to the log" ph = Prepared & !failed ==> begin
  ph := Publish; c := H + 1; hist[c] := val; if made != None then home[c] := c; end; end;

rule "publish: next step" ph = Publish ==> begin
  switch act()
    case Chunk0: cells[0] := (cells[0] + pend[0]) % 3; if !AttachLate then delta[c][0] := pend[0]; end;
    case Chunk1: cells[1] := (cells[1] + pend[1]) % 3; if !AttachLate then delta[c][1] := pend[1]; end;
    case Attach: delta[c] := pend;
    case Number: stored := c; if made = Own then made := There; end;
    case StoreH: H := c; if !LAG then D := c; end;
  end;
  if ZoneDirty & act() = Number | StampLate & act() = StoreH then
    for i: 1 .. J do if i > start & i <= jn then lastChg[j[i].b] := c; end; end; end;
  if k = (AttachLate ? 4 : 3) then endTxn(); else k := k + 1; end; end;

rule "results and acknowledgements reach callers" seen < H & (D >= H | ResultEarly) ==> begin seen := H; end;

-- A statement of the writer that reads at position cur.p while entries after it exist (C1).
rule "a statement starts" SAVE & ph = Active & !cur.open ==> begin cur.open := true; cur.p := jn; cur.v := val; end;

rule "it reads blocks and plane" cur.open & ph = Active & (!CursorLazy | cur.p <= jn) ==>
  var d: Db; z: Cells; exact: boolean; begin
  d := val; z := pend; exact := made != None;          -- a plane made after p is declined: the catalog takes p too
  for i: 1 .. J do if J + 1 - i <= jn & J + 1 - i > cur.p then alias e: j[J + 1 - i] do
    if e.ddl then exact := false;
    else
      if !CursorAllPending then
        for x: Cell do z[x] := (z[x] + one(e.old, x) + 3 - one(d[e.b], x)) % 3; end; end;
      d[e.b] := e.old; end; end; end; end;
  assert forall b: Block do d[b] = cur.v[b] end "C1.cursor: blocks are as of the position";
  assert exact -> (forall x: Cell do (planeAt(H, x) + z[x]) % 3 = count(cur.v, x) end)
         "C1.cursor: the plane is as of the position"; end;

ruleset b: Block do
  rule "it reads zone sums" cur.open & ph = Active & (top(b) <= cur.p | CursorZone) & (!CursorLazy | cur.p <= jn) ==>
    begin assert val[b] = cur.v[b] "C1.cursor: a zone sum is as of the position"; end;
end;

-- Durability ---------------------------------------------------------------------------------------------------------

ruleset n: Tag do
  rule "sync completes" LAG & (!failed | SyncAfterFail) & n > D & n <= (DPastH ? tail() : H) ==> begin D := n; end;
end;
rule "sync fails" LAG & !failed & D < tail() ==> begin failed := true; frozenAt := D; end;

-- Readers and the upgrade --------------------------------------------------------------------------------------------

ruleset r: Reader do alias q: rd[r] do
  rule "take a snapshot" q.st = Closed ==> begin
    if TakeH then q.s := H; else q.s := D; end;
    if Window then q.st := Taken; else q.st := Open; end; end;
  rule "register it" q.st = Taken ==> begin q.st := Open; end;
  rule "close" q.st = Open ==> begin clear q; end;

  ruleset b: Block do
    rule "pin a block" (q.st = Open | q.st = Writing & StayAtS) & !q.pinned ==> begin
      q.pinned := true; q.shared := true; q.hdr := wide[b] & !WidthKept; q.blk := b; q.head := top(b);
      if !ReadSetLate then q.read[b] := true; end; end;

    rule "read zone sums" q.st = Open & !q.pinned & zoneServes(q.s, b) ==> begin
      assert val[b] = hist[q.s][b] "C6.zone: a zone sum is as of S"; q.read[b] := true; end;

    rule "skip the block by its bound" BOUNDS & q.st = Open & !q.pinned ==> begin
      assert hist[q.s][b] <= hi[b] "C6.bound: no value of S is above the bound"; q.read[b] := true; end;
  end;

  rule "rewind and read the pinned block" q.pinned ==> var v: Val; begin
    v := dec(q.shared ? enc(val[q.blk], wide[q.blk]) : q.priv, HeaderApart ? wide[q.blk] : q.hdr);
    for i: 1 .. J do if J + 1 - i <= q.head & J + 1 - i > base then alias e: j[J + 1 - i] do
      if !e.ddl & e.b = q.blk & !(e.t <= stored & e.t <= q.s) then v := e.old; end; end; end; end;
    assert v = hist[q.s][q.blk] "C1.block: a block is as of S";
    q.read[q.blk] := true;
    q.pinned := false; q.shared := false; q.hdr := false; q.blk := 0; q.priv := 0; q.head := 0; end;

  ruleset x: Cell do
    rule "read a cell of the plane" q.st = Open & made = There & (validFrom <= q.s | NoValidFrom) ==> begin
      assert planeAt(q.s, x) = count(hist[q.s], x) "C1.plane: a cell is as of S";
      q.read[0] := true; q.read[1] := true; end;
  end;

  rule "check before the turn" CheckBeforeTurn & q.st = Open & !overtaken(r) ==> begin q.st := Checked; end;
  rule "upgrade" (q.st = Open & !CheckBeforeTurn & (!overtaken(r) | NoCheck) | q.st = Checked)
                 & ph = Idle & H < NC & !failed ==> begin
    q.st := Writing; ph := Active; start := jn; end;
  rule "upgrade refused: 40001" q.st = Open & overtaken(r) & ph = Idle & !failed & !NoCheck & (D >= H | Early40001) ==>
    begin
      assert ENT > 2 | (exists b: Block do q.read[b] & hist[H][b] != hist[q.s][b] end)
             | (exists t: Tag do t > q.s & t < H & (exists b: Block do q.read[b] & hist[t][b] != hist[q.s][b] end) end)
             "C7.overtaken: 40001 only if something read was changed";
      seen := H; clear q; end;
end; end;

-- Reclaiming, merging, recomputing -----------------------------------------------------------------------------------

rule "compute the oldest" !BoundApart & gc < oldest(ReclaimPastD ? H : D) ==> begin
  gc := oldest(ReclaimPastD ? H : D); end;
rule "read the registry" BoundApart & !halfOn ==> begin half := oldest(NC); halfOn := true; end;
rule "then read D" BoundApart & halfOn ==> begin
  if half > D then half := D; end; if half > gc then gc := half; end; half := 0; halfOn := false; end;

rule "reclaim journal entries" base < jn & j[base + 1].t <= gc ==> begin
  while base < jn & j[base + 1].t <= gc do base := base + 1; reclaimed := j[base].t; clear j[base]; end;
  for r: Reader do if rd[r].head <= base then rd[r].head := 0; end; end; end;

ruleset t: Tag do
  rule "drop a delta" (t <= gc | DropEarly & t <= D) & lives(t) ==> begin
    clear delta[t]; for u: Tag do if home[u] = t then home[u] := 0; end; end; end;
  rule "merge a delta with the next" mergeable(t) ==> begin
    for x: Cell do delta[t + 1][x] := (delta[t + 1][x] + delta[t][x]) % 3; end; clear delta[t];
    for u: Tag do if home[u] = t then home[u] := t + 1; end; end; end;
end;

ruleset b: Block do
  rule "recompute a bound" BOUNDS & !calc.on ==> begin
    calc.on := true; calc.b := b; calc.v := val[b]; calc.moved := false; end;
end;
rule "install it, if the block is as it was and has no undo entries" calc.on ==> begin
  if (!calc.moved | InstallStale) & (top(calc.b) = 0 | NarrowEarly) then hi[calc.b] := calc.v; end;
  clear calc; end;

-- What holds in every state ------------------------------------------------------------------------------------------

invariant "C3.journal: no entry that a registered snapshot needs is reclaimed"
  forall r: Reader do registered(r) -> reclaimed <= rd[r].s end;
invariant "C5.delta: no delta that a registered snapshot needs is dropped or merged away"
  made = There -> (forall r: Reader do registered(r) & validFrom <= rd[r].s ->
    (forall t: Tag do t <= H -> (t > rd[r].s ? home[t] != 0 : home[t] <= rd[r].s) end) end);
invariant "C5.count: when settled, deltas <= distinct snapshots + 1 + commits not durable"
  settled() -> deltas() <= snapshots() + 1 + (tail() - D);
invariant "C5.pending: pending = the writer's rows - the rows at H"
  ph = Active & made != None -> (forall x: Cell do (count(hist[H], x) + pend[x]) % 3 = count(val, x) end);
invariant "C7.snapshot: no snapshot is newer than D" forall r: Reader do rd[r].s <= D end;
invariant "C7.told: no caller knows of more than D" seen <= D;
invariant "C7.frozen: after a failed sync D stays" failed -> D = frozenAt;
invariant "C7.overtaken: a transaction whose reads were overtaken does not commit" ph = Publish ->
  (forall r: Reader do rd[r].st = Writing -> (forall b: Block do rd[r].read[b] ->
    (forall t: Tag do t > rd[r].s & t < c -> hist[t][b] = hist[t - 1][b] end) end) end);

-- What must be reached: a search that never got there proves little --------------------------------------------------

cover "a pinned block is old by a swap and by its chain"
  exists r: Reader do rd[r].pinned & !rd[r].shared & rd[r].head > 0 & j[rd[r].head].t > rd[r].s end;
cover "a pinned narrow buffer of a block that is wide by now"
  !WIDE | (exists r: Reader do rd[r].pinned & !rd[r].hdr & wide[rd[r].blk] end);
cover "a merged delta is read"
  NC < 2 | (exists r: Reader do registered(r) & made = There & validFrom = 0 & home[1] = 2 & rd[r].s = 0 end);
cover "an upgraded reader publishes above its snapshot"
  NC < 2 | ph = Publish & (exists r: Reader do rd[r].st = Writing & rd[r].s < H & (exists b: Block do rd[r].read[b] end) end);
cover "frozen with unseen commits" !LAG | failed & D < H;
cover "a read at an earlier position survives rollback to savepoint" !SAVE | ph = Undo & cur.open & jn > target;
cover "a summary is made after own changes" !CREATE | made = Own & (exists i: 2 .. J do i <= jn & j[i].ddl & !j[i - 1].ddl
  & j[i - 1].t = j[i].t & (exists x: Cell do pend[x] != 0 end) end);
cover "a summary is too young for a reader"
  !CREATE | NC < 2 | made = There & (exists r: Reader do registered(r) & rd[r].s < validFrom end);
cover "a bound has been narrowed" !BOUNDS | (exists b: Block do hi[b] < 2 & hist[1][b] = 2 & H > 0 end);
cover "a recomputed bound is refused" !BOUNDS | calc.on & calc.moved;
