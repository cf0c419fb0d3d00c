(** Closed.v: the theorems for the engine's cells (Instance.v) and for sums modulo 2^128, and what they assume: nothing. *)
Require Import ZArith List Lia Eqdep_dec Machine Proofs Instance.
Open Scope Z_scope.
Lemma caddA x y z : cadd x (cadd y z) = cadd (cadd x y) z.
Proof. destruct x as [[? ?] ?], y as [[? ?] ?], z as [[? ?] ?]. simpl. now rewrite !Z.add_assoc. Qed.
Lemma caddC x y : cadd x y = cadd y x.
Proof. destruct x as [[a b] c], y as [[d e] f]. simpl. now rewrite (Z.add_comm a), (Z.add_comm b), (Z.add_comm c). Qed.
Lemma cadd0 x : cadd x czero = x.
Proof. destruct x as [[? ?] ?]. simpl. now rewrite !Z.add_0_r. Qed.
Lemma caddN x : cadd x (cneg x) = czero.
Proof. destruct x as [[? ?] ?]. simpl. now rewrite !Z.add_opp_diag_r. Qed.

Definition group_maintained := maintained_is_rebuilt cell czero cadd cneg caddA caddC cadd0 caddN row Z Z Z.eq_dec Z.eq_dec group weight.
Definition key_maintained := maintained_is_rebuilt cell czero cadd cneg caddA caddC cadd0 caddN row Z Z Z.eq_dec Z.eq_dec key weight.
Definition snapshots := snapshot_is_rebuilt cell czero cadd cneg caddA caddC cadd0 caddN row Z Z Z.eq_dec Z.eq_dec group weight.
Definition durable_commit := durable_is_rebuilt cell czero cadd cneg caddA caddC cadd0 caddN row Z Z Z.eq_dec Z.eq_dec group weight.
Definition rollback := rollback_restores cell czero cadd cneg caddA caddC cadd0 caddN row Z Z Z.eq_dec Z.eq_dec group weight.
Definition rollback_to := rollback_to_restores cell czero cadd cneg caddA caddC cadd0 caddN row Z Z Z.eq_dec Z.eq_dec group weight.
Definition commits := commit_keeps cell czero cadd cneg row Z Z Z.eq_dec Z.eq_dec group weight.
Definition limb := limb_is_join cell czero cadd caddA caddC cadd0 row Z Z Z Z.eq_dec Z.eq_dec key weight.
Definition block_cells := block_cells_served (store row Z) (plane cell Z) (rebuild cell czero cadd row Z Z Z.eq_dec group weight).

(** Sums of 128 bits that wrap are a group too: a total that fits is right whatever happened to the partial ones. *)
Definition M := 2 ^ 128.
Definition res := { x : Z | x mod M = x }.
Lemma Mpos : M <> 0. Proof. unfold M; discriminate. Qed.
Definition mk (x : Z) : res := exist _ (x mod M) (Z.mod_mod x M Mpos).
Lemma res_eq (x y : res) : proj1_sig x = proj1_sig y -> x = y.
Proof. destruct x as [x p], y as [y q]. simpl. intros ->. f_equal. apply UIP_dec, Z.eq_dec. Qed.
Definition radd (x y : res) := mk (proj1_sig x + proj1_sig y).
Definition rneg (x : res) := mk (- proj1_sig x).
Lemma raddA x y z : radd x (radd y z) = radd (radd x y) z.
Proof. apply res_eq; simpl. rewrite Zplus_mod_idemp_r, Zplus_mod_idemp_l. f_equal. ring. Qed.
Lemma raddC x y : radd x y = radd y x.
Proof. apply res_eq; simpl. f_equal. ring. Qed.
Lemma radd0 x : radd x (mk 0) = x.
Proof. apply res_eq; simpl. destruct x as [x p]; simpl. rewrite Z.add_0_r. exact p. Qed.
Lemma raddN x : radd x (rneg x) = mk 0.
Proof. apply res_eq; simpl. rewrite Zplus_mod_idemp_r. f_equal. ring. Qed.
Definition snapshots_mod := fun Row Addr Id ie ae a w =>
  snapshot_is_rebuilt res (mk 0) radd rneg raddA raddC radd0 raddN Row Addr Id ie ae a w.

(* One line "Closed under the global context" for each; run counts them. *)
Print Assumptions group_maintained.
Print Assumptions key_maintained.
Print Assumptions snapshots.
Print Assumptions durable_commit.
Print Assumptions rollback.
Print Assumptions rollback_to.
Print Assumptions commits.
Print Assumptions limb.
Print Assumptions block_cells.
Print Assumptions snapshots_mod.
