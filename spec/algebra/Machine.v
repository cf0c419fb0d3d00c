(** Machine.v: rows, a plane, a journal, deltas and snapshots, and the step function of all that changes them (spec/concurrency.md).

    What: one writer. The plane has the cells of the newest commit H, the writer's pending changes, and for each commit the delta that an
    older snapshot takes away. An undo entry is a before-image; undoing it applies the inverse to pending. D is the newest durable commit.
    Cells lie in any abelian group G: counts, exact sums, pairs of these; the laws of G are only needed by Proofs.v.
    `hist` and the rows kept beside a mark are ghosts: theorems speak of them, no step looks at them.
    Definitions only, so that a fault can be put into them: run extracts `step` and replays histories of the engine with it. *)
Require Import List Arith Bool.
Import ListNotations.

Section Machine.
Variables (G : Type) (zero : G) (add : G -> G -> G) (neg : G -> G).
Variables (Row Addr Id : Type).
Variable id_eq : forall x y : Id, {x = y} + {x <> y}.
Variable adr_eq : forall p q : Addr, {p = q} + {p <> q}.
Variables (a : Row -> Addr) (w : Row -> G).          (* where a row counts, and what *)

Definition plane := Addr -> G.
Definition empty : plane := fun _ => zero.
Definition padd (P Q : plane) : plane := fun q => add (P q) (Q q).
Definition psub (P Q : plane) : plane := fun q => add (P q) (neg (Q q)).
Definition one (o : option Row) : plane :=
  fun q => match o with Some r => if adr_eq (a r) q then w r else zero | None => zero end.
(** A change of one row as the plane sees it: the new value comes, the old one goes. *)
Definition change (P : plane) (old new : option Row) : plane := psub (padd P (one new)) (one old).

Definition store := list (Id * Row).
Fixpoint find (i : Id) (s : store) : option Row :=
  match s with [] => None | (x, r) :: t => if id_eq x i then Some r else find i t end.
Fixpoint remove (i : Id) (s : store) : store :=
  match s with [] => [] | (x, r) :: t => if id_eq x i then t else (x, r) :: remove i t end.
Definition set (i : Id) (o : option Row) (s : store) : store :=
  match o with Some r => (i, r) :: remove i s | None => remove i s end.
(** What the plane must be: counted anew from the rows. *)
Definition rebuild (s : store) : plane := fun q => fold_right (fun e g => add (one (Some (snd e)) q) g) zero s.

Record db := {
  rows : store;  cells : plane;  pend : plane;
  journal : list (Id * option Row);                  (* newest first *)
  marks : list (nat * store);                        (* savepoints, newest first: journal length; rows then (ghost) *)
  opened : bool;                                     (* a transaction is open *)
  newest : nat;  durable : nat;                      (* H and D *)
  deltas : list (nat * plane);                       (* newest first *)
  snaps : list nat;                                  (* registered snapshots *)
  hist : nat -> store }.                             (* rows as of each commit (ghost) *)

Inductive op :=
  | Insert (i : Id) (r : Row) | Delete (i : Id) | Update (i : Id) (r : Row)
  | Begin | Savepoint | RollbackTo (n : nat) | Release (n : nat) | Rollback | Commit   (* n: that many newer savepoints *)
  | Sync (n : nat) | Merge (t : nat) | Drop (t : nat) | Register | Close (s : nat).

Definition write (i : Id) (o : option Row) (d : db) : db :=
  {| rows := set i o (rows d); cells := cells d; pend := change (pend d) (find i (rows d)) o;
     journal := (i, find i (rows d)) :: journal d; marks := marks d; opened := opened d; newest := newest d; durable := durable d;
     deltas := deltas d; snaps := snaps d; hist := hist d |}.

Definition undo (d : db) : db :=
  match journal d with
  | [] => d
  | (i, old) :: j =>
    {| rows := set i old (rows d); cells := cells d; pend := change (pend d) (find i (rows d)) old;
       journal := j; marks := marks d; opened := opened d; newest := newest d; durable := durable d;
       deltas := deltas d; snaps := snaps d; hist := hist d |}
  end.
Fixpoint unwind (k : nat) (d : db) : db := match k with O => d | S k => unwind k (undo d) end.

Definition with_marks (m : list (nat * store)) (d : db) : db :=
  {| rows := rows d; cells := cells d; pend := pend d; journal := journal d; marks := m; opened := opened d;
     newest := newest d; durable := durable d; deltas := deltas d; snaps := snaps d; hist := hist d |}.
Definition with_deltas (l : list (nat * plane)) (d : db) : db :=
  {| rows := rows d; cells := cells d; pend := pend d; journal := journal d; marks := marks d; opened := opened d;
     newest := newest d; durable := durable d; deltas := l; snaps := snaps d; hist := hist d |}.
Definition with_snaps (l : list nat) (d : db) : db :=
  {| rows := rows d; cells := cells d; pend := pend d; journal := journal d; marks := marks d; opened := opened d;
     newest := newest d; durable := durable d; deltas := deltas d; snaps := l; hist := hist d |}.
Definition with_durable (n : nat) (d : db) : db :=
  {| rows := rows d; cells := cells d; pend := pend d; journal := journal d; marks := marks d; opened := opened d;
     newest := newest d; durable := n; deltas := deltas d; snaps := snaps d; hist := hist d |}.

Definition begin (d : db) : db :=
  {| rows := rows d; cells := cells d; pend := pend d; journal := []; marks := []; opened := true;
     newest := newest d; durable := durable d; deltas := deltas d; snaps := snaps d; hist := hist d |}.
Definition rollback_to (n : nat) (d : db) : db :=
  match nth_error (marks d) n with
  | Some (p, _) => with_marks (skipn n (marks d)) (unwind (length (journal d) - p) d)
  | None => d
  end.
Definition discard (d : db) : db :=
  {| rows := rows d; cells := cells d; pend := empty; journal := []; marks := []; opened := false;
     newest := newest d; durable := durable d; deltas := deltas d; snaps := snaps d; hist := hist d |}.
Definition commit (d : db) : db :=
  {| rows := rows d; cells := padd (cells d) (pend d); pend := empty; journal := []; marks := []; opened := false;
     newest := S (newest d); durable := durable d; deltas := (S (newest d), pend d) :: deltas d; snaps := snaps d;
     hist := fun n => if n =? S (newest d) then rows d else hist d n |}.

(** C5: two adjacent deltas t1 < t2 are merged only if t2 <= D and no registered S has t1 <= S < t2. *)
Definition mergeable (d : db) (t1 t2 : nat) : bool :=
  (t1 <? t2) && (t2 <=? durable d) && forallb (fun s => negb ((t1 <=? s) && (s <? t2))) (snaps d).
Fixpoint merge (d : db) (t : nat) (l : list (nat * plane)) : list (nat * plane) :=
  match l with
  | (t2, P2) :: (((t1, P1) :: rest) as older) =>
    if t1 =? t then if mergeable d t1 t2 then (t2, padd P2 P1) :: rest else l else (t2, P2) :: merge d t older
  | _ => l
  end.
Definition unneeded (d : db) (t : nat) : bool := (t <=? durable d) && forallb (fun s => t <=? s) (snaps d).
Fixpoint remove_snap (s : nat) (l : list nat) : list nat :=
  match l with [] => [] | x :: t => if x =? s then t else x :: remove_snap s t end.

Definition is_some {T} (o : option T) : bool := match o with Some _ => true | None => false end.

Definition step (d : db) (o : op) : db :=
  match o with
  | Insert i r => if opened d && negb (is_some (find i (rows d))) then write i (Some r) d else d
  | Delete i => if opened d && is_some (find i (rows d)) then write i None d else d
  | Update i r => if opened d && is_some (find i (rows d)) then write i (Some r) d else d
  | Begin => if opened d then d else begin d
  | Savepoint => if opened d then with_marks ((length (journal d), rows d) :: marks d) d else d
  | RollbackTo n => if opened d then rollback_to n d else d
  | Release n => with_marks (skipn (S n) (marks d)) d
  | Rollback => if opened d then discard (unwind (length (journal d)) d) else d
  | Commit => if opened d then commit d else d
  | Sync n => if (durable d <? n) && (n <=? newest d) then with_durable n d else d
  | Merge t => with_deltas (merge d t (deltas d)) d
  | Drop t => if unneeded d t then with_deltas (filter (fun e => negb (fst e =? t)) (deltas d)) d else d
  | Register => with_snaps (durable d :: snaps d) d
  | Close s => with_snaps (remove_snap s (snaps d)) d
  end.
Definition start : db :=
  {| rows := []; cells := empty; pend := empty; journal := []; marks := []; opened := false; newest := 0; durable := 0;
     deltas := []; snaps := []; hist := fun _ => [] |}.
Definition run (ops : list op) : db := fold_left step ops start.

(** What a snapshot S reads: the current cells minus the deltas newer than S; and what the writer reads. *)
Definition newer (s : nat) (l : list (nat * plane)) : plane :=
  fold_right (fun e P => if s <? fst e then padd (snd e) P else P) empty l.
Definition view (d : db) (s : nat) : plane := psub (cells d) (newer s (deltas d)).
Definition own (d : db) : plane := padd (cells d) (pend d).
End Machine.

(** A limb: a plane whose addresses are foreign keys. The other table's attribute is looked up when the question is asked. *)
Section Limb.
Variables (G : Type) (zero : G) (add : G -> G -> G).
Variables (Key Attr : Type).
Variable att_eq : forall x y : Attr, {x = y} + {x <> y}.
Definition limb_join (parents : list (Key * Attr)) (P : Key -> G) (x : Attr) : G :=
  fold_right (fun e g => if att_eq (snd e) x then add (P (fst e)) g else g) zero parents.
End Limb.

(** Block cells: a plane of one block that is kept with the version it was counted at. Every change of the block, undo's too, moves the
    version; a plane is served only if its tag is the block's version. Counting takes a while: it starts and ends in two steps. *)
Section Block.
Variables (Block Plane : Type) (count : Block -> Plane).
Record block := { bytes : Block; version : nat; kept : option (nat * Plane); counting : option (nat * Plane) }.
Inductive block_op := Change (b : Block) | StartCounting | Install | Forget.
Definition block_step (b : block) (o : block_op) : block :=
  match o with
  | Change x => {| bytes := x; version := S (version b); kept := kept b; counting := counting b |}
  | StartCounting => {| bytes := bytes b; version := version b; kept := kept b; counting := Some (version b, count (bytes b)) |}
  | Install => {| bytes := bytes b; version := version b; kept := match counting b with Some c => Some c | None => kept b end; counting := None |}
  | Forget => {| bytes := bytes b; version := version b; kept := None; counting := counting b |}
  end.
Definition serves (b : block) : option Plane :=
  match kept b with Some (t, P) => if t =? version b then Some P else None | None => None end.
End Block.
