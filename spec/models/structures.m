-- structures.m: rules C8, C11 and C16 of spec/concurrency.md, small enough to be searched exhaustively (rumur).
--
-- What:       One writer, NR readers, two slots of a table with a unique key, a catalog object that DDL changes, and the other table of a limb: one
--             attribute. Reading a row as of a snapshot is taken for granted (txn.m has it), so rows of older commits are simply kept.
-- Invariants: carry the contract's names. C8: entries of the index are a superset over all live snapshots, a lookup checks the row again, and
--             uniqueness is checked against the writer's own view. C11: a plan carries the version of what it was made for, and is bound again.
--             C16: a map from key to attribute carries the version it was made at.
-- Not here:   dense and hashed forms of an index, latches of shards, D apart from H, dictionaries (C9), budgets (C10).
-- Run by:     spec/models/run_structures, with cases_structures. A fault is a constant that is false in the contract.

const
  NC: 2;                   -- commits
  NR: 2;                   -- readers
  STEPS: 2;                -- changes of a transaction
  -- faults
  OutByNewest: false;      -- an entry is taken out when the newest rows do not have it, although a snapshot does
  OutByCommitted: false;   -- ... when no commit that is needed has it, although the open transaction does
  OutBeforeCommit: false;  -- ... when the open transaction has taken it away, although it may roll back
  OutAtRollback: false;    -- rollback takes out the entries of the keys that it takes back, although an older version has the key
  NoRecheck: false;        -- a lookup believes the entry
  UniqueByEntry: false;    -- uniqueness is checked against entries, not rows
  UniqueAtH: false;        -- uniqueness is checked against the newest commit, not the writer's own view
  EntryAtCommit: false;    -- entries are added when the transaction commits
  NoRebind: false;         -- a prepared plan runs although its object has changed
  RebindAtH: false;        -- it is bound to the newest version, not to that of the snapshot
  MapAnyVersion: false;    -- a key map serves any snapshot
  MapFromOwn: false;       -- a key map is made from rows that are not committed, under the newest version

type
  Slot: 0 .. 1;  Key: 0 .. 2;  Live: 1 .. 2;  Com: 0 .. NC;  Ver: 0 .. NC * STEPS;  Reader: scalarset(NR);
  State: record row: array [Slot] of Key; object: Ver; attr: boolean; parent: Ver; end;

var
  now: State;  steps: 0 .. STEPS;  active: boolean;  H: Com;
  hist: array [Com] of State;                          -- the database as of each commit
  entry: array [Live] of array [Slot] of boolean;      -- the index
  map: record on: boolean; attr: boolean; at: Ver; end;
  rd: array [Reader] of record open: boolean; s: Com; planned: boolean; plan: Ver; end;

-- Does a commit that is needed have this key in this slot: the newest, or one that a snapshot sees?
function committed(k: Live; r: Slot): boolean; begin
  if hist[H].row[r] = k then return true; end;
  for q: Reader do if rd[q].open & hist[rd[q].s].row[r] = k then return true; end; end;
  return false; end;

function taken(k: Live; r: Slot): boolean; begin       -- by another row of the writer's view
  for o: Slot do
    if o != r then
      if UniqueByEntry then if entry[k][o] then return true; end;
      elsif UniqueAtH then if hist[H].row[o] = k then return true; end;
      else if entry[k][o] & now.row[o] = k then return true; end; end;
    end; end;
  return false; end;

startstate begin
  clear now; now.row[0] := 1; clear hist; hist[0] := now; steps := 0; active := false; H := 0;
  clear entry; entry[1][0] := true; clear map; for q: Reader do clear rd[q]; end; end;

rule "begin" !active & H < NC ==> begin active := true; steps := 0; end;

ruleset r: Slot; k: Live do
  rule "insert, or move a key" active & steps < STEPS & now.row[r] != k ==> begin
    if taken(k, r) then
      assert exists o: Slot do o != r & now.row[o] = k end "C8.unique: 23505 only if a row of the writer's view has the key";
    else
      now.row[r] := k; if !EntryAtCommit then entry[k][r] := true; end; end;
    steps := steps + 1; end;

  rule "take an entry out that nobody needs" entry[k][r]
    & (now.row[r] != k | OutByCommitted) & (!committed(k, r) | OutByNewest & hist[H].row[r] != k | OutBeforeCommit) ==> begin
    entry[k][r] := false; end;
end;
ruleset r: Slot do
  rule "delete" active & steps < STEPS & now.row[r] != 0 ==> begin now.row[r] := 0; steps := steps + 1; end;
end;
rule "DDL" active & steps < STEPS ==> begin now.object := now.object + 1; steps := steps + 1; end;
rule "write the other table" active & steps < STEPS ==> begin
  now.attr := !now.attr; now.parent := now.parent + 1; steps := steps + 1; end;

rule "commit" active ==> begin
  H := H + 1; hist[H] := now; active := false; steps := 0;
  if EntryAtCommit then for r: Slot do if now.row[r] != 0 then entry[now.row[r]][r] := true; end; end; end; end;
rule "rollback" active ==> begin
  if OutAtRollback then
    for r: Slot do if now.row[r] != 0 & now.row[r] != hist[H].row[r] then entry[now.row[r]][r] := false; end; end; end;
  now := hist[H]; active := false; steps := 0; end;

ruleset q: Reader do
  rule "take a snapshot" !rd[q].open ==> begin rd[q].open := true; rd[q].s := H; end;
  rule "close" rd[q].open ==> begin rd[q].open := false; rd[q].s := 0; end;   -- its plans stay
  ruleset k: Live do
    rule "look a key up" rd[q].open ==> begin
      for r: Slot do
        assert (entry[k][r] & (hist[rd[q].s].row[r] = k | NoRecheck)) = (hist[rd[q].s].row[r] = k)
               "C8.lookup: a lookup finds the rows of its snapshot"; end; end;
  end;
  rule "prepare" rd[q].open & !rd[q].planned ==> begin rd[q].planned := true; rd[q].plan := hist[rd[q].s].object; end;
  rule "execute what was prepared" rd[q].open & rd[q].planned ==> begin
    if rd[q].plan != hist[rd[q].s].object & !NoRebind then rd[q].plan := hist[RebindAtH ? H : rd[q].s].object; end;
    assert rd[q].plan = hist[rd[q].s].object "C11.plan: a plan runs on the version that it was made for"; end;
  rule "join by the limb" rd[q].open ==> begin
    if !map.on | (map.at != hist[rd[q].s].parent & !MapAnyVersion) then
      map.on := true; map.at := hist[rd[q].s].parent; map.attr := hist[rd[q].s].attr;
      if MapFromOwn & hist[H].parent = map.at then map.attr := now.attr; end; end;
    assert map.attr = hist[rd[q].s].attr "C16.map: attributes are as of the snapshot"; end;
end;
rule "the writer looks at its own rows" active ==> begin
  for r: Slot do if now.row[r] != 0 then
    assert entry[now.row[r]][r] "C8.own: the writer finds its own rows"; end; end; end;

invariant "C8.unique: no two rows of a commit have one key"
  forall c: Com do hist[c].row[0] = 0 | hist[c].row[0] != hist[c].row[1] end;
invariant "C8.superset: every row of a live snapshot has its entry"
  forall r: Slot do hist[H].row[r] != 0 -> entry[hist[H].row[r]][r] end;

cover "a lookup must leave out an entry of a newer row" exists q: Reader do rd[q].open & entry[2][1] & hist[rd[q].s].row[1] != 2 end;
cover "an entry was kept for an older snapshot"
  exists q: Reader do rd[q].open & !active & exists r: Slot do hist[rd[q].s].row[r] = 1 & hist[H].row[r] != 1 & entry[1][r] end end;
cover "a plan is old" exists q: Reader do rd[q].open & rd[q].planned & rd[q].plan != hist[rd[q].s].object end;
cover "a key map is too new" exists q: Reader do rd[q].open & map.on & map.at > hist[rd[q].s].parent end;
cover "a key moved from one slot to the other" hist[0].row[0] = 1 & hist[NC].row[1] = 1;
