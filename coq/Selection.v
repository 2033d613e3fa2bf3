(** One draw among candidates with scores, or bottom: what sparse sampling, the choosing mechanism and the
    learner of radii share.

    No axiom is used. *)

From Coq Require Import List ZArith QArith Qpower Lqa Lia.
From Littlestone Require Import Laws.
Import ListNotations.
Local Open Scope Q_scope.

(** * Powers of the base *)

Section Powers.
Variable r : Q.
Hypothesis r_ge_1 : 1 <= r.

Lemma power_pos z : 0 < r ^ z.
Proof. apply Qpower_0_lt. lra. Qed.

Lemma power_le a b : (a <= b)%Z -> r ^ a <= r ^ b.
Proof. intros; apply Qpower_le_compat_l; auto. Qed.

Lemma power_plus a b : r ^ a * r ^ b == r ^ (a + b).
Proof. rewrite Qpower_plus; [reflexivity | lra]. Qed.
End Powers.

Section Selection.
Variable A : Type.
Hypothesis eq_dec : forall a b : A, {a = b} + {a <> b}.
Variable r : Q.
Variable B : Z.  (* bottom weighs r^B *)
Hypothesis r_ge_1 : 1 <= r.

Definition weight (s : A -> Z) (o : option A) : Q :=
  match o with None => r ^ B | Some a => r ^ s a end.

Definition outcomes (candidates : list A) : list (option A) := None :: map Some candidates.

(** A candidate is drawn with probability ~ r^score, and bottom with ~ r^B. *)
Definition select (candidates : list A) (s : A -> Z) : (option A -> bool) -> Q :=
  prob (weight s) (outcomes candidates).

Definition lone (l l' : list A) : list A := filter (fun a => negb (among A eq_dec l' a)) l.

Lemma lone_in l l' a : In a (lone l l') <-> In a l /\ ~ In a l'.
Proof.
  unfold lone. rewrite filter_In. rewrite <- (among_in A eq_dec l' a).
  destruct (among A eq_dec l' a); simpl; intuition congruence.
Qed.

Lemma lone_light l l' s m g :
  (length (lone l l') <= g)%nat -> (forall a, In a l -> ~ In a l' -> (s a <= m)%Z) ->
  sum (fun a => r ^ s a) (lone l l') <= inject_Z (Z.of_nat g) * r ^ m.
Proof.
  intros G L. apply Qle_trans with (sum (fun _ : A => r ^ m) (lone l l')).
  - apply sum_le. intros a I. apply lone_in in I as (I & N). apply power_le; auto.
  - rewrite sum_const. apply Qmult_le_compat_r; [rewrite <- Zle_Qle; lia |].
    apply Qlt_le_weak, power_pos; auto.
Qed.

Lemma outcome_dec (o o' : option A) : {o = o'} + {o <> o'}.
Proof. decide equality. Qed.

Lemma weight_pos s o : 0 <= weight s o.
Proof. destruct o; simpl; apply Qlt_le_weak, power_pos; auto. Qed.

Lemma outcomes_once l : NoDup l -> NoDup (outcomes l).
Proof.
  intros N; constructor.
  - rewrite in_map_iff; intros (a & E & _); discriminate.
  - apply FinFun.Injective_map_NoDup; auto. intros a b E; congruence.
Qed.

Lemma outcomes_some l a : In (Some a) (outcomes l) <-> In a l.
Proof.
  unfold outcomes; simpl. rewrite in_map_iff. split.
  - intros [E | (b & E & I)]; [discriminate | congruence].
  - eauto.
Qed.

Lemma sum_others l l' s :
  sum (weight s) (filter (fun o => negb (among _ outcome_dec (outcomes l') o)) (outcomes l))
  == sum (fun a => r ^ s a) (lone l l').
Proof.
  unfold outcomes at 2; cbn [filter].
  replace (among _ outcome_dec (outcomes l') None) with true
    by (symmetry; apply among_in; simpl; auto). cbn [negb].
  rewrite filter_map, sum_map. unfold lone.
  replace (filter (fun a => negb (among _ outcome_dec (outcomes l') (Some a))) l)
    with (filter (fun a => negb (among A eq_dec l' a)) l); [reflexivity |].
  apply filter_ext. intros a. f_equal.
  pose proof (among_in A eq_dec l' a) as E. pose proof (among_in _ outcome_dec (outcomes l') (Some a)) as E'.
  rewrite outcomes_some in E'.
  destruct (among A eq_dec l' a), (among _ outcome_dec (outcomes l') (Some a)); intuition congruence.
Qed.

(** The scores of common candidates, and 0 for bottom, differ by numbers in [x, x + k].  Candidates of one
    side alone weigh at most V. *)
Theorem select_is_private l l' s s' (x k : Z) V delta Y :
  NoDup l -> NoDup l' ->
  (x <= 0 <= x + k)%Z ->
  (forall a, In a l -> In a l' -> (x <= s a - s' a <= x + k)%Z) ->
  sum (fun a => r ^ s a) (lone l l') <= V ->
  sum (fun a => r ^ s' a) (lone l' l) <= V ->
  0 <= delta <= 1 -> V <= delta * (r ^ B + V) ->
  select l s Y <= r ^ k * select l' s' Y + delta.
Proof.
  intros N N' X C Lo Lo' D S.
  apply (close _ outcome_dec) with (X := r ^ x) (V := V) (bottom := r ^ B);
    auto using outcomes_once, weight_pos, power_pos.
  - apply Qlt_le_weak, power_pos; auto.
  - intros o I I'. rewrite power_plus by auto. destruct o as [a |]; simpl; rewrite power_plus by auto.
    + apply power_le; auto. apply outcomes_some in I; apply outcomes_some in I'.
      specialize (C a I I'). lia.
    + apply power_le; auto; lia.
  - intros o I I'. destruct o as [a |]; simpl; rewrite power_plus by auto.
    + apply power_le; auto. apply outcomes_some in I; apply outcomes_some in I'.
      specialize (C a I I'). lia.
    + apply power_le; auto; lia.
  - rewrite sum_others; auto.
  - rewrite sum_others; auto.
  - apply (sum_member (weight s) _ None); auto using weight_pos.
    apply filter_In; split; [simpl; auto | apply among_in; simpl; auto].
  - apply (sum_member (weight s') _ None); auto using weight_pos.
    apply filter_In; split; [simpl; auto | apply among_in; simpl; auto].
Qed.

End Selection.
