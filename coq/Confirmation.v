(** Confirmation of keys: docs/proofs/confirmation.md, Theorem 1.

    The skip Z has no largest value, so sums over it are cut at any number.  No axiom is used. *)

From Coq Require Import List Arith ZArith QArith Qpower Qminmax Lqa Lia.
From Littlestone Require Import Laws Selection.
Import ListNotations.
Local Open Scope Q_scope.
Local Arguments Z.add : simpl never.
Local Arguments Z.sub : simpl never.

Section Confirmation.
Variables r1 r2 : Q.
Hypothesis r1_range : 1 <= r1.
Hypothesis r2_range : 1 <= r2.

(** q_t(s), with the threshold U_t, or none if the key is not watched. *)
Definition chance (U : option Z) (s : Z) : Q :=
  match U with Some U => Qmin 1 (r2 ^ (s - U)) | None => 0 end.

Lemma chance_range U s : 0 <= chance U s <= 1.
Proof.
  destruct U as [U |]; simpl; [| lra]. split; [| apply Q.le_min_l].
  apply Q.min_glb; [lra |]. apply Qlt_le_weak, power_pos; auto.
Qed.

Lemma chance_grows U s s' : (s <= s')%Z -> chance U s <= chance U s'.
Proof.
  intros L. destruct U as [U |]; simpl; [| lra]. apply Q.min_le_compat_l, power_le; auto. lia.
Qed.

Lemma chance_next U s : chance U (1 + s) <= r2 * chance U s.
Proof.
  destruct U as [U |]; cbn [chance]; [| lra].
  replace (1 + s - U)%Z with (1 + (s - U))%Z by lia.
  pose proof (power_plus r2 r2_range 1 (s - U)) as P. change (r2 ^ 1) with r2 in P.
  rewrite <- P. pose proof (power_pos r2 r2_range (s - U)).
  destruct (Q.min_spec 1 (r2 ^ (s - U))) as [[_ E] | [_ E]]; rewrite E.
  - eapply Qle_trans; [apply Q.le_min_l | lra].
  - apply Q.le_min_r.
Qed.

(** Steps of an epoch without a hit: the threshold and the count at each. *)
Definition quiet (steps : list (option Z * Z)) (z : Z) : Q :=
  fold_right (fun s p => (1 - chance (fst s) (snd s - z)) * p) 1 steps.

(** The step with the hit, if there is one. *)
Definition hit (last : option (option Z * Z)) (z : Z) : Q :=
  match last with Some (U, c) => chance U (c - z) | None => 1 end.

(** Pr[Z = z] *)
Definition skip (z : nat) : Q := (1 - / r1) * r1 ^ (- Z.of_nat z).

(** F(c), from the values of Z below n. *)
Definition epoch (steps : list (option Z * Z)) (last : option (option Z * Z)) (n : nat) : Q :=
  sum (fun z => skip z * (quiet steps (Z.of_nat z) * hit last (Z.of_nat z))) (seq 0 n).

Lemma skip_nonneg z : 0 <= skip z.
Proof.
  unfold skip. apply Qmult_le_0_compat; [| apply Qlt_le_weak, power_pos; auto].
  enough (/ r1 <= 1) by lra. apply Qmult_lt_0_le_reg_r with r1; [lra |]. rewrite Qmult_comm, Qmult_inv_r; lra.
Qed.

Lemma skip_next z : skip z == r1 * skip (S z).
Proof.
  unfold skip. rewrite Nat2Z.inj_succ. replace (- Z.of_nat z)%Z with (1 + - Z.succ (Z.of_nat z))%Z by lia.
  pose proof (power_plus r1 r1_range 1 (- Z.succ (Z.of_nat z))) as P. change (r1 ^ 1) with r1 in P.
  rewrite <- P. ring.
Qed.

Lemma quiet_nonneg steps z : 0 <= quiet steps z.
Proof.
  induction steps as [| [U c] steps IH]; simpl; [lra |].
  apply Qmult_le_0_compat; auto. pose proof (chance_range U (c - z)); lra.
Qed.

Lemma hit_nonneg last z : 0 <= hit last z.
Proof. destruct last as [[U c] |]; simpl; [apply chance_range | lra]. Qed.

(** Each step with its counts without and with the record. *)
Inductive longer : list (option Z * Z) -> list (option Z * Z) -> Prop :=
| longer_nil : longer [] []
| longer_cons U c c' l l' : (c' <= c <= 1 + c')%Z -> longer l' l -> longer ((U, c') :: l') ((U, c) :: l).

(** If there is a hit, the record came before it. *)
Inductive longer_hit : option (option Z * Z) -> option (option Z * Z) -> Prop :=
| no_hit : longer_hit None None
| one_hit U c : longer_hit (Some (U, c)) (Some (U, 1 + c)%Z).

Lemma product_le p p' q q' : 0 <= q -> 0 <= p' -> p <= p' -> q <= q' -> p * q <= p' * q'.
Proof. nra. Qed.

Lemma quiet_falls steps' steps z : longer steps' steps -> quiet steps z <= quiet steps' z.
Proof.
  induction 1 as [| U c c' l l' C _ IH]; cbn; [lra |].
  pose proof (chance_grows U (c' - z) (c - z) ltac:(lia)). pose proof (chance_range U (c' - z)).
  pose proof (quiet_nonneg l z). apply product_le; auto; lra.
Qed.

Lemma quiet_shifted steps' steps z : longer steps' steps -> quiet steps' z <= quiet steps (1 + z).
Proof.
  induction 1 as [| U c c' l l' C _ IH]; cbn [quiet fold_right fst snd]; [lra |].
  pose proof (chance_grows U (c - (1 + z)) (c' - z) ltac:(lia)). pose proof (chance_range U (c - (1 + z))).
  pose proof (quiet_nonneg l' z). apply product_le; auto; lra.
Qed.

(** Step 3: a record that leaves. *)
Lemma leaves steps' steps last' last n : longer steps' steps -> longer_hit last' last ->
  epoch steps last n <= r2 * epoch steps' last' n.
Proof.
  intros L Lh. unfold epoch. rewrite <- sum_scale. apply sum_le. intros z _.
  pose proof (skip_nonneg z). pose proof (quiet_falls _ _ (Z.of_nat z) L).
  pose proof (quiet_nonneg steps (Z.of_nat z)). pose proof (hit_nonneg last' (Z.of_nat z)).
  assert (Hh : hit last (Z.of_nat z) <= r2 * hit last' (Z.of_nat z)).
  { destruct Lh as [| U c]; simpl; [lra |].
    replace (1 + c - Z.of_nat z)%Z with (1 + (c - Z.of_nat z))%Z by lia. apply chance_next. }
  pose proof (hit_nonneg last (Z.of_nat z)).
  set (s := skip z) in *. set (q := quiet steps (Z.of_nat z)) in *. set (q' := quiet steps' (Z.of_nat z)) in *.
  set (h := hit last (Z.of_nat z)) in *. set (h' := hit last' (Z.of_nat z)) in *.
  assert (q * h <= r2 * (q' * h')) by nra.
  assert (0 <= s * (r2 * (q' * h') - q * h)) by (apply Qmult_le_0_compat; lra). lra.
Qed.

(** Step 4: a record that enters. *)
Lemma enters steps' steps last' last n : longer steps' steps -> longer_hit last' last ->
  epoch steps' last' n <= r1 * epoch steps last (S n).
Proof.
  intros L Lh. unfold epoch. cbn [seq sum]. rewrite <- seq_shift, sum_map.
  assert (First : 0 <= skip 0 * (quiet steps (Z.of_nat 0) * hit last (Z.of_nat 0))).
  { apply Qmult_le_0_compat; [apply skip_nonneg |].
    apply Qmult_le_0_compat; [apply quiet_nonneg | apply hit_nonneg]. }
  enough (sum (fun z => skip z * (quiet steps' (Z.of_nat z) * hit last' (Z.of_nat z))) (seq 0 n)
    <= r1 * sum (fun z => skip (S z) * (quiet steps (Z.of_nat (S z)) * hit last (Z.of_nat (S z)))) (seq 0 n)).
  { assert (0 <= r1 * (skip 0 * (quiet steps (Z.of_nat 0) * hit last (Z.of_nat 0))))
      by (apply Qmult_le_0_compat; lra). lra. }
  rewrite <- sum_scale. apply sum_le. intros z _.
  pose proof (skip_nonneg (S z)). pose proof (quiet_shifted _ _ (Z.of_nat z) L).
  pose proof (quiet_nonneg steps' (Z.of_nat z)).
  rewrite skip_next. rewrite Nat2Z.inj_succ, <- Z.add_1_l in *.
  assert (Hh : hit last' (Z.of_nat z) = hit last (1 + Z.of_nat z)).
  { destruct Lh as [| U c]; simpl; auto. f_equal. lia. }
  rewrite Hh. pose proof (hit_nonneg last (1 + Z.of_nat z)).
  set (s := skip (S z)) in *. set (q := quiet steps (1 + Z.of_nat z)) in *.
  set (q' := quiet steps' (Z.of_nat z)) in *. set (h := hit last (1 + Z.of_nat z)) in *.
  assert (q' * h <= q * h) by (apply Qmult_le_compat_r; auto).
  assert (0 <= s * (q * h - q' * h)) by (apply Qmult_le_0_compat; lra).
  assert (0 <= r1 * (s * (q * h - q' * h))) by (apply Qmult_le_0_compat; lra). lra.
Qed.

(** Step 5: the record leaves the epoch of one key and enters that of another. *)
Theorem confirmation_is_private a a' la la' b b' lb lb' n :
  longer a' a -> longer_hit la' la -> longer b' b -> longer_hit lb' lb ->
  epoch a la n * epoch b' lb' n <= r1 * r2 * (epoch a' la' n * epoch b lb (S n)).
Proof.
  intros A La B Lb. pose proof (leaves _ _ _ _ n A La). pose proof (enters _ _ _ _ n B Lb).
  assert (P : forall s l k, 0 <= epoch s l k).
  { intros s l k. apply sum_nonneg. intros z _. apply Qmult_le_0_compat; [apply skip_nonneg |].
    apply Qmult_le_0_compat; [apply quiet_nonneg | apply hit_nonneg]. }
  pose proof (P b' lb' n). pose proof (P a' la' n).
  apply Qle_trans with (r2 * epoch a' la' n * epoch b' lb' n); [apply Qmult_le_compat_r; auto |].
  setoid_replace (r1 * r2 * (epoch a' la' n * epoch b lb (S n)))
    with (r1 * epoch b lb (S n) * (r2 * epoch a' la' n)) by ring.
  rewrite (Qmult_comm (r2 * epoch a' la' n)). apply Qmult_le_compat_r; auto.
  apply Qmult_le_0_compat; lra.
Qed.

End Confirmation.
