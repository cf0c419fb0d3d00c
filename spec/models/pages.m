-- pages.m: the page store of spec/pages.md: stripes, two root slots, a kept root, crashes, one rotten page or root (rumur).
--
-- What:       a root names two objects, each in a stripe of its own, and may keep what an earlier root named. A change writes one or both objects
--             anew, keeps, drops or restores, and commits. A stripe is a data page and its parity; a tag stands for contents with their sum. A crash
--             keeps, loses or tears each page and root that was not synced. A failed sync keeps or drops each for good.
-- Invariants: G5.kept    what a kept root names is there.
--             G5.before  so is what the root before the newest names: it is what a rotten root leaves.
--             G7.right   nothing is taken for what it is not.
--             G8.root    there is always a root. G8.told: it is not older than the last commit that returned.
--             G9.whole   what the root names is there.
-- Not here:   tables of stripes, several data pages, two copies of a root, disks that lie, a second loss.
-- Run by:     spec/models/run_pages, which sets constants from spec/models/cases_pages.

const
  NS: 5;                   -- stripes
  NT: 4;                   -- objects written
  NG: 4;                   -- commits
  RECRASH: true;           -- a crash may come more than once
  ROT: true;
  -- faults
  OneSlot: false;          -- each root goes over the one before
  NoDataSync: false;       -- a root is written before what it names is durable
  NoChecksum: false;       -- a page is believed as it is
  ParityStale: false;      -- a stripe is written without its parity
  ReuseKept: false;        -- stripes of a kept root count as free
  ReuseBefore: false;      -- stripes of the root before count as free
  FreeLive: false;         -- one of the two objects is forgotten when free stripes are looked for
  FailForgotten: false;    -- after a failed sync the commit goes on
  OldForNew: false;        -- opening takes the older of two whole roots

type
  Stripe: 1..NS;
  StripeOr0: 0..NS;
  Tag: 0..NT;              -- 0: nothing, torn or rotten
  Slot: 0..1;
  Pages: record d: Tag; p: Tag; end;
  Root: record
    whole: boolean;
    gen: 0..NG;
    a: StripeOr0; b: StripeOr0; ta: Tag; tb: Tag;       -- stripe 0: no object yet
    has: boolean;                                       -- a kept root
    ka: StripeOr0; kb: StripeOr0; kta: Tag; ktb: Tag;
  end;
  Stage: enum { up, settling };
  Fate: enum { kept, lost, torn };

var
  now, disk: array [Stripe] of Pages;
  dirty_d, dirty_p: array [Stripe] of boolean;
  slot_now, slot_disk: array [Slot] of Root;
  dirty_slot: array [Slot] of boolean;
  stage: Stage;
  cur, before, next: Root;  -- before.whole: there is one
  open, rooted, broken: boolean;
  wrote_a, wrote_b: boolean;
  used: Tag;
  told: 0..NG;
  rotten, crashed: boolean;

procedure wipe(var r: Root); begin
  r.whole := false; r.gen := 0;
  r.a := 0; r.b := 0; r.ta := 0; r.tb := 0;
  r.has := false; r.ka := 0; r.kb := 0; r.kta := 0; r.ktb := 0;
end;

function names_own(r: Root; s: Stripe): boolean; begin return r.a = s | (r.b = s & !FreeLive); end;
function names_kept(r: Root; s: Stripe): boolean; begin return r.has & (r.ka = s | r.kb = s) & !ReuseKept; end;
function names(r: Root; s: Stripe): boolean; begin return names_own(r, s) | names_kept(r, s); end;

function free(s: Stripe): boolean; begin
  return !names(cur, s) & !(before.whole & !ReuseBefore & names(before, s)) & !(open & names(next, s));
end;

function lowest_free(): StripeOr0; begin
  for s: Stripe do if free(s) then return s; end; end;
  return 0;
end;

-- Does reading stripe s give what is there under tag t?
function readable(s: StripeOr0; t: Tag): boolean; begin
  if s = 0 then return true; end;
  if NoChecksum then return now[s].d != 0 | now[s].p != 0; end;
  return now[s].d = t | now[s].p = t;
end;
function right(s: StripeOr0; t: Tag): boolean; begin
  return s = 0 | !NoChecksum | now[s].d = t;
end;
function whole(r: Root): boolean; begin return readable(r.a, r.ta) & readable(r.b, r.tb); end;
function whole_kept(r: Root): boolean; begin return !r.has | (readable(r.ka, r.kta) & readable(r.kb, r.ktb)); end;

procedure sync_all(); begin
  for s: Stripe do
    if dirty_d[s] then disk[s].d := now[s].d; dirty_d[s] := false; end;
    if dirty_p[s] then disk[s].p := now[s].p; dirty_p[s] := false; end;
  end;
  for i: Slot do if dirty_slot[i] then slot_disk[i] := slot_now[i]; dirty_slot[i] := false; end; end;
end;

function data_dirty(): boolean; begin
  return exists s: Stripe do dirty_d[s] | dirty_p[s] end;
end;
function any_dirty(): boolean; begin
  return data_dirty() | dirty_slot[0] | dirty_slot[1];
end;

procedure close_change(); begin
  open := false; rooted := false; wrote_a := false; wrote_b := false; wipe(next);
end;

startstate begin
  for s: Stripe do
    now[s].d := 0; now[s].p := 0; disk[s] := now[s]; dirty_d[s] := false; dirty_p[s] := false;
  end;
  wipe(cur); wipe(before);
  for i: Slot do wipe(slot_now[i]); slot_disk[i] := slot_now[i]; dirty_slot[i] := false; end;
  cur.whole := true; slot_now[0] := cur; slot_disk[0] := cur;
  stage := up; broken := false; used := 0; told := 0; rotten := false; crashed := false;
  close_change();
end;

-- ---- changes

rule "begin" stage = up & !open & !broken & cur.gen < NG & used < NT ==> begin
  open := true; next := cur; next.gen := cur.gen + 1;
end;

ruleset of_a: boolean do
rule "write an object" stage = up & open & !rooted & used < NT & (of_a ? !wrote_a : !wrote_b) & lowest_free() != 0 ==>
var s: StripeOr0; begin
  s := lowest_free();
  used := used + 1;
  now[s].d := used; dirty_d[s] := true;
  if !ParityStale then now[s].p := used; dirty_p[s] := true; end;
  if of_a then next.a := s; next.ta := used; wrote_a := true;
  else next.b := s; next.tb := used; wrote_b := true; end;
end;
end;

rule "keep" stage = up & !open & !broken & cur.gen < NG & cur.gen > 0 & !cur.has ==> begin
  open := true; next := cur; next.gen := cur.gen + 1; next.has := true;
  next.ka := cur.a; next.kb := cur.b; next.kta := cur.ta; next.ktb := cur.tb;
end;
rule "drop" stage = up & !open & !broken & cur.gen < NG & cur.has ==> begin
  open := true; next := cur; next.gen := cur.gen + 1;
  next.has := false; next.ka := 0; next.kb := 0; next.kta := 0; next.ktb := 0;
end;
rule "restore" stage = up & !open & !broken & cur.gen < NG & cur.has & (cur.a != cur.ka | cur.b != cur.kb) ==> begin
  open := true; next := cur; next.gen := cur.gen + 1;
  next.a := cur.ka; next.b := cur.kb; next.ta := cur.kta; next.tb := cur.ktb;
end;
rule "give up" stage = up & open & !rooted ==> begin close_change(); end;

rule "sync the data" stage = up & open & !rooted & data_dirty() ==> begin sync_all(); end;

rule "write the root" stage = up & open & !rooted & (NoDataSync | !data_dirty()) ==>
var i: Slot; begin
  i := OneSlot ? 0 : next.gen % 2;
  slot_now[i] := next; dirty_slot[i] := true; rooted := true;
end;

rule "sync the root" stage = up & rooted ==> begin
  sync_all();
  told := next.gen; before := cur; cur := next;
  close_change();
end;

-- Each may have reached the disk before the sync failed; the rest never will.
ruleset x: boolean; y: boolean do
rule "a sync fails" stage = up & open & any_dirty() ==> begin
  for s: Stripe do
    if dirty_d[s] & x then disk[s].d := now[s].d; end;
    if dirty_p[s] & y then disk[s].p := now[s].p; end;
    dirty_d[s] := false; dirty_p[s] := false;
  end;
  for i: Slot do if dirty_slot[i] & x then slot_disk[i] := slot_now[i]; end; dirty_slot[i] := false; end;
  if !FailForgotten then broken := true; close_change();
  elsif rooted then told := next.gen; before := cur; cur := next; close_change(); end;
end;
end;

-- ---- what happens to disks

ruleset s: Stripe; data: boolean do
rule "a page rots" stage = up & ROT & !rotten & (data ? !dirty_d[s] & disk[s].d != 0 : !dirty_p[s] & disk[s].p != 0) ==> begin
  if data then disk[s].d := 0; now[s].d := 0; else disk[s].p := 0; now[s].p := 0; end;
  rotten := true;
end;
end;

rule "crash" stage = up & (RECRASH | !crashed) ==> begin
  stage := settling; broken := false; crashed := true;
  close_change();
end;

-- The first that is not synced meets its fate; then the next.
ruleset f: Fate; s: Stripe do
rule "settle a data page" stage = settling & dirty_d[s] & (forall q: Stripe do q < s -> !dirty_d[q] end) ==> begin
  if f = kept then disk[s].d := now[s].d; elsif f = torn then disk[s].d := 0; end;
  dirty_d[s] := false;
end;
rule "settle a parity page" stage = settling & dirty_p[s] & (forall q: Stripe do !dirty_d[q] & (q < s -> !dirty_p[q]) end) ==> begin
  if f = kept then disk[s].p := now[s].p; elsif f = torn then disk[s].p := 0; end;
  dirty_p[s] := false;
end;
end;
ruleset f: Fate; i: Slot do
rule "settle a root" stage = settling & dirty_slot[i] & !data_dirty() & (i = 0 | !dirty_slot[0]) ==> begin
  if f = kept then slot_disk[i] := slot_now[i]; elsif f = torn then slot_disk[i].whole := false; end;
  dirty_slot[i] := false;
end;
end;

rule "the newest root rots" stage = settling & ROT & !rotten & !any_dirty() & slot_disk[0].whole & slot_disk[1].whole & told > 0 ==>
var i: Slot; begin
  i := slot_disk[1].gen > slot_disk[0].gen ? 1 : 0;
  slot_disk[i].whole := false;
  if told = slot_disk[i].gen then told := told - 1; end;
  rotten := true;
end;

rule "open" stage = settling & !any_dirty() ==>
var i: Slot; begin
  now := disk; slot_now := slot_disk;
  assert slot_now[0].whole | slot_now[1].whole "G8.root: a crash leaves a root";
  i := !slot_now[0].whole | (slot_now[1].whole & (OldForNew ? slot_now[1].gen < slot_now[0].gen : slot_now[1].gen > slot_now[0].gen)) ? 1 : 0;
  cur := slot_now[i];
  assert cur.gen >= told "G8.told: what was committed is there";
  told := cur.gen;
  if slot_now[1 - i].whole & slot_now[1 - i].gen + 1 = cur.gen then before := slot_now[1 - i]; else wipe(before); end;
  stage := up;
end;

invariant "G9.whole: what the root names is there" stage = up -> whole(cur);
invariant "G5.kept: what a kept root names is there" stage = up -> whole_kept(cur) & (before.whole -> whole_kept(before));
invariant "G5.before: what the root before names is there" stage = up & before.whole -> whole(before);
invariant "G7.right: nothing is taken for what it is not" stage = up -> right(cur.a, cur.ta) & right(cur.b, cur.tb);

cover "a page is rebuilt" stage = up & (exists s: Stripe do cur.a = s & now[s].d = 0 end);
cover "a stripe is used again" stage = up & (exists s: Stripe do now[s].d != 0 & disk[s].d != 0 & now[s].d != disk[s].d end);
cover "a crash leaves the root before" stage = up & crashed & cur.gen < NG & told = cur.gen & used > 1;
cover "a kept root outlives its objects" stage = up & cur.has & cur.a != cur.ka & cur.b != cur.kb;
cover "a kept root is restored" stage = up & cur.has & cur.gen > 2 & cur.a = cur.ka & cur.b = cur.kb & used > 2;
