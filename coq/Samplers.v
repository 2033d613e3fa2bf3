(** The samplers: `locate`, the lazy uniform number, geometric numbers.

    Code: privacy/samplers/selection.py, uniform.py, noise.py.  Page: docs/proofs/exponential-mechanism.md,
    Theorem 2.  U is any number that the bits read so far allow.  No axiom is used. *)

From Coq Require Import List Arith ZArith QArith Qround Qpower Lqa Lia.
Import ListNotations.
Local Open Scope Q_scope.

Local Notation "[[ z ]]" := (inject_Z z).
Definition two (p : nat) : Z := (2 ^ Z.of_nat p)%Z.

Lemma two_pos p : (0 < two p)%Z.
Proof. apply Z.pow_pos_nonneg; lia. Qed.

Lemma q_le a b : (a <= b)%Z -> [[a]] <= [[b]].
Proof. rewrite <- Zle_Qle; auto. Qed.

Lemma q_lt a b : (a < b)%Z -> [[a]] < [[b]].
Proof. rewrite <- Zlt_Qlt; auto. Qed.

(** After p bits with the value u, all that is known of U is u / 2^p <= U < (u + 1) / 2^p. *)
Definition allows (p : nat) (u : Z) (U : Q) := [[u]] <= U * [[two p]] < [[u + 1]].

(** * locate *)

(** The items up to the first above v: what `bisect_right` returns for an increasing list. *)
Fixpoint bisect (l : list Z) (v : Z) : nat :=
  match l with [] => 0 | x :: l => if (x <=? v)%Z then S (bisect l v) else 0 end.

Definition locate (lower upper : list Z) (beyond u : Z) (p : nat) : option nat :=
  let start := (u * last lower 0)%Z in
  let stop := ((u + 1) * (last upper 0 + beyond))%Z in
  match bisect upper (start / two p)%Z with
  | 0%nat => None
  | S j => if (S j <? length lower)%nat && (stop <=? nth (S j) lower 0 * two p)%Z then Some j else None
  end.

Lemma bisect_le l v j : (j < bisect l v)%nat -> (nth j l 0 <= v)%Z.
Proof.
  revert j; induction l as [| x l IH]; intros j; simpl; [lia |].
  destruct (Z.leb_spec x v); [| lia]. destruct j as [| j]; [auto |]. intros; apply IH; lia.
Qed.

(** What `locate` returns is the level that holds U Z, with Z the [total]: C_j <= U Z < C_(j+1). *)
Theorem locate_returns_the_level lower upper beyond u p j (C : nat -> Q) (total U : Q) :
  allows p u U -> (0 <= u)%Z -> 0 < total ->
  (0 <= last lower 0)%Z ->
  (forall i, (i < length lower)%nat -> [[nth i lower 0%Z]] <= C i <= [[nth i upper 0%Z]]) ->
  [[last lower 0%Z]] <= total <= [[last upper 0%Z + beyond]] ->
  locate lower upper beyond u p = Some j ->
  C j <= U * total < C (S j).
Proof.
  intros (Lo & Hi) u0 Z0 l0 Bounds (Zl & Zu) E. unfold locate in E.
  destruct (bisect upper (u * last lower 0 / two p)%Z) as [| j'] eqn:Bi; [discriminate |].
  destruct (Nat.ltb_spec (S j') (length lower)) as [Lj | ]; [| discriminate].
  destruct (Z.leb_spec ((u + 1) * (last upper 0 + beyond))%Z (nth (S j') lower 0 * two p)%Z) as [St | ];
    [| discriminate]. injection E as <-.
  pose proof (two_pos p) as T. apply q_lt in T. change [[0]] with 0 in T.
  pose proof (bisect_le upper (u * last lower 0 / two p)%Z j' ltac:(lia)) as Bj.
  assert (Fl : (nth j' upper 0 * two p <= u * last lower 0)%Z).
  { pose proof (Z.mul_div_le (u * last lower 0)%Z (two p) (two_pos p)).
    pose proof (two_pos p). nia. }
  apply q_le in Fl, St. rewrite !inject_Z_mult in *.
  destruct (Bounds j' ltac:(lia)) as (_ & Cj). destruct (Bounds (S j') Lj) as (Cj1 & _).
  assert (0 <= [[u]]) by (apply (q_le 0 u); auto). assert (0 <= [[last lower 0%Z]]) by (apply (q_le 0); auto).
  assert (U0 : 0 <= U * [[two p]]) by lra.
  split.
  - apply Qmult_lt_0_le_reg_r with [[two p]]; auto.
    apply Qle_trans with ([[nth j' upper 0%Z]] * [[two p]]); [apply Qmult_le_compat_r; lra |].
    apply Qle_trans with ([[u]] * [[last lower 0%Z]]); auto.
    apply Qle_trans with (U * [[two p]] * [[last lower 0%Z]]); [apply Qmult_le_compat_r; lra |].
    setoid_replace (U * total * [[two p]]) with (total * (U * [[two p]])) by ring.
    setoid_replace (U * [[two p]] * [[last lower 0%Z]]) with ([[last lower 0%Z]] * (U * [[two p]])) by ring.
    apply Qmult_le_compat_r; auto.
  - apply Qmult_lt_r with [[two p]]; auto.
    apply Qlt_le_trans with ([[u + 1]] * [[last upper 0%Z + beyond]]).
    + setoid_replace (U * total * [[two p]]) with (U * [[two p]] * total) by ring.
      apply Qlt_le_trans with ([[u + 1]] * total).
      * apply Qmult_lt_r; auto.
      * setoid_replace ([[u + 1]] * total) with (total * [[u + 1]]) by ring.
        setoid_replace ([[u + 1]] * [[last upper 0%Z + beyond]])
          with ([[last upper 0%Z + beyond]] * [[u + 1]]) by ring.
        apply Qmult_le_compat_r; [auto | lra].
    + apply Qle_trans with ([[nth (S j') lower 0%Z]] * [[two p]]); auto.
      apply Qmult_le_compat_r; lra.
Qed.

(** * The lazy uniform number *)

(** One round of `LazyUniform.below`: bounds of x at p bits, and the value of p bits. *)
Definition below (low high u : Z) : option bool :=
  if (u <? low)%Z then Some true else if (high <=? u)%Z then Some false else None.

(** An answer is true of every U that the bits allow. *)
Theorem below_is_right p u U x low high answer :
  allows p u U -> [[low]] <= x * [[two p]] <= [[high]] ->
  below low high u = Some answer -> (answer = true <-> U < x).
Proof.
  intros (Lo & Hi) (Xl & Xh) E. pose proof (two_pos p) as T. apply q_lt in T. change [[0]] with 0 in T.
  unfold below in E. destruct (Z.ltb_spec u low) as [L | L].
  - injection E as <-. split; auto. intros _. apply Qmult_lt_r with [[two p]]; auto.
    assert ([[u + 1]] <= [[low]]) by (apply q_le; lia). lra.
  - destruct (Z.leb_spec high u) as [L' | L']; [| discriminate]. injection E as <-.
    split; [discriminate |]. intros Lt. exfalso. apply Qmult_lt_r with (z := [[two p]]) in Lt; auto.
    apply q_le in L'. lra.
Qed.

(** Further bits of the same U never change what is known. *)
Theorem more_bits_allow_less p q u more U :
  (0 <= more < two q)%Z -> allows (p + q) (u * two q + more) U -> allows p u U.
Proof.
  intros M (Lo & Hi). pose proof (two_pos q) as T. apply q_lt in T. change [[0]] with 0 in T.
  assert (E : two (p + q) = (two p * two q)%Z).
  { unfold two. rewrite Nat2Z.inj_add, Z.pow_add_r; lia. }
  rewrite E, inject_Z_mult in *. split.
  - apply Qmult_lt_0_le_reg_r with [[two q]]; auto. rewrite <- inject_Z_mult.
    assert ([[u * two q]] <= [[u * two q + more]]) by (apply q_le; lia). lra.
  - apply Qmult_lt_r with [[two q]]; auto. rewrite <- inject_Z_mult.
    assert ([[u * two q + more + 1]] <= [[(u + 1) * two q]]) by (apply q_le; lia). lra.
Qed.

(** Of the 2^p values of p bits, [low] give "yes" and [high - low] give no answer.  So "yes" has a probability
    of x up to what is undecided, (high - low) / 2^p, which vanishes. *)
Definition values (p : nat) : list Z := map Z.of_nat (seq 0 (2 ^ p)).

Lemma count_less (n low : nat) :
  length (filter (fun u => (u <? Z.of_nat low)%Z) (map Z.of_nat (seq 0 n))) = Nat.min n low.
Proof.
  induction n as [| n IH]; [reflexivity |].
  rewrite seq_S, map_app, filter_app, app_length, IH. cbn [map filter Nat.add].
  destruct (Z.ltb_spec (Z.of_nat n) (Z.of_nat low)); cbn [length]; lia.
Qed.

Theorem yes_has_its_probability p x (low high : nat) :
  [[Z.of_nat low]] <= x * [[two p]] <= [[Z.of_nat high]] -> (high <= 2 ^ p)%nat ->
  let yes := length (filter (fun u => match below (Z.of_nat low) (Z.of_nat high) u with
                                      | Some true => true | _ => false end) (values p)) in
  let none := length (filter (fun u => match below (Z.of_nat low) (Z.of_nat high) u with
                                       | None => true | _ => false end) (values p)) in
  [[Z.of_nat yes]] <= x * [[two p]] <= [[Z.of_nat (yes + none)]] /\ (none <= high - low)%nat.
Proof.
  intros (Xl & Xh) H yes none.
  assert (LH : (low <= high)%nat).
  { apply Nat2Z.inj_le. rewrite Zle_Qle. lra. }
  assert (Y : yes = low).
  { transitivity (Nat.min (2 ^ p) low); [| lia]. rewrite <- count_less. unfold yes, values.
    f_equal. apply filter_ext. intros u. unfold below.
    destruct (Z.ltb_spec u (Z.of_nat low)); auto. destruct (Z.leb_spec (Z.of_nat high) u); auto. }
  assert (N : (yes + none = high)%nat).
  { transitivity (Nat.min (2 ^ p) high); [| lia]. rewrite <- count_less. unfold yes, none, values.
    clear - LH. unfold below.
    induction (map Z.of_nat (seq 0 (2 ^ p))) as [| u l IH]; [reflexivity |]. simpl.
    destruct (Z.ltb_spec u (Z.of_nat low)), (Z.leb_spec (Z.of_nat high) u), (Z.ltb_spec u (Z.of_nat high));
      simpl; lia. }
  rewrite N, Y. repeat split; auto. lia.
Qed.

(** * Geometric numbers *)

Section Geometric.
(** [reaches x] answers U < a^x. *)
Variable reaches : nat -> bool.
Hypothesis falls : forall x y, (x <= y)%nat -> reaches y = true -> reaches x = true.
Hypothesis all_reach_0 : reaches 0 = true.

(** Doubling, then halving; [None] if more rounds are needed. *)
Fixpoint double (fuel low above : nat) : option (nat * nat) :=
  match fuel with
  | 0%nat => None
  | S fuel => if reaches above then double fuel above (2 * above) else Some (low, above)
  end.

Fixpoint halve (fuel low above : nat) : option nat :=
  match fuel with
  | 0%nat => None
  | S fuel =>
    if (1 <? above - low)%nat then
      let middle := ((low + above) / 2)%nat in
      if reaches middle then halve fuel middle above else halve fuel low middle
    else Some low
  end.

Definition geometric (fuel : nat) : option nat :=
  match double fuel 0 1 with Some (low, above) => halve fuel low above | None => None end.

Lemma double_brackets fuel : forall low above l a,
  (low < above)%nat -> reaches low = true -> double fuel low above = Some (l, a) ->
  (l < a)%nat /\ reaches l = true /\ reaches a = false.
Proof.
  induction fuel as [| fuel IH]; intros low above l a L R E; [discriminate |]. simpl in E.
  destruct (reaches above) eqn:A.
  - eapply IH; [| exact A | exact E]; lia.
  - injection E as <- <-. auto.
Qed.

Lemma halve_finds fuel : forall low above x,
  (low < above)%nat -> reaches low = true -> reaches above = false -> halve fuel low above = Some x ->
  reaches x = true /\ reaches (S x) = false.
Proof.
  induction fuel as [| fuel IH]; intros low above x L R A E; [discriminate |]. cbn [halve] in E.
  destruct (Nat.ltb_spec 1 (above - low)) as [G | G].
  - assert (low < (low + above) / 2 < above)%nat.
    { pose proof (Nat.div_mod_eq (low + above) 2). pose proof (Nat.mod_upper_bound (low + above) 2). lia. }
    destruct (reaches ((low + above) / 2)) eqn:M.
    + apply (IH ((low + above) / 2)%nat above); auto; lia.
    + apply (IH low ((low + above) / 2)%nat); auto; lia.
  - injection E as <-. replace (S low) with above by lia. auto.
Qed.

(** What is returned is the only x with a^(x+1) <= U < a^x. *)
Theorem geometric_returns_the_number fuel x : geometric fuel = Some x ->
  forall y, reaches y = true <-> (y <= x)%nat.
Proof.
  unfold geometric. intros E. destruct (double fuel 0 1) as [ [low above] |] eqn:D; [| discriminate].
  destruct (double_brackets fuel 0 1 low above ltac:(lia) all_reach_0 D) as (L & R & A).
  destruct (halve_finds _ _ _ _ L R A E) as (Rx & Rs). intros y. split.
  - intros Ry. destruct (le_lt_dec y x) as [| G]; auto. exfalso.
    rewrite (falls (S x) y G Ry) in Rs. discriminate.
  - intros Ly. eapply falls; eauto.
Qed.
End Geometric.

(** The discrete Laplace law: 0, or a size and a fair sign. *)
Theorem discrete_laplace_law a (k : Z) : 0 < a -> (0 <= k)%Z ->
  (1 - (1 - a) / (1 + a)) * ((1 - a) * a ^ k) * (1 # 2) == (1 - a) / (1 + a) * a ^ (k + 1).
Proof.
  intros P K. rewrite Qpower_plus by lra. change (a ^ 1) with a. field. lra.
Qed.
