(** Proofs.v: for every sequence of operations the maintained plane equals the rebuild, for the writer and for every snapshot (P1, C4, C5);
    ROLLBACK and ROLLBACK TO bring back rows and plane; block cells that are served equal a count of the block (C6); a question answered over
    a limb equals the join over the rows (C16). *)
Require Import List Arith Bool Lia Permutation Machine.
Import ListNotations.

Section Plane.
Variables (G : Type) (zero : G) (add : G -> G -> G) (neg : G -> G).
Infix "+" := add.
Notation "- x" := (neg x).
Hypothesis addA : forall x y z, x + (y + z) = (x + y) + z.
Hypothesis addC : forall x y, x + y = y + x.
Hypothesis add0 : forall x, x + zero = x.
Hypothesis addN : forall x, x + - x = zero.
Variables (Row Addr Id : Type).
Variable id_eq : forall x y : Id, {x = y} + {x <> y}.
Variable adr_eq : forall p q : Addr, {p = q} + {p <> q}.
Variables (a : Row -> Addr) (w : Row -> G).

Notation store := (store Row Id).
Notation plane := (plane G Addr).
Notation empty := (empty G zero Addr).
Notation padd := (padd G add Addr).
Notation psub := (psub G add neg Addr).
Notation one := (one G zero Row Addr adr_eq a w).
Notation change := (change G zero add neg Row Addr adr_eq a w).
Notation find := (find Row Id id_eq).
Notation remove := (remove Row Id id_eq).
Notation set := (set Row Id id_eq).
Notation rebuild := (rebuild G zero add Row Addr Id adr_eq a w).
Notation db := (db G Row Addr Id).
Notation step := (step G zero add neg Row Addr Id id_eq adr_eq a w).
Notation run := (run G zero add neg Row Addr Id id_eq adr_eq a w).
Notation start := (start G zero Row Addr Id).
Notation write := (write G zero add neg Row Addr Id id_eq adr_eq a w).
Notation undo := (undo G zero add neg Row Addr Id id_eq adr_eq a w).
Notation unwind := (unwind G zero add neg Row Addr Id id_eq adr_eq a w).
Notation newer := (newer G zero add Addr).
Notation view := (view G zero add neg Row Addr Id).
Notation own := (own G add Row Addr Id).
Notation mergeable := (mergeable G Row Addr Id).
Notation merge := (merge G add Row Addr Id).
Notation unneeded := (unneeded G Row Addr Id).
Arguments rows {G Row Addr Id}. Arguments cells {G Row Addr Id}. Arguments pend {G Row Addr Id}. Arguments journal {G Row Addr Id}.
Arguments marks {G Row Addr Id}. Arguments opened {G Row Addr Id}. Arguments newest {G Row Addr Id}. Arguments durable {G Row Addr Id}.
Arguments deltas {G Row Addr Id}. Arguments snaps {G Row Addr Id}. Arguments hist {G Row Addr Id}.

Definition peq (P Q : plane) := forall q, P q = Q q.
Infix "==" := peq (at level 70).

(* --- the group ------------------------------------------------------------------------------------------------------------------- *)
Lemma addAC x y z : (x + y) + z = (x + z) + y.
Proof. rewrite <- !addA. f_equal. apply addC. Qed.
Lemma addKN x y : (x + y) + - y = x.
Proof. now rewrite <- addA, addN, add0. Qed.
Lemma addNK x y : (x + - y) + y = x.
Proof. now rewrite addAC, addKN. Qed.
Lemma cancel x y z : x + z = y + z -> x = y.
Proof. intros H. rewrite <- (addKN x z), <- (addKN y z). now rewrite H. Qed.
Lemma both c p x : (c + p) + - (p + x) = c + - x.
Proof. apply cancel with (p + x). now rewrite addNK, (addC p x), addA, addNK. Qed.
Lemma add0l x : zero + x = x.
Proof. now rewrite addC, add0. Qed.
Lemma neg0 : - zero = zero.
Proof. rewrite <- (add0l (- zero)). apply addN. Qed.

(* --- the store ------------------------------------------------------------------------------------------------------------------- *)
Definition uniq (s : store) := NoDup (map fst s).
Definition same (s t : store) := forall i, find i s = find i t.

Lemma find_none i s : find i s = None -> remove i s = s.
Proof.
  induction s as [|[x r] s IH]; simpl; auto. destruct (id_eq x i); [discriminate|]. intros H. now rewrite IH.
Qed.
Lemma find_in i s : find i s = None <-> ~ In i (map fst s).
Proof.
  induction s as [|[x r] s IH]; simpl; [tauto|]. destruct (id_eq x i) as [->|n].
  - split; [discriminate|]. intros H; exfalso; auto.
  - rewrite IH. split; intros H; [intros [K|K]|]; auto.
Qed.
Lemma remove_in i x s : In x (map fst (remove i s)) -> In x (map fst s).
Proof.
  induction s as [|[y r] s IH]; simpl; auto. destruct (id_eq y i); simpl; auto. intros [H|H]; auto.
Qed.
Lemma uniq_remove i s : uniq s -> uniq (remove i s).
Proof.
  unfold uniq. induction s as [|[x r] s IH]; simpl; auto. intros H. inversion H; subst.
  destruct (id_eq x i); auto. simpl. constructor; auto. intros K. eauto using remove_in.
Qed.
Lemma find_remove_same i s : uniq s -> find i (remove i s) = None.
Proof.
  induction s as [|[x r] s IH]; simpl; auto. intros H. inversion H; subst. destruct (id_eq x i) as [->|n].
  - now apply find_in.
  - simpl. destruct (id_eq x i); [congruence|]. now apply IH.
Qed.
Lemma find_remove_other i j s : i <> j -> find j (remove i s) = find j s.
Proof.
  intros N. induction s as [|[x r] s IH]; simpl; auto. destruct (id_eq x i) as [->|n].
  - destruct (id_eq i j); [congruence|reflexivity].
  - simpl. destruct (id_eq x j); auto.
Qed.
Lemma uniq_set i o s : uniq s -> uniq (set i o s).
Proof.
  intros H. destruct o; simpl; [|now apply uniq_remove]. constructor; [|now apply uniq_remove].
  apply find_in. now apply find_remove_same.
Qed.
Lemma find_set i o s j : uniq s -> find j (set i o s) = if id_eq i j then o else find j s.
Proof.
  intros H. destruct o as [r|]; simpl; destruct (id_eq i j) as [->|n]; auto.
  - now apply find_remove_other.
  - now apply find_remove_same.
  - now apply find_remove_other.
Qed.
Lemma find_pair i r s : uniq s -> (In (i, r) s <-> find i s = Some r).
Proof.
  unfold uniq. induction s as [|[x y] s IH]; simpl; [split; [tauto|discriminate]|]. intros H. inversion H; subst.
  destruct (id_eq x i) as [->|n].
  - split; [intros [K|K]|intros K].
    + congruence.
    + exfalso. apply H2. change i with (fst (i, r)). now apply in_map.
    + left. congruence.
  - rewrite <- IH; auto. split; [intros [K|K]; [congruence|auto]|auto].
Qed.
Lemma uniq_nodup (s : store) : uniq s -> NoDup s.
Proof. apply NoDup_map_inv. Qed.
Lemma same_perm s t : uniq s -> uniq t -> same s t -> Permutation s t.
Proof.
  intros H K E. apply NoDup_Permutation; auto using uniq_nodup. intros [i r].
  rewrite !find_pair by assumption. now rewrite E.
Qed.
Lemma same_set i o s t : uniq s -> uniq t -> same s t -> same (set i o s) (set i o t).
Proof. intros H K E j. rewrite !find_set by assumption. destruct (id_eq i j); auto. Qed.
(** A before-image put back. *)
Lemma set_back i o s : uniq s -> same (set i (find i s) (set i o s)) s.
Proof.
  intros H j. rewrite find_set by now apply uniq_set. rewrite find_set by assumption.
  destruct (id_eq i j) as [->|]; auto.
Qed.

(* --- the rebuild ----------------------------------------------------------------------------------------------------------------- *)
Lemma rebuild_cons i r s q : rebuild ((i, r) :: s) q = rebuild s q + one (Some r) q.
Proof. unfold Machine.rebuild. simpl. apply addC. Qed.
(** The order of the rows does not matter. *)
Theorem rebuild_perm s t : Permutation s t -> rebuild s == rebuild t.
Proof.
  intros H q. induction H as [|[i r] s t H IH|[i r] [j k] s|s t u _ IH1 _ IH2]; auto.
  - now rewrite !rebuild_cons, IH.
  - rewrite !rebuild_cons. apply addAC.
  - now rewrite IH1.
Qed.
Lemma rebuild_remove i r s q : find i s = Some r -> rebuild s q = rebuild (remove i s) q + one (Some r) q.
Proof.
  induction s as [|[x y] s IH]; [discriminate|]. cbn [Machine.find Machine.remove]. destruct (id_eq x i) as [->|n].
  - intros [= ->]. apply rebuild_cons.
  - intros H. rewrite !rebuild_cons, (IH H). apply addAC.
Qed.
(** Changing one row changes the rebuild as it changes the plane. *)
Lemma rebuild_set i o s : rebuild (set i o s) == change (rebuild s) (find i s) o.
Proof.
  intros q. unfold Machine.change, Machine.psub, Machine.padd.
  assert (R : rebuild (remove i s) q = rebuild s q + - one (find i s) q).
  { destruct (find i s) as [r|] eqn:F.
    - rewrite (rebuild_remove i r s q F). now rewrite addKN.
    - rewrite (find_none i s F). cbn [Machine.one]. now rewrite neg0, add0. }
  destruct o as [r|]; cbn [Machine.set].
  - rewrite rebuild_cons, R. apply addAC.
  - rewrite R. cbn [Machine.one]. now rewrite add0.
Qed.
Lemma padd_at P Q q : padd P Q q = P q + Q q.
Proof. reflexivity. Qed.
Lemma change_padd P Q old new : padd P (change Q old new) == change (padd P Q) old new.
Proof. intros q. unfold Machine.change, Machine.psub, Machine.padd. now rewrite !addA. Qed.
Lemma change_ext P Q old new : P == Q -> change P old new == change Q old new.
Proof. intros H q. unfold Machine.change, Machine.psub, Machine.padd. now rewrite H. Qed.

(* --- what holds in every state ----------------------------------------------------------------------------------------------------- *)
Definition restore (j : list (Id * option Row)) (s : store) : store := fold_left (fun t e => set (fst e) (snd e) t) j s.
(** Unwinding down to a mark gives the rows that were there then. *)
Definition mark_ok (j : list (Id * option Row)) (s : store) (m : nat * store) :=
  fst m <= length j /\ uniq (snd m) /\ same (restore (firstn (length j - fst m) j) s) (snd m).
Fixpoint falling (l : list (nat * store)) : Prop :=
  match l with [] => True | m :: t => (forall x, In x t -> fst x <= fst m) /\ falling t end.
Definition needed (d : db) (s : nat) := s <= newest d /\ (In s (snaps d) \/ durable d <= s).

Record ok (d : db) : Prop := {
  ok_own : own d == rebuild (rows d);
  ok_uniq : uniq (rows d) /\ forall n, uniq (hist d n);
  ok_view : forall s, needed d s -> view d s == rebuild (hist d s);
  ok_tags : forall e, In e (deltas d) -> fst e <= newest d;
  ok_order : durable d <= newest d /\ forall s, In s (snaps d) -> s <= newest d;
  ok_undo : same (restore (journal d) (rows d)) (hist d (newest d));
  ok_marks : Forall (mark_ok (journal d) (rows d)) (marks d) /\ falling (marks d);
  ok_closed : opened d = false -> journal d = [] /\ marks d = [] }.

Lemma newer_none s l : (forall e, In e l -> fst e <= s) -> newer s l == empty.
Proof.
  intros H q. induction l as [|[t P] l IH]; simpl; auto.
  assert (K := H (t, P) (or_introl eq_refl)). simpl in K. replace (s <? t) with false.
  - apply IH. intros e E. apply H. now right.
  - symmetry. apply Nat.ltb_ge. exact K.
Qed.
Lemma committed d : ok d -> cells d == rebuild (hist d (newest d)).
Proof.
  intros K q. rewrite <- (ok_view d K (newest d)).
  - unfold Machine.view, Machine.psub. rewrite (newer_none (newest d) (deltas d) (ok_tags d K) q).
    unfold Machine.empty. now rewrite neg0, add0.
  - split; auto. right. exact (proj1 (ok_order d K)).
Qed.

(* --- one change, one undo ----------------------------------------------------------------------------------------------------------- *)
Lemma restore_same j s t : uniq s -> uniq t -> same s t -> same (restore j s) (restore j t) /\ uniq (restore j s) /\ uniq (restore j t).
Proof.
  revert s t. induction j as [|[i o] j IH]; simpl; auto. intros s t H K E. apply IH; auto using uniq_set, same_set.
Qed.
Lemma mark_write i o j s m : uniq s -> mark_ok j s m -> mark_ok ((i, find i s) :: j) (set i o s) m.
Proof.
  intros U [H [V E]]. unfold mark_ok. cbn [length]. split; [lia|split; [exact V|]].
  replace (S (length j) - fst m) with (S (length j - fst m)) by lia. cbn [firstn restore fold_left fst snd].
  intros x. rewrite <- E. apply restore_same; auto using uniq_set. now apply set_back.
Qed.
Lemma write_ok i o d : opened d = true -> ok d -> ok (write i o d).
Proof.
  intros O K. destruct K as [K1 [K2 K2'] K3 K4 K5 K6 [K7 K7'] K8]. split; simpl; auto using uniq_set.
  - intros q. unfold Machine.own. simpl. rewrite change_padd. rewrite (rebuild_set i o (rows d) q). now apply change_ext.
  - intros x. rewrite <- K6. apply restore_same; auto using uniq_set, set_back.
  - split; auto. eapply Forall_impl; [|exact K7]. intros m. now apply mark_write.
  - congruence.
Qed.
(** Undo keeps all but what the marks say; those are looked at where marks go. *)
Record half (d : db) : Prop := {
  half_own : own d == rebuild (rows d);
  half_uniq : uniq (rows d) /\ forall n, uniq (hist d n);
  half_undo : same (restore (journal d) (rows d)) (hist d (newest d)) }.
Lemma undo_half d : half d -> half (undo d).
Proof.
  intros [K1 [K2 K2'] K3]. unfold Machine.undo. destruct (journal d) as [|[i old] j] eqn:J.
  - split; auto. now rewrite J.
  - split; simpl; auto using uniq_set. intros q. unfold Machine.own. simpl. rewrite change_padd.
    rewrite (rebuild_set i old (rows d) q). now apply change_ext.
Qed.
Lemma undo_frame d : cells (undo d) = cells d /\ marks (undo d) = marks d /\ opened (undo d) = opened d /\ newest (undo d) = newest d /\
  durable (undo d) = durable d /\ deltas (undo d) = deltas d /\ snaps (undo d) = snaps d /\ hist (undo d) = hist d /\
  journal (undo d) = skipn 1 (journal d) /\ rows (undo d) = restore (firstn 1 (journal d)) (rows d).
Proof. unfold Machine.undo. destruct (journal d) as [|[i old] j] eqn:J; simpl; rewrite ?J; auto 20. Qed.
Lemma firstn_split {T} k m (l : list T) : firstn (k + m) l = firstn k l ++ firstn m (skipn k l).
Proof. revert l. induction k as [|k IH]; intros [|x l]; simpl; auto; [now rewrite firstn_nil|now rewrite IH]. Qed.
Lemma unwind_frame k : forall d, cells (unwind k d) = cells d /\ marks (unwind k d) = marks d /\ opened (unwind k d) = opened d /\
  newest (unwind k d) = newest d /\ durable (unwind k d) = durable d /\ deltas (unwind k d) = deltas d /\ snaps (unwind k d) = snaps d /\
  hist (unwind k d) = hist d /\ journal (unwind k d) = skipn k (journal d) /\ rows (unwind k d) = restore (firstn k (journal d)) (rows d).
Proof.
  induction k as [|k IH]; intros d; simpl; auto 20.
  destruct (undo_frame d) as (F1 & F2 & F3 & F4 & F5 & F6 & F7 & F8 & F9 & F10).
  destruct (IH (undo d)) as (E1 & E2 & E3 & E4 & E5 & E6 & E7 & E8 & E9 & E10).
  rewrite E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, F1, F2, F3, F4, F5, F6, F7, F8, F9, F10.
  repeat (split; [reflexivity|]). destruct (journal d) as [|e j]; simpl; split; auto; now rewrite ?skipn_nil, ?firstn_nil.
Qed.
Lemma unwind_half k : forall d, half d -> half (unwind k d).
Proof. induction k as [|k IH]; simpl; auto using undo_half. Qed.
Lemma ok_half d : ok d -> half d.
Proof. intros K. split; apply K. Qed.

(* --- savepoints ---------------------------------------------------------------------------------------------------------------------- *)
Lemma falling_skipn n : forall l, falling l -> falling (skipn n l).
Proof. induction n as [|n IH]; intros [|m l]; simpl; auto. intros [_ H]. auto. Qed.
Lemma falling_nth n : forall l m x, falling l -> nth_error l n = Some m -> In x (skipn n l) -> fst x <= fst m.
Proof.
  induction n as [|n IH]; intros [|y l] m x F E I; simpl in *; try discriminate.
  - injection E as ->. destruct F as [F _]. destruct I as [->|I]; auto.
  - destruct F as [_ F]. eapply IH; eauto.
Qed.
Lemma skipn_In {T} n : forall (l : list T) x, In x (skipn n l) -> In x l.
Proof. induction n as [|n IH]; intros [|y l] x; simpl; auto. Qed.
Lemma mark_unwound j s p m : fst m <= p -> p <= length j -> mark_ok j s m ->
  mark_ok (skipn (length j - p) j) (restore (firstn (length j - p) j) s) m.
Proof.
  intros L1 L2 [H [V E]]. unfold mark_ok. rewrite skipn_length.
  split; [lia|split; [exact V|]]. intros x. rewrite <- E.
  replace (length j - fst m) with ((length j - p) + (p - fst m))%nat by lia. rewrite firstn_split. unfold restore.
  rewrite fold_left_app. do 3 f_equal. lia.
Qed.
Lemma rollback_to_ok n d : ok d -> opened d = true -> ok (rollback_to G zero add neg Row Addr Id id_eq adr_eq a w n d).
Proof.
  intros K O. unfold rollback_to. destruct (nth_error (marks d) n) as [[p g]|] eqn:N; auto.
  destruct (unwind_frame (length (journal d) - p) d) as (E1 & E2 & E3 & E4 & E5 & E6 & E7 & E8 & E9 & E10).
  destruct (unwind_half (length (journal d) - p) d (ok_half d K)) as [H1 H2 H3].
  destruct K as [K1 K2 K3 K4 K5 K6 [K7 K7'] K8].
  assert (P : p <= length (journal d)).
  { rewrite Forall_forall in K7. destruct (K7 (p, g)) as [Q _]; auto. eapply nth_error_In; eauto. }
  split; simpl; auto.
  - intros s. unfold needed, Machine.view. simpl. rewrite E1, E4, E5, E6, E7, E8. apply K3.
  - rewrite E4, E6. exact K4.
  - rewrite E4, E5, E7. exact K5.
  - split; [|now apply falling_skipn]. rewrite E9, E10. rewrite Forall_forall in *. intros m I.
    apply mark_unwound; auto.
    + eapply (falling_nth n (marks d) (p, g)); eauto.
    + apply K7. eapply skipn_In; eauto.
  - congruence.
Qed.

(* --- the other steps ----------------------------------------------------------------------------------------------------------------- *)
Lemma discard_ok d : ok d -> opened d = true ->
  pend (unwind (length (journal d)) d) == empty /\
  Permutation (rows (unwind (length (journal d)) d)) (hist d (newest d)) /\
  ok (discard G zero Row Addr Id (unwind (length (journal d)) d)).
Proof.
  intros K O. destruct (unwind_frame (length (journal d)) d) as (E1 & E2 & E3 & E4 & E5 & E6 & E7 & E8 & E9 & E10).
  destruct (unwind_half (length (journal d)) d (ok_half d K)) as [H1 [H2 H2'] H3].
  rewrite E9, skipn_all in H3. cbn [restore fold_left] in H3. rewrite E4, E8 in H3. rewrite E8 in H2'.
  set (u := unwind (length (journal d)) d) in *.
  assert (R : rebuild (rows u) == rebuild (hist d (newest d))) by (apply rebuild_perm, same_perm; auto).
  assert (Z : pend u == empty).
  { intros q. specialize (H1 q). unfold Machine.own, Machine.padd in H1. rewrite E1, (committed d K q), (R q), addC in H1.
    unfold Machine.empty. apply cancel with (rebuild (hist d (newest d)) q). now rewrite H1, add0l. }
  split; [exact Z|]. split; [apply same_perm; auto|].
  pose proof (committed d K) as C. destruct K as [K1 K2 K3 K4 K5 K6 K7 K8]. split; simpl; auto.
  - intros q. unfold Machine.own, Machine.padd, Machine.empty. simpl. rewrite add0, E1. now rewrite C, R.
  - rewrite E8. auto.
  - intros s. unfold needed, Machine.view. simpl. rewrite E1, E4, E5, E6, E7, E8. apply K3.
  - rewrite E4, E6. exact K4.
  - rewrite E4, E5, E7. exact K5.
  - rewrite E4, E8. exact H3.
Qed.
Lemma commit_ok d : ok d -> ok (commit G zero add Row Addr Id d).
Proof.
  intros [K1 [K2 K2'] K3 K4 [K5 K5'] K6 K7 K8]. split; simpl; auto.
  - intros q. unfold Machine.own, Machine.padd, Machine.empty. simpl. now rewrite add0, <- (K1 q).
  - split; auto. intros n. destruct (n =? S (newest d)); auto.
  - intros s [L N]. simpl in L, N. intros q. unfold Machine.view, Machine.psub. cbn [deltas cells newer fold_right fst snd].
    unfold commit. cbn [Machine.cells Machine.deltas Machine.newer fold_right fst snd].
    destruct (Nat.eqb_spec s (S (newest d))) as [->|Q].
    + rewrite Nat.ltb_irrefl.
      assert (E : newer (S (newest d)) (deltas d) q = zero).
      { apply (newer_none (S (newest d))). intros e I. specialize (K4 e I). lia. }
      unfold Machine.newer in E. rewrite E, neg0, add0. apply (K1 q).
    + assert (V : view d s q = rebuild (hist d s) q).
      { apply K3. split; [lia|]. destruct N as [N|N]; auto. }
      rewrite <- V. unfold Machine.view, Machine.psub, Machine.padd, Machine.newer.
      replace (s <? S (newest d)) with true by (symmetry; apply Nat.ltb_lt; lia).
      apply both.
  - intros e [<-|I]; simpl; auto.
  - intros x. rewrite Nat.eqb_refl. reflexivity.
Qed.

Lemma newer_merge d t s : needed d s -> forall l, newer s (merge d t l) == newer s l.
Proof.
  intros [_ N] l q. induction l as [|[t2 P2] l IH]; auto. destruct l as [|[t1 P1] l]; auto.
  cbn [Machine.merge] in *. destruct (t1 =? t).
  - unfold Machine.mergeable. destruct (Nat.ltb_spec t1 t2); cbn [andb]; auto.
    destruct (Nat.leb_spec t2 (durable d)); cbn [andb]; auto.
    destruct (forallb _ (snaps d)) eqn:F; auto. rewrite forallb_forall in F.
    assert (Q : s < t1 \/ t2 <= s).
    { destruct N as [N|N]; [|lia]. specialize (F s N). apply negb_true_iff, andb_false_iff in F.
      destruct F as [F|F]; [apply Nat.leb_gt in F|apply Nat.ltb_ge in F]; lia. }
    cbn [Machine.newer fold_right fst snd]. destruct Q as [Q|Q].
    + replace (s <? t2) with true by (symmetry; apply Nat.ltb_lt; lia).
      replace (s <? t1) with true by (symmetry; apply Nat.ltb_lt; lia).
      unfold Machine.padd. now rewrite addA.
    + replace (s <? t2) with false by (symmetry; apply Nat.ltb_ge; lia).
      replace (s <? t1) with false by (symmetry; apply Nat.ltb_ge; lia). reflexivity.
  - cbn [Machine.newer fold_right fst snd]. unfold Machine.newer in IH. destruct (s <? t2); auto. now rewrite !padd_at, IH.
Qed.
Lemma merge_tags d t l b : (forall e : nat * plane, In e l -> fst e <= b) -> forall e, In e (merge d t l) -> fst e <= b.
Proof.
  induction l as [|[t2 P2] l IH]; simpl; auto. intros H. destruct l as [|[t1 P1] l]; auto.
  destruct (t1 =? t).
  - destruct (mergeable d t1 t2); auto. intros e [<-|I]; simpl.
    + apply (H (t2, P2)). now left.
    + apply H. right. now right.
  - intros e [<-|I]; [apply H; now left|]. apply IH; auto.
Qed.
Lemma newer_drop d t s : needed d s -> unneeded d t = true ->
  forall l, newer s (filter (fun e => negb (fst e =? t)) l) == newer s l.
Proof.
  intros [_ N] U l q. apply andb_true_iff in U as [U1 U2]. apply Nat.leb_le in U1. rewrite forallb_forall in U2.
  assert (L : t <= s) by (destruct N as [N|N]; [now apply Nat.leb_le, U2|lia]).
  induction l as [|[t2 P2] l IH]; auto. cbn [filter fst]. destruct (Nat.eqb_spec t2 t) as [->|E]; cbn [negb].
  - cbn [Machine.newer fold_right fst snd]. replace (s <? t) with false by (symmetry; now apply Nat.ltb_ge). exact IH.
  - cbn [Machine.newer fold_right fst snd]. unfold Machine.newer in IH. destruct (s <? t2); auto. now rewrite !padd_at, IH.
Qed.
Lemma with_deltas_ok l d : ok d -> (forall s, needed d s -> newer s l == newer s (deltas d)) ->
  (forall e, In e l -> fst e <= newest d) -> ok (with_deltas G Row Addr Id l d).
Proof.
  intros [K1 K2 K3 K4 K5 K6 K7 K8] H L. split; simpl; auto.
  intros s N q. unfold Machine.view, Machine.psub. simpl. rewrite (H s N q). now apply K3.
Qed.
Lemma remove_snap_in s x l : In x (remove_snap s l) -> In x l.
Proof. induction l as [|y l IH]; simpl; auto. destruct (y =? s); simpl; auto. intros [H|H]; auto. Qed.

Lemma step_ok o d : ok d -> ok (step d o).
Proof.
  intros K. destruct o as [i r|i|i r| | |n|n| | |n|t|t| |s]; simpl.
  - destruct (opened d) eqn:O; simpl; auto. destruct (negb _); auto using write_ok.
  - destruct (opened d) eqn:O; simpl; auto. destruct (is_some _); auto using write_ok.
  - destruct (opened d) eqn:O; simpl; auto. destruct (is_some _); auto using write_ok.
  - destruct (opened d) eqn:O; auto. destruct K as [K1 K2 K3 K4 K5 K6 K7 K8]. destruct (K8 O) as [J M]. split; simpl; auto.
    now rewrite J in K6.
  - destruct (opened d) eqn:O; auto. destruct K as [K1 [K2 K2'] K3 K4 K5 K6 [K7 K7'] K8]. split; simpl; auto.
    + split; [constructor; auto|].
      * unfold mark_ok. simpl. rewrite Nat.sub_diag. simpl. repeat split; auto.
      * split; auto. intros x I. rewrite Forall_forall in K7. now destruct (K7 x I).
    + congruence.
  - destruct (opened d) eqn:O; auto. now apply rollback_to_ok.
  - destruct K as [K1 K2 K3 K4 K5 K6 [K7 K7'] K8]. split; simpl; auto.
    + destruct (marks d) as [|m l]; simpl in *; [split; auto|]. split.
      * rewrite Forall_forall in *. intros x I. apply K7. right. eapply skipn_In; eauto.
      * now apply falling_skipn.
    + intros O. destruct (K8 O) as [J M]. rewrite M. auto.
  - destruct (opened d) eqn:O; auto. now apply discard_ok.
  - destruct (opened d) eqn:O; auto using commit_ok.
  - destruct (Nat.ltb_spec (durable d) n); simpl; auto. destruct (Nat.leb_spec n (newest d)); simpl; auto.
    destruct K as [K1 K2 K3 K4 [K5 K5'] K6 K7 K8]. split; simpl; auto.
    intros s [L [N|N]]; simpl in *; apply K3; split; auto. right. lia.
  - apply with_deltas_ok; auto.
    + intros s N. now apply newer_merge.
    + apply merge_tags. exact (ok_tags d K).
  - destruct (unneeded d t) eqn:U; auto. apply with_deltas_ok; auto.
    + intros s N. exact (newer_drop d t s N U _).
    + intros e I. apply filter_In in I as [I _]. now apply (ok_tags d K).
  - destruct K as [K1 K2 K3 K4 [K5 K5'] K6 K7 K8]. split; simpl; auto.
    + intros s [L [[N|N]|N]]; simpl in *; apply K3; split; auto. right. lia.
    + split; auto. intros s [<-|I]; auto.
  - destruct K as [K1 K2 K3 K4 [K5 K5'] K6 K7 K8]. split; simpl; auto.
    + intros x [L [N|N]]; simpl in *; apply K3; split; auto. left. eapply remove_snap_in; eauto.
    + split; auto. intros x I. apply K5'. eapply remove_snap_in; eauto.
Qed.
Lemma run_ok ops : ok (run ops).
Proof.
  unfold Machine.run. cut (forall d, ok d -> ok (fold_left step ops d)).
  - intros H. apply H. split; simpl; auto.
    + intros q. unfold Machine.own, Machine.padd, Machine.empty. simpl. now rewrite add0.
    + split; [constructor|]. intros _. constructor.
    + intros s _ q. unfold Machine.view, Machine.psub, Machine.empty. simpl. unfold Machine.empty. now rewrite neg0, add0.
    + tauto.
    + split; auto. tauto.
    + intros x. reflexivity.
  - induction ops as [|o ops IH]; simpl; auto using step_ok.
Qed.

(* --- THE THEOREMS ---------------------------------------------------------------------------------------------------------------------- *)
(** The plane that the writer sees is the rebuild of its rows, after every sequence of operations. *)
Theorem maintained_is_rebuilt ops : own (run ops) == rebuild (rows (run ops)).
Proof. apply run_ok. Qed.
(** What a registered snapshot reads, current minus newer deltas, is the rebuild of the rows as of its commit: whatever was committed, rolled
    back, merged and dropped since. The same for the durable commit, which the next snapshot takes. *)
Theorem snapshot_is_rebuilt ops s : In s (snaps (run ops)) -> view (run ops) s == rebuild (hist (run ops) s).
Proof. intros H. apply run_ok. split; auto. now apply (proj2 (ok_order _ (run_ok ops))). Qed.
Theorem durable_is_rebuilt ops : view (run ops) (durable (run ops)) == rebuild (hist (run ops) (durable (run ops))).
Proof. apply run_ok. split; [exact (proj1 (ok_order _ (run_ok ops)))|auto]. Qed.
(** ROLLBACK: the rows of the newest commit, and nothing pending is left to discard. *)
Theorem rollback_restores ops : opened (run ops) = true ->
  Permutation (rows (step (run ops) (Rollback Row Id))) (hist (run ops) (newest (run ops))) /\
  pend (unwind (length (journal (run ops))) (run ops)) == empty.
Proof. intros O. destruct (discard_ok (run ops) (run_ok ops) O) as (Z & P & _). simpl. rewrite O. simpl. auto. Qed.
(** ROLLBACK TO: the rows of the savepoint, and the plane of these. *)
Theorem rollback_to_restores ops n p rows_then : opened (run ops) = true -> nth_error (marks (run ops)) n = Some (p, rows_then) ->
  Permutation (rows (step (run ops) (RollbackTo Row Id n))) rows_then /\ own (step (run ops) (RollbackTo Row Id n)) == rebuild rows_then.
Proof.
  intros O N. pose proof (step_ok (RollbackTo Row Id n) _ (run_ok ops)) as S. pose proof (run_ok ops) as K.
  assert (M : In (p, rows_then) (marks (run ops))) by (eapply nth_error_In; eauto).
  destruct (ok_marks _ K) as [F _]. rewrite Forall_forall in F. destruct (F _ M) as (L & U & E). simpl in L, U, E.
  assert (P : Permutation (rows (step (run ops) (RollbackTo Row Id n))) rows_then).
  { apply same_perm; auto; [apply S|]. simpl. rewrite O. unfold rollback_to. rewrite N. simpl.
    destruct (unwind_frame (length (journal (run ops)) - p) (run ops)) as (_ & _ & _ & _ & _ & _ & _ & _ & _ & R). now rewrite R. }
  split; auto. intros q. rewrite (ok_own _ S q). now apply rebuild_perm.
Qed.
(** A commit's rows are those that the writer had. *)
Theorem commit_keeps ops : opened (run ops) = true ->
  hist (step (run ops) (Commit Row Id)) (newest (step (run ops) (Commit Row Id))) = rows (run ops).
Proof. intros O. simpl. rewrite O. simpl. now rewrite Nat.eqb_refl. Qed.
End Plane.

(** C16: answered from the cells of the keys, or from the rows joined with the other table: the same. *)
Section Limb.
Variables (G : Type) (zero : G) (add : G -> G -> G).
Infix "+" := add.
Hypothesis addA : forall x y z, x + (y + z) = (x + y) + z.
Hypothesis addC : forall x y, x + y = y + x.
Hypothesis add0 : forall x, x + zero = x.
Variables (Row Key Attr Id : Type).
Variable key_eq : forall p q : Key, {p = q} + {p <> q}.
Variable att_eq : forall x y : Attr, {x = y} + {x <> y}.
Variables (a : Row -> Key) (w : Row -> G).
(** The join, row by row: every pair of a row and a parent that match counts. *)
Definition joined (parents : list (Key * Attr)) (x : Attr) (r : Row) : G :=
  fold_right (fun e g => if att_eq (snd e) x then if key_eq (a r) (fst e) then w r + g else g else g) zero parents.
Definition join (parents : list (Key * Attr)) (x : Attr) (s : store Row Id) : G :=
  fold_right (fun e g => joined parents x (snd e) + g) zero s.
Lemma sum_split (l : list (Key * Attr)) (f g : Key * Attr -> G) (keep : Key * Attr -> bool) :
  fold_right (fun e acc => if keep e then (f e + g e) + acc else acc) zero l =
  fold_right (fun e acc => if keep e then f e + acc else acc) zero l + fold_right (fun e acc => if keep e then g e + acc else acc) zero l.
Proof.
  induction l as [|e l IH]; simpl; [now rewrite add0|]. destruct (keep e); auto. rewrite IH.
  rewrite <- !addA. f_equal. rewrite !addA. f_equal. apply addC.
Qed.
Theorem limb_is_join parents x (s : store Row Id) :
  limb_join G zero add Key Attr att_eq parents (rebuild G zero add Row Key Id key_eq a w s) x = join parents x s.
Proof.
  unfold limb_join. induction s as [|[i r] s IH]; simpl.
  - induction parents as [|[k y] l IH]; simpl; auto. destruct (att_eq y x); auto. rewrite IH. unfold rebuild. simpl. now rewrite add0.
  - rewrite <- IH. unfold rebuild. cbn [fold_right snd one].
    assert (J : joined parents x r = fold_right (fun e acc => if (if att_eq (snd e) x then true else false)
        then (if key_eq (a r) (fst e) then w r else zero) + acc else acc) zero parents).
    { clear IH. unfold joined. induction parents as [|[k y] l IHl]; simpl; auto. destruct (att_eq y x); auto. rewrite IHl.
      destruct (key_eq (a r) k); auto. symmetry. rewrite addC. apply add0. }
    rewrite J. clear J IH.
    set (R := fun k : Key => fold_right (fun e g => one G zero Row Key key_eq a w (Some (snd e)) k + g) zero s).
    pose proof (sum_split parents (fun e => if key_eq (a r) (fst e) then w r else zero) (fun e => R (fst e))
      (fun e => if att_eq (snd e) x then true else false)) as H. cbv beta in H.
    transitivity (fold_right (fun e acc => if (if att_eq (snd e) x then true else false)
      then ((if key_eq (a r) (fst e) then w r else zero) + R (fst e)) + acc else acc) zero parents).
    + clear H. induction parents as [|[k y] l IHl]; simpl; auto. destruct (att_eq y x); auto. now rewrite IHl.
    + rewrite H. f_equal. clear H. induction parents as [|[k y] l IHl]; simpl; auto. destruct (att_eq y x); auto. now rewrite IHl.
Qed.
End Limb.

(** C6: what block cells serve is what a count of the block gives now, however changes, undo and counting interleave. *)
Section Block.
Variables (Block Plane : Type) (count : Block -> Plane).
Notation block := (block Block Plane).
Notation block_step := (block_step Block Plane count).
Arguments bytes {Block Plane}. Arguments version {Block Plane}. Arguments kept {Block Plane}. Arguments counting {Block Plane}.
Definition honest (b : block) (c : option (nat * Plane)) :=
  match c with Some (t, P) => t <= version b /\ (t = version b -> P = count (bytes b)) | None => True end.
Lemma block_ok ops : forall b, honest b (kept b) -> honest b (counting b) ->
  let e := fold_left block_step ops b in honest e (kept e) /\ honest e (counting e).
Proof.
  induction ops as [|o ops IH]; simpl; auto. intros b K C. apply IH; destruct o; simpl; auto.
  - destruct (kept b) as [[t P]|]; simpl in *; [destruct K; split; [lia|intros; exfalso; lia]|auto].
  - destruct (counting b) as [[t P]|]; simpl in *; auto.
  - destruct (counting b) as [[t P]|]; simpl in *; [destruct C; split; [lia|intros; exfalso; lia]|auto].
Qed.
Theorem block_cells_served ops b0 : let b := fold_left block_step ops {| bytes := b0; version := 0; kept := None; counting := None |} in
  forall P, serves Block Plane b = Some P -> P = count (bytes b).
Proof.
  intros b P. destruct (block_ok ops {| bytes := b0; version := 0; kept := None; counting := None |} I I) as [K _]. fold b in K.
  unfold serves. destruct (kept b) as [[t Q]|]; [|discriminate]. destruct (Nat.eqb_spec t (version b)); [|discriminate].
  intros [= <-]. now apply K.
Qed.
End Block.
