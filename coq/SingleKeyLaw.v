(** Single-key selection is private: docs/proofs/single-key-selection.md, Theorem 1.

    Every key fires by itself, and one that fired is drawn with a probability ~ 1 / q.  No axiom is used. *)

From Coq Require Import List Bool Arith ZArith QArith Qminmax Lqa Lia Permutation.
From Littlestone Require Import Laws Composition SingleKey.
Import ListNotations.
Local Open Scope Q_scope.

Section Law.
Context {K : Type}.
Hypothesis key_dec : forall k k' : K, {k = k'} + {k <> k'}.
Implicit Types (q : K -> Q) (T l : list K) (f : list K -> Q).

(** The mean of f(T) over the set T of the keys that fire, each with its probability q. *)
Fixpoint mean q f l : Q :=
  match l with
  | [] => f []
  | k :: l => q k * mean q (fun T => f (k :: T)) l + (1 - q k) * mean q f l
  end.

(** The probability that o is drawn from the keys that fired: bottom, which is [None], if none did. *)
Definition draw q T (o : option K) : Q :=
  match o, T with
  | None, [] => 1
  | None, _ => 0
  | Some k, _ => if in_dec key_dec k T then / q k / sum (fun k => / q k) T else 0
  end.

Definition released q l (o : option K) : Q := mean q (fun T => draw q T o) l.

Definition outcomes l : list (option K) := None :: map Some l.

(** * Means *)

Lemma mean_le q f g l :
  (forall k, In k l -> 0 <= q k <= 1) ->
  (forall T, incl T l -> (NoDup l -> NoDup T) -> (forall k, In k T -> 0 < q k) -> f T <= g T) ->
  mean q f l <= mean q g l.
Proof.
  revert f g; induction l as [| k l IH]; intros f g P L; simpl.
  - apply L; [apply incl_refl | auto | intros _ []].
  - destruct (P k (or_introl eq_refl)) as (q0 & q1).
    assert (B : (1 - q k) * mean q f l <= (1 - q k) * mean q g l).
    { rewrite !(Qmult_comm (1 - q k)). apply Qmult_le_compat_r; [| lra]. apply IH; [intros; apply P; simpl; auto |].
      intros T I N. apply L; [apply incl_tl; auto | intros N'; inversion N'; auto]. }
    destruct (Qlt_le_dec 0 (q k)) as [Hp | Hz].
    + assert (A : q k * mean q (fun T => f (k :: T)) l <= q k * mean q (fun T => g (k :: T)) l).
      { rewrite !(Qmult_comm (q k)). apply Qmult_le_compat_r; [| lra]. apply IH; [intros; apply P; simpl; auto |].
        intros T I N F. apply L.
        - intros x [<- | Ix]; simpl; auto.
        - intros N'; inversion N'; constructor; auto.
        - intros x [<- | Ix]; auto. }
      lra.
    + assert (Z : q k == 0) by lra. rewrite Z in *. lra.
Qed.

Lemma mean_eq q f g l :
  (forall k, In k l -> 0 <= q k <= 1) ->
  (forall T, incl T l -> (NoDup l -> NoDup T) -> (forall k, In k T -> 0 < q k) -> f T == g T) ->
  mean q f l == mean q g l.
Proof. intros P E. apply Qle_antisym; apply mean_le; auto; intros; rewrite E by auto; lra. Qed.

Lemma mean_ext q f g l : (forall T, f T == g T) -> mean q f l == mean q g l.
Proof. revert f g; induction l as [| k l IH]; intros f g E; simpl; [auto |]. rewrite (IH _ (fun T => g (k :: T))), (IH f g); auto. lra. Qed.

Lemma mean_plus q f g l : mean q (fun T => f T + g T) l == mean q f l + mean q g l.
Proof. revert f g; induction l as [| k l IH]; intros f g; simpl; [lra | rewrite !IH; lra]. Qed.

Lemma mean_scale q c f l : mean q (fun T => c * f T) l == c * mean q f l.
Proof. revert f; induction l as [| k l IH]; intros f; simpl; [lra | rewrite !IH; lra]. Qed.

Lemma mean_const q c l : mean q (fun _ => c) l == c.
Proof. induction l as [| k l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma mean_chances q q' f l : (forall k, In k l -> q k == q' k) -> mean q f l == mean q' f l.
Proof.
  revert f; induction l as [| k l IH]; intros f E; simpl; [lra |].
  rewrite (E k (or_introl eq_refl)), !IH by (intros; apply E; simpl; auto). lra.
Qed.

Lemma mean_permutation q f l l' : (forall T T', Permutation T T' -> f T == f T') ->
  Permutation l l' -> mean q f l == mean q f l'.
Proof.
  intros S P; revert f S; induction P as [| k l l' P IH | k k' l | l l' l'' P IH P' IH']; intros f S; simpl.
  - lra.
  - rewrite (IH f), (IH (fun T => f (k :: T))); auto. lra.
  - rewrite (mean_ext q (fun T => f (k :: k' :: T)) (fun T => f (k' :: k :: T))); [lra |].
    intros T. apply S. constructor.
  - rewrite (IH f), (IH' f); auto. lra.
Qed.

Lemma draw_permutation q o T T' : Permutation T T' -> draw q T o == draw q T' o.
Proof.
  intros P. destruct o as [k |]; cbn [draw].
  - destruct (in_dec key_dec k T) as [I | N], (in_dec key_dec k T') as [I' | N']; try reflexivity.
    + pose proof (sum_permutation (fun k => / q k) _ _ P) as S. rewrite S. reflexivity.
    + destruct N'. eapply Permutation_in; eauto.
    + destruct N. eapply Permutation_in; [apply Permutation_sym |]; eauto.
  - destruct T, T'; try reflexivity; [apply Permutation_nil_cons in P | apply Permutation_sym, Permutation_nil_cons in P];
      tauto.
Qed.

Lemma inverses_nonneg q T : (forall k, In k T -> 0 < q k) -> 0 <= sum (fun k => / q k) T.
Proof. intros P. apply sum_nonneg. intros k I. apply Qlt_le_weak, Qinv_lt_0_compat; auto. Qed.

Lemma draw_total q T l : NoDup l -> NoDup T -> incl T l -> (forall k, In k T -> 0 < q k) ->
  sum (draw q T) (outcomes l) == 1.
Proof.
  intros N NT I P. unfold outcomes; cbn [sum]. rewrite sum_map. destruct T as [| k T].
  - rewrite (sum_eq _ (fun _ => 0)); [rewrite sum_const; cbn; lra | reflexivity].
  - set (t := sum (fun k => / q k) (k :: T)).
    assert (t0 : 0 < t).
    { unfold t; cbn [sum]. pose proof (Qinv_lt_0_compat _ (P k (or_introl eq_refl))).
      pose proof (inverses_nonneg q T (fun j J => P j (or_intror J))). lra. }
    rewrite (sum_filter _ (among K key_dec (k :: T))).
    rewrite (sum_eq _ (fun j => / t * / q j) (filter (among K key_dec (k :: T)) l)).
    2: { intros j J. apply filter_In in J as (_ & J). apply among_in in J. cbn [draw].
      destruct (in_dec key_dec j (k :: T)); [| tauto]. fold t. unfold Qdiv. ring. }
    rewrite (sum_eq _ (fun _ => 0) (filter (fun a => negb (among K key_dec (k :: T) a)) l)).
    2: { intros j J. apply filter_In in J as (_ & J). cbn [draw].
      destruct (in_dec key_dec j (k :: T)) as [Y |]; [| reflexivity].
      apply (among_in K key_dec) in Y. rewrite Y in J; discriminate. }
    rewrite sum_scale, sum_const.
    rewrite (sum_permutation _ _ (k :: T)); [fold t; cbn [draw]; field; lra |].
    apply NoDup_Permutation; auto using NoDup_filter.
    intros j. rewrite filter_In, among_in. split; [tauto | auto].
Qed.

Lemma mean_sum {A} q (f : A -> list K -> Q) (m : list A) l :
  sum (fun a => mean q (f a) l) m == mean q (fun T => sum (fun a => f a T) m) l.
Proof. induction m as [| a m IH]; simpl; [rewrite mean_const; lra | rewrite mean_plus, IH; lra]. Qed.

(** It is a law. *)
Theorem released_total q l : NoDup l -> (forall k, In k l -> 0 <= q k <= 1) ->
  sum (released q l) (outcomes l) == 1.
Proof.
  intros N P. unfold released. rewrite mean_sum.
  rewrite (mean_eq q _ (fun _ => 1)); auto using mean_const.
  intros T I NT F. apply (draw_total q T l); auto.
Qed.

End Law.

(** * Chances a and b of two keys, and the sum W of 1 / q over the others that fire *)

Section Numbers.
Variables E s R delta c d : Q.
Hypothesis E_1 : 1 < E.
Hypothesis s_0 : 0 <= s.
Hypothesis s_root : s * s <= E * (E * E + E + 1).
Hypothesis base : rho E s <= R.
Definition eta := 1 - E / R.
Hypothesis c_range : 0 <= c <= 1 - 1 / E.
Hypothesis c_last : c <= 1 - (2 - 1 / E) / R.
Hypothesis d_0 : 0 <= d.
Hypothesis spend : d + c <= delta.

Definition early (q q' : Q) := q' <= E * q + d /\ q' <= eta.
Definition middle (q q' : Q) := q' <= E * q /\ 1 - q <= E * (1 - q').
Definition last (q q' : Q) := 1 - q <= c /\ q' == 1.

(** What one more record may do to the chance of a key. *)
Definition step (q q' : Q) := 0 <= q /\ q <= q' /\ q' <= 1 /\ (early q q' \/ middle q q' \/ last q q').

Lemma no_step q : 0 <= q <= 1 -> step q q.
Proof. intros P. unfold step, middle. repeat split; try lra. right; left. split; nra. Qed.

(** The curve of the code, rounded down. *)
Theorem curve_steps q q' : 0 <= q <= q' -> q' <= 1 ->
  (E * q + d <= eta /\ q' <= E * q + d
   \/ 1 - q <= c /\ q' == 1 \/ q' <= Qmin (E * q) (1 - (1 - q) / E)) -> step q q'.
Proof.
  intros (P & L) U K. unfold step. repeat split; auto. destruct K as [(e & B) | [(B & e) | B]].
  - left; split; lra.
  - right; right; split; auto.
  - right; left. pose proof (Q.le_min_l (E * q) (1 - (1 - q) / E)). pose proof (Q.le_min_r (E * q) (1 - (1 - q) / E)).
    split; [lra |]. assert (q' <= 1 - (1 - q) / E) by lra.
    assert (E * ((1 - q) / E) == 1 - q) by (field; lra). nra.
Qed.

Lemma R_E : E <= R.
Proof.
  pose proof (t_pos E s E_1 s_0). unfold rho in base. assert (0 <= E * t E s) by (apply Qmult_le_0_compat; lra). lra.
Qed.

Lemma R_times x y : x <= y -> R * x <= R * y.
Proof. intros L. pose proof R_E. rewrite !(Qmult_comm R). apply Qmult_le_compat_r; lra. Qed.

Lemma R_eta : R * (1 - eta) == E.
Proof. pose proof R_E. unfold eta. field. lra. Qed.

Lemma E_c : 1 <= E * (1 - c).
Proof. assert (E * (1 / E) == 1) by (field; lra). nra. Qed.

Lemma R_c : 2 - 1 / E <= R * (1 - c).
Proof. pose proof R_E. assert (R * ((2 - 1 / E) / R) == 2 - 1 / E) by (field; split; lra). nra. Qed.

(** A step that is not early lowers b by a factor E at most. *)
Lemma not_early b' b : step b' b -> early b' b \/ b <= E * b'.
Proof.
  intros (B & L & U & [e | [m | (l & e)]]); [auto | right; apply m |]. right. pose proof E_c. nra.
Qed.

(** * Output w, another key: step 3 *)

Lemma nothing a b : a == 0 -> a * b == 0.
Proof. intros ->. ring. Qed.

Definition third (a b X : Q) : Q :=
  a * (b * / (/ a + (/ b + X)) + (1 - b) * / (/ a + X)) + (1 - a) * (b * / (/ b + X) + (1 - b) * / X).

(** One key of chance b beside X. *)
Definition beside (b X : Q) : Q := (b * X + 1 - b) / (X * (b * X + 1)).

Lemma beside_eq b X : 0 <= b -> 1 <= X -> b * / (/ b + X) + (1 - b) * / X == beside b X.
Proof.
  intros B L. unfold beside. destruct (Qlt_le_dec 0 b) as [P | Z].
  - field. repeat split; try lra; nra.
  - assert (Zb : b == 0) by lra. setoid_replace (b * / (/ b + X)) with 0 by (rewrite Zb; ring).
    rewrite Zb. field. lra.
Qed.

Lemma third_eq a b X : 0 <= a -> 0 <= b -> 1 <= X ->
  third a b X == a * beside b (/ a + X) + (1 - a) * beside b X.
Proof.
  intros A B L. unfold third. rewrite beside_eq by auto. destruct (Qlt_le_dec 0 a) as [P | Z].
  - pose proof (Qinv_lt_0_compat _ P). rewrite <- (beside_eq b (/ a + X)) by lra.
    enough (/ (/ a + (/ b + X)) == / (/ b + (/ a + X))) as -> by lra.
    apply Qinv_comp. lra.
  - assert (Za : a == 0) by lra. rewrite !(nothing a) by auto. setoid_replace (1 - a) with 1 by lra. lra.
Qed.

Lemma third_swap a b X : third a b X == third b a X.
Proof.
  unfold third. assert (S : / (/ a + (/ b + X)) == / (/ b + (/ a + X))) by (apply Qinv_comp; ring).
  rewrite S. ring.
Qed.

Lemma beside_falls b b' X : 0 <= b -> b <= b' -> 1 <= X -> beside b' X <= beside b X.
Proof.
  intros B L X1. unfold beside. apply quotient_le; [nra | nra |].
  assert (0 <= X * (b' - b)) by nra. nra.
Qed.

Lemma beside_nonneg b X : 0 <= b -> 1 <= X -> 0 <= beside b X.
Proof. intros. unfold beside. apply Qle_shift_div_l; nra. Qed.

Lemma beside_moves b b' X : step b' b -> 1 <= X -> beside b' X <= R * beside b X.
Proof.
  intros S X1. pose proof R_E as RE. pose proof R_eta as Re. destruct S as (B & L & U & K).
  assert (Y : 0 <= b' * (X - 1) /\ 0 <= b * (X - 1)) by (split; nra).
  assert (Ratio : (b' * X + 1 - b') * (b * X + 1) <= R * ((b * X + 1 - b) * (b' * X + 1))).
  { destruct (not_early b' b (conj B (conj L (conj U K)))) as [(e1 & e2) | e].
    - assert (G : 1 + b <= R).
      { assert (0 <= (R - 1) * (R - 1)) by apply square. assert (b <= eta) by auto. nra. }
      assert (A : b * X + 1 <= (1 + b) * (b * X + 1 - b)) by nra.
      set (p := b' * X + 1) in *. set (q := b * X + 1) in *. assert (P : 0 <= p) by (unfold p; nra).
      assert (Q0 : 0 <= q - b) by (unfold q; nra).
      apply Qle_trans with (p * q); [unfold p, q in *; nra |].
      apply Qle_trans with (p * ((1 + b) * (q - b))); [rewrite !(Qmult_comm p); apply Qmult_le_compat_r; auto |].
      setoid_replace (p * ((1 + b) * (q - b))) with ((1 + b) * ((q - b) * p)) by ring.
      apply Qmult_le_compat_r; [auto | apply Qmult_le_0_compat; auto].
    - set (p := b' * X + 1) in *. set (q := b * X + 1) in *.
      assert (P : 0 <= p - b' /\ 0 <= q - b) by (unfold p, q; nra).
      assert (A : q <= E * p) by (unfold p, q; nra).
      assert (L' : p - b' <= q - b) by (unfold p, q; nra).
      apply Qle_trans with ((q - b) * q); [apply Qmult_le_compat_r; lra |].
      apply Qle_trans with (E * ((q - b) * p)).
      + setoid_replace (E * ((q - b) * p)) with ((q - b) * (E * p)) by ring.
        rewrite !(Qmult_comm (q - b)). apply Qmult_le_compat_r; lra.
      + apply Qmult_le_compat_r; [auto | apply Qmult_le_0_compat; lra]. }
  unfold beside.
  setoid_replace (R * ((b * X + 1 - b) / (X * (b * X + 1)))) with (R * (b * X + 1 - b) / (X * (b * X + 1)))
    by (field; split; nra).
  apply quotient_le; [nra | nra |].
  setoid_replace ((b' * X + 1 - b') * (X * (b * X + 1))) with (X * ((b' * X + 1 - b') * (b * X + 1))) by ring.
  setoid_replace (R * (b * X + 1 - b) * (X * (b' * X + 1))) with (X * (R * ((b * X + 1 - b) * (b' * X + 1)))) by ring.
  rewrite !(Qmult_comm X). apply Qmult_le_compat_r; lra.
Qed.

Lemma third_moves a a' b b' X : step a a' -> step b' b -> 1 <= X -> third a' b' X <= R * third a b X.
Proof.
  intros Sa Sb X1. assert (Sb' := Sb). destruct Sa as (A & La & Ua & _). destruct Sb' as (B & Lb & Ub & _).
  apply Qle_trans with (third a b' X).
  - rewrite !(third_swap _ b'), !third_eq by lra.
    assert (P : beside a' X <= beside a X) by (apply beside_falls; auto).
    destruct (Qlt_le_dec 0 b') as [B0 | Z].
    + pose proof (Qinv_lt_0_compat _ B0).
      assert (P' : beside a' (/ b' + X) <= beside a (/ b' + X)) by (apply beside_falls; lra). nra.
    + assert (Zb : b' == 0) by lra. rewrite !(nothing b') by auto. nra.
  - rewrite !third_eq by lra. pose proof (beside_moves b b' X Sb X1) as P.
    destruct (Qlt_le_dec 0 a) as [A0 | Z].
    + pose proof (Qinv_lt_0_compat _ A0). pose proof (beside_moves b b' (/ a + X) Sb ltac:(lra)) as P'. nra.
    + assert (Za : a == 0) by lra. rewrite !(nothing a) by auto. nra.
Qed.

(** * Bottom: step 4 *)

Lemma bottom_moves a a' b b' : step a a' -> step b' b -> (1 - a') * (1 - b') <= R * ((1 - a) * (1 - b)) + c.
Proof.
  intros (A & La & Ua & _) (B & Lb & Ub & K). pose proof R_E as RE. pose proof R_eta as Re.
  assert (Sub : (1 - a') * (1 - b') <= (1 - a) * (1 - b')) by nra.
  destruct K as [(e & e') | [(m & m') | (l & l')]].
  - assert (1 <= R * (1 - b)) by nra. assert ((1 - a) * (1 - b') <= (1 - a) * (R * (1 - b))); nra.
  - assert (1 - b' <= R * (1 - b)) by nra. assert ((1 - a) * (1 - b') <= (1 - a) * (R * (1 - b))); nra.
  - assert (0 <= R * ((1 - a) * (1 - b))) by (apply Qmult_le_0_compat; nra). nra.
Qed.

(** * Outputs u and v: steps 1, 2 and 5 *)

Definition first (a b W : Q) : Q := a * (b * (/ a / (/ a + (/ b + W))) + (1 - b) * (/ a / (/ a + W))).

(** The other keys act as if u fired less often. *)
Definition psi (W a : Q) : Q := a / (1 + a * W).

Lemma psi_range W a : 0 < a <= 1 -> 0 <= W -> 0 < psi W a <= a.
Proof.
  intros A B. unfold psi. assert (0 <= a * W) by nra. assert (0 <= a * (a * W)) by nra. split.
  - apply Qlt_shift_div_l; nra.
  - apply Qle_shift_div_r; nra.
Qed.

Lemma psi_rises W a a' : 0 < a -> a <= a' -> 0 <= W -> psi W a <= psi W a'.
Proof.
  intros A L B. unfold psi. assert (0 <= a * W /\ 0 <= a' * W) by (split; nra). apply quotient_le; lra.
Qed.

Lemma first_eq a b W : 0 < a -> 0 <= b -> 0 <= W -> first a b W == F (psi W a) b.
Proof.
  intros A B C. unfold first, F, psi. assert (0 <= a * W) by nra. assert (0 <= b * (a * W)) by nra.
  destruct (Qlt_le_dec 0 b) as [P | Z].
  - field. repeat split; nra.
  - assert (Zb : b == 0) by lra. setoid_replace (b * (/ a / (/ a + (/ b + W)))) with 0 by (rewrite Zb; ring).
    rewrite Zb. field. repeat split; nra.
Qed.

Lemma first_sum a b W W' : W == W' -> first a b W == first a b W'.
Proof. intros L. unfold first. rewrite L. reflexivity. Qed.

Lemma third_sum a b W W' : W == W' -> third a b W == third a b W'.
Proof. intros L. unfold third. rewrite L. reflexivity. Qed.

Lemma F_nonneg a b : 0 < a -> 0 <= b <= 1 -> 0 <= F a b.
Proof.
  intros A B. unfold F. setoid_replace (a - a * a * b / (a + b)) with (a * (a + b - a * b) / (a + b)) by (field; lra).
  apply Qle_shift_div_l; nra.
Qed.

Lemma first_nonneg a b W : 0 <= a <= 1 -> 0 <= b <= 1 -> 0 <= W -> 0 <= first a b W.
Proof.
  intros A B C. destruct (Qlt_le_dec 0 a) as [P | Z].
  - rewrite first_eq by lra. apply F_nonneg; [apply psi_range |]; lra.
  - unfold first. rewrite (nothing a) by lra. lra.
Qed.

(** Output v: step 2. *)
Lemma falling a a' b b' W : step a a' -> step b' b -> 0 <= W -> first b' a' W <= first b a W.
Proof.
  intros (A & La & Ua & _) (B & Lb & Ub & _) C.
  destruct (Qlt_le_dec 0 b') as [P | Z].
  - pose proof (psi_range W b' ltac:(lra) C). pose proof (psi_rises W b' b P Lb C).
    rewrite !first_eq by lra. apply Qle_trans with (F (psi W b) a'); [apply F_rises; lra | apply F_falls; lra].
  - assert (Zb : b' == 0) by lra. setoid_replace (first b' a' W) with 0 by (unfold first; apply nothing; auto).
    apply first_nonneg; lra.
Qed.

Lemma product_of_F a b : 0 < a -> 0 <= b -> F a b == a * (1 - a * b / (a + b)).
Proof. intros A B. unfold F. field. lra. Qed.

(** h = a b / (a + b) is at most a, b, and 1 / 2. *)
Lemma h_small a b m : 0 < a <= 1 -> 0 <= b <= 1 -> (m == a \/ m == b \/ m == 1 # 2) -> 0 <= a * b / (a + b) <= m.
Proof.
  intros A B M. assert (P : 0 <= a * a /\ 0 <= b * b /\ 0 <= (a - b) * (a - b)) by (repeat split; apply square). split.
  - apply Qle_shift_div_l; nra.
  - apply Qle_shift_div_r; [lra |]. destruct M as [-> | [-> | ->]]; nra.
Qed.

Lemma F_least a b m : 0 < a <= 1 -> 0 <= b <= 1 -> (m == a \/ m == b \/ m == 1 # 2) -> a * (1 - m) <= F a b <= a.
Proof. intros A B M. rewrite product_of_F by lra. pose proof (h_small a b m A B M). nra. Qed.

Lemma psi_early a a' W : 0 < a -> a <= a' -> a' <= E * a + d -> 0 <= W -> psi W a' <= E * psi W a + d.
Proof.
  intros A L e C. unfold psi. assert (0 <= a * W) by nra. assert (P : a * W <= a' * W) by nra.
  assert (T : E * (a / (1 + a * W)) + d == (E * a + d * (1 + a * W)) / (1 + a * W)) by (field; lra).
  rewrite T. apply quotient_le; [lra | lra |].
  assert (a' * (1 + a * W) <= (E * a + d) * (1 + a * W)) by (apply Qmult_le_compat_r; lra).
  assert (0 <= d * (a * W)) by nra. assert (E * a * (a * W) <= E * a * (a' * W)).
  { rewrite !(Qmult_comm (E * a)). apply Qmult_le_compat_r; nra. }
  assert (d * (a * W) <= d * (1 + a * W) * (a' * W)).
  { assert (0 <= d * (a' * W - a * W)) by nra. assert (0 <= d * ((a * W) * (a' * W))); [| nra].
    apply Qmult_le_0_compat; [auto | apply Qmult_le_0_compat; lra]. }
  nra.
Qed.

(** The middle step survives. *)
Lemma psi_middle a a' W : 0 < a -> a <= a' <= 1 -> middle a a' -> 0 <= W -> middle (psi W a) (psi W a').
Proof.
  intros A L (m & m') C. unfold middle, psi. assert (0 <= a * W) by nra. assert (P : a * W <= a' * W) by nra. split.
  - setoid_replace (E * (a / (1 + a * W))) with (E * a / (1 + a * W)) by (field; lra).
    apply quotient_le; [lra | lra |]. apply Qle_trans with (E * a * (1 + a * W)).
    + apply Qmult_le_compat_r; lra.
    + rewrite !(Qmult_comm (E * a)). apply Qmult_le_compat_r; nra.
  - (* E psi(a') - psi(a) <= E a' - a *)
    assert (T : E * (a' / (1 + a' * W)) - a / (1 + a * W) <= E * a' - a).
    { assert (e : E * a' - a - (E * (a' / (1 + a' * W)) - a / (1 + a * W))
        == W * (E * (a' * a') / (1 + a' * W) - a * a / (1 + a * W))) by (field; split; lra).
      assert (G : 0 <= E * (a' * a') / (1 + a' * W) - a * a / (1 + a * W)); [| nra].
      enough (a * a / (1 + a * W) <= E * (a' * a') / (1 + a' * W)) by lra.
      apply quotient_le; [lra | lra |].
      assert (a * a <= a' * a') by nra. assert (a * (a * a') <= a' * (a * a')) by (apply Qmult_le_compat_r; nra).
      assert (Wa : 0 <= W * (a' * (a * a') - a * (a * a'))) by (apply Qmult_le_0_compat; lra).
      assert (0 <= (E - 1) * (a' * a' * (1 + a * W))); [| nra].
      apply Qmult_le_0_compat; [lra | apply Qmult_le_0_compat; [apply square | lra]]. }
    lra.
Qed.

Lemma psi_last a W : 0 < a <= 1 -> 0 <= W -> a * psi W 1 <= psi W a.
Proof.
  intros A C. unfold psi. assert (0 <= a * W) by nra. assert (a * W <= W) by nra.
  setoid_replace (a * (1 / (1 + 1 * W))) with (a / (1 + 1 * W)) by (field; lra).
  apply quotient_le; [lra | lra |]. nra.
Qed.

(** Output u: step 5. *)
Lemma rising a a' b b' W : step a a' -> step b' b -> 0 <= W -> first a' b' W <= R * first a b W + d.
Proof.
  intros (A & La & Ua & K) Sb C. assert (Sb' := Sb). destruct Sb' as (B & Lb & Ub & _).
  pose proof R_E as RE. pose proof R_eta as Re. pose proof E_c as Ec. pose proof R_c as Rc.
  destruct (Qlt_le_dec 0 a') as [A' | Z].
  2: { assert (Za : a == 0) by lra. assert (Za' : a' == 0) by lra.
    unfold first. rewrite !(nothing a), !(nothing a') by auto. lra. }
  destruct (Qlt_le_dec 0 a) as [A0 | Z].
  2: { assert (Za : a == 0) by lra.
    setoid_replace (first a b W) with 0 by (unfold first; apply nothing; auto).
    rewrite first_eq by lra. pose proof (psi_range W a' ltac:(lra) C).
    pose proof (F_least (psi W a') b' b' ltac:(lra) ltac:(lra) ltac:(right; left; reflexivity)).
    destruct K as [(e & e') | [(m & m') | (l & l')]]; [| nra |]; [rewrite Za in e; lra | nra]. }
  rewrite !first_eq by lra.
  pose proof (psi_range W a ltac:(lra) C) as Pa. pose proof (psi_range W a' ltac:(lra) C) as Pa'.
  pose proof (psi_rises W a a' A0 La C) as Pr.
  set (p := psi W a) in *. set (p' := psi W a') in *.
  assert (Up : F p' b' <= p').
  { pose proof (F_least p' b' b' ltac:(lra) ltac:(lra) ltac:(right; left; reflexivity)). lra. }
  destruct K as [(e & e') | K].
  { (* u's step is early *)
    pose proof (psi_early a a' W A0 La e C) as Pe. fold p p' in Pe.
    pose proof (F_least p b p ltac:(lra) ltac:(lra) ltac:(left; reflexivity)) as (Lo & _).
    apply R_times in Lo. assert (G : 0 <= R * (p * (eta - p))) by (apply Qmult_le_0_compat; [lra | nra]).
    assert (p * (R * (1 - eta)) == p * E) by (rewrite Re; reflexivity). lra. }
  assert (Mid : (middle a a' /\ p' <= E * p) \/ (last a a' /\ (1 - c) * p' <= p)).
  { destruct K as [m | (l & l')]; [left | right]; split; auto.
    - apply (psi_middle a a' W A0 ltac:(lra) m C).
    - split; auto.
    - pose proof (psi_last a W ltac:(lra) C) as G. assert (e : psi W 1 == p').
      { unfold p', psi. rewrite l'. reflexivity. }
      rewrite e in G. fold p in G. nra. }
  destruct (not_early b' b Sb) as [(e1 & e2) | e].
  { (* v's step is early *)
    pose proof (F_least p b b ltac:(lra) ltac:(lra) ltac:(right; left; reflexivity)) as (Lo & _).
    assert (p' <= E * p).
    { destruct Mid as [(_ & m) | (_ & l)]; auto. assert (0 <= p' * (E * (1 - c) - 1)) by nra. nra. }
    apply R_times in Lo. assert (G : 0 <= R * (p * (eta - b))) by (apply Qmult_le_0_compat; [lra | nra]).
    assert (p * (R * (1 - eta)) == p * E) by (rewrite Re; reflexivity). lra. }
  destruct Mid as [(m & _) | ((l & l') & lp)].
  - (* both are middle *)
    pose proof (psi_middle a a' W A0 ltac:(lra) m C) as (m1 & m2). fold p p' in m1, m2.
    pose proof (a_middle_step_each E s E_1 s_0 s_root p p' b b' ltac:(lra) Pr m1 m2 ltac:(lra) e ltac:(lra)) as G.
    assert (0 <= F p b) by (apply F_nonneg; lra).
    assert (rho E s * F p b <= R * F p b) by (apply Qmult_le_compat_r; auto). lra.
  - (* u's step is the last *)
    rewrite !product_of_F by lra.
    pose proof (h_small p b (1 # 2) ltac:(lra) ltac:(lra) ltac:(right; right; reflexivity)) as (h0 & h1).
    set (h := p * b / (p + b)) in *. set (h' := p' * b' / (p' + b')).
    assert (H : h <= E * h').
    { unfold h, h'. setoid_replace (E * (p' * b' / (p' + b'))) with (E * p' * b' / (p' + b')) by (field; lra).
      apply quotient_le; [lra | lra |].
      (* h rises in both *)
      assert (p * b * p' <= E * b' * (p * p')).
      { setoid_replace (p * b * p') with (b * (p * p')) by ring. apply Qmult_le_compat_r; [auto | nra]. }
      assert (p * (b * b') <= E * p' * (b' * b)).
      { setoid_replace (b * b') with (b' * b) by ring. apply Qmult_le_compat_r; nra. }
      lra. }
    assert (X : p' * (1 - h') * (E * (1 - c)) <= R * (1 - c) * E * (p * (1 - h))).
    { assert (0 <= p' * (1 - c)) by nra.
      assert (p' * (1 - c) * (E * (1 - h')) <= p' * (1 - c) * (E - h)).
      { rewrite !(Qmult_comm (p' * (1 - c))). apply Qmult_le_compat_r; lra. }
      assert (p' * (1 - c) * (E - h) <= p * (E - h)) by (apply Qmult_le_compat_r; nra).
      assert (E - h <= (2 * E - 1) * (1 - h)) by nra.
      assert (T : 2 * E - 1 <= R * (1 - c) * E).
      { setoid_replace (2 * E - 1) with ((2 - 1 / E) * E) by (field; lra). apply Qmult_le_compat_r; lra. }
      assert ((2 * E - 1) * (1 - h) <= R * (1 - c) * E * (1 - h)) by (apply Qmult_le_compat_r; lra).
      assert (p * (E - h) <= p * (R * (1 - c) * E * (1 - h))).
      { rewrite !(Qmult_comm p). apply Qmult_le_compat_r; lra. }
      lra. }
    assert (Y : p' * (1 - h') <= R * (p * (1 - h))); [| lra].
    apply Qmult_lt_0_le_reg_r with (E * (1 - c)); [lra |]. lra.
Qed.


(** * The law *)

Section Private.
Context {K : Type}.
Hypothesis key_dec : forall k k' : K, {k = k'} + {k <> k'}.

(** Output u pays d, and bottom pays c. *)
Definition slack (u : K) (o : option K) : Q :=
  match o with None => c | Some k => if key_dec k u then d else 0 end.

Lemma slack_nonneg u o : 0 <= slack u o.
Proof. destruct o as [k |]; simpl; [destruct (key_dec k u); lra | lra]. Qed.

Lemma slack_total u l : NoDup l -> sum (slack u) (outcomes l) <= d + c.
Proof.
  intros N. unfold outcomes; cbn [sum slack]. rewrite sum_map.
  enough (sum (fun k => slack u (Some k)) l <= d) by lra.
  induction N as [| k l I N IH]; cbn [sum]; [lra |]. unfold slack at 1.
  destruct (key_dec k u) as [-> |]; [| lra].
  rewrite (sum_eq _ (fun _ => 0)); [rewrite sum_const; lra |].
  intros j J. simpl. destruct (key_dec j u) as [-> |]; [tauto | reflexivity].
Qed.

Lemma close_by_slack u l p p' : NoDup l -> (forall o, p o <= R * p' o + slack u o) ->
  closeness (outcomes l) p p' R delta.
Proof.
  intros N L Y. unfold pr.
  apply Qle_trans with (sum (fun o => R * (if Y o then p' o else 0) + slack u o) (outcomes l)).
  - apply sum_le. intros o _. pose proof (slack_nonneg u o). specialize (L o). destruct (Y o); lra.
  - rewrite sum_plus, sum_scale. pose proof (slack_total u l N). lra.
Qed.

Variables (q q' : K -> Q) (others : list K).
Hypothesis q_range : forall k, In k others -> 0 <= q k <= 1.
Hypothesis same : forall k, In k others -> q' k == q k.

(** From all keys to what the others do. *)
Lemma from_others (f f' : list K -> Q) x :
  (forall T, incl T others -> (forall k, In k T -> 0 < q k) -> f' T <= R * f T + x) ->
  mean q' f' others <= R * mean q f others + x.
Proof.
  intros L. rewrite (mean_chances q' q) by auto. rewrite <- (mean_const q x others).
  rewrite <- mean_scale, <- mean_plus. apply mean_le; auto.
Qed.

Lemma same_sum T : incl T others -> sum (fun k => / q' k) T == sum (fun k => / q k) T.
Proof. intros I. apply sum_eq. intros k J. rewrite same by auto. reflexivity. Qed.

(** Two keys: what one set of others allows. *)
Definition pair (q : K -> Q) (u v : K) (o : option K) (T : list K) : Q :=
  q u * (q v * draw key_dec q (u :: v :: T) o + (1 - q v) * draw key_dec q (u :: T) o)
  + (1 - q u) * (q v * draw key_dec q (v :: T) o + (1 - q v) * draw key_dec q T o).

Lemma pair_of (q0 : K -> Q) u v o : released key_dec q0 (u :: v :: others) o == mean q0 (pair q0 u v o) others.
Proof.
  unfold released, pair. cbn [mean]. rewrite mean_plus, !mean_scale, !mean_plus, !mean_scale. lra.
Qed.

Ltac decide_keys := repeat match goal with
  |- context [in_dec key_dec ?k ?T] => destruct (in_dec key_dec k T); cbn [In] in *; try (exfalso; intuition congruence)
  end.

Lemma pair_u (q0 : K -> Q) u v T : u <> v -> ~ In u T ->
  pair q0 u v (Some u) T == first (q0 u) (q0 v) (sum (fun k => / q0 k) T).
Proof. intros D U. unfold pair, first, draw. decide_keys. cbn [sum]. ring. Qed.

Lemma pair_v (q0 : K -> Q) u v T : u <> v -> ~ In v T ->
  pair q0 u v (Some v) T == first (q0 v) (q0 u) (sum (fun k => / q0 k) T).
Proof.
  intros D V. unfold pair, first, draw. decide_keys. cbn [sum].
  set (W := sum _ T). unfold Qdiv.
  assert (S : / (/ q0 u + (/ q0 v + W)) == / (/ q0 v + (/ q0 u + W))) by (apply Qinv_comp; ring).
  rewrite S. ring.
Qed.

Lemma pair_w (q0 : K -> Q) u v w T : w <> u -> w <> v -> In w T ->
  pair q0 u v (Some w) T == / q0 w * third (q0 u) (q0 v) (sum (fun k => / q0 k) T).
Proof. intros D D' I. unfold pair, third, draw. decide_keys. cbn [sum]. unfold Qdiv. ring. Qed.

Lemma pair_silent (q0 : K -> Q) u v w T : w <> u -> w <> v -> ~ In w T -> pair q0 u v (Some w) T == 0.
Proof. intros D D' I. unfold pair, draw. decide_keys. ring. Qed.

Lemma sum_at_least_1 w T : incl T others -> (forall k, In k T -> 0 < q k) -> In w T ->
  1 <= sum (fun k => / q k) T.
Proof.
  intros I P J. apply Qle_trans with (/ q w).
  - pose proof (q_range w (I w J)). apply Qle_shift_inv_l; [auto | lra].
  - apply (sum_member (fun k => / q k)); auto. intros k Ik. apply Qlt_le_weak, Qinv_lt_0_compat; auto.
Qed.

Lemma two_keys u v o : u <> v -> ~ In u others -> ~ In v others -> step (q u) (q' u) -> step (q' v) (q v) ->
  released key_dec q' (u :: v :: others) o <= R * released key_dec q (u :: v :: others) o + slack u o.
Proof.
  intros D U V Su Sv. rewrite !pair_of. apply from_others. intros T I P.
  pose proof (same_sum T I) as W. set (X := sum (fun k => / q k) T) in *.
  assert (X0 : 0 <= X) by (apply inverses_nonneg; auto).
  destruct o as [w |]; cbn [slack].
  - destruct (key_dec w u) as [-> | Du]; [| destruct (key_dec w v) as [-> | Dv]].
    + rewrite !pair_u by auto. fold X. rewrite (first_sum _ _ _ _ W). apply rising; auto.
    + rewrite !pair_v by auto. fold X. rewrite (first_sum _ _ _ _ W).
      pose proof (falling _ _ _ _ X Su Sv X0) as G.
      assert (0 <= first (q v) (q u) X) by (apply first_nonneg; destruct Su, Sv; lra).
      pose proof R_E. nra.
    + destruct (in_dec key_dec w T) as [J | J].
      * rewrite !pair_w by auto. fold X. rewrite (third_sum _ _ _ _ W), (same w) by auto.
        assert (X1 : 1 <= X) by (apply (sum_at_least_1 w); auto).
        pose proof (third_moves _ _ _ _ X Su Sv X1) as G.
        assert (0 < / q w) by (apply Qinv_lt_0_compat; auto).
        assert (0 <= / q w * (R * third (q u) (q v) X - third (q' u) (q' v) X)) by (apply Qmult_le_0_compat; lra). lra.
      * rewrite !pair_silent by auto. lra.
  - unfold pair; destruct T as [| k T]; cbn [draw]; [| lra].
    pose proof (bottom_moves _ _ _ _ Su Sv). lra.
Qed.

(** One key alone: it is a pair with a key that never fires. *)
Definition lone (q : K -> Q) (u : K) (o : option K) (T : list K) : Q :=
  q u * draw key_dec q (u :: T) o + (1 - q u) * draw key_dec q T o.

Lemma lone_of (q0 : K -> Q) u o : released key_dec q0 (u :: others) o == mean q0 (lone q0 u o) others.
Proof. unfold released, lone. cbn [mean]. rewrite mean_plus, !mean_scale. lra. Qed.

Lemma lone_u (q0 : K -> Q) u T : ~ In u T ->
  lone q0 u (Some u) T == first (q0 u) 0 (sum (fun k => / q0 k) T).
Proof. intros U. unfold lone, first, draw. decide_keys. cbn [sum]. ring. Qed.

Lemma lone_w (q0 : K -> Q) u w T : w <> u -> In w T ->
  lone q0 u (Some w) T == / q0 w * third (q0 u) 0 (sum (fun k => / q0 k) T).
Proof. intros D I. unfold lone, third, draw. decide_keys. cbn [sum]. unfold Qdiv. ring. Qed.

Lemma lone_silent (q0 : K -> Q) u w T : w <> u -> ~ In w T -> lone q0 u (Some w) T == 0.
Proof. intros D I. unfold lone, draw. decide_keys. ring. Qed.

Lemma one_key u o : ~ In u others -> step (q u) (q' u) \/ step (q' u) (q u) ->
  released key_dec q' (u :: others) o <= R * released key_dec q (u :: others) o + slack u o.
Proof.
  intros U Su. rewrite !lone_of. apply from_others. intros T I P.
  pose proof (same_sum T I) as W. set (X := sum (fun k => / q k) T) in *.
  assert (X0 : 0 <= X) by (apply inverses_nonneg; auto).
  assert (N : step 0 0) by (apply no_step; lra). pose proof R_E.
  destruct o as [w |]; cbn [slack].
  - destruct (key_dec w u) as [-> | Du].
    + rewrite !lone_u by auto. fold X. rewrite (first_sum _ _ _ _ W). destruct Su as [Su | Su].
      * apply rising; auto.
      * pose proof (falling _ _ _ _ X N Su X0) as G.
        assert (0 <= first (q u) 0 X) by (apply first_nonneg; destruct Su; lra). nra.
    + destruct (in_dec key_dec w T) as [J | J].
      * rewrite !lone_w by auto. fold X. rewrite (third_sum _ _ _ _ W), (same w) by auto.
        assert (X1 : 1 <= X) by (apply (sum_at_least_1 w); auto).
        assert (G : third (q' u) 0 X <= R * third (q u) 0 X).
        { destruct Su as [Su | Su]; [apply third_moves; auto |].
          rewrite !(third_swap _ 0). apply third_moves; auto. }
        assert (0 < / q w) by (apply Qinv_lt_0_compat; auto).
        assert (0 <= / q w * (R * third (q u) 0 X - third (q' u) 0 X)) by (apply Qmult_le_0_compat; lra). lra.
      * rewrite !lone_silent by auto. lra.
  - unfold lone; destruct T as [| k T]; cbn [draw]; [| lra]. destruct Su as [Su | Su].
    + pose proof (bottom_moves _ _ _ _ Su N). lra.
    + pose proof (bottom_moves _ _ _ _ N Su). lra.
Qed.

End Private.

(** * Theorem 1 *)

Section Theorem_1.
Context {K : Type}.
Hypothesis key_dec : forall k k' : K, {k = k'} + {k <> k'}.
Variable curve : nat -> Q.
Hypothesis curve_step : forall m, step (curve m) (curve (S m)).

(** A record is a key and a label. *)
Definition positives (records : list (K * bool)) (k : K) : nat :=
  length (filter (fun z => if key_dec (fst z) k then snd z else false) records).

(** Single-key selection among the keys [l]. *)
Definition single_key (l : list K) (records : list (K * bool)) : option K -> Q :=
  released key_dec (fun k => curve (positives records k)) l.

Lemma curve_range m : 0 <= curve m <= 1.
Proof. destruct (curve_step m) as (A & B & C & _). lra. Qed.

Lemma positives_at S S' z k :
  positives (S ++ z :: S') k = ((if key_dec (fst z) k then if snd z then 1 else 0 else 0) + positives (S ++ S') k)%nat.
Proof.
  unfold positives. rewrite !filter_app, !app_length. cbn [filter].
  destruct (key_dec (fst z) k), (snd z); cbn [length]; lia.
Qed.

Lemma to_front l (k : K) : In k l -> exists l', Permutation l (k :: l').
Proof.
  intros I. apply in_split in I as (a & b & ->). exists (a ++ b). apply Permutation_sym, Permutation_middle.
Qed.

Lemma released_permutation q0 l l' o : Permutation l l' -> released key_dec q0 l o == released key_dec q0 l' o.
Proof. intros P. apply mean_permutation; auto. intros T T' PT. apply draw_permutation; auto. Qed.

Theorem single_key_is_a_law l records : NoDup l -> sum (single_key l records) (outcomes l) == 1.
Proof. intros N. apply released_total; auto. intros; apply curve_range. Qed.

(** A key without positive records never fires, so it makes no difference whether [l] has it. *)
Theorem unnamed_keys_never_fire l records k o : curve 0%nat == 0 -> positives records k = 0%nat ->
  single_key (k :: l) records o == single_key l records o.
Proof.
  intros Z P. unfold single_key, released. cbn [mean]. rewrite P. rewrite (nothing (curve 0%nat)) by auto.
  setoid_replace (1 - curve 0%nat) with 1 by lra. ring.
Qed.

(** Of two neighbours, [l] has the keys of all records, and perhaps more. *)
Theorem single_key_is_private l S S' z z' :
  NoDup l -> incl (map fst (S ++ z :: z' :: S')) l ->
  closeness (outcomes l) (single_key l (S ++ z :: S')) (single_key l (S ++ z' :: S')) R delta.
Proof.
  intros N I. destruct z as [u y], z' as [v y'].
  assert (Iu : In u l) by (apply I; rewrite map_app; apply in_or_app; simpl; auto).
  assert (Iv : In v l) by (apply I; rewrite map_app; apply in_or_app; simpl; auto).
  apply (close_by_slack key_dec u); auto. intros o. unfold single_key.
  set (q := fun k => curve (positives (S ++ (v, y') :: S') k)).
  set (q' := fun k => curve (positives (S ++ (u, y) :: S') k)).
  assert (Range : forall k, 0 <= q k <= 1) by (intros; apply curve_range).
  destruct (to_front l u Iu) as (m & P). assert (Nm : NoDup (u :: m)) by (eapply Permutation_NoDup; eauto).
  inversion Nm as [| ? ? Um Nm']; subst.
  rewrite !(released_permutation _ _ _ o P).
  destruct (key_dec u v) as [<- | D].
  - apply one_key; auto.
    + intros k J. unfold q, q'. rewrite !positives_at; cbn [fst snd].
      destruct (key_dec u k) as [<- |]; [tauto | reflexivity].
    + unfold q, q'. rewrite !positives_at; cbn [fst snd]. destruct (key_dec u u) as [_ |]; [| tauto].
      pose proof (no_step _ (curve_range (positives (S ++ S') u))).
      destruct y, y'; cbn [Nat.add]; auto. left. apply no_step, curve_range.
  - assert (Im : In v m) by (eapply Permutation_in in Iv; [| exact P]; destruct Iv; [tauto | auto]).
    destruct (to_front m v Im) as (others & P').
    assert (No : NoDup (v :: others)) by (eapply Permutation_NoDup; eauto).
    inversion No as [| ? ? Vo _]; subst.
    assert (Uo : ~ In u others).
    { intros J. apply Um. eapply Permutation_in; [apply Permutation_sym; exact P' | simpl; auto]. }
    rewrite !(released_permutation _ _ _ o (perm_skip u P')).
    apply two_keys; auto.
    + intros k J. unfold q, q'. rewrite !positives_at; cbn [fst snd].
      destruct (key_dec u k) as [<- |]; [tauto |]. destruct (key_dec v k) as [<- |]; [tauto | reflexivity].
    + unfold q, q'. rewrite !positives_at; cbn [fst snd].
      destruct (key_dec u u) as [_ |]; [| tauto]. destruct (key_dec v u) as [-> |]; [tauto |].
      destruct y; cbn [Nat.add]; [auto | apply no_step, curve_range].
    + unfold q, q'. rewrite !positives_at; cbn [fst snd].
      destruct (key_dec v v) as [_ |]; [| tauto]. destruct (key_dec u v) as [-> |]; [tauto |].
      destruct y'; cbn [Nat.add]; [auto | apply no_step, curve_range].
Qed.

End Theorem_1.
End Numbers.

(** Numbers at epsilon 1 and delta 10^-6: 2.718 < e. *)
Theorem numbers_at_epsilon_1 :
  let (E, s) := (2579 # 1000, 5136 # 1000) in let (R, delta) := (2718 # 1000, 1 # 1000000) in
  let (c, d) := (delta / 16, 15 * delta / 16) in
  s * s <= E * (E * E + E + 1) /\ rho E s <= R /\ 0 <= c <= 1 - 1 / E /\ c <= 1 - (2 - 1 / E) / R /\ d + c <= delta.
Proof. repeat split; apply Qle_bool_imp_le; reflexivity. Qed.
