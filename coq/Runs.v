(** Lemma 2 and Theorem 1 of docs/proofs/radii.md, for any lists that interleave as Lemma 1 says.

    No axiom is used.  [D b] is 1 + D_S(b), and 0 without a leaf; [A b] is A_S(b). *)

From Coq Require Import List Arith Bool QArith Lqa Lia.
From Littlestone Require Import Laws Selection.
Import ListNotations.
Local Open Scope nat_scope.

(** * Counting *)

Definition one (b : bool) : nat := if b then 1 else 0.

Fixpoint count (p : nat -> bool) (n : nat) : nat :=
  match n with 0 => 0 | S n => count p n + one (p n) end.

Lemma count_le p q n : (forall b, b < n -> p b = true -> q b = true) -> count p n <= count q n.
Proof.
  induction n as [| n IH]; intros I; simpl; auto.
  assert (one (p n) <= one (q n)).
  { specialize (I n (Nat.lt_succ_diag_r n)). destruct (p n); simpl; [rewrite I; auto | lia]. }
  specialize (IH (fun b L => I b (Nat.lt_lt_succ_r _ _ L))). lia.
Qed.

Lemma count_plus p q r n :
  (forall b, b < n -> one (p b) + one (q b) = one (r b)) -> count p n + count q n = count r n.
Proof.
  induction n as [| n IH]; intros E; simpl; auto.
  specialize (E n (Nat.lt_succ_diag_r n)) as En.
  specialize (IH (fun b L => E b (Nat.lt_lt_succ_r _ _ L))). lia.
Qed.

Lemma count_S p n : count p (S n) <= count p n + 1.
Proof. simpl; destruct (p n); simpl; lia. Qed.

(** What holds at b + 1 only if the other holds at b, holds at most once more often. *)
Lemma count_shift p q n :
  (forall b, S b < n -> p (S b) = true -> q b = true) -> count p n <= count q n + 1.
Proof.
  destruct n as [| n]; intros I; [simpl; lia |].
  enough (count p (S n) <= count q n + 1) by (simpl in *; lia).
  induction n as [| n IH]; [apply (count_S p 0) |].
  assert (one (p (S n)) <= one (q n)).
  { specialize (I n (Nat.lt_succ_diag_r _)). destruct (p (S n)); simpl; [rewrite I; auto | lia]. }
  specialize (IH (fun b L => I b (Nat.lt_lt_succ_r _ _ L))). simpl in *; lia.
Qed.

Lemma count_pos p n : 0 < count p n -> exists b, b < n /\ p b = true.
Proof.
  induction n as [| n IH]; simpl; [lia |]. destruct (p n) eqn:E; simpl; eauto.
  intros L; destruct IH as (b & Lb & Pb); [lia | eauto].
Qed.

Lemma count_some p n b : b < n -> p b = true -> 0 < count p n.
Proof.
  induction n as [| n IH]; simpl; [lia |]. intros L P.
  destruct (Nat.eq_dec b n) as [-> |]; [rewrite P; simpl; lia |].
  assert (0 < count p n) by (apply IH; auto; lia). lia.
Qed.

(** * Runs *)

Section Runs.
Variable F : Type.
Hypothesis F_dec : forall f g : F, {f = g} + {f <> g}.
Variable M : nat.            (* the radii are 0, ..., M *)
Variable longest : nat -> nat.  (* L_t *)

Record lists := { degree : nat -> nat; listed : nat -> list F; no_twice : forall b, NoDup (listed b) }.

Definition has (f : F) (l : list F) : bool := if in_dec F_dec f l then true else false.

Lemma has_in f l : has f l = true <-> In f l.
Proof. unfold has; destruct in_dec; split; auto; discriminate. Qed.

(** Lemma 1, for all radii. *)
Definition interleave (S S' : lists) := forall b, b < M ->
  degree S b <= degree S' (1 + b) /\
  (degree S b = degree S' (1 + b) -> incl (listed S b) (listed S' (1 + b))).

Definition counts (S : lists) (t : nat) (f : F) (b : nat) : bool :=
  (degree S b =? 1 + t) && (length (listed S b) <=? longest t) && has f (listed S b).

(** v_S(t, f) *)
Definition score (S : lists) (t : nat) (f : F) : nat := count (counts S t f) (1 + M).

(** The radii before the first that lists f, and those up to the last that counts. *)
Definition before (S : lists) (t : nat) (f : F) (b : nat) : bool :=
  (degree S b <? 1 + t) || ((degree S b =? 1 + t) && negb (has f (listed S b))).
Definition upto (S : lists) (t : nat) (b : nat) : bool :=
  (degree S b <? 1 + t) || ((degree S b =? 1 + t) && (length (listed S b) <=? longest t)).

Definition first (S : lists) (t : nat) (f : F) : nat := count (before S t f) (1 + M).
Definition last (S : lists) (t : nat) : nat := count (upto S t) (1 + M).

Ltac cases :=
  repeat match goal with
  | |- context [?a <? ?b] => destruct (Nat.ltb_spec a b)
  | |- context [?a =? ?b] => destruct (Nat.eqb_spec a b)
  | |- context [?a <=? ?b] => destruct (Nat.leb_spec a b)
  | H : context [?a <? ?b] |- _ => destruct (Nat.ltb_spec a b)
  | H : context [?a =? ?b] |- _ => destruct (Nat.eqb_spec a b)
  | H : context [?a <=? ?b] |- _ => destruct (Nat.leb_spec a b)
  end.

Lemma shorter (S S' : lists) b b' : incl (listed S b) (listed S' b') ->
  length (listed S b) <= length (listed S' b').
Proof. apply NoDup_incl_length, no_twice. Qed.

(** Lemma 2, step 2: the last radius. *)
Lemma last_moves S S' t : interleave S S' -> last S' t <= last S t + 1.
Proof.
  intros I. apply count_shift. intros b Lb. destruct (I b ltac:(lia)) as (Le & Sub). unfold upto.
  cases; simpl in *; auto; try discriminate; try lia.
  assert (E : degree S b = degree S' (1 + b)) by (simpl; lia).
  pose proof (shorter _ _ _ _ (Sub E)). simpl in *; lia.
Qed.

(** Lemma 2, step 1: the first radius. *)
Lemma first_moves S S' t f : interleave S S' -> first S' t f <= first S t f + 1.
Proof.
  intros I. apply count_shift. intros b Lb. destruct (I b ltac:(lia)) as (Le & Sub). unfold before.
  cases; simpl in *; auto; try discriminate; try lia.
  destruct (has f (listed S b)) eqn:E; simpl; auto.
  assert (Hf : has f (listed S' (Datatypes.S b)) = true).
  { apply has_in, Sub, has_in, E. lia. }
  rewrite Hf; discriminate.
Qed.

(** With S' = S: the radii of a run are consecutive, and the lists grow on them. *)
Lemma grows S b c : interleave S S -> b <= c -> c <= M ->
  degree S b <= degree S c /\ (degree S b = degree S c -> incl (listed S b) (listed S c)).
Proof.
  intros I L; induction L as [| c L IH]; intros Lc.
  - split; [lia | intros _; apply incl_refl].
  - destruct IH as (Le & Sub); [lia |]. destruct (I c ltac:(lia)) as (Le' & Sub').
    simpl in *. split; [lia |]. intros E. eapply incl_tran; [apply Sub | apply Sub']; lia.
Qed.

(** Lemma 2: the score of a candidate is the number of radii from the first to the last. *)
Lemma score_between S t f : interleave S S -> 0 < score S t f -> score S t f + first S t f = last S t.
Proof.
  intros I P. apply count_pos in P as (b0 & L0 & C0). apply count_plus. intros b Lb.
  unfold counts, before, upto in *.
  apply andb_prop in C0 as (C0 & H0); apply andb_prop in C0 as (D0 & S0).
  apply Nat.eqb_eq in D0; apply Nat.leb_le in S0; apply has_in in H0.
  cases; simpl in *; try lia; auto; destruct (has f (listed S b)) eqn:E; simpl; auto; exfalso.
  destruct (le_lt_dec b b0) as [B | B].
  - destruct (grows S b b0 I B ltac:(lia)) as (_ & Sub).
    pose proof (shorter _ _ _ _ (Sub ltac:(lia))). lia.
  - destruct (grows S b0 b I ltac:(lia) ltac:(lia)) as (_ & Sub).
    assert (Hb : In f (listed S b)) by (apply Sub; [lia | auto]). apply has_in in Hb. congruence.
Qed.

(** If f is no candidate, the last radius that counts is before the first that lists f. *)
Lemma score_zero S t f : score S t f = 0 -> last S t <= first S t f.
Proof.
  intros Z. apply count_le. intros b Lb U.
  destruct (counts S t f b) eqn:C; [pose proof (count_some _ _ _ Lb C); unfold score in Z; lia |].
  unfold counts, before, upto in *. cases; simpl in *; try lia; auto; try discriminate.
  rewrite C; auto.
Qed.

(** Lemma 2, step 3: candidates of both samples. *)
Lemma common_scores S S' t f :
  interleave S S -> interleave S' S' -> interleave S S' -> interleave S' S ->
  0 < score S t f -> 0 < score S' t f ->
  score S t f + last S' t <= score S' t f + last S t + 1 /\
  score S' t f + last S t <= score S t f + last S' t + 1.
Proof.
  intros I I' J J' P P'. pose proof (score_between _ _ _ I P). pose proof (score_between _ _ _ I' P').
  pose proof (first_moves S S' t f J). pose proof (first_moves S' S t f J'). lia.
Qed.

(** Lemma 2, step 4: a candidate of S alone scores 2 at most. *)
Lemma lone_score S S' t f :
  interleave S S -> interleave S S' -> interleave S' S ->
  0 < score S t f -> score S' t f = 0 -> score S t f <= 2.
Proof.
  intros I J J' P Z. pose proof (score_between _ _ _ I P). pose proof (score_zero _ _ _ Z).
  pose proof (last_moves S' S t J'). pose proof (first_moves S S' t f J). lia.
Qed.

(** The rules of a run. *)
Definition run (S : lists) (t : nat) : list F :=
  filter (fun f => 0 <? score S t f) (nodup F_dec (flat_map (listed S) (seq 0 (1 + M)))).

Lemma run_in S t f : In f (run S t) <-> 0 < score S t f.
Proof.
  unfold run. rewrite filter_In, nodup_In, Nat.ltb_lt. split; [tauto |]. intros P; split; auto.
  apply count_pos in P as (b & L & C). apply in_flat_map. exists b; split; [apply in_seq; lia |].
  unfold counts in C. apply andb_prop in C as (_ & C). apply has_in, C.
Qed.

Lemma run_once S t : NoDup (run S t).
Proof. apply NoDup_filter, NoDup_nodup. Qed.

(** Lemma 2, step 4: all candidates of a run are on one list, which is not too long. *)
Lemma run_short S t : interleave S S -> length (run S t) <= longest t.
Proof.
  intros I.
  assert (Top : forall n, n <= 1 + M ->
    (forall b, b < n -> upto S t b = true -> degree S b <> 1 + t) \/
    exists c, c < n /\ degree S c = 1 + t /\ length (listed S c) <= longest t /\
      forall b, b < n -> degree S b = 1 + t -> length (listed S b) <= longest t -> b <= c).
  { induction n as [| n IH]; intros Ln; [left; lia |]. destruct IH as [N | (c & Lc & Dc & Sc & Mc)]; [lia | |].
    - destruct (Nat.eq_dec (degree S n) (1 + t)) as [D | D].
      + destruct (le_lt_dec (length (listed S n)) (longest t)) as [L | L].
        * right; exists n; repeat split; auto; lia.
        * left. intros b Lb U E. destruct (Nat.eq_dec b n) as [-> |].
          -- unfold upto in U; cases; simpl in *; try lia; discriminate.
          -- apply (N b); auto; lia.
      + left. intros b Lb U E. destruct (Nat.eq_dec b n) as [-> |]; [auto |]. apply (N b); auto; lia.
    - right. destruct (Nat.eq_dec (degree S n) (1 + t)) as [D | D],
        (le_lt_dec (length (listed S n)) (longest t)) as [L | L].
      1: exists n; repeat split; auto; lia.
      all: exists c; repeat split; auto; intros b Lb E Lb'; destruct (Nat.eq_dec b n) as [-> |];
        [congruence || lia | apply Mc; auto; lia]. }
  destruct (Top (1 + M) (le_n _)) as [N | (c & Lc & Dc & Sc & Mc)].
  - replace (run S t) with (@nil F); [simpl; lia |].
    destruct (run S t) as [| f r] eqn:E; auto. exfalso.
    assert (P : 0 < score S t f) by (apply run_in; rewrite E; simpl; auto).
    apply count_pos in P as (b & L & C). unfold counts in C.
    apply andb_prop in C as (C & _). apply andb_prop in C as (C & C').
    apply (N b L); [| apply Nat.eqb_eq, C]. unfold upto; rewrite C, C'; simpl. apply orb_true_r.
  - etransitivity; [| exact Sc]. apply NoDup_incl_length; [apply run_once |].
    intros f If. apply run_in, count_pos in If as (b & Lb & C). unfold counts in C.
    apply andb_prop in C as (C & Hf); apply andb_prop in C as (Db & Sb).
    apply Nat.eqb_eq in Db; apply Nat.leb_le in Sb; apply has_in in Hf.
    destruct (grows S b c I (Mc b Lb Db Sb) ltac:(lia)) as (_ & Sub). apply Sub; [lia | auto].
Qed.

(** * The draw *)

Variable d : nat.              (* the dimension of the class: runs have t < d *)
Variable r : Q.                (* the base of the weights *)
Variable handicap : nat -> nat. (* o_t *)
Variable B : nat.              (* bottom weighs r^B *)
Variable delta : Q.

Local Open Scope Q_scope.
Hypothesis r_ge_1 : 1 <= r.
Hypothesis handicaps : forall t, (t < d)%nat ->
  inject_Z (Z.of_nat (longest t)) <= r ^ Z.of_nat (handicap t).

(** The candidates. *)
Definition candidates (S : lists) : list (nat * F) :=
  flat_map (fun t => map (pair t) (run S t)) (seq 0 d).

Definition balance (S : lists) (c : nat * F) : Z :=
  (Z.of_nat (score S (fst c) (snd c)) - Z.of_nat (handicap (fst c)))%Z.

(** The law of the draw. *)
Definition draw (S : lists) : (option (nat * F) -> bool) -> Q :=
  select (nat * F) r (Z.of_nat B) (candidates S) (balance S).

(** omega: a range of 2 for one run, of 4 for several. *)
Definition range : Z := if (d <=? 1)%nat then 2%Z else 4%Z.

Lemma candidate_dec (c c' : nat * F) : {c = c'} + {c <> c'}.
Proof. decide equality. apply Nat.eq_dec. Qed.

Lemma candidates_in S t f : In (t, f) (candidates S) <-> (t < d /\ 0 < score S t f)%nat.
Proof.
  unfold candidates. rewrite in_flat_map. split.
  - intros (t' & It & I). apply in_map_iff in I as (g & E & Ig).
    injection E as -> ->. rewrite run_in in Ig. apply in_seq in It. split; [lia | auto].
  - intros (L & P). exists t; split; [apply in_seq; lia |].
    apply in_map, run_in, P.
Qed.

Lemma candidates_once S : NoDup (candidates S).
Proof.
  unfold candidates. generalize (seq_NoDup d 0). generalize (seq 0 d) as ts.
  induction ts as [| t ts IH]; intros N; simpl; [constructor |].
  apply NoDup_cons_iff in N as (Nt & N).
  assert (App : forall (l m : list (nat * F)), NoDup l -> NoDup m ->
    (forall x, In x l -> ~ In x m) -> NoDup (l ++ m)).
  { induction l as [| x l IHl]; simpl; auto. intros m Nl Nm Dis. apply NoDup_cons_iff in Nl as (Nx & Nl).
    constructor; [rewrite in_app_iff; intros [|]; [auto | eapply Dis; eauto] | apply IHl; auto]. }
  apply App; auto.
  - apply FinFun.Injective_map_NoDup; [intros f g E; congruence | apply run_once].
  - intros x I J. apply in_map_iff in I as (f & <- & _). apply in_flat_map in J as (t' & It & J).
    apply in_map_iff in J as (g & E & _). congruence.
Qed.

(** Theorem 1, step 2: the other outcomes of S weigh at most d r^2. *)
Lemma lone_weight S S' :
  interleave S S -> interleave S S' -> interleave S' S ->
  sum (fun c => r ^ balance S c) (lone _ candidate_dec (candidates S) (candidates S'))
  <= inject_Z (Z.of_nat d) * r ^ 2.
Proof.
  intros I J J'. unfold lone. set (others := fun c => negb _). unfold candidates at 1.
  rewrite filter_flat_map, sum_flat_map.
  apply Qle_trans with (sum (fun _ : nat => r ^ 2) (seq 0 d));
    [| rewrite sum_const, seq_length; apply Qle_refl].
  apply sum_le. intros t It. apply in_seq in It. rewrite filter_map, sum_map.
  apply Qle_trans with (sum (fun _ : F => r ^ (2 - Z.of_nat (handicap t)))
    (filter (fun f => others (t, f)) (run S t))).
  - apply sum_le. intros f If. apply filter_In in If as (If & Lf). apply run_in in If.
    apply power_le; auto. unfold balance; cbn [fst snd].
    enough (score S t f <= 2)%nat by lia. apply (lone_score S S'); auto.
    destruct (score S' t f) eqn:Z; auto. exfalso. unfold others in Lf. apply negb_true_iff in Lf.
    assert (T : among _ candidate_dec (candidates S') (t, f) = true).
    { apply among_in, candidates_in; split; [lia | rewrite Z; lia]. }
    congruence.
  - rewrite sum_const.
    assert (Short : (length (filter (fun f => others (t, f)) (run S t)) <= longest t)%nat).
    { etransitivity; [| apply (run_short S t I)]. generalize (run S t) as fs.
      induction fs as [| f fs IH]; simpl; auto. destruct (others (t, f)); simpl; lia. }
    apply Qle_trans with (r ^ Z.of_nat (handicap t) * r ^ (2 - Z.of_nat (handicap t))).
    + apply Qmult_le_compat_r; [| apply Qlt_le_weak, power_pos; auto].
      eapply Qle_trans; [| apply (handicaps t); lia]. rewrite <- Zle_Qle. lia.
    + rewrite power_plus by auto. apply power_le; auto. lia.
Qed.

Hypothesis delta_range : 0 <= delta <= 1.

(** B >= 2 + ln(d (1 - delta) / delta) / ln r *)
Hypothesis B_large : inject_Z (Z.of_nat d) * r ^ 2 <= delta * (r ^ Z.of_nat B + inject_Z (Z.of_nat d) * r ^ 2).

(** Theorem 1 (privacy), from what Lemma 1 says. *)
Theorem draw_is_private S S' Y :
  interleave S S -> interleave S' S' -> interleave S S' -> interleave S' S ->
  draw S Y <= r ^ range * draw S' Y + delta.
Proof.
  intros I I' J J'.
  (* Step 1: common outcomes have ratios between r^x and r^(x + omega). *)
  assert (Ratio : exists x, (x <= 0 <= x + range)%Z /\ forall t f, (t < d)%nat ->
    (0 < score S t f)%nat -> (0 < score S' t f)%nat ->
    (x <= Z.of_nat (score S t f) - Z.of_nat (score S' t f) <= x + range)%Z).
  { unfold range. destruct (Nat.leb_spec d 1) as [L | L].
    - exists (Z.of_nat (last S 0) - Z.of_nat (last S' 0) - 1)%Z.
      pose proof (last_moves S S' 0 J). pose proof (last_moves S' S 0 J'). split; [lia |].
      intros t f Lt P P'. replace t with 0%nat in * by lia.
      pose proof (common_scores S S' 0 f I I' J J' P P'). lia.
    - exists (-2)%Z. split; [lia |]. intros t f Lt P P'.
      pose proof (last_moves S S' t J). pose proof (last_moves S' S t J').
      pose proof (common_scores S S' t f I I' J J' P P'). lia. }
  destruct Ratio as (x & X & Ratio).
  apply (select_is_private _ candidate_dec r _ r_ge_1) with (x := x) (V := inject_Z (Z.of_nat d) * r ^ 2);
    auto using candidates_once, lone_weight.
  intros [t f] C C'. apply candidates_in in C as (Lt & P). apply candidates_in in C' as (_ & P').
  specialize (Ratio t f Lt P P'). unfold balance; cbn [fst snd]. lia.
Qed.

End Runs.
