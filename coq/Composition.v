(** Basic composition, chosen adaptively, and group privacy.

    Pages: docs/proofs/composition.md, Theorem 1 with deltas, and units.md, Theorem 2.  No axiom is used. *)

From Coq Require Import List ZArith QArith Qpower Qminmax Lqa Lia.
From Littlestone Require Import Laws.
Import ListNotations.
Local Open Scope Q_scope.

Section Events.
Context {A : Type}.

(** The probability of an event; outcomes that a law never has weigh 0. *)
Definition pr (p : A -> Q) (l : list A) (Y : A -> bool) : Q := sum (fun a => if Y a then p a else 0) l.

(** p and p' are (ln R, delta)-close, in one direction. *)
Definition closeness (l : list A) (p p' : A -> Q) (R delta : Q) :=
  forall Y, pr p l Y <= R * pr p' l Y + delta.

(** What holds for events holds for functions between 0 and 1. *)
Lemma close_functions l p p' R delta f :
  closeness l p p' R delta -> (forall a, In a l -> 0 <= f a <= 1) ->
  sum (fun a => p a * f a) l <= R * sum (fun a => p' a * f a) l + delta.
Proof.
  intros C F.
  set (Y := fun a => if Qlt_le_dec (R * p' a) (p a) then true else false).
  specialize (C Y). unfold pr in C. rewrite <- sum_scale in *.
  enough (sum (fun a => p a * f a) l + sum (fun a => R * (if Y a then p' a else 0)) l
    <= sum (fun a => R * (p' a * f a)) l + sum (fun a => if Y a then p a else 0) l) by lra.
  rewrite <- !sum_plus. apply sum_le. intros a I. specialize (F a I).
  unfold Y. destruct (Qlt_le_dec (R * p' a) (p a)); nra.
Qed.

(** Group privacy: k steps cost R^k and delta (1 + R + ... + R^(k-1)). *)
Fixpoint grouped (R delta : Q) (k : nat) : Q :=
  match k with 0%nat => 0 | S k => delta + R * grouped R delta k end.

Theorem group_privacy l R delta (laws : nat -> A -> Q) k : 0 < R ->
  (forall i, (i < k)%nat -> closeness l (laws i) (laws (S i)) R delta) ->
  closeness l (laws 0%nat) (laws k) (R ^ Z.of_nat k) (grouped R delta k).
Proof.
  intros R0. revert laws; induction k as [| k IH]; intros laws C Y.
  - simpl. lra.
  - specialize (IH (fun i => laws (S i)) (fun i L => C (S i) ltac:(lia)) Y). cbn beta in IH.
    pose proof (C 0%nat ltac:(lia) Y) as C0. cbn [grouped].
    assert (E : R ^ Z.of_nat (S k) == R * R ^ Z.of_nat k).
    { rewrite Nat2Z.inj_succ, <- Z.add_1_l, Qpower_plus by lra. simpl; lra. }
    rewrite E. nra.
Qed.

End Events.

(** Basic composition: the second event may depend on what the first released. *)
Section Basic.
Context {A B : Type}.
Variables (l : list A) (m : list B).
Variables (p p' : A -> Q) (q q' : A -> B -> Q).
Variables (R1 R2 delta1 delta2 : Q).

Definition joint (p : A -> Q) (q : A -> B -> Q) (ab : A * B) : Q := p (fst ab) * q (fst ab) (snd ab).

Hypothesis p_law : (forall a, 0 <= p a) /\ sum p l == 1.
Hypothesis p_law' : forall a, 0 <= p' a.
Hypothesis q_law : forall a, (forall b, 0 <= q a b) /\ sum (q a) m == 1.
Hypothesis q_law' : forall a b, 0 <= q' a b.
Hypothesis ranges : 0 <= R1 /\ 0 <= R2 /\ 0 <= delta2.
Hypothesis first : closeness l p p' R1 delta1.
Hypothesis second : forall a, closeness m (q a) (q' a) R2 delta2.

Lemma pr_joint (p0 : A -> Q) q0 Y :
  pr (joint p0 q0) (list_prod l m) Y == sum (fun a => p0 a * pr (q0 a) m (fun b => Y (a, b))) l.
Proof.
  unfold pr. clear p_law first. induction l as [| a rest IH]; simpl; [lra |]. rewrite sum_app, IH, sum_map.
  enough (sum (fun b => if Y (a, b) then joint p0 q0 (a, b) else 0) m
    == p0 a * sum (fun b => if Y (a, b) then q0 a b else 0) m) by lra.
  rewrite <- sum_scale. apply sum_eq. intros b _. unfold joint; simpl. destruct (Y (a, b)); lra.
Qed.

Theorem basic_composition :
  closeness (list_prod l m) (joint p q) (joint p' q') (R1 * R2) (delta1 + delta2).
Proof.
  intros Y. rewrite !pr_joint. destruct p_law as (P0 & P1). destruct ranges as (r1 & r2 & d2).
  set (Q2 := fun a => pr (q a) m (fun b => Y (a, b))). set (Q2' := fun a => pr (q' a) m (fun b => Y (a, b))).
  assert (Q0' : forall a, 0 <= Q2' a).
  { intros a. apply sum_nonneg. intros b _. specialize (q_law' a b). destruct (Y (a, b)); lra. }
  assert (Q1 : forall a, Q2 a <= 1).
  { intros a. destruct (q_law a) as (G & E). rewrite <- E. apply sum_part; auto. }
  set (f := fun a => Qmin 1 (R2 * Q2' a)).
  assert (f_range : forall a, 0 <= f a <= 1).
  { intros a. pose proof (Q0' a). unfold f. split; [| apply Q.le_min_l].
    apply Q.min_glb; [lra | nra]. }
  assert (Up : forall a, Q2 a <= f a + delta2).
  { intros a. pose proof (second a (fun b => Y (a, b))) as C. fold (Q2 a) (Q2' a) in C. pose proof (Q1 a).
    unfold f. destruct (Q.min_spec 1 (R2 * Q2' a)) as [[_ E] | [_ E]]; rewrite E; lra. }
  pose proof (close_functions l p p' R1 delta1 f first (fun a _ => f_range a)) as F.
  apply Qle_trans with (sum (fun a => p a * f a + delta2 * p a) l).
  - apply sum_le. intros a _. specialize (P0 a). specialize (Up a).
    assert (0 <= p a * (f a + delta2 - Q2 a)) by (apply Qmult_le_0_compat; lra).
    change (p a * Q2 a <= p a * f a + delta2 * p a). lra.
  - rewrite sum_plus, sum_scale, P1.
    assert (D : sum (fun a => p' a * f a) l <= R2 * sum (fun a => p' a * Q2' a) l).
    { rewrite <- sum_scale. apply sum_le. intros a _. pose proof (p_law' a).
      assert (f a <= R2 * Q2' a) by apply Q.le_min_r.
      assert (0 <= p' a * (R2 * Q2' a - f a)) by (apply Qmult_le_0_compat; lra). lra. }
    change (sum (fun a => p a * f a) l + delta2 * 1
      <= R1 * R2 * sum (fun a => p' a * Q2' a) l + (delta1 + delta2)). nra.
Qed.

End Basic.
