-- durable.m: checkpoints and restore points beside the log (C12 to C14, spec/recovery.md), small enough to be searched exhaustively (rumur).
--
-- What:       a writer, a log, a file with two root slots, crashes. A commit adds 1 to the value, which is all rows; its group says so, or that RESTORE TO
--             was here. A checkpoint writes pages of commit C, syncs, writes a root, syncs, and cuts the log: a new file with what is behind C takes the
--             log's place by a rename, which is durable when the directory is synced. A crash keeps, loses or tears each group, root and set of pages that
--             was not synced, and keeps or loses the rename; one may come while recovering.
-- Invariants: C12.once   after recovery the value is that of the commit that was reached: no group twice, none left out, nothing uncommitted.
--             C7.told    that commit is not older than the last acknowledged one.
--             C13.root   the root names pages that are there; some root is whole.
--             K1.log     the log begins at or before the root's commit.
--             C14.point  a restore point is the value it was made of; a commit number never comes twice with another value on the disk.
-- Not here:   bytes and tears within a group (log.m), stripes (pages.m), failed syncs.
-- Run by:     spec/models/run_durable, which sets constants from spec/models/cases_durable.

const
  NC: 3;                   -- commits
  NG: 3;                   -- roots
  RESTORE: true;
  NORMAL: false;           -- synchronous = normal: a checkpoint takes the newest commit, not the newest durable one
  RECRASH: true;           -- a crash may come while recovering
  ROOTFIRST: false;        -- a root may be written before its commit is durable in the log (K3 says no; it would do no harm, since such a log is replaced)
  -- faults
  EarlyAck: false;         -- acknowledged when it is appended
  NoSequence: false;       -- replay does not look at the numbers of groups
  CutEarly: false;         -- the log is cut before the root is durable
  CutTooFar: false;        -- everything that there was in the log is cut
  CutUnsynced: false;      -- the new log takes the old one's place before it is synced
  AppendBetween: false;    -- groups go to the new log, and count as synced there, before the directory is synced
  TakesOpen: false;        -- a checkpoint takes what an open transaction has changed
  RedoOpen: false;         -- a group is in the log before its transaction ends, which may be a rollback
  OneSlot: false;          -- each root goes over the one before
  NoDataSync: false;       -- a root is written before its pages are durable
  NoFreshLog: false;       -- a log that ends before the root goes on where it ends
  CommitFirst: false;      -- RESTORE TO commits before its root is durable
  NumberRecurs: false;     -- RESTORE TO makes the kept root the newest with the number that it had
  OldRoot: false;          -- recovery takes the older of two whole roots

type
  Com: 0 .. NC;  Tag: 1 .. NC;  Val: 0 .. 3;  Slot: 0 .. 1;
  State: enum { none, whole, torn };
  Group: record st: State; rs: boolean; end;           -- rs: of a RESTORE TO, which replays as nothing
  File: record base: Com; g: array [Tag] of Group; end;
  Root: record whole: boolean; gen: 0 .. NG; c: Com; v: Val; has: boolean; kc: Com; kv: Val; end;
  Stage: enum { up, settling, recovering };
  Step: enum { no, pages, durable, rooted, rdurable, logged, renamed };

var
  H, synced, told: Com;                                -- newest commit, newest in the durable log, newest acknowledged
  hist: array [Com] of Val;                            -- ghost: the value of each commit
  open: boolean;                                       -- a transaction has added 1
  early: boolean;                                      -- and its group is in the log (RedoOpen)
  now, disk: File;  dirty: array [Tag] of boolean;     -- the log: a place for each commit
  old: File;  old_there: boolean;  old_dirty: array [Tag] of boolean;  -- what its name still means on the disk
  old_now: File;
  slot, slot_disk: array [Slot] of Root;  slot_dirty: array [Slot] of boolean;
  page_ok, page_dirty: array [Slot] of boolean;        -- the pages of the root that was last written to a slot
  cur: Root;                                           -- the newest durable root
  next: Root;  step: Step;  rs: boolean;               -- a checkpoint under way; of a RESTORE TO
  stage: Stage;

function newest_durable(): Com; begin return synced < H ? synced : H; end;
procedure clear_group(var g: Group); begin g.st := none; g.rs := false; end;
procedure sync_log(); begin
  for t: Tag do if dirty[t] then disk.g[t] := now.g[t]; dirty[t] := false; end; end; synced := H; end;
procedure sync_file(); begin
  for i: Slot do
    page_dirty[i] := false;
    if slot_dirty[i] then slot_disk[i] := slot[i]; slot_dirty[i] := false; end; end; end;
procedure done(); begin step := no; rs := false; clear next; end;
-- A new log with what is behind c, synced, under the log's name.
procedure replace(c: Com; whole_file: boolean); begin
  old := disk; old_now := now; old_dirty := dirty; old_there := true;
  now.base := c;
  for t: Tag do
    if t <= c | t > H then clear_group(now.g[t]); dirty[t] := false;
    else dirty[t] := !whole_file; end; end;
  disk := now;
  if !whole_file then for t: Tag do clear_group(disk.g[t]); end; end; end;
procedure settle_name(); begin clear old; clear old_now; clear old_dirty; old_there := false; end;

startstate begin
  H := 0; synced := 0; told := 0; clear hist; open := false; early := false;
  clear now; clear disk; clear dirty; settle_name();
  for i: Slot do clear slot[i]; page_ok[i] := true; page_dirty[i] := false; slot_dirty[i] := false; end;
  slot[0].whole := true; slot_disk := slot; cur := slot[0];
  done(); stage := up; end;

-- The writer ---------------------------------------------------------------------------------------------------------

rule "change a row" stage = up & !open & H < NC & !rs ==> begin
  open := true;
  if RedoOpen & step != renamed then now.g[H + 1].st := whole; dirty[H + 1] := true; early := true; end; end;
rule "roll back" stage = up & open ==> begin open := false; early := false; end;
rule "commit" stage = up & open & H < NC & (step != renamed | AppendBetween) & !rs ==> begin
  now.g[H + 1].st := whole; now.g[H + 1].rs := false; dirty[H + 1] := true;
  hist[H + 1] := (hist[H] + 1) % 4;
  H := H + 1; open := false; early := false; end;
rule "sync the log" stage = up & synced < H & (step != renamed | AppendBetween) ==> begin sync_log(); end;
rule "acknowledge" stage = up & told < H & (told < newest_durable() | EarlyAck) ==> begin
  if EarlyAck then told := H; else told := newest_durable(); end; end;

-- Checkpoints: the step that comes next ------------------------------------------------------------------------------

rule "a checkpoint writes its pages" stage = up & step = no & cur.gen < NG ==>
var c: Com; begin
  c := NORMAL ? H : newest_durable();
  next := cur; next.gen := cur.gen + 1; next.c := c; next.v := hist[c];
  if TakesOpen & open & c = H then next.v := (hist[c] + 1) % 4; end;
  step := pages; end;
rule "CREATE RESTORE POINT" stage = up & step = no & RESTORE & cur.gen < NG & !cur.has & cur.gen > 0 ==> begin
  next := cur; next.gen := cur.gen + 1; next.has := true; next.kc := cur.c; next.kv := cur.v; step := pages; end;
rule "RESTORE TO" stage = up & step = no & RESTORE & cur.gen < NG & cur.has & !open & H < NC & synced = H ==> begin
  next := cur; next.gen := cur.gen + 1; next.c := NumberRecurs ? cur.kc : H + 1; next.v := cur.kv; rs := true; step := pages;
  if !NumberRecurs then hist[H + 1] := cur.kv; end;
  if CommitFirst then
    now.g[H + 1].st := whole; now.g[H + 1].rs := true; dirty[H + 1] := true; hist[H + 1] := cur.kv; H := H + 1; sync_log(); end; end;
rule "give up" stage = up & (step = pages | step = durable) & !rs ==> begin done(); end;
rule "sync the pages" stage = up & step = pages ==> begin sync_file(); step := durable; end;
rule "sync the log up to C" stage = up & NORMAL & (step = pages | step = durable) & synced < next.c ==> begin sync_log(); end;
rule "write the root" stage = up & (step = durable | NoDataSync & step = pages) & (synced >= next.c | rs | ROOTFIRST) ==>
var i: Slot; begin
  i := OneSlot ? 0 : next.gen % 2;
  page_ok[i] := true; page_dirty[i] := step = pages;
  slot[i] := next; slot_dirty[i] := true; step := rooted; end;
rule "sync the root" stage = up & step = rooted & !CutEarly ==> begin sync_file(); cur := next; step := rdurable; end;
rule "RESTORE TO commits" stage = up & step = rdurable & rs ==> begin
  if !CommitFirst & !NumberRecurs then
    now.g[H + 1].st := whole; now.g[H + 1].rs := true; dirty[H + 1] := true; hist[H + 1] := cur.v; H := H + 1; end;
  if NumberRecurs then hist[H] := cur.v; end;
  step := logged; end;
rule "the new log takes the old one's place" stage = up & (step = rdurable & !rs | step = logged | CutEarly & step = rooted)
                                             & now.base < (CutTooFar ? H : next.c) ==> begin
  replace(CutTooFar ? H : next.c, !CutUnsynced); step := renamed; end;
rule "nothing to cut" stage = up & (step = rdurable & !rs | step = logged) & now.base >= next.c ==> begin done(); end;
rule "sync the directory" stage = up & step = renamed ==> begin
  settle_name();
  if slot_dirty[next.gen % 2] then sync_file(); end;     -- CutEarly comes here
  cur := slot[OneSlot ? 0 : next.gen % 2];
  if !CutUnsynced then synced := H; for t: Tag do dirty[t] := false; end; disk := now; end;
  done(); end;

-- Crashes ------------------------------------------------------------------------------------------------------------

rule "crash" stage = up | stage = recovering & RECRASH ==> begin stage := settling; open := false; early := false; done(); end;

rule "the rename is kept" stage = settling & old_there ==> begin settle_name(); end;
rule "the rename is lost" stage = settling & old_there ==> begin now := old_now; disk := old; dirty := old_dirty; settle_name(); end;
ruleset t: Tag do
  rule "a group is kept" stage = settling & !old_there & dirty[t] ==> begin disk.g[t] := now.g[t]; dirty[t] := false; end;
  rule "a group is lost" stage = settling & !old_there & dirty[t] ==> begin dirty[t] := false; end;
  rule "a group is torn" stage = settling & !old_there & dirty[t] ==> begin disk.g[t].st := torn; dirty[t] := false; end;
end;
ruleset i: Slot do
  rule "pages are kept" stage = settling & page_dirty[i] ==> begin page_dirty[i] := false; end;
  rule "pages are lost" stage = settling & page_dirty[i] ==> begin page_dirty[i] := false; page_ok[i] := false; end;
  rule "a root is kept" stage = settling & !page_dirty[i] & slot_dirty[i] ==> begin slot_disk[i] := slot[i]; slot_dirty[i] := false; end;
  rule "a root is lost" stage = settling & !page_dirty[i] & slot_dirty[i] ==> begin slot_dirty[i] := false; page_ok[i] := true; end;
  rule "a root is torn" stage = settling & !page_dirty[i] & slot_dirty[i] ==> begin
    slot_disk[i].whole := false; slot_dirty[i] := false; page_ok[i] := true; end;
end;

function settled(): boolean; begin
  return !old_there & (forall t: Tag do !dirty[t] end) & (forall i: Slot do !slot_dirty[i] & !page_dirty[i] end); end;

rule "open the file, replay the log" stage = settling & settled() ==>
var i: Slot; last: Com; v: Val; reading: boolean; begin
  now := disk; slot := slot_disk;
  assert slot[0].whole | slot[1].whole "C13.root: some root is whole";
  i := !slot[0].whole | slot[1].whole & (OldRoot ? slot[1].gen < slot[0].gen : slot[1].gen > slot[0].gen) ? 1 : 0;
  cur := slot[i];
  assert page_ok[i] "C13.root: the root's pages are there";
  assert now.base <= cur.c "K1.log: the log begins at or before the root";
  last := now.base; v := cur.v; reading := true;
  for t: Tag do
    if reading & t > now.base then
      if now.g[t].st = whole then
        last := t;
        if (t > cur.c | NoSequence) & !now.g[t].rs then v := (v + 1) % 4; end;
      else reading := false; end; end; end;
  for t: Tag do if t > last & now.g[t].st != none then clear_group(now.g[t]); dirty[t] := true; end; end;   -- the tail is cut
  if last < cur.c & !NoFreshLog then
    -- It says less than the root does: an empty log that begins at the root takes its place.
    H := cur.c; replace(cur.c, true); last := cur.c;
  elsif last < cur.c then last := cur.c; end;
  H := last;
  assert told <= H "C7.told: what was acknowledged is there";
  assert v = hist[H] "C12.once: the value is that of the commit that was reached";
  assert cur.has -> cur.kv = hist[cur.kc] | NumberRecurs "C14.point: a restore point is what it was made of";
  for t: Tag do if t > H then hist[t] := 0; end; end;
  stage := recovering; end;

rule "go on" stage = recovering ==> begin
  settle_name();
  for t: Tag do if dirty[t] then disk.g[t] := now.g[t]; dirty[t] := false; end; end;
  synced := H; stage := up; end;

invariant "K1.log: the log begins at or before the root" stage = up & step != renamed -> now.base <= cur.c;
invariant "C13.root: no root is newer than the newest commit, but that of a RESTORE TO under way"
  stage = up -> cur.c <= H | rs & cur.c = H + 1;

cover "a crash leaves the root before" stage = recovering & (exists i: Slot do slot[i].whole & slot[i].gen > 0 & !slot[1 - i].whole end);
cover "groups behind the root are replayed" stage = recovering & cur.gen > 0 & H > cur.c;
cover "groups before the root are left out" stage = recovering & cur.c > 0 & now.base < cur.c & H > cur.c;
cover "the log ends before the root" !RESTORE | stage = recovering & old_there;
cover "a restored state goes on" !RESTORE | stage = up & step = no & cur.has & cur.v != cur.c & H > cur.c;
cover "an unacknowledged commit is found" stage = recovering & told < H;
cover "a commit while a checkpoint is under way" stage = up & step = rooted & H > next.c;
