-- log.m: the log of C4, C7, C12 and spec/log.md: append, group commit, crash, recovery, small enough to be searched exhaustively (rumur).
--
-- What:       NT transactions append groups that are all of one size, so that what is left of one fits exactly where another goes (the worst
--             case). A place of the file has what the machine shows (now) and what the disk has (disk). A crash keeps, loses or tears each place
--             that was not synced; so may one that comes while recovering. A failed sync keeps or drops each for good.
-- Invariants: C7.told    what was acknowledged is there after every recovery.
--             C4.failed  what was told to have failed, or was cut once, is never there again.
--             L3.tail    no crash makes a log that looks damaged.
-- Not here:   contents of groups, torn headers, disks that lie, checkpoints.
-- Run by:     spec/models/run_log, which sets constants from spec/models/cases_log.

const
  NT: 4;                   -- transactions
  NP: 4;                   -- places for a group
  RECRASH: true;           -- a crash may come while recovering
  -- faults
  EarlyAck: false;         -- acknowledged when it is appended
  AppendLeft: false;       -- a failed append stays where it was written
  CutNotSynced: false;     -- a failed append is cut off, but that is not synced before the transaction is told
  FailForgotten: false;    -- after a failed sync the next one counts
  NoCut: false;            -- recovery leaves what is behind the last whole group
  NoChecksum: false;       -- a torn group is taken for a whole one
  TailIsDamage: false;     -- any whole group behind the end counts as damage
  UpBeforeSync: false;     -- recovery does not sync what it found before it goes on

type
  Place: 1..NP;
  Seq: 0..NP;
  Txn: 0..NT;
  Group: record
    seq: Seq;              -- 0: no whole group
    txn: Txn;              -- 0: torn
    syn: Seq;              -- up to where the log was durable when this was written
    there: boolean;        -- some bytes
  end;
  Outcome: enum { none, waiting, ok, failed, unknown };
  Stage: enum { up, settling, recovering };

var
  now, disk: array [Place] of Group;
  dirty: array [Place] of boolean;
  told: array [1..NT] of Outcome;
  stage: Stage;
  frozen, damaged: boolean;
  used: Txn;               -- transactions so far
  last, synced: Seq;       -- groups appended and synced; the end of the file is behind place `last`
  found: array [1..NT] of boolean;

procedure erase(p: Place); begin
  now[p].seq := 0; now[p].txn := 0; now[p].syn := 0; now[p].there := false;
end;

procedure write_group(p: Place; s: Seq; t: Txn); begin
  now[p].seq := s; now[p].txn := t; now[p].syn := synced; now[p].there := true;
  dirty[p] := true;
end;

procedure sync_all(); begin
  for p: Place do if dirty[p] then disk[p] := now[p]; dirty[p] := false; end; end;
end;

startstate begin
  for p: Place do
    erase(p);
    disk[p] := now[p]; dirty[p] := false;
  end;
  for t: 1..NT do told[t] := none; found[t] := false; end;
  stage := up; frozen := false; damaged := false; used := 0; last := 0; synced := 0;
end;

rule "append" stage = up & !frozen & used < NT & last < NP ==> begin
  used := used + 1; last := last + 1;
  write_group(last, last, used);
  told[used] := EarlyAck ? ok : waiting;
end;

ruleset early: boolean do
rule "an append fails and is cut off" stage = up & !frozen & used < NT & last < NP ==> begin
  used := used + 1;
  write_group(last + 1, last + 1, used);
  if early then disk[last + 1] := now[last + 1]; end;
  if !AppendLeft then
    erase(last + 1);
    if !CutNotSynced then sync_all(); synced := last; end;
  end;
  told[used] := failed;
end;
end;

rule "an append fails and cannot be cut off" stage = up & !frozen & used < NT & last < NP ==> begin
  used := used + 1;
  write_group(last + 1, last + 1, used);
  told[used] := unknown;
  frozen := true;
end;

rule "sync" stage = up & !frozen & (exists p: Place do dirty[p] end) ==> begin
  sync_all(); synced := last;
end;

-- Each place may have reached the disk before the sync failed; the rest never will.
ruleset a: boolean; b: boolean do
  rule "a sync fails" stage = up & !frozen & (exists p: Place do dirty[p] end) ==> begin
    for p: Place do
      if dirty[p] then
        if (p % 2 = 1) ? a : b then disk[p] := now[p]; end;
        dirty[p] := false;
      end;
    end;
    if FailForgotten then
      synced := last;
    else
      frozen := true;
      for p: Place do
        if p > synced & p <= last then told[now[p].txn] := unknown; end;
      end;
    end;
  end;
end;

ruleset t: 1..NT do
  rule "acknowledge" stage = up & told[t] = waiting & (exists p: Place do p <= synced & now[p].txn = t end) ==> begin
    told[t] := ok;
  end;
end;

rule "crash" stage = up | (RECRASH & stage = recovering) ==> begin
  stage := settling; frozen := false;
end;

ruleset p: Place do
  rule "a place is kept" stage = settling & dirty[p] ==> begin disk[p] := now[p]; dirty[p] := false; end;
  rule "a place is lost" stage = settling & dirty[p] ==> begin dirty[p] := false; end;
  rule "a place is torn" stage = settling & dirty[p] & now[p].there ==> begin
    disk[p].there := true; disk[p].txn := 0; disk[p].syn := 0;
    disk[p].seq := NoChecksum ? now[p].seq : 0;
    dirty[p] := false;
  end;
end;

rule "read the log and cut its tail" stage = settling & (forall p: Place do !dirty[p] end) ==>
var reading: boolean; begin
  for p: Place do now[p] := disk[p]; end;
  for t: 1..NT do found[t] := false; end;
  last := 0; reading := true;
  for p: Place do
    if reading then
      if now[p].seq = p then
        last := p;
        if now[p].txn != 0 then found[now[p].txn] := true; end;
      else reading := false; end;
    end;
  end;
  for p: Place do
    if p > last & now[p].seq != 0 then
      if now[p].syn > last | TailIsDamage then damaged := true; end;
    end;
  end;
  if !NoCut then
    for p: Place do
      if p > last & now[p].there then erase(p); dirty[p] := true; end;
    end;
  end;
  stage := recovering;
end;

-- What was found is the history from now on, and what was not has failed for good.
rule "go on" stage = recovering ==> begin
  if !UpBeforeSync then sync_all(); end;
  synced := last;
  for t: 1..NT do
    if t <= used then
      assert told[t] = ok -> found[t] "C7.told: what was acknowledged is there";
      assert told[t] = failed -> !found[t] "C4.failed: what has failed is not there";
      told[t] := found[t] ? ok : failed;
    end;
  end;
  for p: Place do
    if p <= last then assert now[p].txn != 0 "L1.whole: a torn group is none"; end;
  end;
  stage := up;
end;

invariant "L3.tail: no crash looks like damage" !damaged;

cover "a tail is cut" stage = recovering & (exists p: Place do dirty[p] end);
cover "an unknown outcome was there" stage = recovering & (exists t: 1..NT do told[t] = unknown & found[t] end);
cover "an unknown outcome was not there" stage = recovering & (exists t: 1..NT do told[t] = unknown & !found[t] end);
cover "a later group outlived an earlier one" stage = recovering & (exists p: Place do p > 1 & disk[p].seq != 0 & disk[p - 1].seq = 0 end);
cover "everything was acknowledged" stage = up & (forall t: 1..NT do told[t] = ok end);
