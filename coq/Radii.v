(** The learner of radii is private, for every class of functions: Theorem 1 of docs/proofs/radii.md.

    Lemma 1 ([Lists]) says that lists of neighbours interleave, and [Runs] what follows from that. *)

From Coq Require Import List Arith Lia QArith Lqa Classical ClassicalEpsilon FunctionalExtensionality.
From Coq Require Import Reals Qreals Lra.
From Littlestone Require Import Dimension Laws Selection Runs Lists.
Import ListNotations.
Local Open Scope nat_scope.

Lemma exp_pow x n : (exp x ^ n = exp (INR n * x))%R.
Proof.
  induction n as [| n IH]; [rewrite Rmult_0_l, exp_0; reflexivity |].
  rewrite S_INR, Rmult_plus_distr_r, exp_plus, <- IH, Rmult_1_l. simpl; ring.
Qed.

Section Radii.
Variables X Y : Type.
Variable default : Y.
Variable labels : list Y.
Hypothesis all_labels : forall y, In y labels.
Variable H : (X -> Y) -> Prop.
Variable d : nat.
Hypothesis H_dim : ~ dim_ge H (S d).  (* LDim(H) is at most d *)

Notation rule := (X -> Y).
Notation sample := (list (X * Y)).
Notation soa := (soa default).
Notation built := (built X Y default H d).
Notation followed := (followed X Y default H d).
Notation tree := (tree X Y).
Notation leaves := (leaves X Y labels).

(** * Every sample has a tree at every radius *)

Definition missing (S : sample) (a : list (X * Y)) : nat :=
  length (filter (fun r => if excluded_middle_informative (above X Y (fst r) a) then false else true) S).

Lemma missing_falls S x y a : ~ above X Y x a -> costs X Y S x y ->
  forall z, missing S ((x, z) :: a) < missing S a.
Proof.
  intros N (y' & C) z.
  assert (I : exists w, In (x, w) S).
  { unfold wrong in C. destruct (filter _ S) as [| [x0 w] l] eqn:E in C at 2; simpl in C; [lia |].
    assert (I : In (x0, w) ((x0, w) :: l)) by (simpl; auto). rewrite <- E in I.
    apply filter_In in I as (I & T). simpl in T. destruct (eq_dec x0 x) as [-> |]; [eauto | discriminate]. }
  assert (Le : forall S, missing S ((x, z) :: a) <= missing S a).
  { induction S0 as [| r S0 IH]; unfold missing in *; simpl; auto.
    destruct (excluded_middle_informative (above X Y (fst r) ((x, z) :: a))) as [A | A];
      destruct (excluded_middle_informative (above X Y (fst r) a)) as [A' | A']; simpl; try lia.
    exfalso; apply A. destruct A' as (v & A'); exists v; simpl; auto. }
  destruct I as (w & I). apply in_split in I as (l & m & ->).
  pose proof (Le l). pose proof (Le m). unfold missing in *. rewrite !filter_app, !app_length; simpl.
  destruct (excluded_middle_informative (above X Y x ((x, z) :: a))) as [A | A].
  - destruct (excluded_middle_informative (above X Y x a)); [tauto |]. simpl. lia.
  - exfalso; apply A. exists z; simpl; auto.
Qed.

Lemma tree_below S b s l : forall a, ~ dim_ge (under H a) l -> exists T, built S b s a T.
Proof.
  induction l as [| l IHl]; intros a N.
  - exists (Out X Y). constructor. intros [K _]; auto.
  - remember (missing S a) as m eqn:Em. assert (Lm : missing S a <= m) by lia. clear Em.
    revert a N Lm. induction m as [m IHm] using lt_wf_ind. intros a N Lm.
    destruct (classic (kept X Y H S b a)) as [K | K]; [| exists (Out X Y); constructor; auto].
    destruct (dim_under X Y H d H_dim a (proj1 K)) as (l' & Ll & D).
    assert (Ls : l' <= l).
    { destruct (le_lt_dec l' l); auto. exfalso; apply N. eapply dim_ge_le; [| apply D]. lia. }
    destruct (classic (hard X Y default H d s a)) as [Hd | Hd].
    + destruct (classic (exists x, ~ above X Y x a /\ costs X Y S x (soa (under H a) x)))
        as [(x & Nx & C) | Nx].
      * assert (Ch : forall y, exists T, built S b s ((x, y) :: a) T).
        { intros y. pose proof (missing_falls S x _ a Nx C y).
          apply (IHm (missing S ((x, y) :: a))); [lia | | lia].
          intros G; apply N. eapply dim_ge_mono; [| exact G].
          intros h [Hh A]; apply agrees_cons in A as [_ A]; split; auto. }
        exists (Node X Y x (fun y => proj1_sig (constructive_indefinite_description _ (Ch y)))).
        apply built_split; auto. intros y. apply (proj2_sig (constructive_indefinite_description _ (Ch y))).
      * exists (Leaf X Y). apply built_leaf; auto. intros x A C; apply Nx; eauto.
    + unfold hard in Hd. apply not_all_ex_not in Hd as (l2 & Hd). apply imply_to_and in Hd as (D2 & Hd).
      apply reducible in Hd as (p & Lp & R).
      assert (Follow : forall q a', subclass (under H a') (under H a) ->
        ~ dim_ge (under (under H a') (along default (under H a) q)) l2 ->
        exists T, followed S b s (under H a) q a' T).
      { pose proof (dim_below _ _ _ _ _ D (proj1 D2)) as L2.
        induction q as [| x q IHq]; intros a' Sub Nd.
        - destruct (IHl a') as (T & B); [| exists T; constructor; auto].
          intros G; apply Nd. eapply dim_ge_le with (n := l); [lia |]. eapply dim_ge_mono; [| exact G].
          intros h Hh; split; auto. intros ? ? [].
        - destruct (IHq ((x, soa (under H a) x) :: a')) as (T0 & F0).
          + intros h [Hh A]; apply agrees_cons in A as [_ A]; apply Sub; split; auto.
          + intros G; apply Nd. eapply dim_ge_mono; [| exact G].
            intros h [[Hh A] Aq]; apply agrees_cons in A as [E A]. repeat split; auto.
            apply agrees_cons; split; auto.
          + assert (Ch : forall y, exists T, (y = soa (under H a) x -> T = T0) /\
              (y <> soa (under H a) x -> built S b s ((x, y) :: a') T)).
            { intros y. destruct (classic (y = soa (under H a) x)) as [E | E].
              - exists T0; split; auto. intros; contradiction.
              - destruct (IHl ((x, y) :: a')) as (T & B); [| exists T; split; auto; intros; contradiction].
                intros G. apply (soa_other _ _ default _ l2 x y D2 E).
                eapply dim_ge_le with (n := l); [lia |]. eapply dim_ge_mono; [| exact G].
                intros h [Hh A]; apply agrees_cons in A as [Ex A]. split; [apply Sub; split; auto |].
                apply agrees_cons; split; auto. intros ? ? []. }
            exists (Node X Y x (fun y => proj1_sig (constructive_indefinite_description _ (Ch y)))).
            constructor.
            * destruct (constructive_indefinite_description _ (Ch (soa (under H a) x))) as (T & E & ?).
              simpl. rewrite E; auto.
            * intros y E. destruct (constructive_indefinite_description _ (Ch y)) as (T & ? & B).
              simpl; auto. }
      destruct (Follow p a) as (T & F).
      * intros h; auto.
      * eapply reduced_dim; eauto.
      * exists T. eapply built_path; eauto.
Qed.

Theorem every_sample_has_a_tree S b s : exists T, built S b s [] T.
Proof.
  apply (tree_below S b s (Datatypes.S d)). intros G; apply H_dim.
  eapply dim_ge_mono; [apply under_sub | exact G].
Qed.

(** * The lists *)

(** 1 + LDim, and 0 for no function. *)
Definition size (V : rule -> Prop) : nat :=
  count (fun n => if excluded_middle_informative (dim_ge V n) then true else false) (1 + d).

Lemma size_dim V l : l <= d -> dim V l -> size V = 1 + l.
Proof.
  intros L D. unfold size.
  assert (E : forall n, count (fun n => if excluded_middle_informative (dim_ge V n) then true else false) n
    = min n (1 + l)); [| rewrite E; lia].
  induction n as [| n IH]; [reflexivity |]. cbn [count]; rewrite IH.
  destruct excluded_middle_informative as [G | G]; simpl one.
  - pose proof (dim_below _ _ _ _ _ D G). lia.
  - assert (l < n); [| lia]. destruct (le_lt_dec n l); auto.
    exfalso; apply G. eapply dim_ge_le; [eassumption | apply D].
Qed.

Definition largest (T : tree) : nat := list_max (map (fun w => size (under H w)) (leaves [] T)).

Definition soas (T : tree) : list rule :=
  nodup eq_dec (map (fun w => soa (under H w))
    (filter (fun w => size (under H w) =? largest T) (leaves [] T))).

Variable M : nat.
Hypothesis d_pos : 1 <= d.

(** A tree for each radius b, with s = d + M - b. *)
Definition trees_of (S : sample) (T : nat -> tree) := forall b, b <= M -> built S b (d + M - b) [] (T b).

Definition lists_of (T : nat -> tree) : lists rule :=
  {| degree b := largest (T b); listed b := soas (T b); no_twice b := NoDup_nodup _ _ |}.

Lemma list_max_in l n : In n l -> n <= list_max l.
Proof.
  intros I. pose proof (proj1 (list_max_le l (list_max l)) (le_n _)) as A.
  rewrite Forall_forall in A; auto.
Qed.

Lemma lists_interleave S S' T T' :
  neighbours X Y S S' -> trees_of S T -> trees_of S' T' ->
  interleave rule M (lists_of T) (lists_of T').
Proof.
  intros near B B' b Lb. specialize (B b ltac:(lia)). specialize (B' (1 + b) ltac:(lia)).
  replace (d + M - b) with (Datatypes.S (d + M - (1 + b))) in B by lia.
  replace (1 + b) with (b + 1) in B' at 1 by lia.
  assert (Leaf : forall w, In w (leaves [] (T b)) -> exists l u, l <= d /\ dim (under H w) l /\
    In u (leaves [] (T' (1 + b))) /\ size (under H w) = 1 + l /\ 1 + l <= size (under H u) /\
    (size (under H u) = 1 + l -> soa (under H u) = soa (under H w))).
  { intros w I. destruct (leaves_are_leaves X Y default labels H d S b (Datatypes.S (d + M - (1 + b)))) as [Fa _].
    destruct (Fa _ _ B w I) as ((G & _) & _).
    destruct (dim_under X Y H d H_dim w G) as (l & Ll & D).
    destruct (one_record_moves_a_list_by_one_radius X Y default labels all_labels H d H_dim
      S S' b (d + M - (1 + b)) l _ _ w near ltac:(lia) B B' I D) as (u & Iu & Gu & E).
    destruct (dim_under X Y H d H_dim u) as (l' & Ll' & D'); [eapply dim_ge_le; [| exact Gu]; lia |].
    exists l, u. repeat split; auto; try apply D.
    - apply size_dim; auto.
    - rewrite (size_dim _ l' Ll' D'). pose proof (dim_below _ _ _ _ _ D' Gu). lia.
    - rewrite (size_dim _ l' Ll' D'). intros Es. replace l' with l in D' by lia.
      apply functional_extensionality. auto. }
  split; cbn [degree listed lists_of].
  - apply list_max_le, Forall_forall. intros n I. apply in_map_iff in I as (w & <- & I).
    destruct (Leaf w I) as (l & u & _ & _ & Iu & -> & Le & _). etransitivity; [exact Le |].
    apply list_max_in, in_map_iff; eauto.
  - intros E f If. unfold soas in *. apply nodup_In, in_map_iff in If as (w & <- & I).
    apply filter_In in I as (I & Sz). apply Nat.eqb_eq in Sz.
    destruct (Leaf w I) as (l & u & _ & _ & Iu & Sw & Le & Eq).
    assert (size (under H u) <= largest (T' (1 + b))) by (apply list_max_in, in_map_iff; eauto).
    apply nodup_In, in_map_iff. exists u. split; [apply Eq; lia |].
    apply filter_In; split; auto. apply Nat.eqb_eq. lia.
Qed.

(** * Theorem 1 *)

Variable longest : nat -> nat.   (* L_t *)
Variable handicap : nat -> nat.  (* o_t *)
Variable B : nat.
Variables r delta : Q.

(** The rule that is released for an outcome: SOA_H for bottom. *)
Definition released (o : option (nat * rule)) : rule :=
  match o with Some (_, f) => f | None => soa H end.

(** The probability that the learner with these trees releases a rule of E. *)
Definition learn (T : nat -> tree) (E : rule -> bool) : Q :=
  draw rule eq_dec M longest d r handicap B (lists_of T) (fun o => E (released o)).

(** omega: 2 for d = 1, and 4 for d > 1 *)
Definition omega : nat := if d <=? 1 then 2 else 4.

Theorem radii_is_private S S' T T' :
  neighbours X Y S S' -> trees_of S T -> trees_of S' T' ->
  (1 <= r)%Q ->
  (forall t, t < d -> (inject_Z (Z.of_nat (longest t)) <= r ^ Z.of_nat (handicap t))%Q) ->
  (0 <= delta <= 1)%Q ->
  (inject_Z (Z.of_nat d) * r ^ 2 * (1 - delta) <= delta * r ^ Z.of_nat B)%Q ->
  forall E, (learn T E <= r ^ Z.of_nat omega * learn T' E + delta)%Q.
Proof.
  intros near BT BT' R1 Hh Dl Bl E.
  assert (near' : neighbours X Y S' S) by (apply neighbours_sym; auto).
  unfold learn. replace (Z.of_nat omega) with (range d) by (unfold omega, range; destruct (d <=? 1); auto).
  apply draw_is_private; auto.
  - rewrite Qmult_plus_distr_r. Lqa.lra.
  - apply (lists_interleave S S); auto; constructor.
  - apply (lists_interleave S' S'); auto; constructor.
  - apply (lists_interleave S S'); auto.
  - apply (lists_interleave S' S); auto.
Qed.

(** The same with r^omega <= e^epsilon. *)
Corollary radii_is_epsilon_delta_private (epsilon : R) S S' T T' :
  neighbours X Y S S' -> trees_of S T -> trees_of S' T' ->
  (1 <= r)%Q ->
  (Q2R r <= exp (epsilon / INR omega))%R ->
  (forall t, t < d -> (inject_Z (Z.of_nat (longest t)) <= r ^ Z.of_nat (handicap t))%Q) ->
  (0 <= delta <= 1)%Q ->
  (inject_Z (Z.of_nat d) * r ^ 2 * (1 - delta) <= delta * r ^ Z.of_nat B)%Q ->
  forall E, (Q2R (learn T E) <= exp epsilon * Q2R (learn T' E) + Q2R delta)%R.
Proof.
  intros near BT BT' R1 Re Hh Dl Bl E.
  pose proof (radii_is_private S S' T T' near BT BT' R1 Hh Dl Bl E) as P.
  apply Qle_Rle in P. rewrite Q2R_plus, Q2R_mult in P. eapply Rle_trans; [exact P |].
  apply Rplus_le_compat_r, Rmult_le_compat_r.
  - replace 0%R with (Q2R 0) by (unfold Q2R; simpl; lra). apply Qle_Rle.
    unfold learn, draw, select, prob. apply Qle_shift_div_l.
    + eapply Qlt_le_trans; [apply (power_pos r R1 (Z.of_nat B)) |].
      match goal with |- (_ <= sum ?w _)%Q => apply (sum_member w _ None); [| simpl; auto] end.
      intros o _; apply weight_pos; auto.
    + rewrite Qmult_0_l. apply sum_nonneg. intros o _. destruct (E (released o)); [| Lqa.lra].
      apply weight_pos; auto.
  - assert (R0 : (0 <= Q2R r)%R).
    { replace 0%R with (Q2R 0) by (unfold Q2R; simpl; lra). apply Qle_Rle. Lqa.lra. }
    assert (Pow : (Q2R (r ^ Z.of_nat omega) = Q2R r ^ omega)%R).
    { unfold omega. destruct (d <=? 1); simpl; rewrite ?Q2R_mult; ring. }
    rewrite Pow. replace (exp epsilon) with (exp (epsilon / INR omega) ^ omega)%R.
    + apply pow_incr; auto.
    + rewrite exp_pow. f_equal. assert (INR omega <> 0)%R.
      { apply not_0_INR. unfold omega; destruct (d <=? 1); lia. }
      field; auto.
Qed.

End Radii.
