(** The numbers of docs/proofs/radii.md for two labels, epsilon = 1 and delta = 10^-6: radii, lists, handicaps and
    the weight of bottom satisfy what the theorems ask, so the theorems hold with them.

    The base r is a short rational number; that of the code is longer and slightly larger. *)

From Coq Require Import List Arith Lia ZArith QArith Qpower Qreals Reals Lra.
From Littlestone Require Import Dimension Laws Selection Runs Lists Radii Accuracy.
Import ListNotations.

(** * Binomials without unary numbers *)

Local Open Scope Z_scope.

Fixpoint pascal (before : Z) (l : list Z) : list Z :=
  match l with [] => [] | x :: l => before + x :: pascal x l end.

(** C(n, 0), ..., C(n, k) *)
Fixpoint row (k n : nat) : list Z :=
  match n with O => 1 :: repeat 0 k | S n => pascal 0 (row k n) end.

Lemma pascal_nth l : forall before j, (j < length l)%nat ->
  nth j (pascal before l) 0 = match j with O => before | S i => nth i l 0 end + nth j l 0.
Proof.
  induction l as [| x l IH]; intros before j L; [simpl in L; lia |].
  destruct j as [| j]; [reflexivity |]. cbn [pascal nth]. rewrite IH by (simpl in L; lia).
  destruct j; reflexivity.
Qed.

Lemma row_length k n : length (row k n) = S k.
Proof.
  assert (P : forall l b, length (pascal b l) = length l) by (induction l; intros; simpl; auto).
  induction n as [| n IH]; simpl; [rewrite repeat_length; auto | rewrite P; auto].
Qed.

Lemma row_binomial k n : forall j, (j <= k)%nat -> nth j (row k n) 0 = Z.of_nat (binomial n j).
Proof.
  induction n as [| n IH]; intros j L.
  - destruct j as [| j]; [reflexivity |]. cbn [row nth binomial].
    destruct (nth_in_or_default j (repeat 0 k) 0) as [I | ->]; auto. apply repeat_spec in I. auto.
  - cbn [row]. rewrite pascal_nth by (rewrite row_length; lia). rewrite IH by auto.
    destruct j as [| j]; [destruct n; reflexivity |]. rewrite IH by lia. cbn [binomial]. lia.
Qed.

Definition demand_z (e s : nat) : Z := 2 * nth (S e) (row (S e) (s + e)) 0.

Lemma demand_z_right e s : demand_z e s = Z.of_nat (demand e s).
Proof. unfold demand_z, demand. rewrite row_binomial by auto. lia. Qed.

Fixpoint most_z (K : Z) (d s e t l : nat) : Z :=
  match l with
  | O => 1
  | S l' => if (t <=? l')%nat then ((K - 1) * (Z.of_nat e + 1 + demand_z (d - l) s) + 1) * most_z K d s e t l'
            else 1
  end.

Lemma most_z_right Y (labels : list Y) d s e t l : (1 <= length labels)%nat ->
  most_z (Z.of_nat (length labels)) d s e t l = Z.of_nat (most Y labels d s e t l).
Proof.
  intros P. induction l as [| l IH]; [reflexivity |]. cbn [most_z most].
  destruct (t <=? l)%nat; [| reflexivity]. rewrite IH, demand_z_right. unfold ways.
  rewrite Nat2Z.inj_mul. f_equal. rewrite Nat2Z.inj_add, Nat2Z.inj_mul, Nat2Z.inj_sub by auto. f_equal. f_equal. lia.
Qed.

(** * What the theorems ask of the numbers *)

Record numbers := {
  dimension : nat; radii : nat (* M *); bottom : nat (* B *); score : nat (* B' *);
  base : Q; delta : Q; long : nat -> Z (* L_t *); handicap : nat -> nat (* o_t *) }.

Definition right (n : numbers) : bool :=
  let d := dimension n in
  (1 <=? d)%nat && (1 <=? score n)%nat && Qle_bool 1 (base n) && Qle_bool 0 (delta n) && Qle_bool (delta n) 1
  && forallb (fun t => (most_z 2 d (d + radii n) (radii n) t d <=? long n t)
      && Qle_bool (inject_Z (long n t)) (base n ^ Z.of_nat (handicap n t))) (seq 0 d)
  && (list_sum (map (fun t => score n + handicap n t - 1) (seq 0 d)) <=? radii n)%nat
  && Qle_bool (inject_Z (Z.of_nat d) * base n ^ 2 * (1 - delta n)) (delta n * base n ^ Z.of_nat (bottom n)).

Section Right.
Variable n : numbers.
Hypothesis n_right : right n = true.
Variable X : Type.
Variable H : (X -> bool) -> Prop.
Hypothesis H_dim : dim H (dimension n).

Let labels := [false; true].

(** The learner with these numbers. *)
Definition law_of (T : nat -> tree X bool) : ((X -> bool) -> bool) -> Q :=
  learn X bool false labels H (dimension n) (radii n) (fun t => Z.to_nat (long n t)) (handicap n)
    (bottom n) (base n) T.

Definition trees (S : list (X * bool)) := trees_of X bool false H (dimension n) (radii n) S.

Lemma all_labels y : In y labels.
Proof. destruct y; simpl; auto. Qed.

Ltac conditions := let R := fresh in pose proof n_right as R; unfold right in R;
  repeat match goal with
  | R : (_ && _)%bool = true |- _ => apply andb_prop in R; destruct R
  end;
  repeat match goal with
  | R : Qle_bool _ _ = true |- _ => apply Qle_bool_iff in R
  | R : (_ <=? _)%nat = true |- _ => apply Nat.leb_le in R
  end.

Lemma at_each t : (t < dimension n)%nat ->
  most_z 2 (dimension n) (dimension n + radii n) (radii n) t (dimension n) <= long n t /\
  (inject_Z (long n t) <= base n ^ Z.of_nat (handicap n t))%Q.
Proof.
  intros L. conditions.
  match goal with R : forallb _ _ = true |- _ => rewrite forallb_forall in R; specialize (R t) end.
  match goal with R : In t _ -> _ |- _ =>
    assert (I : In t (seq 0 (dimension n))) by (apply in_seq; lia); specialize (R I); apply andb_prop in R as (A & C) end.
  split; [apply Z.leb_le; auto | apply Qle_bool_iff; auto].
Qed.

Lemma long_pos t : (t < dimension n)%nat -> 0 <= long n t.
Proof.
  intros L. destruct (at_each t L) as (A & _). etransitivity; [| exact A].
  change 2 with (Z.of_nat (length labels)). rewrite most_z_right by (simpl; lia). lia.
Qed.

Theorem numbers_are_private S S' T T' (epsilon : R) :
  (Q2R (base n) <= exp (epsilon / INR (omega (dimension n))))%R ->
  neighbours X bool S S' -> trees S T -> trees S' T' ->
  forall E, (Q2R (law_of T E) <= exp epsilon * Q2R (law_of T' E) + Q2R (delta n))%R.
Proof.
  intros Re near BT BT' E. conditions.
  apply (radii_is_epsilon_delta_private X bool false labels all_labels H (dimension n) (proj2 H_dim) (radii n))
    with (S := S) (S' := S'); auto.
  intros t L. destruct (at_each t L) as (_ & A). rewrite Z2Nat.id by (apply long_pos; auto). exact A.
Qed.

Theorem numbers_err_rarely S T h :
  trees S T -> H h -> errors X bool S h = 0%nat ->
  (law_of T (fun f => (radii n <? errors X bool S f)%nat)
   <= base n ^ Z.of_nat (bottom n) / (base n ^ Z.of_nat (bottom n) + base n ^ Z.of_nat (score n)))%Q.
Proof.
  intros BT Hh E. conditions.
  apply (errors_of_the_released_rule X bool false labels all_labels) with (h := h); auto.
  - repeat constructor; simpl; intuition discriminate.
  - intros t L. destruct (at_each t L) as (A & _). apply Nat2Z.inj_le.
    rewrite Z2Nat.id by (apply long_pos; auto). rewrite <- (most_z_right bool labels) by (simpl; lia). exact A.
Qed.

End Right.

(** * The five examples of the page *)

Definition nth_of {A} (l : list A) (x : A) (t : nat) : A := nth t l x.

Definition one_millionth : Q := 1 # 1000000.

Definition radii_1 := {| dimension := 1; radii := 50; bottom := 30; score := 40; base := 206 # 125;
  delta := one_millionth; long := nth_of [154] 0; handicap := nth_of [11%nat] 0%nat |}.

Definition radii_2 := {| dimension := 2; radii := 257; bottom := 61; score := 80; base := 321 # 250;
  delta := one_millionth; long := nth_of [52524423; 777] 0; handicap := nth_of [72; 27]%nat 0%nat |}.

Definition radii_3 := {| dimension := 3; radii := 500; bottom := 62; score := 81; base := 321 # 250;
  delta := one_millionth; long := nth_of [16346799981768464; 383053112; 1508] 0;
  handicap := nth_of [150; 80; 30]%nat 0%nat |}.

Definition radii_4 := {| dimension := 4; radii := 866; bottom := 63; score := 82; base := 321 # 250;
  delta := one_millionth;
  long := nth_of [20949006284905416415781451776; 435789266134846592; 1978527904; 2608] 0;
  handicap := nth_of [261; 163; 86; 32]%nat 0%nat |}.

Definition radii_5 := {| dimension := 5; radii := 1399; bottom := 64; score := 83; base := 321 # 250;
  delta := one_millionth;
  long := nth_of [228746633341092614961424277662352132634951567; 2497931106829784565592887198279;
    7681372925786741349; 8308654389; 4209] 0;
  handicap := nth_of [409; 280; 174; 92; 34]%nat 0%nat |}.

Theorem examples_are_right :
  forallb right [radii_1; radii_2; radii_3; radii_4; radii_5] = true.
Proof. vm_compute. reflexivity. Qed.

(** Bottom has a probability below 1/100 where it matters. *)
Theorem examples_miss_rarely :
  forallb (fun n => Qle_bool (base n ^ Z.of_nat (bottom n) /
    (base n ^ Z.of_nat (bottom n) + base n ^ Z.of_nat (score n))) (1 # 100))
    [radii_1; radii_2; radii_3; radii_4; radii_5] = true.
Proof. vm_compute. reflexivity. Qed.

(** r <= e^(1/2) for d = 1 and r <= e^(1/4) for d > 1: (1 + 1/k)^k is below e. *)
Lemma below_exp (r : Q) (m k : positive) :
  Qle_bool r ((1 + (1 # (m * k))) ^ Zpos k) = true -> (Q2R r <= exp (1 / IZR (Zpos m)))%R.
Proof.
  intros L. apply Qle_bool_iff, Qle_Rle in L. eapply Rle_trans; [exact L |].
  assert (P : forall (q : Q) (j : nat), (0 < q)%Q -> (Q2R (q ^ Z.of_nat j) = Q2R q ^ j)%R).
  { intros q j q0. induction j as [| j IH]; [unfold Q2R; simpl; lra |].
    replace (Z.of_nat (S j)) with (1 + Z.of_nat j) by lia.
    transitivity (Q2R (q * q ^ Z.of_nat j)).
    - apply Qeq_eqR. rewrite Qpower_plus; [reflexivity |]. intros Z; rewrite Z in q0. apply (Qlt_irrefl 0 q0).
    - rewrite Q2R_mult, IH. simpl; ring. }
  rewrite <- (positive_nat_Z k), P by reflexivity.
  set (x := (1 / IZR (Z.pos (m * k)))%R).
  assert (Ex : (Q2R (1 + (1 # (m * k))) = 1 + x)%R).
  { rewrite Q2R_plus. unfold x, Q2R; simpl. lra. }
  rewrite Ex. assert (Pk : (0 < IZR (Z.pos k))%R) by (apply IZR_lt; lia).
  assert (Pm : (0 < IZR (Z.pos m))%R) by (apply IZR_lt; lia).
  assert (Ppm : (0 < x)%R).
  { unfold x. apply Rdiv_lt_0_compat; [lra | apply IZR_lt; lia]. }
  replace (1 / IZR (Z.pos m))%R with (INR (Pos.to_nat k) * x)%R.
  - rewrite <- exp_pow. apply pow_incr. pose proof (exp_ineq1 x ltac:(lra)). lra.
  - unfold x. rewrite INR_IZR_INZ, positive_nat_Z, Pos2Z.inj_mul, mult_IZR. field. split; lra.
Qed.

(** So the learner of each example is (1, 10^-6)-differentially private. *)
Theorem examples_are_private n : In n [radii_1; radii_2; radii_3; radii_4; radii_5] ->
  forall X (H : (X -> bool) -> Prop), dim H (dimension n) ->
  forall S S' T T', neighbours X bool S S' -> trees n X H S T -> trees n X H S' T' ->
  forall E, (Q2R (law_of n X H T E) <= exp 1 * Q2R (law_of n X H T' E) + Q2R one_millionth)%R.
Proof.
  intros I X H D S S' T T' near BT BT' E.
  assert (Rn : right n = true) by (pose proof examples_are_right as A; rewrite forallb_forall in A; auto).
  assert (Dn : delta n = one_millionth) by (simpl in I; intuition (subst; reflexivity)).
  rewrite <- Dn. apply (numbers_are_private n Rn X H D S S'); auto.
  destruct I as [<- | I].
  - change (INR (omega (dimension radii_1))) with (IZR (Z.pos 2)).
    apply (below_exp _ 2 512). vm_compute. reflexivity.
  - replace (INR (omega (dimension n))) with (IZR (Z.pos 4))
      by (simpl in I; intuition (subst; simpl; lra)).
    replace (base n) with (321 # 250) by (simpl in I; intuition (subst; reflexivity)).
    apply (below_exp _ 4 2048). vm_compute. reflexivity.
Qed.

(** And on any sample that some h fits it errs more than M times with a probability below 1/100. *)
Theorem examples_err_rarely n : In n [radii_1; radii_2; radii_3; radii_4; radii_5] ->
  forall X (H : (X -> bool) -> Prop), dim H (dimension n) ->
  forall S T h, trees n X H S T -> H h -> errors X bool S h = 0%nat ->
  (law_of n X H T (fun f => (radii n <? errors X bool S f)%nat) <= 1 # 100)%Q.
Proof.
  intros I X H D S T h BT Hh E.
  assert (Rn : right n = true) by (pose proof examples_are_right as A; rewrite forallb_forall in A; auto).
  eapply Qle_trans; [apply (numbers_err_rarely n Rn X H D S T h); auto |].
  pose proof examples_miss_rarely as A. rewrite forallb_forall in A. apply Qle_bool_iff. auto.
Qed.
