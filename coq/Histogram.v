(** The stable histogram: docs/proofs/stable-histogram.md, Theorem 1.

    A count of N or more is shown as N, for any N, so laws are finite.  No axiom is used. *)

From Coq Require Import List Arith ZArith QArith Qpower Lqa Lia.
From Littlestone Require Import Laws Composition.
Import ListNotations.
Local Open Scope Q_scope.

Section Histogram.
Variable a : Q.
Hypothesis a_range : 0 < a < 1.

(** Pr[X >= x] for discrete Laplace noise X. *)
Definition tail (x : Z) : Q := if (x <=? 0)%Z then 1 - a ^ (1 - x) / (1 + a) else a ^ x / (1 + a).

Lemma a_pos z : 0 < a ^ z.
Proof. apply Qpower_0_lt; lra. Qed.

Lemma a_next z : a ^ (1 + z) == a * a ^ z.
Proof. rewrite Qpower_plus by lra. change (a ^ 1) with a. reflexivity. Qed.

Lemma a_le_1 z : (0 <= z)%Z -> a ^ z <= 1.
Proof.
  intros L. rewrite <- (Z2Nat.id z L). induction (Z.to_nat z) as [| n IH]; [simpl; lra |].
  rewrite Nat2Z.inj_succ, <- Z.add_1_l, a_next. pose proof (a_pos (Z.of_nat n)). nra.
Qed.

(** Pr[X = x] is (1 - a) / (1 + a) a^|x|. *)
Theorem noise_is_discrete_laplace x : tail x - tail (1 + x) == (1 - a) / (1 + a) * a ^ Z.abs x.
Proof.
  unfold tail. destruct (Z.leb_spec x 0), (Z.leb_spec (1 + x) 0); try lia.
  - rewrite Z.abs_neq by lia. replace (1 - x)%Z with (1 + (1 - (1 + x)))%Z by lia.
    replace (- x)%Z with (1 - (1 + x))%Z by lia. rewrite a_next. field; lra.
  - replace x with 0%Z by lia. simpl. field; lra.
  - rewrite Z.abs_eq, a_next by lia. field; lra.
Qed.

Lemma noise_pos x : 0 < tail x - tail (1 + x).
Proof.
  rewrite noise_is_discrete_laplace. apply Qmult_lt_0_compat; [| apply a_pos].
  apply Qlt_shift_div_l; lra.
Qed.

Lemma noise_moves x :
  a * (tail x - tail (1 + x)) <= tail (1 + x) - tail (2 + x) /\
  a * (tail (1 + x) - tail (2 + x)) <= tail x - tail (1 + x).
Proof.
  replace (2 + x)%Z with (1 + (1 + x))%Z by lia. rewrite !noise_is_discrete_laplace.
  assert (C : 0 < (1 - a) / (1 + a)) by (apply Qlt_shift_div_l; lra). set (c := (1 - a) / (1 + a)) in *.
  destruct (Z.le_gt_cases 0 x).
  - rewrite !Z.abs_eq by lia. rewrite a_next. pose proof (a_pos x).
    set (s := a ^ x) in *. assert (0 < c * s) by nra. assert (a * a <= 1) by nra. split; nra.
  - rewrite !Z.abs_neq by lia. replace (- x)%Z with (1 + - (1 + x))%Z by lia. rewrite a_next.
    pose proof (a_pos (- (1 + x))). set (s := a ^ (- (1 + x))) in *.
    assert (0 < c * s) by nra. assert (a * a <= 1) by nra. split; nra.
Qed.

Lemma tail_moves x : a * tail x <= tail (1 + x) <= tail x /\ 0 < tail x < 1.
Proof.
  pose proof (noise_pos x) as P.
  assert (D : 0 < 1 + a) by lra.
  assert (I : / (1 + a) * (1 + a) == 1) by (field; lra).
  assert (Ip : 0 < / (1 + a)) by (apply Qinv_lt_0_compat; auto). set (i := / (1 + a)) in *.
  unfold tail, Qdiv in *. fold i in P |- *. destruct (Z.leb_spec x 0), (Z.leb_spec (1 + x) 0); try lia.
  - set (s := a ^ (1 - (1 + x))) in *.
    assert (E : a ^ (1 - x) == a * s).
    { unfold s. rewrite <- a_next. replace (1 + (1 - (1 + x)))%Z with (1 - x)%Z by lia. reflexivity. }
    rewrite E in *. pose proof (a_pos (1 - (1 + x))). pose proof (a_le_1 (1 - (1 + x)) ltac:(lia)).
    fold s in H1, H2. assert (s * i <= i) by nra. split; [split; nra | split; nra].
  - replace x with 0%Z in * by lia. simpl in *. split; [split; nra | split; nra].
  - rewrite a_next in *. pose proof (a_pos x). pose proof (a_le_1 x ltac:(lia)).
    assert (a ^ x * i <= i) by nra. split; [split; nra | split; nra].
Qed.

(** What is shown of a key of count c: nothing, or the noisy count, from the threshold t on. *)
Variables (t N : Z).
Hypothesis t_2 : (2 <= t)%Z.
Hypothesis N_t : (t <= N)%Z.

Definition shown : list (option Z) :=
  None :: map (fun i => Some (t + Z.of_nat i)%Z) (seq 0 (S (Z.to_nat (N - t)))).

Definition law (c : nat) (o : option Z) : Q :=
  match c, o with
  | 0%nat, None => 1
  | 0%nat, Some _ => 0
  | _, None => 1 - tail (t - Z.of_nat c)
  | _, Some j => if (j <? N)%Z then tail (j - Z.of_nat c) - tail (1 + (j - Z.of_nat c))
                 else tail (j - Z.of_nat c)
  end.

Definition d : Q := tail (t - 1).

Lemma law_nonneg c o : 0 <= law c o.
Proof.
  destruct c as [| c], o as [j |]; unfold law; try lra.
  - destruct (j <? N)%Z; [pose proof (noise_pos (j - Z.of_nat (S c))); lra |].
    pose proof (tail_moves (j - Z.of_nat (S c))); lra.
  - pose proof (tail_moves (t - Z.of_nat (S c))); lra.
Qed.

Lemma law_total c : sum (law c) shown == 1.
Proof.
  unfold shown. cbn [sum]. rewrite sum_map. destruct c as [| c].
  - rewrite (sum_eq _ (fun _ => 0)) by (intros; reflexivity). rewrite sum_const. simpl; lra.
  - set (k := Z.of_nat (S c)).
    assert (P : forall n, (t + Z.of_nat n <= N)%Z ->
      sum (fun i => law (S c) (Some (t + Z.of_nat i)%Z)) (seq 0 n) == tail (t - k) - tail (t + Z.of_nat n - k)).
    { induction n as [| n IH]; intros L.
      - simpl seq. cbn [sum]. replace (t + Z.of_nat 0 - k)%Z with (t - k)%Z by lia. lra.
      - rewrite seq_S, sum_app. cbn [sum Nat.add]. rewrite IH by lia. unfold law. fold k.
        destruct (Z.ltb_spec (t + Z.of_nat n) N); [| lia].
        replace (1 + (t + Z.of_nat n - k))%Z with (t + Z.of_nat (S n) - k)%Z by lia. lra. }
    rewrite seq_S, sum_app. cbn [sum Nat.add]. rewrite P by lia. unfold law. fold k.
    destruct (Z.ltb_spec (t + Z.of_nat (Z.to_nat (N - t))) N); [lia |]. lra.
Qed.

(** A count that moves by 1 changes each probability by a factor 1 / a at most. *)
Lemma law_moves c o : (1 <= c)%nat -> In o shown ->
  a * law c o <= law (S c) o /\ a * law (S c) o <= law c o.
Proof.
  intros C I. destruct c as [| c]; [lia |]. unfold law.
  destruct o as [j |].
  - set (x := (j - Z.of_nat (S (S c)))%Z).
    replace (j - Z.of_nat (S c))%Z with (1 + x)%Z by (unfold x; lia).
    replace (1 + (1 + x))%Z with (2 + x)%Z by lia.
    destruct (j <? N)%Z; [pose proof (noise_moves x); tauto |].
    pose proof (tail_moves x). split; [nra | lra].
  - set (x := (t - Z.of_nat (S (S c)))%Z).
    replace (t - Z.of_nat (S c))%Z with (1 + x)%Z by (unfold x; lia).
    (* Pr[X < y] = Pr[X >= 1 - y], as X and -X have one law *)
    assert (Sym : forall y, 1 - tail y == tail (1 - y)).
    { intros y. unfold tail. destruct (Z.leb_spec y 0), (Z.leb_spec (1 - y) 0); try lia.
      - replace (1 - y)%Z with (1 - y)%Z by lia. lra.
      - replace (1 - (1 - y))%Z with y by lia. lra. }
    rewrite !Sym. pose proof (tail_moves (1 - (1 + x))).
    replace (1 + (1 - (1 + x)))%Z with (1 - x)%Z in H by lia. split; [lra | nra].
Qed.

Lemma law_one : law 1 None == 1 - d.
Proof. reflexivity. Qed.

Lemma d_small : 0 < d /\ d * (1 + a) <= a.
Proof.
  unfold d. split; [apply tail_moves |]. unfold tail. destruct (Z.leb_spec (t - 1) 0); [lia |].
  assert (E : a ^ (t - 1) / (1 + a) * (1 + a) == a ^ (t - 1)) by (field; lra). rewrite E.
  replace (t - 1)%Z with (1 + (t - 2))%Z by lia. rewrite a_next.
  pose proof (a_le_1 (t - 2) ltac:(lia)). pose proof (a_pos (t - 2)). nra.
Qed.

Lemma pr_moves c Y : (1 <= c)%nat ->
  let x := pr (law c) shown Y in let y := pr (law (S c)) shown Y in
  a * x <= y /\ a * y <= x /\ a * (1 - x) <= 1 - y /\ a * (1 - y) <= 1 - x /\ 0 <= x <= 1 /\ 0 <= y <= 1.
Proof.
  intros C x y.
  assert (T : forall c, pr (law c) shown Y + pr (law c) shown (fun o => negb (Y o)) == 1).
  { intros c'. rewrite <- (law_total c'). unfold pr. rewrite <- sum_plus. apply sum_eq. intros o _.
    destruct (Y o); simpl; lra. }
  assert (P : forall c Z, 0 <= pr (law c) shown Z).
  { intros c' Z. apply sum_nonneg. intros o _. pose proof (law_nonneg c' o). destruct (Z o); lra. }
  assert (M : forall Z, a * pr (law c) shown Z <= pr (law (S c)) shown Z /\
    a * pr (law (S c)) shown Z <= pr (law c) shown Z).
  { intros Z. unfold pr. rewrite <- !sum_scale. split; apply sum_le; intros o I;
      pose proof (law_moves c o C I); destruct (Z o); lra. }
  pose proof (T c) as T1. pose proof (T (S c)) as T2. fold x in T1. fold y in T2.
  pose proof (M Y) as M1. fold x y in M1. pose proof (M (fun o => negb (Y o))) as M2.
  pose proof (P c (fun o => negb (Y o))). pose proof (P (S c) (fun o => negb (Y o))).
  pose proof (P c Y) as X0. pose proof (P (S c) Y) as Y0. fold x in X0. fold y in Y0.
  set (nx := pr (law c) shown (fun o => negb (Y o))) in *.
  set (ny := pr (law (S c)) shown (fun o => negb (Y o))) in *.
  assert (nx == 1 - x) by lra. assert (ny == 1 - y) by lra.
  rewrite H1, H2 in *. repeat split; lra.
Qed.

(** Step 2, the other direction: linear in the probability, so it is enough to look at the corners. *)
Lemma back c Y : (1 <= c)%nat ->
  a * a * pr (law (S c)) shown Y <= (1 - d) * pr (law c) shown Y + a * a * d.
Proof.
  intros C. destruct (pr_moves c Y C) as (_ & U & V & _ & X & W). destruct d_small as (d0 & d1).
  set (x := pr (law c) shown Y) in *. set (y := pr (law (S c)) shown Y) in *.
  destruct (Qlt_le_dec (x * (1 + a)) a) as [L | L].
  - (* below the kink y <= x / a *)
    assert (a * a * y <= a * x) by nra.
    enough (a * x <= (1 - d) * x + a * a * d) by lra.
    assert (x * (a - 1 + d) <= a * a * d); [| lra].
    destruct (Qlt_le_dec (a - 1 + d) 0); [nra |].
    assert (x * (1 + a) * (a - 1 + d) <= a * (a - 1 + d)) by (apply Qmult_le_compat_r; lra).
    assert (a * (a - 1 + d) <= a * a * d * (1 + a)); [| nra].
    enough (a - 1 + d <= a * d * (1 + a)) by nra.
    destruct (Qlt_le_dec (1 - a - a * a) 0); nra.
  - (* above it y <= 1 - a (1 - x) *)
    enough (a * a * (1 - a * (1 - x)) <= (1 - d) * x + a * a * d) by nra.
    assert (K : a * a * (1 - a) - a * a * d <= x * (1 - d - a * a * a)); [| lra].
    destruct (Qlt_le_dec (1 - d - a * a * a) 0).
    + nra.
    + assert (a * (1 - d - a * a * a) <= x * (1 + a) * (1 - d - a * a * a)) by (apply Qmult_le_compat_r; lra).
      assert ((a * a * (1 - a) - a * a * d) * (1 + a) <= a * (1 - d - a * a * a)); [| nra].
      enough (a * (1 - a) * (1 + a) - a * d * (1 + a) <= 1 - d - a * a * a) by nra.
      destruct (Qlt_le_dec (1 - a - a * a) 0); nra.
Qed.

(** * Two keys *)

(** The probability of an event about two independent keys of counts c and e. *)
Definition both (c e : nat) (Y : option Z -> option Z -> bool) : Q :=
  sum (fun u => law c u * pr (law e) shown (Y u)) shown.

Lemma at_0 (f : option Z -> Q) : sum (fun u => law 0 u * f u) shown == f None.
Proof.
  unfold shown. cbn [sum]. rewrite sum_map.
  assert (E : sum (fun i => law 0 (Some (t + Z.of_nat i)%Z) * f (Some (t + Z.of_nat i)%Z))
    (seq 0 (S (Z.to_nat (N - t)))) == sum (fun _ => 0) (seq 0 (S (Z.to_nat (N - t))))).
  { apply sum_eq. intros i _. simpl law. lra. }
  rewrite E, sum_const. simpl law. lra.
Qed.

Lemma at_1 (f : option Z -> Q) : (forall u, 0 <= f u <= 1) ->
  (1 - d) * f None <= sum (fun u => law 1 u * f u) shown <= (1 - d) * f None + d.
Proof.
  intros F. pose proof (law_total 1) as T. unfold shown in *. cbn [sum] in *. rewrite sum_map in *.
  rewrite law_one in *. set (rest := seq 0 _) in *.
  assert (0 <= sum (fun i => law 1 (Some (t + Z.of_nat i)%Z) * f (Some (t + Z.of_nat i)%Z)) rest).
  { apply sum_nonneg. intros i _. pose proof (law_nonneg 1 (Some (t + Z.of_nat i)%Z)).
    pose proof (F (Some (t + Z.of_nat i)%Z)). nra. }
  assert (sum (fun i => law 1 (Some (t + Z.of_nat i)%Z) * f (Some (t + Z.of_nat i)%Z)) rest
    <= sum (fun i => law 1 (Some (t + Z.of_nat i)%Z)) rest).
  { apply sum_le. intros i _. pose proof (law_nonneg 1 (Some (t + Z.of_nat i)%Z)).
    pose proof (F (Some (t + Z.of_nat i)%Z)). nra. }
  lra.
Qed.

Lemma pr_range c Y : 0 <= pr (law c) shown Y <= 1.
Proof.
  split.
  - apply sum_nonneg. intros o _. pose proof (law_nonneg c o). destruct (Y o); lra.
  - rewrite <- (law_total c). apply sum_part. intros; apply law_nonneg.
Qed.

Lemma sum_swap {A B} (f : A -> B -> Q) l m :
  sum (fun x => sum (f x) m) l == sum (fun y => sum (fun x => f x y) l) m.
Proof.
  induction l as [| x l IH]; simpl.
  - assert (E : sum (fun _ : B => 0) m == 0) by (rewrite sum_const; lra). rewrite E. reflexivity.
  - rewrite IH, <- sum_plus. reflexivity.
Qed.

Lemma both_swap c e Y : both c e Y == both e c (fun u v => Y v u).
Proof.
  unfold both, pr.
  transitivity (sum (fun u => sum (fun v => if Y u v then law c u * law e v else 0) shown) shown).
  - apply sum_eq. intros u _. rewrite <- sum_scale. apply sum_eq. intros v _. destruct (Y u v); lra.
  - rewrite sum_swap. apply sum_eq. intros u _. rewrite <- sum_scale. apply sum_eq. intros v _.
    destruct (Y v u); lra.
Qed.

Lemma falls_and_rises k l Y : a * a * both (S k) l Y <= both k (S l) Y + a * a * d.
Proof.
  destruct d_small as (d0 & d1). assert (0 < a * a < 1) by nra.
  destruct k as [| k], l as [| l].
  - (* step 4: the two events are different and do not add *)
    unfold both at 2. rewrite at_0.
    set (f := fun u => pr (law 0) shown (Y u)).
    pose proof (at_1 f (fun u => pr_range 0 (Y u))) as U. change (both 1 0 Y) with (sum (fun u => law 1 u * f u) shown).
    assert (V : (1 - d) * (if Y None None then 1 else 0) <= pr (law 1) shown (Y None)).
    { pose proof (at_1 (fun v => if Y None v then 1 else 0)) as W. destruct W as (W & _).
      { intros v; destruct (Y None v); lra. }
      eapply Qle_trans; [exact W |]. apply sum_le. intros v _. destruct (Y None v); lra. }
    assert (E : f None == if Y None None then 1 else 0).
    { rewrite <- (at_0 (fun v => if Y None v then 1 else 0)). apply sum_eq. intros v _.
      destruct (Y None v); lra. }
    destruct U as (_ & U). rewrite E in U. set (p := pr (law 1) shown (Y None)) in *.
    pose proof (pr_range 1 (Y None)) as Pp. fold p in Pp.
    set (s := sum (fun u => law 1 u * f u) shown) in *.
    assert (s <= p + d) by lra. nra.
  - (* step 2 *)
    unfold both at 2. rewrite at_0. set (f := fun u => pr (law (S l)) shown (Y u)).
    pose proof (at_1 f (fun u => pr_range (S l) (Y u))) as (_ & U).
    change (both 1 (S l) Y) with (sum (fun u => law 1 u * f u) shown).
    destruct (pr_moves (S l) (Y None) ltac:(lia)) as (M & _ & _ & _ & X & W).
    change (pr (law (S l)) shown (Y None)) with (f None) in *.
    set (s := sum (fun u => law 1 u * f u) shown) in *. set (y := pr (law (S (S l))) shown (Y None)) in *.
    assert (s <= f None + d) by nra. assert (a * a * f None <= y) by nra. nra.
  - (* step 3 *)
    rewrite both_swap. unfold both at 1. rewrite at_0.
    pose proof (back (S k) (fun v => Y v None) ltac:(lia)) as Bk.
    rewrite (both_swap (S k) 1). unfold both.
    pose proof (at_1 (fun u => pr (law (S k)) shown (fun v => Y v u)) (fun u => pr_range (S k) _)) as (U & _).
    lra.
  - (* step 1 *)
    unfold both, pr. rewrite <- sum_scale.
    assert (0 <= a * a * d) by nra.
    enough (sum (fun u => a * a * (law (S (S k)) u * sum (fun v => if Y u v then law (S l) v else 0) shown)) shown
      <= sum (fun u => law (S k) u * sum (fun v => if Y u v then law (S (S l)) v else 0) shown) shown) by lra.
    apply sum_le. intros u Iu. destruct (law_moves (S k) u ltac:(lia) Iu) as (_ & M).
    destruct (pr_moves (S l) (Y u) ltac:(lia)) as (M' & _ & _ & _ & X & _). unfold pr in M', X.
    pose proof (law_nonneg (S (S k)) u). pose proof (law_nonneg (S k) u).
    set (x := sum (fun v => if Y u v then law (S l) v else 0) shown) in *.
    set (y := sum (fun v => if Y u v then law (S (S l)) v else 0) shown) in *.
    assert (a * law (S (S k)) u * (a * x) <= law (S k) u * y); [| lra].
    apply Qle_trans with (law (S k) u * (a * x)).
    + apply Qmult_le_compat_r; auto. nra.
    + rewrite !(Qmult_comm (law (S k) u)). apply Qmult_le_compat_r; auto.
Qed.

(** Theorem 1: one key falls and one rises, in either order; R = a^-2. *)
Theorem histogram_is_private k l Y :
  both (S k) l Y <= / (a * a) * both k (S l) Y + d /\
  both k (S l) Y <= / (a * a) * both (S k) l Y + d.
Proof.
  assert (A : 0 < a * a) by nra.
  assert (Half : forall k l Y, both (S k) l Y <= / (a * a) * both k (S l) Y + d).
  { intros k' l' Y'. pose proof (falls_and_rises k' l' Y') as F.
    apply Qmult_lt_0_le_reg_r with (a * a); auto.
    setoid_replace ((/ (a * a) * both k' (S l') Y' + d) * (a * a))
      with (both k' (S l') Y' + a * a * d) by (field; lra).
    lra. }
  split; [apply Half |]. rewrite (both_swap k), (both_swap (S k)). apply Half.
Qed.

(** Step 5: one key alone moves. *)
Theorem histogram_is_private_for_one_key c Y :
  pr (law (S c)) shown Y <= / (a * a) * pr (law c) shown Y + d /\
  pr (law c) shown Y <= / (a * a) * pr (law (S c)) shown Y + d.
Proof.
  assert (A : 0 < a * a <= 1) by nra. destruct d_small as (d0 & d1).
  assert (I : 1 <= / (a * a)).
  { apply Qmult_lt_0_le_reg_r with (a * a); [lra |].
    setoid_replace (/ (a * a) * (a * a)) with 1 by (field; lra). lra. }
  pose proof (pr_range c Y). pose proof (pr_range (S c) Y). destruct c as [| c].
  - pose proof (at_1 (fun v => if Y v then 1 else 0)) as W.
    assert (E1 : sum (fun u => law 1 u * (if Y u then 1 else 0)) shown == pr (law 1) shown Y).
    { apply sum_eq. intros u _. destruct (Y u); lra. }
    assert (E0 : pr (law 0) shown Y == if Y None then 1 else 0).
    { rewrite <- (at_0 (fun v => if Y v then 1 else 0)). apply sum_eq. intros u _. destruct (Y u); lra. }
    destruct W as (W1 & W2); [intros v; destruct (Y v); lra |]. rewrite E1 in *.
    set (p := pr (law 1) shown Y) in *. rewrite E0 in *. destruct (Y None); split; nra.
  - destruct (pr_moves (S c) Y ltac:(lia)) as (M & M' & _).
    set (x := pr (law (S c)) shown Y) in *. set (y := pr (law (S (S c))) shown Y) in *.
    split; apply Qmult_lt_0_le_reg_r with (a * a); try lra.
    + setoid_replace ((/ (a * a) * x + d) * (a * a)) with (x + a * a * d) by (field; lra). nra.
    + setoid_replace ((/ (a * a) * y + d) * (a * a)) with (y + a * a * d) by (field; lra). nra.
Qed.

End Histogram.
