(** The exponential mechanism, sparse sampling and the choosing mechanism.

    Pages: docs/proofs/exponential-mechanism.md, sparse-sampling.md, choosing.md.  No axiom is used. *)

From Coq Require Import List ZArith QArith Lqa Lia.
From Littlestone Require Import Laws Selection.
Import ListNotations.
Local Open Scope Q_scope.
Local Arguments Z.add : simpl never.
Local Arguments Z.mul : simpl never.
Local Arguments Z.opp : simpl never.
Local Arguments Z.sub : simpl never.

(** * The exponential mechanism *)

Section Exponential.
Variable A : Type.
Variable r : Q.
Hypothesis r_ge_1 : 1 <= r.

(** Pr[a] ~ r^(-errors) *)
Definition exponential (l : list A) (errors : A -> Z) : (A -> bool) -> Q :=
  prob (fun a => r ^ (- errors a)) l.

(** If all errors move by a number in [x, x + k], no probability grows by more than r^k. *)
Theorem exponential_range l e e' (x k : Z) Y :
  l <> [] -> (forall a, In a l -> (x <= e' a - e a <= x + k)%Z) ->
  exponential l e Y <= r ^ k * exponential l e' Y.
Proof.
  intros Ne M. unfold exponential, prob.
  set (w := fun a => r ^ (- e a)). set (w' := fun a => r ^ (- e' a)).
  set (p := sum w l). set (q := sum w' l).
  set (y := sum (fun a => if Y a then w a else 0) l).
  set (y' := sum (fun a => if Y a then w' a else 0) l).
  change (y / p <= r ^ k * (y' / q)).
  assert (Pos : forall f : A -> Z, 0 < sum (fun a => r ^ f a) l).
  { intros f. destruct l as [| a l']; [congruence |]. simpl.
    pose proof (power_pos r r_ge_1 (f a)).
    assert (0 <= sum (fun a => r ^ f a) l')
      by (apply sum_nonneg; intros; apply Qlt_le_weak, power_pos; auto). lra. }
  assert (p_pos : 0 < p) by apply Pos. assert (q_pos : 0 < q) by apply Pos.
  assert (Up : y <= r ^ (x + k) * y').
  { unfold y, y'. rewrite <- sum_scale. apply sum_le. intros a I. specialize (M a I).
    destruct (Y a); [| lra]. unfold w, w'. rewrite power_plus by auto. apply power_le; auto. lia. }
  assert (Lo : r ^ x * q <= p).
  { unfold p, q. rewrite <- sum_scale. apply sum_le. intros a I. specialize (M a I).
    unfold w, w'. rewrite power_plus by auto. apply power_le; auto. lia. }
  assert (y'_pos : 0 <= y').
  { apply sum_nonneg. intros a _. destruct (Y a); [apply Qlt_le_weak, power_pos; auto | lra]. }
  pose proof (power_plus r r_ge_1 x k) as E. rewrite <- E in Up.
  pose proof (power_pos r r_ge_1 x) as Px. pose proof (power_pos r r_ge_1 k) as Pk.
  apply Qle_shift_div_r; [exact p_pos |].
  apply Qmult_lt_0_le_reg_r with q; [exact q_pos |].
  setoid_replace (r ^ k * (y' / q) * p * q) with (r ^ k * y' * p) by (field; lra).
  apply Qle_trans with (r ^ x * r ^ k * y' * q); [apply Qmult_le_compat_r; lra |].
  setoid_replace (r ^ x * r ^ k * y' * q) with (r ^ x * q * (r ^ k * y')) by ring.
  setoid_replace (r ^ k * y' * p) with (p * (r ^ k * y')) by ring.
  apply Qmult_le_compat_r; auto. apply Qmult_le_0_compat; lra.
Qed.

(** Theorems 1, 4 and 5: a record costs each hypothesis between 0 and m. *)
Variable record : Type.
Variable cost : A -> record -> Z.
Variable m : Z.
Hypothesis costs : forall a z, (0 <= cost a z <= m)%Z.

Fixpoint total (S : list record) (a : A) : Z :=
  match S with [] => 0 | z :: rest => cost a z + total rest a end.

Lemma total_app S S' a : total (S ++ S') a = (total S a + total S' a)%Z.
Proof. induction S as [| z S IH]; simpl; lia. Qed.

Theorem exponential_is_private l S S' z z' Y : l <> [] ->
  exponential l (total (S ++ z :: S')) Y <= r ^ (2 * m) * exponential l (total (S ++ z' :: S')) Y.
Proof.
  intros Ne. apply (exponential_range l _ _ (- m)); auto. intros a _.
  rewrite !total_app; cbn [total]. pose proof (costs a z). pose proof (costs a z'). lia.
Qed.

(** One-sided: all errors move one way if a record is added or removed, so half is enough. *)
Theorem exponential_is_private_one_sided l S S' z Y : l <> [] ->
  exponential l (total (S ++ z :: S')) Y <= r ^ m * exponential l (total (S ++ S')) Y /\
  exponential l (total (S ++ S')) Y <= r ^ m * exponential l (total (S ++ z :: S')) Y.
Proof.
  intros Ne. split.
  - apply (exponential_range l _ _ (- m)); auto. intros a _.
    rewrite !total_app; cbn [total]. pose proof (costs a z). lia.
  - apply (exponential_range l _ _ 0); auto. intros a _.
    rewrite !total_app; cbn [total]. pose proof (costs a z). lia.
Qed.

End Exponential.

(** * Sparse sampling *)

Section Sparse.
Variable A : Type.
Hypothesis eq_dec : forall a b : A, {a = b} + {a <> b}.
Variable r : Q.
Variable B : Z.
Variable L : nat.
Hypothesis r_ge_1 : 1 <= r.

Definition holds (a : A) (l : list A) : Z := if among A eq_dec l a then 1 else 0.

(** c(u): the lists that hold u. *)
Definition copies : list (list A) -> A -> Z := total A (list A) holds.

Definition items (lists : list (list A)) : list A := nodup eq_dec (concat lists).

Definition sparse_sampling (lists : list (list A)) : (option A -> bool) -> Q :=
  select A r B (items lists) (copies lists).

Lemma copies_zero lists a : ~ In a (concat lists) -> copies lists a = 0%Z.
Proof.
  unfold copies; induction lists as [| l lists IH]; simpl; auto. rewrite in_app_iff. intros N.
  rewrite IH by tauto. unfold holds. destruct (among A eq_dec l a) eqn:E; [apply among_in in E; tauto | auto].
Qed.

Lemma lone_items lists lists' l l' : NoDup l -> (length l <= L)%nat ->
  sum (fun a => r ^ copies (lists ++ l :: lists') a)
    (lone A eq_dec (items (lists ++ l :: lists')) (items (lists ++ l' :: lists')))
  <= inject_Z (Z.of_nat L) * r ^ 1.
Proof.
  intros N Ll.
  assert (Sub : forall a, In a (items (lists ++ l :: lists')) -> ~ In a (items (lists ++ l' :: lists')) ->
    In a l /\ ~ In a (concat lists) /\ ~ In a (concat lists')).
  { intros a I N'. unfold items in *. rewrite nodup_In, concat_app in *. simpl in *.
    rewrite !in_app_iff in *. tauto. }
  apply lone_light; auto.
  - etransitivity; [| exact Ll]. apply NoDup_incl_length; [apply NoDup_filter, NoDup_nodup |].
    intros a I. apply lone_in in I as (I & N'). apply (Sub a I N').
  - intros a I N'. destruct (Sub a I N') as (_ & C & C'). unfold copies. rewrite total_app. simpl.
    pose proof (copies_zero _ _ C) as E. pose proof (copies_zero _ _ C') as E'. unfold copies in E, E'.
    rewrite E, E'. unfold holds; destruct (among A eq_dec l a); lia.
Qed.

(** sparse-sampling.md, Theorem 1 at R = r^2: V = L r, and delta0 = V / (r^B + V). *)
Theorem sparse_sampling_is_private lists lists' l l' delta Y :
  NoDup l -> NoDup l' -> (length l <= L)%nat -> (length l' <= L)%nat ->
  0 <= delta <= 1 ->
  inject_Z (Z.of_nat L) * r ^ 1 <= delta * (r ^ B + inject_Z (Z.of_nat L) * r ^ 1) ->
  sparse_sampling (lists ++ l :: lists') Y <= r ^ 2 * sparse_sampling (lists ++ l' :: lists') Y + delta.
Proof.
  intros N N' Ll Ll' D S.
  apply (select_is_private A eq_dec r B r_ge_1) with (x := (-1)%Z) (V := inject_Z (Z.of_nat L) * r ^ 1);
    auto using NoDup_nodup, lone_items; try lia.
  - apply NoDup_nodup.
  - apply NoDup_nodup.
  - intros a _ _. unfold copies. rewrite !total_app; simpl. unfold holds.
    destruct (among A eq_dec l a), (among A eq_dec l' a); lia.
Qed.

End Sparse.

(** * The choosing mechanism *)

Section Choosing.
Variable A : Type.
Hypothesis eq_dec : forall a b : A, {a = b} + {a <> b}.
Variable r : Q.
Variable B : Z.
Variables (a b m : Z) (g : nat).
Hypothesis r_ge_1 : 1 <= r.
Hypothesis gain : (0 <= a <= m)%Z.
Hypothesis loss : (0 <= b <= m)%Z.

(** A record is positive or negative and names the hypotheses it counts for, or its place is void. *)
Inductive record := positive (l : list A) | negative (l : list A) | void.

Definition bounded (z : record) : Prop :=
  match z with positive l => NoDup l /\ (length l <= g)%nat | _ => True end.

(** What a record adds to the score of a hypothesis, and of the constant 1, which is [None]. *)
Definition gains (h : option A) (z : record) : Z :=
  match z, h with
  | positive l, Some h => if among A eq_dec l h then a else 0
  | positive _, None => a
  | negative l, Some h => if among A eq_dec l h then - b else 0
  | negative _, None => - b
  | void, _ => 0
  end.

Definition covered (z : record) : list A := match z with positive l => l | _ => [] end.

Definition candidate_dec (h h' : option A) : {h = h'} + {h <> h'}.
Proof. decide equality. Defined.

(** The hypotheses that a positive record counts for, and the constant 1 if it competes. *)
Definition choices (constant : bool) (S : list record) : list (option A) :=
  (if constant then [None] else []) ++ map Some (nodup eq_dec (flat_map covered S)).

Definition choosing (constant : bool) (S : list record) : (option (option A) -> bool) -> Q :=
  select (option A) r B (choices constant S) (total (option A) record gains S).

Lemma choices_some k S h : In (Some h) (choices k S) <-> In h (flat_map covered S).
Proof.
  unfold choices. rewrite in_app_iff, in_map_iff. split.
  - intros [I | (h' & E & I)]; [destruct k; simpl in I; intuition discriminate |].
    injection E as <-. apply nodup_In in I; auto.
  - intros I; right; exists h; rewrite nodup_In; auto.
Qed.

Lemma choices_none k S : In None (choices k S) <-> k = true.
Proof.
  unfold choices. rewrite in_app_iff, in_map_iff. split.
  - intros [I | (h & E & _)]; [destruct k; auto; destruct I | discriminate].
  - intros ->; simpl; auto.
Qed.

Lemma choices_once k S : NoDup (choices k S).
Proof.
  assert (N : NoDup (map Some (nodup eq_dec (flat_map covered S)))).
  { apply FinFun.Injective_map_NoDup; [intros ? ? E; congruence | apply NoDup_nodup]. }
  unfold choices; destruct k; simpl; auto. constructor; auto.
  rewrite in_map_iff. intros (? & E & _); discriminate.
Qed.

(** A hypothesis that no positive record counts for has no score above 0. *)
Lemma uncovered S h : ~ In h (flat_map covered S) -> (total _ _ gains S (Some h) <= 0)%Z.
Proof.
  induction S as [| z S IH]; simpl; [lia |]. rewrite in_app_iff. intros N.
  assert (~ In h (flat_map covered S)) by tauto. specialize (IH H). destruct z as [l | l |]; simpl in *.
  - destruct (among A eq_dec l h) eqn:E; [apply among_in in E; tauto | lia].
  - destruct (among A eq_dec l h); lia.
  - lia.
Qed.

(** Step 1: new candidates are light. *)
Lemma lone_choices k S S' z z' : bounded z ->
  sum (fun h => r ^ total _ _ gains (S ++ z :: S') h)
    (lone _ candidate_dec (choices k (S ++ z :: S')) (choices k (S ++ z' :: S')))
  <= inject_Z (Z.of_nat g) * r ^ a.
Proof.
  intros Bz.
  assert (Sub : forall h, In h (choices k (S ++ z :: S')) -> ~ In h (choices k (S ++ z' :: S')) ->
    exists h', h = Some h' /\ In h' (covered z) /\ ~ In h' (flat_map covered S) /\ ~ In h' (flat_map covered S')).
  { intros [h |] I N.
    - exists h. rewrite choices_some, flat_map_app in *. simpl in *. rewrite !in_app_iff in *. tauto.
    - rewrite choices_none in *. tauto. }
  apply lone_light; auto.
  - apply Nat.le_trans with (length (map Some (covered z))).
    + apply NoDup_incl_length; [apply NoDup_filter, choices_once |]. intros h I.
      apply lone_in in I as (I & N). destruct (Sub h I N) as (h' & -> & C & _). apply in_map; auto.
    + rewrite map_length. destruct z; simpl in *; try lia.
  - intros h I N. destruct (Sub h I N) as (h' & -> & C & N1 & N2). rewrite total_app; simpl.
    pose proof (uncovered _ _ N1). pose proof (uncovered _ _ N2).
    destruct z as [l | l |]; simpl in *; try tauto. destruct (among A eq_dec l h'); lia.
Qed.

(** choosing.md, Theorem 1, with the constant 1 and with void places: V = g r^a. *)
Theorem choosing_is_private k S S' z z' delta Y :
  bounded z -> bounded z' ->
  0 <= delta <= 1 ->
  inject_Z (Z.of_nat g) * r ^ a <= delta * (r ^ B + inject_Z (Z.of_nat g) * r ^ a) ->
  choosing k (S ++ z :: S') Y <= r ^ (2 * m) * choosing k (S ++ z' :: S') Y + delta.
Proof.
  intros Bz Bz' D Small.
  (* the least that replacing z' by z adds to a score: steps 3 to 6 *)
  set (x := match z, z' with
    | positive _, positive _ => - a
    | negative _, negative _ => - b
    | positive _, _ => 0
    | negative _, positive _ => - (a + b)
    | negative _, void => - b
    | void, positive _ => - a
    | void, _ => 0
    end%Z).
  apply (select_is_private _ candidate_dec r B r_ge_1) with (x := x) (V := inject_Z (Z.of_nat g) * r ^ a);
    auto using choices_once, lone_choices.
  - unfold x; destruct z, z'; lia.
  - intros h _ _. rewrite !total_app; simpl. unfold x.
    destruct z as [l | l |], z' as [l' | l' |], h as [h |]; simpl;
      repeat match goal with |- context [among ?t ?e ?s ?h] => destruct (among t e s h) end; lia.
Qed.

End Choosing.
