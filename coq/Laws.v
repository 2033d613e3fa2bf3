(** Finite laws with rational weights, and when two of them are (ln R, delta)-close.

    No axiom is used. *)

From Coq Require Import List QArith Lqa Lia Permutation.
Import ListNotations.
Open Scope Q_scope.

Section Sums.
Context {A : Type}.
Implicit Types (w : A -> Q) (l : list A).

Fixpoint sum w l : Q := match l with [] => 0 | a :: l => w a + sum w l end.

(** The probability of an event under the law that gives [a] of [l] a probability ~ [w a]. *)
Definition prob w l (Y : A -> bool) : Q := sum (fun a => if Y a then w a else 0) l / sum w l.

Lemma sum_app w l m : sum w (l ++ m) == sum w l + sum w m.
Proof. induction l as [| a l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_nonneg w l : (forall a, In a l -> 0 <= w a) -> 0 <= sum w l.
Proof.
  induction l as [| a l IH]; intros P; simpl; [lra |].
  pose proof (P a (or_introl eq_refl)). specialize (IH (fun b i => P b (or_intror i))). lra.
Qed.

Lemma sum_le w w' l : (forall a, In a l -> w a <= w' a) -> sum w l <= sum w' l.
Proof.
  induction l as [| a l IH]; intros P; simpl; [lra |].
  pose proof (P a (or_introl eq_refl)). specialize (IH (fun b i => P b (or_intror i))). lra.
Qed.

Lemma sum_eq w w' l : (forall a, In a l -> w a == w' a) -> sum w l == sum w' l.
Proof.
  intros P; apply Qle_antisym; apply sum_le; intros a I; rewrite (P a I); apply Qle_refl.
Qed.

Lemma sum_scale c w l : sum (fun a => c * w a) l == c * sum w l.
Proof. induction l as [| a l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_plus w w' l : sum (fun a => w a + w' a) l == sum w l + sum w' l.
Proof. induction l as [| a l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_const c l : sum (fun _ => c) l == inject_Z (Z.of_nat (length l)) * c.
Proof.
  induction l as [| a l IH]; cbn [sum]; [simpl; ring |]. rewrite IH.
  cbn [length]. rewrite Nat2Z.inj_succ, <- Z.add_1_l, inject_Z_plus. change (inject_Z 1) with 1. ring.
Qed.

Lemma sum_permutation w l m : Permutation l m -> sum w l == sum w m.
Proof.
  induction 1; simpl; [lra | rewrite IHPermutation; lra | lra | etransitivity; eassumption].
Qed.

Lemma sum_filter w (p : A -> bool) l :
  sum w l == sum w (filter p l) + sum w (filter (fun a => negb (p a)) l).
Proof.
  induction l as [| a l IH]; simpl; [lra |]. destruct (p a); simpl; rewrite IH; lra.
Qed.

Lemma sum_part w (p : A -> bool) l :
  (forall a, In a l -> 0 <= w a) -> sum (fun a => if p a then w a else 0) l <= sum w l.
Proof.
  intros P. apply sum_le. intros a I. specialize (P a I). destruct (p a); lra.
Qed.

Lemma sum_member w l a : (forall b, In b l -> 0 <= w b) -> In a l -> w a <= sum w l.
Proof.
  induction l as [| b l IH]; intros P I; simpl in *; [tauto |].
  pose proof (sum_nonneg w l (fun c i => P c (or_intror i))).
  pose proof (P b (or_introl eq_refl)).
  destruct I as [<- | I]; [lra |]. specialize (IH (fun c i => P c (or_intror i)) I). lra.
Qed.

End Sums.

Lemma sum_map {A B} (w : B -> Q) (g : A -> B) l : sum w (map g l) == sum (fun a => w (g a)) l.
Proof. induction l as [| a l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_flat_map {A B} (w : B -> Q) (g : A -> list B) l :
  sum w (flat_map g l) == sum (fun a => sum w (g a)) l.
Proof. induction l as [| a l IH]; simpl; [lra | rewrite sum_app, IH; lra]. Qed.

Lemma filter_flat_map {A B} (p : B -> bool) (g : A -> list B) l :
  filter p (flat_map g l) = flat_map (fun a => filter p (g a)) l.
Proof. induction l as [| a l IH]; simpl; auto. rewrite filter_app, IH; auto. Qed.

Lemma filter_map {A B} (p : B -> bool) (g : A -> B) l :
  filter p (map g l) = map g (filter (fun a => p (g a)) l).
Proof. induction l as [| a l IH]; simpl; auto. destruct (p (g a)); simpl; rewrite IH; auto. Qed.

(** Two laws on the outcomes [l] and [l'].  On the common outcomes their weights have a ratio between X
    and X R.  The others weigh at most V, and the common ones at least [bottom]. *)
Section Close.
Variable A : Type.
Hypothesis eq_dec : forall a b : A, {a = b} + {a <> b}.
Variables (l l' : list A) (w w' : A -> Q) (X R V bottom delta : Q).

Definition among (m : list A) (a : A) : bool := if in_dec eq_dec a m then true else false.

Lemma among_in m a : among m a = true <-> In a m.
Proof. unfold among; destruct in_dec; split; auto; discriminate. Qed.

Hypothesis once : NoDup l.
Hypothesis once' : NoDup l'.
Hypothesis w_pos : forall a, In a l -> 0 <= w a.
Hypothesis w_pos' : forall a, In a l' -> 0 <= w' a.
Hypothesis X_pos : 0 < X.
Hypothesis R_pos : 0 <= R.
Hypothesis bottom_pos : 0 < bottom.
Hypothesis delta_range : 0 <= delta <= 1.
Hypothesis upper : forall a, In a l -> In a l' -> w a <= X * R * w' a.
Hypothesis lower : forall a, In a l -> In a l' -> X * w' a <= w a.
Hypothesis others : sum w (filter (fun a => negb (among l' a)) l) <= V.
Hypothesis others' : sum w' (filter (fun a => negb (among l a)) l') <= V.
Hypothesis common : bottom <= sum w (filter (among l') l).
Hypothesis common' : bottom <= sum w' (filter (among l') l).
Hypothesis V_small : V <= delta * (bottom + V).

Lemma share_of_others c o : 0 <= o -> o <= V -> bottom <= c -> o <= delta * (c + o).
Proof. intros. destruct delta_range. nra. Qed.

Theorem close (Y : A -> bool) : prob w l Y <= R * prob w' l' Y + delta.
Proof.
  set (C := filter (among l') l). set (O := filter (fun a => negb (among l' a)) l) in *.
  set (O' := filter (fun a => negb (among l a)) l') in *.
  assert (P : Permutation (filter (among l) l') C).
  { apply NoDup_Permutation; try (apply NoDup_filter; assumption).
    intros a; unfold C; rewrite !filter_In, !among_in; tauto. }
  assert (InC : forall a, In a C -> In a l /\ In a l').
  { intros a I; unfold C in I; rewrite filter_In, among_in in I; auto. }
  set (wY := fun a => if Y a then w a else 0). set (wY' := fun a => if Y a then w' a else 0).
  assert (T : sum w l == sum w C + sum w O) by apply sum_filter.
  assert (T' : sum w' l' == sum w' C + sum w' O').
  { rewrite (sum_filter w' (among l) l'), (sum_permutation w' _ _ P). reflexivity. }
  assert (E : sum wY l == sum wY C + sum wY O) by apply sum_filter.
  assert (E' : sum wY' l' == sum wY' C + sum wY' O').
  { rewrite (sum_filter wY' (among l) l'), (sum_permutation wY' _ _ P). reflexivity. }
  assert (SubO : forall a, In a O -> In a l) by (intros a I; apply filter_In in I; tauto).
  assert (SubO' : forall a, In a O' -> In a l') by (intros a I; apply filter_In in I; tauto).
  assert (OY : sum wY O <= sum w O) by (apply sum_part; auto).
  assert (OP : 0 <= sum w O) by (apply sum_nonneg; auto).
  assert (OP' : 0 <= sum w' O') by (apply sum_nonneg; auto).
  assert (OY' : 0 <= sum wY' O').
  { apply sum_nonneg; intros a I; unfold wY'; specialize (w_pos' a (SubO' a I)); destruct (Y a); lra. }
  assert (CY : sum wY C <= sum w C).
  { apply sum_part. intros a I; apply w_pos, InC, I. }
  assert (CP : 0 <= sum wY C).
  { apply sum_nonneg; intros a I; unfold wY. pose proof (w_pos a (proj1 (InC a I))); destruct (Y a); lra. }
  assert (U : sum wY C <= X * R * sum wY' C).
  { rewrite <- sum_scale. apply sum_le. intros a I; unfold wY, wY'. destruct (InC a I).
    specialize (upper a H H0). destruct (Y a); lra. }
  assert (Lo : X * sum w' C <= sum w C).
  { rewrite <- sum_scale. apply sum_le. intros a I; destruct (InC a I); auto. }
  fold C in common, common'.
  pose proof (share_of_others _ _ OP others common) as m.
  pose proof (share_of_others _ _ OP' others' common') as m'.
  unfold prob; fold wY wY'. rewrite T, T', E, E'.
  set (p := sum w C + sum w O) in *. set (q := sum w' C + sum w' O') in *.
  assert (p_pos : 0 < p) by (unfold p; lra). assert (q_pos : 0 < q) by (unfold q; lra).
  set (a := sum wY C) in *. set (a' := sum wY' C) in *. set (c := sum w C) in *.
  set (o := sum w O) in *. set (o' := sum w' O') in *. set (c' := sum w' C) in *.
  set (oY := sum wY O) in *. set (oY' := sum wY' O') in *.
  (* a (q X - p) + o q X <= delta p q X, which is linear in a *)
  assert (K : (a + oY) * q * X <= a * p + delta * (p * q) * X).
  { assert (qX : 0 < q * X) by nra. assert (pX : 0 < p * X) by nra.
    assert (Io : o * (q * X) <= delta * p * (q * X)) by (apply Qmult_le_compat_r; lra).
    assert (Io' : o' * (p * X) <= delta * q * (p * X)) by (apply Qmult_le_compat_r; lra).
    assert (IY : oY * (q * X) <= o * (q * X)) by (apply Qmult_le_compat_r; lra).
    destruct (Qlt_le_dec p (q * X)) as [Hi | Lw].
    - assert (a * (q * X - p) <= c * (q * X - p)) by (apply Qmult_le_compat_r; lra).
      assert (X * c' * p <= c * p) by (apply Qmult_le_compat_r; lra).
      unfold p, q in *; nra.
    - assert (0 <= a * (p - q * X)) by (apply Qmult_le_0_compat; lra). lra. }
  assert (Ratio : (a + oY) * q <= R * (a' + oY') * p + delta * (p * q)).
  { assert (I : a * p <= X * R * a' * p) by (apply Qmult_le_compat_r; lra).
    assert (J : 0 <= X * (R * oY' * p)).
    { repeat apply Qmult_le_0_compat; lra. }
    apply Qmult_lt_0_le_reg_r with X; [exact X_pos |]. lra. }
  apply Qle_shift_div_r; [exact p_pos |].
  apply Qmult_lt_0_le_reg_r with q; [exact q_pos |].
  setoid_replace ((R * ((a' + oY') / q) + delta) * p * q)
    with (R * (a' + oY') * p + delta * (p * q)) by (field; lra).
  exact Ratio.
Qed.

End Close.
