-- events.m: the steps that the engine tells of itself (src/base/protocol.h), and when each is allowed (rumur).
--
-- What:       what txn.m says of values is left out; what is left is the order of steps: turn, journal, log, publication, H, D, snapshots, deltas,
--             reclaiming, checkpoints, recovery. properties/protocol.cc has the same rules for numbers without bounds and says of each step that the
--             running engine takes whether it is enabled; its own search over the constants of cases_events must find as many states as this one.
-- Invariants: carry the contract's names. A rule that is a step has the step's name in front: "kWrite: ...".
-- Not here:   values, blocks, positions of readers (txn.m); what is on the disk after a crash (log.m, pages.m, durable.m).
-- Run by:     spec/models/run_events, which sets constants from spec/models/cases_events.

const
  NC: 2;                   -- commits
  J: 1;                    -- journal entries of a transaction
  NR: 1;                   -- registered snapshots, and up to two more
  PLANE: true;             -- there is a plane
  LOG: true;               -- a file with its log; else a memory database
  RECOVER: false;          -- it begins with a recovery
  SAVE: false;             -- savepoints
  MODES: false;            -- synchronous is switched
  RESTORE: false;          -- RESTORE TO
  -- faults
  SnapshotAtH: false;      -- a reader takes H
  HBeforePlane: false;     -- H is stored before the cells are added
  HBeforeNumber: false;    -- H is stored before the transaction's number
  HBeforeLog: false;       -- H is stored before the group is in the log
  DPastSynced: false;      -- D is moved before the sync came back
  DPastH: false;           -- D is moved before H
  AckEarly: false;         -- a commit is acknowledged before D has reached it
  SyncAfterFail: false;    -- a sync counts although an earlier one failed
  SwitchEarly: false;      -- synchronous becomes full while something is not synced
  ReclaimPastD: false;     -- the reclaimer's bound is min(registered, H)
  ReclaimPastReader: false; -- it is D
  DropEarly: false;        -- a delta <= D is dropped although a snapshot needs it
  MergeAcross: false;      -- two deltas are merged across a registered snapshot
  MergePastD: false;       -- two deltas are merged although the later is not durable
  UndoShort: false;        -- ROLLBACK TO stops one entry early
  EndLeft: false;          -- a rollback leaves entries
  CutBeforeRoot: false;    -- the log is cut before the root is durable
  RootPastSynced: false;   -- a root is written before its commit is durable in the log
  RootUnpinned: false;     -- a checkpoint reads a state that is not held
  ReplayTwice: false;      -- a group is replayed whatever its number

type
  Com: 0 .. NC;  Tag: 1 .. NC;  Pos: 0 .. J;
  Phase: enum { Idle, Active, Undo, Prepare, Append, Logging, Logged, Publish, Done };

var
  up, log, lag, turn: boolean;                         -- recovered; a file's log is attached; it holds D back
  failed, frozen: boolean;                             -- a sync failed; the log takes nothing more
  H, D, stored, appended, synced: Com;                 -- stored: newest commit that has its number
  reclaimed, gone, root, base: Com;                    -- journals <= reclaimed, deltas <= gone are no more; the durable root's commit; the log's first
  restored: Com;                                       -- the root that RESTORE TO made, before its commit
  ph: Phase;  jn, target: Pos;
  saved: array [Pos] of boolean;
  reg: array [Com] of 0 .. NR + 2;                     -- registered snapshots
  prepared, published: boolean;                        -- the plane, in this commit
  from: array [Tag] of Com;                            -- a live delta's oldest commit; 0: there is no delta of this tag

function readers(): 0 .. NR + 2; var n: 0 .. NR + 2; begin
  n := 0; for s: Com do n := n + reg[s]; end; return n; end;
function oldest(bound: Com): Com; var m: Com; begin
  m := bound; for s: Com do if reg[s] > 0 & s < m then m := s; end; end; return m; end;
function ready(): boolean; begin return ph = Append & !log | ph = Logged | ph = Publish; end;   -- may publish
function next(a: Tag; b: Tag): boolean; begin          -- live, and none between
  return a < b & from[a] != 0 & from[b] != 0 & (forall t: Tag do a < t & t < b -> from[t] = 0 end); end;
procedure trim(p: Pos); begin for q: Pos do if q > p then saved[q] := false; end; end; end;

startstate begin
  up := !RECOVER; log := LOG & !RECOVER; lag := log; failed := false; frozen := false; turn := false;
  H := 0; D := 0; stored := 0; appended := 0; synced := 0; reclaimed := 0; gone := 0; root := 0; base := 0; restored := 0;
  ph := Idle; jn := 0; target := 0; clear saved; clear reg; prepared := false; published := false; clear from;
end;

-- Opening ------------------------------------------------------------------------------------------------------------

ruleset n: Tag do
  rule "kStoreH: recovery finds a state, or a group that changes nothing" !up & !log & ph = Idle & n > H ==> begin
    H := n; D := n; stored := n; end;
  rule "kReplay: a group is replayed" !up & ph = Idle & !log & (n = H + 1 | ReplayTwice) ==> begin
    assert n = H + 1 "D1.once: no group is applied twice"; end;
end;
rule "kFileLog: the log goes on behind what was found" RECOVER & LOG & !up & ph = Idle & !log ==> begin
  log := true; appended := H; synced := H; end;
rule "kStart" !up & ph = Idle & !turn & (log -> synced = H) ==> begin up := true; lag := log; end;
ruleset r: Com; b: Com do
  rule "kPages: what the root and the log's beginning are" RECOVER & up & log & root = 0 & ph = Idle & r > 0 & b <= r & r <= synced ==> begin
    root := r; base := b; end;
end;

-- Snapshots, the turn ------------------------------------------------------------------------------------------------

ruleset s: Com do
  rule "kOpen: a snapshot is registered" readers() <= NR & (s = D | SnapshotAtH & s = H) ==> begin reg[s] := reg[s] + 1; end;
  rule "kClose" reg[s] > 0 ==> begin reg[s] := reg[s] - 1; end;
end;
rule "kTurn" !turn ==> begin turn := true; end;
rule "kGive" turn & ph = Idle ==> begin turn := false; end;
rule "kBegin: the writer registers at H" turn & ph = Idle & H < NC & readers() <= NR + 1 ==> begin
  ph := Active; jn := 0; reg[H] := reg[H] + 1; saved[0] := true; end;

-- The writer ---------------------------------------------------------------------------------------------------------

rule "kWrite: an entry is linked" ph = Active & jn < J ==> begin jn := jn + 1; end;
rule "kSavepoint" SAVE & ph = Active ==> begin saved[jn] := true; end;
ruleset p: Pos do
  rule "kRollbackTo: a savepoint is looked up" SAVE & ph = Active & saved[p] & p <= jn ==> begin trim(p); end;
  rule "kUndo: entries behind p are taken back" (ph = Active | ph = Prepare | ph = Append | ph = Logging) & p <= jn ==> begin
    if restored = H + 1 then frozen := true; end;       -- the root is of a commit that there is not: nothing more is written
    ph := Undo; target := p; end;
end;
rule "kUndone: the last entry" ph = Undo & jn > target ==> begin jn := jn - 1; end;
rule "kUndoEnd" ph = Undo & (jn = target | UndoShort & jn = target + 1) ==> begin
  assert jn = target "C4.rollback: what is behind the mark is undone";
  trim(target); target := 0; ph := Active; end;
rule "kPrepare" ph = Active & jn > 0 ==> begin ph := Prepare; prepared := false; published := false; end;
rule "kPlanePrepared" PLANE & ph = Prepare & !prepared ==> begin prepared := true; end;
rule "kAppend: what comes is H + 1" ph = Prepare ==> begin ph := Append; end;
rule "kGroup: the log takes it" ph = Append & log & !frozen & appended = H ==> begin ph := Logging; end;
rule "kLogged" ph = Logging ==> begin ph := Logged; appended := H + 1; end;
rule "kPart: cells are added, their delta attached" ready() & prepared & !published ==> begin ph := Publish; from[H + 1] := H + 1; end;
rule "kPlane: the plane has them all" ready() & prepared & !published ==> begin ph := Publish; published := true; end;
rule "kNumber" ready() & stored = H ==> begin ph := Publish; stored := H + 1; end;
rule "kStoreH" (ph = Publish | HBeforeLog & ph = Append & stored = H) & (stored = H + 1 | HBeforeNumber | HBeforeLog)
               & (!prepared | published | HBeforePlane) ==> begin
  H := H + 1; if !lag then D := H; end; ph := Done; end;
rule "kEnd: the writer's snapshot is closed" (ph = Done | ph = Active & (jn = 0 | EndLeft)) & (forall s: Com do s > D -> reg[s] = 0 end) ==> begin
  assert ph = Done | jn = 0 "C4.rollback: a rollback leaves nothing";
  ph := Idle; jn := 0; clear saved; prepared := false; published := false; end;

-- Durability ---------------------------------------------------------------------------------------------------------

ruleset n: Com do
  rule "kSync: it came back" log & (!failed | SyncAfterFail) & synced <= n & n <= appended ==> begin
    assert !failed "C7.frozen: after a failed sync nothing becomes durable"; synced := n; end;
  rule "kDurable: D is moved" D <= n & (lag ? (n <= H | DPastH & n <= appended) & (n <= synced | DPastSynced) : n = H) ==> begin D := n; end;
  rule "kAck: a commit is told" n > 0 & n <= H & (D >= n | AckEarly) ==> begin
    assert n <= D & (lag -> n <= synced) "C7.told: no caller knows of more than D"; end;
end;
rule "kSyncFailed" log ==> begin failed := true; end;
rule "kFrozen" log ==> begin frozen := true; end;
ruleset on: boolean do
  rule "kLag: synchronous is switched" MODES & log & turn & !frozen & (on -> D = H & (synced >= H | SwitchEarly)) ==> begin lag := on; end;
end;

-- Reclaiming ---------------------------------------------------------------------------------------------------------

ruleset c: Tag do
  rule "kReclaim" turn & ph = Idle & reclaimed < c & c <= stored
                  & c <= (ReclaimPastD ? oldest(H) : (ReclaimPastReader ? D : oldest(D))) ==> begin reclaimed := c; end;
  rule "kDrop: a delta" from[c] != 0 & turn & (c <= oldest(D) | DropEarly & c <= D) & (forall t: Tag do t < c -> from[t] = 0 end) ==> begin
    from[c] := 0; gone := c; end;
  ruleset b: Tag do
    rule "kMerge: a delta into the next" turn & next(c, b) & (b <= D | MergePastD & b <= H)
          & ((forall s: Com do reg[s] > 0 -> s < c | s >= b end) | MergeAcross) ==> begin
      from[b] := from[c]; from[c] := 0; end;
  end;
end;

-- Checkpoints --------------------------------------------------------------------------------------------------------

ruleset c: Tag do
  rule "kRoot: the root of a checkpoint is durable" log & up & (reg[c] > 0 & c <= D | RootUnpinned) & (c <= synced | RootPastSynced) & root <= c ==> begin
    assert c <= H & reclaimed <= c "C13.pinned: what a checkpoint writes is there";
    root := c; end;
  rule "kCut: the log begins behind it" log & (c <= root | CutBeforeRoot) & base <= c & c <= appended & ph != Logging ==> begin base := c; end;
end;
rule "kRestoreRoot: what was kept is the root of H + 1" RESTORE & log & turn & ph = Active & root <= H ==> begin root := H + 1; restored := H + 1; end;

-- What holds in every state ------------------------------------------------------------------------------------------

invariant "C3.journal: no entry that a registered snapshot needs is reclaimed" forall s: Com do reg[s] > 0 -> reclaimed <= s end;
invariant "C5.delta: no delta that a registered snapshot needs is dropped or merged away"
  forall s: Com do reg[s] > 0 -> gone <= s & (forall t: Tag do from[t] != 0 -> !(from[t] <= s & s < t) end) end;
invariant "C4.last: H is last" H <= stored & (log & up -> H <= appended) & (ph = Done -> (prepared -> published));
invariant "C7.durable: D = min(synced, H) at most" D <= H & (log & lag -> D <= synced);
invariant "C7.snapshot: no snapshot but the writer's is newer than D" forall s: Com do s > D & reg[s] > 0 -> reg[s] = 1 & turn end;
invariant "K1.log: the log is cut only behind the root" base <= root;
invariant "K3.root: a root's commit is durable in the log, or the root's own" log -> root <= synced | root = restored;

cover "a delta was merged and is held" NC < 2 | !PLANE | (exists t: Tag do from[t] != 0 & from[t] < t end);
cover "a delta was dropped" !PLANE | gone > 0;
cover "a commit is published and not durable" !LOG | D < H;
cover "a failed sync with a commit that is not durable" !LOG | failed & D < H;
cover "the log was cut" !LOG | base > 0;
cover "a group is published after the log was frozen" !LOG | frozen & ph = Publish;
cover "a savepoint behind an entry" !SAVE | (exists p: Pos do p > 0 & saved[p] end);
cover "a restore is under way" !RESTORE | root = H + 1 & ph = Publish;
cover "a journal was reclaimed under a reader" reclaimed > 0 & (exists s: Com do reg[s] > 0 end);
