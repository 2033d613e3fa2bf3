(** The lemma of single-key selection: docs/proofs/single-key-selection.md, "Lemma".

    F(a, b) is the probability that a key which fires with probability a is released beside one that fires with b.
    The constant has a square root, for which any s with s^2 <= E (E^2 + E + 1) may stand.  No axiom is used. *)

From Coq Require Import QArith Lqa Lia Morphisms.
Local Open Scope Q_scope.

Lemma square q : 0 <= q * q.
Proof. nra. Qed.

Section Middle.
Variables E s : Q.
Hypothesis E_1 : 1 < E.
Hypothesis s_0 : 0 <= s.
Hypothesis s_root : s * s <= E * (E * E + E + 1).

Definition F (a b : Q) : Q := a - a * a * b / (a + b).

#[local] Instance F_proper : Proper (Qeq ==> Qeq ==> Qeq) F.
Proof. intros a a' A b b' B. unfold F. rewrite A, B. reflexivity. Qed.

Let g := E + 1 + s.
Definition t : Q := E * (E - 1) / (g * g).
Definition rho : Q := E * (1 + t).

Lemma g_pos : 0 < g.
Proof. unfold g; lra. Qed.

Lemma t_pos : 0 <= t.
Proof.
  pose proof g_pos. unfold t. apply Qle_shift_div_l; [nra |]. nra.
Qed.

Lemma t_times : t * (g * g) == E * (E - 1).
Proof. pose proof g_pos. unfold t. field. nra. Qed.

(** F rises in a, and falls in b. *)
Lemma F_other a b : 0 < a + b -> F a b == a * (1 - b) + b * b - b * b * b / (a + b).
Proof. intros P. unfold F. field. lra. Qed.

Lemma quotient_le n n' d d' : 0 < d -> 0 < d' -> n * d' <= n' * d -> n / d <= n' / d'.
Proof.
  intros P P' L. apply Qle_shift_div_r; auto.
  apply Qmult_lt_0_le_reg_r with d'; auto.
  setoid_replace (n' / d' * d * d') with (n' * d) by (field; lra). exact L.
Qed.

Lemma F_rises a a' b : 0 < a -> a <= a' -> 0 <= b <= 1 -> F a b <= F a' b.
Proof.
  intros P L B. rewrite !F_other by lra.
  assert (b * b * b / (a' + b) <= b * b * b / (a + b)).
  { apply quotient_le; try lra. assert (0 <= b * b * b) by nra. nra. }
  nra.
Qed.

Lemma F_falls a b b' : 0 < a -> 0 <= b' -> b' <= b -> F a b <= F a b'.
Proof.
  intros P B L. unfold F.
  assert (a * a * b' / (a + b') <= a * a * b / (a + b)); [| lra].
  apply quotient_le; try lra. assert (0 < a * a) by nra. assert (0 <= (a * a * a) * (b - b')) by (apply Qmult_le_0_compat; nra).
  lra.
Qed.

(** Case a <= 1 / (E + 1): w (E + 1 + s)^2 <= (w + A) (E w + B). *)
Lemma first_case w : 0 <= w ->
  w * (g * g) <= (w + (E * E + E + 1)) * (E * w + (E + 1) * (E + 1)).
Proof.
  intros W. unfold g.
  assert (K : 2 * s * (E + 1) * w <= E * w * w + (E * E + E + 1) * ((E + 1) * (E + 1))).
  { apply Qmult_lt_0_le_reg_r with E; [lra |].
    assert (S0 : 0 <= (E * w - s * (E + 1)) * (E * w - s * (E + 1))) by apply square.
    assert (S1 : s * s * ((E + 1) * (E + 1)) <= E * (E * E + E + 1) * ((E + 1) * (E + 1)))
      by (apply Qmult_le_compat_r; [auto | nra]).
    lra. }
  assert (S2 : w * (s * s) <= w * (E * (E * E + E + 1))).
  { rewrite !(Qmult_comm w). apply Qmult_le_compat_r; auto. }
  lra.
Qed.

(** Case a >= 1 / (E + 1), with x = 1 + E u: the square of f lies below its chord. *)
Lemma chord u : 0 <= u <= 1 ->
  (1 + (E - 1) * u) * (1 + (E - 1) * u) * (g * g)
  <= (g * g * (1 - u) + E * E * u) * ((1 + (E + s) * u) * (1 + (E + s) * u)).
Proof.
  intros U. set (v := 1 + (E + s) * u). set (n := 1 + (E - 1) * u).
  assert (V : 0 < v) by (unfold v; nra).
  (* f <= 1 - u + u k *)
  assert (L : n * g <= (g * (1 - u) + E * u) * v).
  { assert (D : (g * (1 - u) + E * u) * v - n * g == u * (1 - u) * ((E + s) * (1 + s))).
    { unfold v, n, g. ring. }
    assert (0 <= u * (1 - u) * ((E + s) * (1 + s))).
    { apply Qmult_le_0_compat; [apply Qmult_le_0_compat; lra | apply Qmult_le_0_compat; lra]. }
    lra. }
  assert (N0 : 0 <= n * g) by (pose proof g_pos; unfold n; apply Qmult_le_0_compat; nra).
  (* (1 - u + u k)^2 <= 1 - u + u k^2 *)
  assert (J : (g * (1 - u) + E * u) * (g * (1 - u) + E * u) <= g * g * (1 - u) + E * E * u).
  { assert (0 <= u * (1 - u) * ((g - E) * (g - E))).
    { apply Qmult_le_0_compat; [apply Qmult_le_0_compat; lra | apply square]. }
    lra. }
  assert (Q1 : n * g * (n * g) <= (g * (1 - u) + E * u) * v * ((g * (1 - u) + E * u) * v)).
  { apply Qle_trans with ((g * (1 - u) + E * u) * v * (n * g)).
    - apply Qmult_le_compat_r; auto.
    - rewrite (Qmult_comm _ (n * g)). apply Qmult_le_compat_r; auto. lra. }
  assert (Q2 : (g * (1 - u) + E * u) * (g * (1 - u) + E * u) * (v * v)
    <= (g * g * (1 - u) + E * E * u) * (v * v)) by (apply Qmult_le_compat_r; [auto | nra]).
  lra.
Qed.

(** V <= f^2: w (x + m (x - 1))^2 <= (w + x^2) (w + (x - 1) (1 + E x)), with m = s / E and x - 1 = E u. *)
Lemma below_f w u : 0 <= w -> 0 <= u <= 1 ->
  let x := 1 + E * u in
  w * ((x + s * u) * (x + s * u)) <= (w + x * x) * (w + E * u * (1 + E * x)).
Proof.
  intros W U x. assert (X : 1 <= x) by (unfold x; nra).
  (* (m (x - 1))^2 <= (x - 1) (1 + E x) *)
  assert (C : s * u * (s * u) <= E * u * (1 + E * x)).
  { assert (s * s * (u * u) <= E * (E * E + E + 1) * (u * u)) by (apply Qmult_le_compat_r; [auto | nra]).
    assert (0 <= E * u * ((1 + E) * (1 - u))).
    { apply Qmult_le_0_compat; [nra | apply Qmult_le_0_compat; lra]. }
    unfold x. lra. }
  set (c := s * u) in *. set (D := E * u * (1 + E * x)) in *.
  assert (0 <= c) by (unfold c; nra).
  assert (W1 : w * (c * c) <= w * D) by (rewrite !(Qmult_comm w); apply Qmult_le_compat_r; auto).
  assert (X1 : x * x * (c * c) <= x * x * D).
  { rewrite !(Qmult_comm (x * x)). apply Qmult_le_compat_r; [auto | nra]. }
  assert (0 <= (w - x * c) * (w - x * c)) by apply square.
  lra.
Qed.

(** With x = 1 / a and y = 1 / b, F = (1 / x) (1 - 1 / (x + y)). *)
Lemma F_inverse x y : 0 < x -> 0 < y -> F (/ x) (/ y) == (x + y - 1) / (x * (x + y)).
Proof. intros X Y. unfold F. field. repeat split; try lra. Qed.

(** The first case: a <= 1 / (E + 1). *)
Lemma small_a x y : E + 1 <= x -> 1 <= y -> F (E * / x) (/ (E * y)) <= rho * F (/ x) (/ y).
Proof.
  intros X Y. pose proof g_pos as G. pose proof t_pos as T.
  assert (Ey : 0 < E * y) by nra. assert (xE : 0 < x / E) by (apply Qlt_shift_div_l; lra).
  setoid_replace (E * / x) with (/ (x / E)) by (field; lra).
  rewrite !F_inverse by lra.
  set (P := x + y). set (P' := x / E + E * y).
  assert (EP' : E * P' == x + E * E * y) by (unfold P'; field; lra).
  assert (P0 : 0 < P) by (unfold P; lra). assert (P0' : 0 < P') by (unfold P'; lra).
  (* P' - P <= t (P - 1) P', where x = E + 1 is the worst *)
  assert (Main : P' - P <= t * ((P - 1) * P')).
  { assert (T1 : 0 <= t * ((P - 1) * P')).
    { apply Qmult_le_0_compat; auto. apply Qmult_le_0_compat; unfold P in *; lra. }
    destruct (Qlt_le_dec (E * y) (E + 1)) as [Low | High].
    - assert (E * (P' - P) <= 0); [| nra].
      setoid_replace (E * (P' - P)) with ((E - 1) * (E * y - x)) by (unfold P, P'; field; lra).
      nra.
    - set (w := E * y - (E + 1)).
      pose proof (first_case w ltac:(unfold w; lra)) as C.
      assert (L1 : E * (P' - P) <= (E - 1) * w).
      { setoid_replace (E * (P' - P)) with ((E - 1) * (E * y - x)) by (unfold P, P'; field; lra).
        unfold w. nra. }
      assert (L2 : (w + (E * E + E + 1)) * (E * w + (E + 1) * (E + 1)) <= E * (P - 1) * (E * P')).
      { rewrite EP'. apply Qle_trans with (E * (P - 1) * (E * w + (E + 1) * (E + 1))).
        - apply Qmult_le_compat_r; [unfold w, P; nra | unfold w; nra].
        - rewrite !(Qmult_comm (E * (P - 1))). apply Qmult_le_compat_r; [unfold w; nra | unfold P; nra]. }
      assert (L3 : (E - 1) * w * (g * g) <= (E - 1) * (E * (P - 1) * (E * P'))).
      { setoid_replace ((E - 1) * w * (g * g)) with ((E - 1) * (w * (g * g))) by ring.
        rewrite !(Qmult_comm (E - 1)). apply Qmult_le_compat_r; lra. }
      apply Qmult_lt_0_le_reg_r with (E * (g * g)); [nra |].
      setoid_replace (t * ((P - 1) * P') * (E * (g * g))) with (t * (g * g) * (E * ((P - 1) * P'))) by ring.
      rewrite t_times.
      assert (L4 : E * (P' - P) * (g * g) <= (E - 1) * w * (g * g)) by (apply Qmult_le_compat_r; [auto | nra]).
      lra. }
  unfold rho. fold P P'.
  setoid_replace (E * (1 + t) * ((P - 1) / (x * P))) with (E * (1 + t) * (P - 1) / (x * P)) by (field; lra).
  apply quotient_le.
  - apply Qmult_lt_0_compat; auto.
  - apply Qmult_lt_0_compat; lra.
  - setoid_replace (E * (1 + t) * (P - 1) * (x / E * P')) with (x * ((1 + t) * (P - 1) * P')) by (field; lra).
    setoid_replace ((P' - 1) * (x * P)) with (x * ((P' - 1) * P)) by ring.
    rewrite !(Qmult_comm x). apply Qmult_le_compat_r; lra.
Qed.

(** The second case: a >= 1 / (E + 1), with x = 1 + E u. *)
Lemma large_a u y : 0 <= u <= 1 -> 1 <= y ->
  let x := 1 + E * u in let z := 1 + (E - 1) * x in
  F (z / (E * x)) (/ (E * y)) <= rho * F (/ x) (/ y).
Proof.
  intros U Y x z. pose proof g_pos as G. pose proof t_pos as T.
  assert (X : 1 <= x) by (unfold x; nra). assert (Z : 0 < z) by (unfold z; nra).
  assert (Ex : 0 < E * x) by nra. assert (Ey : 0 < E * y) by nra.
  assert (x' : 0 < E * x / z) by (apply Qlt_shift_div_l; lra).
  setoid_replace (z / (E * x)) with (/ (E * x / z)) by (field; repeat split; lra).
  rewrite !F_inverse by lra.
  set (P := x + y). set (Q := x + y * z). set (w := y * z - x * (x - 1)).
  assert (P1 : 0 < P - 1 /\ 0 < P) by (unfold P; lra). assert (Q0 : 0 < Q) by (unfold Q; nra).
  assert (xP : 0 < x * P) by nra. assert (xQ : 0 < E * E * x * Q).
  { apply Qmult_lt_0_compat; auto. apply Qmult_lt_0_compat; nra. }
  (* sigma w <= E^2 Q (P - 1) ((1 - u) + E^2 / g^2) *)
  assert (Main : z * w * (g * g) <= E * E * (Q * (P - 1)) * (g * g * (1 - u) + E * E)).
  { assert (QP : 0 < Q * (P - 1)) by (apply Qmult_lt_0_compat; lra).
    assert (R0 : 0 <= E * E * (Q * (P - 1)) * (g * g * (1 - u) + E * E)).
    { apply Qmult_le_0_compat; [apply Qmult_le_0_compat; nra |].
      assert (0 <= g * g * (1 - u)) by (apply Qmult_le_0_compat; [apply square | lra]). nra. }
    destruct (Qlt_le_dec w 0) as [Neg | W].
    { assert (0 <= z * (- w) * (g * g)).
      { apply Qmult_le_0_compat; [apply Qmult_le_0_compat; lra | apply square]. } lra. }
    pose proof (below_f w u W U) as Bf. fold x in Bf. cbv zeta in Bf. fold x in Bf.
    pose proof (chord u U) as Ch.
    set (v := x + s * u) in *.
    assert (Ev : 1 + (E + s) * u == v) by (unfold v, x; ring). rewrite Ev in Ch.
    assert (En : z == E * (1 + (E - 1) * u)) by (unfold z, x; ring).
    assert (V : 0 < v) by (unfold v; nra).
    assert (Id : (w + x * x) * (w + E * u * (1 + E * x)) == Q * (z * (P - 1))).
    { setoid_replace (w + x * x) with Q by (unfold w, Q; ring).
      setoid_replace (E * u) with (x - 1) by (unfold x; ring).
      setoid_replace (w + (x - 1) * (1 + E * x)) with (z * (P - 1)); [reflexivity |].
      unfold w, P, z. ring. }
    rewrite Id in Bf.
    apply Qmult_lt_0_le_reg_r with (v * v); [nra |].
    apply Qle_trans with (z * (Q * (z * (P - 1))) * (g * g)).
    - setoid_replace (z * w * (g * g) * (v * v)) with (w * (v * v) * (z * (g * g))) by ring.
      setoid_replace (z * (Q * (z * (P - 1))) * (g * g)) with (Q * (z * (P - 1)) * (z * (g * g))) by ring.
      apply Qmult_le_compat_r; auto. apply Qmult_le_0_compat; [lra | apply square].
    - set (n := 1 + (E - 1) * u) in *.
      setoid_replace (z * (Q * (z * (P - 1))) * (g * g)) with (n * n * (g * g) * (E * E * (Q * (P - 1))))
        by (rewrite En; ring).
      setoid_replace (E * E * (Q * (P - 1)) * (g * g * (1 - u) + E * E) * (v * v))
        with ((g * g * (1 - u) + E * E) * (v * v) * (E * E * (Q * (P - 1)))) by ring.
      apply Qmult_le_compat_r; [| apply Qmult_le_0_compat; nra].
      eapply Qle_trans; [exact Ch |]. apply Qmult_le_compat_r; [| apply square].
      assert (E * E * u <= E * E * 1); [| lra].
      rewrite !(Qmult_comm (E * E)). apply Qmult_le_compat_r; [lra | apply square]. }
  setoid_replace ((E * x / z + E * y - 1) / (E * x / z * (E * x / z + E * y)))
    with ((E * Q - z) * z / (E * E * x * Q)).
  2: { unfold Q. field. repeat split; try lra; nra. }
  unfold rho.
  setoid_replace (E * (1 + t) * ((P - 1) / (x * P))) with (E * (1 + t) * (P - 1) / (x * P)) by (field; lra).
  apply quotient_le; auto.
  (* (E Q - z) z P <= E^3 (1 + t) (P - 1) Q *)
  assert (Id : (E * Q - z) * z * P == z * E * Q * (P - 1) + z * ((E - 1) * w)).
  { unfold Q, P, w, z. ring. }
  assert (Goal : (E * Q - z) * z * P <= E * E * E * (1 + t) * ((P - 1) * Q)).
  { rewrite Id. apply Qmult_lt_0_le_reg_r with (g * g); [nra |].
    assert (Rt : E * E * E * (1 + t) * ((P - 1) * Q) * (g * g)
      == E * E * E * ((P - 1) * Q) * (g * g + t * (g * g))) by ring.
    rewrite Rt, t_times.
    assert (M2 : (E - 1) * (z * w * (g * g)) <= (E - 1) * (E * E * (Q * (P - 1)) * (g * g * (1 - u) + E * E))).
    { rewrite !(Qmult_comm (E - 1)). apply Qmult_le_compat_r; lra. }
    assert (Id2 : E * E * E * ((P - 1) * Q) * (g * g + E * (E - 1))
      == z * E * Q * (P - 1) * (g * g) + (E - 1) * (E * E * (Q * (P - 1)) * (g * g * (1 - u) + E * E))).
    { unfold z, x. ring. }
    rewrite Id2. lra. }
  setoid_replace ((E * Q - z) * z * (x * P)) with (x * ((E * Q - z) * z * P)) by ring.
  setoid_replace (E * (1 + t) * (P - 1) * (E * E * x * Q)) with (x * (E * E * E * (1 + t) * ((P - 1) * Q))) by ring.
  rewrite !(Qmult_comm x). apply Qmult_le_compat_r; lra.
Qed.

(** If a rises by a middle step and b falls by one, F grows by a factor rho at most. *)
Theorem a_middle_step_each a a' b b' :
  0 < a <= 1 -> a <= a' -> a' <= E * a -> 1 - a <= E * (1 - a') ->
  0 <= b <= 1 -> b <= E * b' -> b' <= b ->
  F a' b' <= rho * F a b.
Proof.
  intros A La Ea Ma B Lb Lb'. pose proof t_pos as T.
  destruct (Qlt_le_dec 0 b) as [b0 | b0].
  2: { assert (Zb : b == 0) by lra. assert (Zb' : b' == 0) by nra. rewrite Zb, Zb'.
    assert (F0 : forall q, 0 < q -> F q 0 == q) by (intros q q0; unfold F; field; lra).
    rewrite !F0 by lra. unfold rho. nra. }
  assert (b'0 : 0 < b') by nra.
  set (x := / a). set (y := / b).
  assert (Ax : a == / x) by (unfold x; field; lra). assert (By : b == / y) by (unfold y; field; lra).
  assert (X : 1 <= x) by (unfold x; apply Qle_shift_inv_l; lra).
  assert (Y : 1 <= y) by (unfold y; apply Qle_shift_inv_l; lra).
  assert (Low : / (E * y) <= b').
  { unfold y. setoid_replace (/ (E * / b)) with (b / E) by (field; split; lra). apply Qle_shift_div_r; lra. }
  assert (Ly : 0 < / (E * y)) by (apply Qinv_lt_0_compat; nra).
  apply Qle_trans with (F a' (/ (E * y))); [apply F_falls; lra |].
  destruct (Qlt_le_dec x (E + 1)) as [Hi | Lo].
  - set (u := (x - 1) / E).
    assert (Eu : 1 + E * u == x) by (unfold u; field; lra).
    assert (U : 0 <= u <= 1).
    { unfold u. split; [apply Qle_shift_div_l; lra | apply Qle_shift_div_r; lra]. }
    pose proof (large_a u y U Y) as L. cbv zeta in L. rewrite Eu in L. rewrite <- Ax, <- By in L.
    eapply Qle_trans; [| exact L]. apply F_rises; try lra.
    apply Qle_shift_div_l; [nra |].
    (* a' <= 1 - (1 - a) / E *)
    assert (a * x == 1) by (unfold x; field; lra). nra.
  - pose proof (small_a x y Lo Y) as L. rewrite <- Ax, <- By in L.
    eapply Qle_trans; [| exact L]. apply F_rises; lra.
Qed.

End Middle.
