(** Instance.v: the step function for the engine's cells: rows, rows whose measure is not NULL, and their exact sum. Extracted by run. *)
Require Import ZArith List Machine Extraction ExtrOcamlBasic ExtrOcamlNatInt.
Open Scope Z_scope.
Definition cell : Type := Z * Z * Z.
Definition czero : cell := (0, 0, 0).
Definition cadd (x y : cell) : cell :=
  match x, y with (a, b, c), (d, e, f) => (a + d, b + e, c + f) end.
Definition cneg (x : cell) : cell := match x with (a, b, c) => (- a, - b, - c) end.
(** A row of the fact table as a plane sees it. Its id, group and key are numbers of values; key 0 is NULL. *)
Record row := { group : Z; key : Z; weight : cell }.
(** Two planes over the same rows: one by group, and a limb by foreign key. *)
Definition gstep := step cell czero cadd cneg row Z Z Z.eq_dec Z.eq_dec group weight.
Definition kstep := step cell czero cadd cneg row Z Z Z.eq_dec Z.eq_dec key weight.
Definition zstart := start cell czero row Z Z.
Definition zview := view cell czero cadd cneg row Z Z.
Definition zown := own cell cadd row Z Z.
Definition zjoin := limb_join cell czero cadd Z Z Z.eq_dec.
Definition zeq := Z.eqb.
Definition zadd := Z.add.
Definition zmul := Z.mul.
Definition zneg := Z.opp.
Definition znat := Z.of_nat.
Extraction "machine.ml" gstep kstep zstart zview zown zjoin zeq zadd zmul zneg znat.
