(** A checker of certificates: what it accepts is true.

    Pages: docs/certificate-format.md, docs/proofs/certificates.md.  Rows are lists of words of 60 bits, so that a word
    is one number of OCaml.  No axiom is used. *)

From Coq Require Import List PeanoNat NArith PArith Bool Lia Permutation Mergesort Orders FMapPositive.
From Littlestone Require Import Dimension.
Import ListNotations.
Local Open Scope N_scope.

(** * Rows, version spaces and their dimension *)

Definition row := list N.

(** Whether a set of columns has column x; of a row, its value there. *)
Fixpoint bit (r : row) (x : N) : bool :=
  match r with [] => false | w :: r => if x <? 60 then N.testbit w x else bit r (x - 60) end.

(** The class of the rows of a list. *)
Definition functions (V : list row) : class N bool := fun h => exists r, In r V /\ forall x, h x = bit r x.

Definition ldim_ge (V : list row) (n : nat) : Prop := dim_ge (functions V) n.

Definition side (V : list row) (x : N) (s : bool) : list row := filter (fun r => eqb (bit r x) s) V.

Lemma side_in V x s r : In r (side V x s) <-> In r V /\ bit r x = s.
Proof. unfold side. rewrite filter_In, eqb_true_iff. reflexivity. Qed.

Lemma ldim_incl V W n : incl V W -> ldim_ge V n -> ldim_ge W n.
Proof. intros I. apply dim_ge_mono. intros h (r & J & E). exists r. auto. Qed.

Lemma under_side V x s : forall h, under (functions V) [(x, s)] h <-> functions (side V x s) h.
Proof.
  intros h. split.
  - intros ((r & I & E) & A). exists r. rewrite side_in. repeat split; auto.
    rewrite <- E. apply A. simpl; auto.
  - intros (r & I & E). apply side_in in I as (I & B). split; [exists r; auto |].
    intros y t [J | []]. injection J as <- <-. rewrite E; auto.
Qed.

(** (R) *)
Lemma ldim_S V n : ldim_ge V (S n) <-> exists x, ldim_ge (side V x false) n /\ ldim_ge (side V x true) n.
Proof.
  unfold ldim_ge. rewrite dim_ge_S. split.
  - intros (x & y0 & y1 & D & G0 & G1). exists x.
    assert (M : forall s, dim_ge (under (functions V) [(x, s)]) n -> dim_ge (functions (side V x s)) n).
    { intros s. apply dim_ge_mono. intros h. apply under_side. }
    destruct y0, y1; try congruence; auto.
  - intros (x & G0 & G1). exists x, false, true. split; [discriminate |].
    split; [revert G0 | revert G1]; apply dim_ge_mono; intros h; apply under_side.
Qed.

Lemma ldim_0 V : ldim_ge V 0 <-> V <> [].
Proof.
  unfold ldim_ge. rewrite dim_ge_0. split.
  - intros (h & r & I & _) ->. destruct I.
  - destruct V as [| r V]; [congruence |]. intros _. exists (bit r), r. simpl; auto.
Qed.

Lemma ldim_le V m n : (m <= n)%nat -> ldim_ge V n -> ldim_ge V m.
Proof. apply dim_ge_le. Qed.

Lemma sides_length V x : (length V = length (side V x false) + length (side V x true))%nat.
Proof.
  unfold side. induction V as [| r V IH]; simpl; auto. destruct (bit r x); simpl; lia.
Qed.

(** Fact 2 *)
Lemma ldim_length n : forall V, ldim_ge V n -> (Nat.pow 2 n <= length V)%nat.
Proof.
  induction n as [| n IH]; intros V G.
  - apply ldim_0 in G. destruct V; [congruence | simpl; lia].
  - apply ldim_S in G as (x & G0 & G1). rewrite (sides_length V x). apply IH in G0, G1. simpl; lia.
Qed.

(** * Shapes *)

(** Different rows differ in a column. *)
Definition told_apart (V : list row) : Prop :=
  forall r r', In r V -> In r' V -> r <> r' -> exists x, bit r x <> bit r' x.

Lemma two_in {A} (l : list A) a a' : In a l -> In a' l -> a <> a' -> (2 <= length l)%nat.
Proof. destruct l as [| b [| b' l]]; simpl; intuition (try lia; congruence). Qed.

Lemma snd_injective {A B} (l : list (A * B)) p p' :
  NoDup (map snd l) -> In p l -> In p' l -> snd p = snd p' -> p = p'.
Proof.
  induction l as [| q l IH]; intros N I I' E; [destruct I |]. inversion N as [| ? ? M N']; subst.
  destruct I as [-> | I], I' as [-> | I']; auto.
  - destruct M. rewrite E. apply in_map; auto.
  - destruct M. rewrite <- E. apply in_map; auto.
Qed.

(** The columns of W with two rows on both sides are columns of W', perhaps complemented. *)
Lemma shapes (pairs : list (row * row)) :
  NoDup (map snd pairs) -> told_apart (map snd pairs) ->
  (forall x, (forall s, (2 <= length (filter (fun p => eqb (bit (fst p) x) s) pairs))%nat) ->
    exists y c, forall p, In p pairs -> bit (fst p) x = xorb c (bit (snd p) y)) ->
  forall n A, incl A pairs -> ldim_ge (map fst A) n -> ldim_ge (map snd A) n.
Proof.
  intros N D S.
  assert (Some_one : forall (A : list (row * row)) x s, side (map fst A) x s <> [] -> exists p, In p A /\ bit (fst p) x = s).
  { intros A x s E. destruct (side (map fst A) x s) as [| r V] eqn:F; [congruence |].
    assert (J : In r (side (map fst A) x s)) by (rewrite F; simpl; auto).
    apply side_in in J as (J & B). apply in_map_iff in J as (p & <- & J). eauto. }
  assert (Two : forall A : list (row * row), ldim_ge (map fst A) 1 -> exists p p', In p A /\ In p' A /\ p <> p').
  { intros A G. apply ldim_S in G as (x & G0 & G1). apply ldim_0 in G0, G1.
    destruct (Some_one _ _ _ G0) as (p & P & B), (Some_one _ _ _ G1) as (p' & P' & B').
    exists p, p'. repeat split; auto. congruence. }
  induction n as [| n IH]; intros A I G.
  - apply ldim_0 in G. apply ldim_0. destruct A; [exfalso; apply G; reflexivity | discriminate].
  - destruct n as [| n].
    + destruct (Two A G) as (p & p' & P & P' & E).
      destruct (D (snd p) (snd p')) as (x & B); [apply in_map; auto | apply in_map; auto | |].
      { intros e. apply E. eapply snd_injective; eauto. }
      apply ldim_S. exists x. rewrite !ldim_0.
      assert (J : forall s q, In q A -> bit (snd q) x = s -> side (map snd A) x s <> []).
      { intros s q Q T F. assert (H : In (snd q) (side (map snd A) x s)) by (apply side_in; split; auto; apply in_map; auto).
        rewrite F in H; destruct H. }
      destruct (bit (snd p) x) eqn:T, (bit (snd p') x) eqn:T'; try congruence; eauto.
    + apply ldim_S in G as (x & G0 & G1).
      set (part := fun s => filter (fun p => eqb (bit (fst p) x) s) A).
      assert (Part : forall s, incl (part s) A) by (intros s p J; apply filter_In in J; tauto).
      assert (G : forall s, ldim_ge (map fst (part s)) (Datatypes.S n)).
      { intros s. assert (Gs : ldim_ge (side (map fst A) x s) (Datatypes.S n)) by (destruct s; auto).
        revert Gs. apply ldim_incl. intros r J. apply side_in in J as (J & B). apply in_map_iff in J as (p & <- & J).
        apply in_map. apply filter_In. rewrite B, eqb_reflx. auto. }
      destruct (S x) as (y & c & E).
      { intros s. destruct (Two (part s)) as (p & p' & P & P' & F); [eapply ldim_le; [| apply G]; lia |].
        apply filter_In in P as (P & B), P' as (P' & B').
        apply (two_in _ p p'); auto; apply filter_In; auto. }
      assert (M : forall t, ldim_ge (side (map snd A) y t) (Datatypes.S n)).
      { intros t. apply ldim_incl with (map snd (part (xorb c t))).
        - intros r J. apply in_map_iff in J as (p & <- & J). apply filter_In in J as (J & B).
          apply eqb_prop in B. rewrite E in B by auto. apply side_in. split; [apply in_map; auto |].
          destruct c, t, (bit (snd p) y); auto.
        - apply IH; [| apply G]. intros p J. apply I, (Part _ p J). }
      apply ldim_S. exists y. split; apply M.
Qed.

(** * Counting, for all columns of a word at once *)

(** Bit p of the counters of all columns of a word is plane p. *)
Fixpoint value (planes : list N) (x : N) : N :=
  match planes with [] => 0 | p :: planes => N.b2n (N.testbit p x) + 2 * value planes x end.

Fixpoint add (planes : list N) (w : N) : list N :=
  match planes with
  | [] => if w =? 0 then [] else [w]
  | p :: rest => if w =? 0 then planes else N.lxor p w :: add rest (N.land p w)
  end.

Lemma value_add planes w x : value (add planes w) x = value planes x + N.b2n (N.testbit w x).
Proof.
  revert w; induction planes as [| p planes IH]; intros w; cbn [add]; destruct (N.eqb_spec w 0) as [-> | D]; cbn [value].
  - rewrite N.bits_0. reflexivity.
  - lia.
  - rewrite N.bits_0. cbn [N.b2n]; lia.
  - rewrite IH, N.lxor_spec, N.land_spec. destruct (N.testbit p x), (N.testbit w x); cbn [N.b2n xorb andb]; lia.
Qed.

(** Two words at once *)
Definition add_two (planes : list N) (w w' : N) : list N :=
  match planes with
  | [] => add (add [] w) w'
  | p :: rest =>
    let one := N.lxor p w in N.lxor one w' :: add rest (N.lor (N.land p w) (N.land one w'))
  end.

Lemma value_add_two planes w w' x :
  value (add_two planes w w') x = value planes x + N.b2n (N.testbit w x) + N.b2n (N.testbit w' x).
Proof.
  destruct planes as [| p planes]; cbn [add_two]; [rewrite !value_add; reflexivity |].
  cbn [value]. rewrite value_add, !N.lxor_spec, N.lor_spec, !N.land_spec, N.lxor_spec.
  destruct (N.testbit p x), (N.testbit w x), (N.testbit w' x); cbn [N.b2n xorb andb orb]; lia.
Qed.

(** The columns with at least 2^j *)
Fixpoint many (j : nat) (planes : list N) : N :=
  match j, planes with
  | _, [] => 0
  | O, p :: planes => N.lor p (many O planes)
  | S j, _ :: planes => many j planes
  end.

Lemma many_spec j : forall planes x, 2 ^ N.of_nat j <= value planes x -> N.testbit (many j planes) x = true.
Proof.
  induction j as [| j IH].
  - induction planes as [| p planes IH]; intros x L; cbn [value many] in *; change (2 ^ N.of_nat 0) with 1 in L; [lia |].
    rewrite N.lor_spec. destruct (N.testbit p x); cbn [N.b2n orb] in *; auto. apply IH. change (2 ^ 0) with 1. lia.
  - intros [| p planes] x L; cbn [value many] in *.
    + assert (0 < 2 ^ N.of_nat (S j)) by (apply N.neq_0_lt_0, N.pow_nonzero; discriminate). lia.
    + apply IH. rewrite Nat2N.inj_succ, N.pow_succ_r' in L. destruct (N.testbit p x); cbn [N.b2n] in L; lia.
Qed.

Definition full : N := N.ones 60.

(** The columns with at most m, if [few] has those where equality is allowed *)
Fixpoint at_most (planes : list N) (m few : N) : N :=
  match planes with
  | [] => if m =? 0 then few else full
  | p :: planes =>
    at_most planes (N.div2 m) (if N.odd m then N.lor few (N.ldiff full p) else N.ldiff few p)
  end.

Lemma at_most_spec planes : forall m few x, x < 60 ->
  value planes x < m \/ value planes x = m /\ N.testbit few x = true -> N.testbit (at_most planes m few) x = true.
Proof.
  induction planes as [| p planes IH]; intros m few x X L; cbn [value at_most] in *.
  - destruct (N.eqb_spec m 0) as [-> | D]; [destruct L as [L | L]; [lia | tauto] |].
    apply N.ones_spec_low; auto.
  - apply IH; auto. rewrite (N.div2_odd m) in L. set (m' := N.div2 m) in *.
    assert (F : N.testbit full x = true) by (apply N.ones_spec_low; auto).
    destruct (N.odd m); cbn [N.b2n] in L; rewrite ?N.lor_spec, ?N.ldiff_spec, ?F;
      destruct (N.testbit p x); cbn [N.b2n negb andb orb] in *;
      destruct (N.lt_trichotomy (value planes x) m') as [T | [T | T]]; auto;
      destruct L as [L | (L & E)]; try lia; rewrite ?E, ?orb_true_r, ?andb_true_r; auto.
Qed.

Fixpoint add_row (counts : list (list N)) (r : row) : list (list N) :=
  match r, counts with
  | [], _ => counts
  | w :: r, [] => add [] w :: add_row [] r
  | w :: r, p :: counts => add p w :: add_row counts r
  end.

Fixpoint counted_at (counts : list (list N)) (x : N) : N :=
  match counts with [] => 0 | p :: counts => if x <? 60 then value p x else counted_at counts (x - 60) end.

Lemma add_row_spec r : forall counts x, counted_at (add_row counts r) x = counted_at counts x + N.b2n (bit r x).
Proof.
  induction r as [| w r IH]; intros counts x; [simpl; lia |].
  destruct counts as [| p counts]; cbn [add_row counted_at bit]; destruct (x <? 60);
    rewrite ?value_add, ?IH; cbn [value counted_at]; lia.
Qed.

Fixpoint add_rows (counts : list (list N)) (r r' : row) : list (list N) :=
  match counts, r, r' with
  | p :: counts, w :: r, w' :: r' => add_two p w w' :: add_rows counts r r'
  | _, _, _ => add_row (add_row counts r) r'
  end.

Lemma add_rows_spec counts : forall r r' x,
  counted_at (add_rows counts r r') x = counted_at counts x + N.b2n (bit r x) + N.b2n (bit r' x).
Proof.
  induction counts as [| p counts IH]; intros [| w r] [| w' r'] x; cbn [add_rows];
    try (rewrite !add_row_spec; reflexivity).
  cbn [counted_at bit]. destruct (x <? 60); [apply value_add_two | apply IH].
Qed.

Fixpoint counts_from (V : list row) (counts : list (list N)) : list (list N) :=
  match V with
  | [] => counts
  | [r] => add_row counts r
  | r :: r' :: V => counts_from V (add_rows counts r r')
  end.

Definition counts_of (V : list row) : list (list N) := counts_from V [].

Lemma counts_spec V x : counted_at (counts_of V) x = N.of_nat (length (side V x true)).
Proof.
  unfold counts_of. enough (G : forall n V c, (length V < n)%nat ->
    counted_at (counts_from V c) x = counted_at c x + N.of_nat (length (side V x true)))
    by (rewrite (G (S (length V))) by auto; reflexivity).
  unfold side. clear V. induction n as [| n IH]; intros V c L; [lia |].
  destruct V as [| r [| r' V]]; cbn [counts_from filter].
  - cbn [length]; lia.
  - rewrite add_row_spec. destruct (bit r x); cbn [eqb length N.b2n]; lia.
  - rewrite IH, add_rows_spec by (simpl in L; lia).
    destruct (bit r x), (bit r' x); cbn [eqb length N.b2n]; lia.
Qed.

Fixpoint size_from (V : list row) (n : N) : N := match V with [] => n | _ :: V => size_from V (N.succ n) end.
Definition size (V : list row) : N := size_from V 0.

Lemma size_spec V : size V = N.of_nat (length V).
Proof.
  unfold size. enough (forall n, size_from V n = n + N.of_nat (length V)) by (rewrite H; lia).
  induction V as [| r V IH]; intros n; cbn [size_from length]; [lia | rewrite IH; lia].
Qed.

(** Whether n < 2^k, without 2^k *)
Definition few (n : N) (k : nat) : bool := N.shiftr n (N.of_nat k) =? 0.

Lemma few_spec n k : few n k = true <-> n < 2 ^ N.of_nat k.
Proof.
  unfold few. rewrite N.eqb_eq, N.shiftr_div_pow2.
  assert (P : 2 ^ N.of_nat k <> 0) by (apply N.pow_nonzero; discriminate).
  split; [apply N.div_small_iff; auto | apply N.div_small].
Qed.

Lemma of_power j : N.of_nat (Nat.pow 2 j) = 2 ^ N.of_nat j.
Proof.
  induction j as [| j IH]; [reflexivity |]. rewrite Nat2N.inj_succ, N.pow_succ_r', <- IH. cbn [Nat.pow]. lia.
Qed.

Lemma few_power n k : N.of_nat n < 2 ^ N.of_nat k -> (n < Nat.pow 2 k)%nat.
Proof. rewrite <- of_power. lia. Qed.

(** The columns with at least 2^j rows on both sides, as a row *)
Definition splitters (V : list row) (n : N) (j : nat) : row :=
  if few n (S j) then []
  else let most := n - N.shiftl 1 (N.of_nat j) in
    map (fun planes => N.land (many j planes) (at_most planes most full)) (counts_of V).

Lemma splitters_spec V j x :
  (Nat.pow 2 j <= length (side V x false))%nat -> (Nat.pow 2 j <= length (side V x true))%nat ->
  bit (splitters V (size V) j) x = true.
Proof.
  intros F T. pose proof (sides_length V x) as L. rewrite size_spec. unfold splitters.
  pose proof (of_power j) as P.
  destruct (few (N.of_nat (length V)) (S j)) eqn:E.
  { apply few_spec in E. rewrite Nat2N.inj_succ, N.pow_succ_r' in E. lia. }
  rewrite N.shiftl_1_l. pose proof (counts_spec V x) as C.
  set (most := N.of_nat (length V) - 2 ^ N.of_nat j) in *.
  assert (B : 2 ^ N.of_nat j <= counted_at (counts_of V) x <= most) by (unfold most; lia).
  clear - B. revert x B. induction (counts_of V) as [| p counts IH]; intros x B; cbn [counted_at map bit] in *.
  - assert (0 < 2 ^ N.of_nat j) by (apply N.neq_0_lt_0, N.pow_nonzero; discriminate). lia.
  - destruct (N.ltb_spec x 60) as [X | X]; [| auto].
    rewrite N.land_spec, many_spec by tauto. apply at_most_spec; auto.
    destruct (N.eq_dec (value p x) most) as [e | e]; [right; split; auto; apply N.ones_spec_low; auto | left; lia].
Qed.

(** * Columns of a set *)

Fixpoint scan (n : nat) (w x : N) : list N :=
  match n with
  | O => []
  | S n => if w =? 0 then [] else if N.odd w then x :: scan n (N.div2 w) (N.succ x) else scan n (N.div2 w) (N.succ x)
  end.

Fixpoint columns_from (r : row) (x : N) : list N :=
  match r with [] => [] | w :: r => scan 60 w x ++ columns_from r (x + 60) end.

Definition columns (r : row) : list N := columns_from r 0.

Lemma scan_in n : forall w x y, In y (scan n w x) <-> x <= y < x + N.of_nat n /\ N.testbit w (y - x) = true.
Proof.
  induction n as [| n IH]; intros w x y; cbn [scan]; [simpl; lia |].
  assert (Step : In y (scan n (N.div2 w) (N.succ x))
    <-> N.succ x <= y < N.succ x + N.of_nat n /\ N.testbit w (y - x) = true).
  { rewrite IH. split; intros (B & T); split; auto; try lia; [rewrite <- T | rewrite <- T];
      rewrite N.div2_spec, N.shiftr_spec'; f_equal; lia. }
  destruct (N.eqb_spec w 0) as [-> | D].
  - split; [intros [] | intros (_ & T); rewrite N.bits_0 in T; discriminate].
  - destruct (N.odd w) eqn:O.
    + simpl In. rewrite Step. split.
      * intros [<- | ((B & B') & T)]; [split; [lia |] | split; [lia | auto]].
        rewrite N.sub_diag, N.bit0_odd; auto.
      * intros (B & T). destruct (N.eq_dec x y) as [-> | N]; [auto | right; split; auto; lia].
    + rewrite Step. split; intros (B & T); split; auto; try lia.
      destruct (N.eq_dec x y) as [-> | N]; [| lia]. rewrite N.sub_diag, N.bit0_odd in T. congruence.
Qed.

Lemma columns_in r x : In x (columns r) <-> bit r x = true.
Proof.
  unfold columns. enough (G : forall b, In x (columns_from r b) <-> b <= x /\ bit r (x - b) = true).
  { rewrite G, N.sub_0_r. split; [tauto | split; [lia | auto]]. }
  induction r as [| w r IH]; intros b; cbn [columns_from bit]; [simpl; split; [tauto | intros (_ & D); discriminate] |].
  rewrite in_app_iff, scan_in, IH. change (N.of_nat 60) with 60. destruct (N.ltb_spec (x - b) 60) as [L | L].
  - split; [intros [((B & B') & T) | (B & T)] | intros (B & T); left]; split; auto; try lia.
  - replace (x - (b + 60)) with (x - b - 60) by lia.
    split; [intros [((B & B') & T) | (B & T)] | intros (B & T); right]; split; auto; lia.
Qed.

(** * The shape of a set of rows *)

(** The bits of a list, 60 to a number, after a leading 1 *)
Fixpoint pack (l : list bool) (p : positive) (room : nat) : list positive :=
  match l with
  | [] => [p]
  | b :: l =>
    let p' := if b then xI p else xO p in
    match room with O => p' :: pack l 1 59 | S room => pack l p' room end
  end.

Fixpoint unpacked (p : positive) : list bool :=
  match p with xH => [] | xO p => unpacked p ++ [false] | xI p => unpacked p ++ [true] end.

Lemma unpack l : forall p room, flat_map unpacked (pack l p room) = unpacked p ++ l.
Proof.
  induction l as [| b l IH]; intros p room; cbn [pack flat_map]; [reflexivity |].
  assert (E : unpacked (if b then xI p else xO p) = unpacked p ++ [b]) by (destruct b; reflexivity).
  destruct room as [| room]; cbn [flat_map]; rewrite IH, ?E; cbn [unpacked app]; rewrite <- app_assoc; reflexivity.
Qed.

(** Column x of W, 0 at the first row *)
Definition first_bit (W : list row) (x : N) : bool := match W with [] => false | r :: _ => bit r x end.

Definition column (W : list row) (x : N) : list positive :=
  let c := first_bit W x in pack (map (fun r => xorb c (bit r x)) W) 1 59.

Lemma column_eq W W' x y : column W x = column W' y ->
  map (fun r => xorb (first_bit W x) (bit r x)) W = map (fun r => xorb (first_bit W' y) (bit r y)) W'.
Proof.
  unfold column. intros E. apply (f_equal (flat_map unpacked)) in E. rewrite !unpack in E. exact E.
Qed.

Fixpoint column_leb (a b : list positive) : bool :=
  match a, b with
  | [], _ => true
  | _ :: _, [] => false
  | p :: a, q :: b => match Pos.compare p q with Lt => true | Gt => false | Eq => column_leb a b end
  end.

Fixpoint column_eqb (a b : list positive) : bool :=
  match a, b with [], [] => true | p :: a, q :: b => Pos.eqb p q && column_eqb a b | _, _ => false end.

Lemma column_eqb_eq a : forall b, column_eqb a b = true -> a = b.
Proof.
  induction a as [| p a IH]; intros [| q b] E; simpl in E; try discriminate; auto.
  apply andb_true_iff in E as (E & E'). apply Pos.eqb_eq in E. f_equal; auto.
Qed.

Module Column <: TotalLeBool.
  Definition t := list positive.
  Definition leb := column_leb.
  Lemma leb_total a : forall b, leb a b = true \/ leb b a = true.
  Proof.
    unfold leb. induction a as [| p a IH]; intros [| q b]; simpl; auto.
    rewrite (Pos.compare_antisym p q). destruct (Pos.compare p q); simpl; auto.
  Qed.
End Column.
Module ColumnSort := Sort Column.

(** Whether all of [a] are in [b]; both are sorted. *)
Fixpoint all_in (b a : list (list positive)) : bool :=
  match b with
  | [] => match a with [] => true | _ => false end
  | y :: b =>
    (fix skip a := match a with
      | [] => true
      | x :: a' => if column_eqb x y then skip a' else all_in b a
      end) a
  end.

Lemma all_in_spec b : forall a, all_in b a = true -> incl a b.
Proof.
  induction b as [| y b IH]; intros a.
  - destruct a; simpl; [intros _ x [] | discriminate].
  - induction a as [| x a IHa]; [intros _ z [] |]. cbn [all_in]. destruct (column_eqb x y) eqn:E.
    + apply column_eqb_eq in E. subst y. intros A z [<- | I]; [simpl; auto | apply IHa; auto].
    + intros A z I. right. apply (IH _ A); auto.
Qed.

Definition shape : Type := (N * list (list positive))%type.

Definition shape_columns (W : list row) : list (list positive) :=
  ColumnSort.sort (map (column W) (columns (splitters W (size W) 1))).

Definition shape_of (W : list row) : shape := (size W, shape_columns W).

Definition has_shape (W : list row) (s : shape) : bool :=
  (size W =? fst s) && all_in (snd s) (shape_columns W).

Lemma shape_columns_in W c :
  In c (shape_columns W) <-> exists x, c = column W x /\ bit (splitters W (size W) 1) x = true.
Proof.
  unfold shape_columns.
  assert (P := ColumnSort.Permuted_sort (map (column W) (columns (splitters W (size W) 1)))).
  split.
  - intros I. apply (Permutation_in _ (Permutation_sym P)) in I. apply in_map_iff in I as (x & <- & I).
    exists x. split; auto. apply columns_in; auto.
  - intros (x & -> & B). apply (Permutation_in _ P), in_map, columns_in. auto.
Qed.

Lemma map_combine {A B C} (f : A -> C) (g : B -> C) l : forall m, map f l = map g m ->
  forall p, In p (combine l m) -> f (fst p) = g (snd p).
Proof.
  induction l as [| a l IH]; intros [| b m] E p I; simpl in *; try tauto.
  injection E as E E'. destruct I as [<- | I]; [exact E | eapply IH; eauto].
Qed.

Lemma map_fst_combine {A B} (l : list A) : forall m : list B, length l = length m -> map fst (combine l m) = l.
Proof. induction l as [| a l IH]; intros [| b m] E; simpl in *; try discriminate; auto. f_equal; auto. Qed.

Lemma map_snd_combine {A B} (l : list A) : forall m : list B, length l = length m -> map snd (combine l m) = m.
Proof. induction l as [| a l IH]; intros [| b m] E; simpl in *; try discriminate; auto. f_equal; auto. Qed.

Lemma length_map_filter {A B} (f : A -> B) p l : length (filter p (map f l)) = length (filter (fun a => p (f a)) l).
Proof. induction l as [| a l IH]; simpl; auto. destruct (p (f a)); simpl; auto. Qed.

(** Lemma of shapes *)
Lemma has_shape_spec W V n : NoDup V -> told_apart V ->
  has_shape W (shape_of V) = true -> ldim_ge W n -> ldim_ge V n.
Proof.
  intros N D H G. unfold has_shape, shape_of in H; cbn [fst snd] in H.
  apply andb_true_iff in H as (L & A). apply N.eqb_eq in L. rewrite !size_spec in L.
  assert (L' : length W = length V) by lia. apply all_in_spec in A.
  rewrite <- (map_snd_combine W V L') in N, D |- *. rewrite <- (map_fst_combine W V L') in G.
  revert G. apply shapes with (pairs := combine W V); auto using incl_refl.
  intros x T.
  assert (B : bit (splitters W (size W) 1) x = true).
  { apply splitters_spec; unfold side; change (Nat.pow 2 1) with 2%nat.
    - specialize (T false). rewrite <- (map_fst_combine W V L') at 1. rewrite length_map_filter. exact T.
    - specialize (T true). rewrite <- (map_fst_combine W V L') at 1. rewrite length_map_filter. exact T. }
  assert (I : In (column W x) (shape_columns V)) by (apply A, shape_columns_in; eauto).
  apply shape_columns_in in I as (y & E & _). apply column_eq in E.
  exists y, (xorb (first_bit W x) (first_bit V y)). intros p J.
  pose proof (map_combine _ _ W V E p J) as M. cbn beta in M.
  destruct (first_bit W x), (first_bit V y), (bit (fst p) x), (bit (snd p) y); simpl in *; auto.
Qed.

(** * Settled columns *)

Definition empty (r : row) : bool := forallb (fun w => w =? 0) r.

Lemma empty_spec r x : empty r = true -> bit r x = false.
Proof.
  unfold empty. revert x; induction r as [| w r IH]; intros x E; cbn [forallb bit] in *; auto.
  apply andb_true_iff in E as (E & E'). apply N.eqb_eq in E. subst w.
  destruct (x <? 60); [apply N.bits_0 | auto].
Qed.

(** Columns below x *)
Fixpoint below (r : row) (x : N) : row :=
  match r with [] => [] | _ :: r => if x <? 60 then [N.ones x] else full :: below r (x - 60) end.

Lemma below_spec r : forall x y, bit (below r x) y = true -> y < x.
Proof.
  induction r as [| w r IH]; intros x y; cbn [below bit]; [discriminate |].
  destruct (N.ltb_spec x 60) as [X | X]; cbn [bit].
  - destruct (N.ltb_spec y 60) as [Y | Y]; [| discriminate]. intros B.
    destruct (N.lt_ge_cases y x) as [L | L]; auto. rewrite N.ones_spec_high in B by auto. discriminate.
  - destruct (N.ltb_spec y 60) as [Y | Y]; [lia |]. intros B. apply IH in B. lia.
Qed.

(** The columns of [a] where row r has the value s *)
Fixpoint agreeing (a r : row) (s : bool) : row :=
  match a with
  | [] => []
  | w :: a =>
    let v := match r with [] => 0 | v :: _ => v end in
    (if s then N.land w v else N.ldiff w v) :: agreeing a (tl r) s
  end.

Lemma agreeing_spec a : forall r s y, bit (agreeing a r s) y = true -> bit a y = true /\ bit r y = s.
Proof.
  induction a as [| w a IH]; intros r s y; cbn [agreeing bit]; [discriminate |].
  destruct (N.ltb_spec y 60) as [Y | Y].
  - destruct r as [| v r]; cbn [bit]; [| apply N.ltb_lt in Y; rewrite Y];
      destruct s; rewrite ?N.land_spec, ?N.ldiff_spec, ?N.bits_0, ?andb_true_iff, ?negb_true_iff;
      intros H; try tauto; destruct H; try discriminate; auto.
  - intros B. apply IH in B as (B & B'). split; auto.
    destruct r as [| v r]; cbn [bit tl] in *; auto. destruct (N.ltb_spec y 60); [lia | auto].
Qed.

(** The columns of [a] that equal column x, complemented if c *)
Fixpoint alike (V : list row) (x : N) (c : bool) (a : row) : list N :=
  match V with
  | [] => columns a
  | r :: V => if empty a then [] else alike V x c (agreeing a r (xorb c (bit r x)))
  end.

Lemma alike_spec V x c : forall a y, In y (alike V x c a) ->
  bit a y = true /\ forall r, In r V -> bit r y = xorb c (bit r x).
Proof.
  induction V as [| r V IH]; intros a y I; cbn [alike] in I; [apply columns_in in I; split; [auto | intros ? []] |].
  destruct (empty a); [destruct I |]. apply IH in I as (B & E). apply agreeing_spec in B as (B & E').
  split; auto. intros r' [<- | J]; auto.
Qed.

(** Rule 4: whether column x equals one before it, or the complement of one. *)
Definition repeated (V : list row) (x : N) : bool :=
  match V with
  | [] => true
  | r :: _ =>
    let before := below r x in
    match alike V x false before, alike V x true before with [], [] => false | _, _ => true end
  end.

Lemma repeated_spec V x : repeated V x = true ->
  V = [] \/ exists y c, y < x /\ forall r, In r V -> bit r y = xorb c (bit r x).
Proof.
  unfold repeated. destruct V as [| r0 V]; [auto |]. intros H. right.
  assert (One : forall c z, In z (alike (r0 :: V) x c (below r0 x)) ->
    exists y c, y < x /\ forall r, In r (r0 :: V) -> bit r y = xorb c (bit r x)).
  { intros c z I. apply alike_spec in I as (B & E). apply below_spec in B. eauto. }
  cbv zeta in H. destruct (alike _ x false _) as [| z l] eqn:E; [| apply (One false z); rewrite E; simpl; auto].
  destruct (alike _ x true _) as [| z l] eqn:E'; [discriminate | apply (One true z); rewrite E'; simpl; auto].
Qed.

(** * Claims *)

(** A restriction to value s at column x is 2 x + s. *)
Definition satisfies (r : row) (path : list N) : Prop := forall l, In l path -> bit r (N.div2 l) = N.odd l.

Definition subpath (path path' : list N) : bool := forallb (fun l => existsb (N.eqb l) path') path.

Lemma subpath_spec path path' r : subpath path path' = true -> satisfies r path' -> satisfies r path.
Proof.
  unfold subpath. rewrite forallb_forall. intros S A l I. apply A. specialize (S l I).
  apply existsb_exists in S as (l' & I' & E). apply N.eqb_eq in E. congruence.
Qed.

Record claim := { bound : nat; path : list N; kept : option shape }.

Record state := { at_ : N; made : N; known : PositiveMap.t claim }.

Section Checking.
Variable H : list row.  (* the table *)
Variable M : nat.       (* its columns *)
Variable byte : N -> N. (* the file *)
Variable bytes : N.

Definition space (V : list row) (p : list N) : Prop :=
  NoDup V /\ forall r, In r V <-> In r H /\ satisfies r p.

Definition holds (c : claim) : Prop :=
  exists V, space V (path c) /\ ~ ldim_ge V (bound c) /\ forall s, kept c = Some s -> s = shape_of V.

Definition all_hold (st : state) : Prop := forall p c, PositiveMap.find p (known st) = Some c -> holds c.

(** The next number, below 2^61, of at most nine bytes. *)
Fixpoint number (n : nat) (i shift : N) : option (N * N) :=
  match n with
  | O => None
  | S n =>
    if i <? bytes then
      let b := byte i in
      if b <? 128 then
        if (56 <=? shift) && (32 <=? b) then None else Some (N.shiftl b shift, N.succ i)
      else match number n (N.succ i) (shift + 7) with
        | Some (v, i') => Some (N.shiftl (b - 128) shift + v, i')
        | None => None
        end
    else None
  end.

Definition read (i : N) : option (N * N) := number 9 i 0.

Definition lookup (st : state) (b : N) : option claim :=
  match made st - b with 0 => None | Npos p => PositiveMap.find p (known st) end.

(** The end of a claim *)
Definition close (k : nat) (V : list row) (p : list N) (me : N) (keep : bool) (st : state) : state :=
  match me with
  | 0 => st
  | Npos i =>
    let c := {| bound := k; path := p; kept := if keep then Some (shape_of V) else None |} in
    {| at_ := at_ st; made := made st; known := PositiveMap.add i c (known st) |}
  end.

(** Rule 2 for side s of column x, where k is one more than the number of the claim about the side *)
Definition counts_settle (V : list row) (x : N) (k : nat) : bool :=
  match k with
  | O | 1%nat | 2%nat => false
  | S (S j) =>
    let F := side V x false in
    let T := side V x true in
    let f := size F in
    let t := size T in
    (* the smaller side first *)
    if f <? t then empty (splitters F f j) || empty (splitters T t j)
    else empty (splitters T t j) || empty (splitters F f j)
  end.

Definition settled (V : list row) (k : nat) (d0 d1 : row) : bool :=
  forallb (fun x => bit d0 x || bit d1 x || counts_settle V x k || repeated V x)
    (columns (splitters V (size V) (pred k))).

(** The columns of a set, and x *)
Fixpoint with_column (r : row) (n : nat) (x : N) : row :=
  match n with
  | O => r
  | S n =>
    let w := match r with [] => 0 | w :: _ => w end in
    if x <? 60 then N.lor w (N.shiftl 1 x) :: tl r else w :: with_column (tl r) n (x - 60)
  end.

Definition two (V : list row) : bool := match V with _ :: _ :: _ => true | _ => false end.

Definition moved (st : state) (i : N) : state := {| at_ := i; made := made st; known := known st |}.

(** Read the claim LDim(V) < k; the state after it, if it follows. *)
Fixpoint accept (k : nat) (V : list row) (p : list N) (st : state) {struct k} : option state :=
  let me := N.succ (made st) in
  let st := {| at_ := at_ st; made := me; known := known st |} in
  if few (size V) k then
    match read (at_ st) with
    | Some (0, i) => Some (close k V p me false (moved st i))
    | Some (1, i) => Some (close k V p me true (moved st i))
    | _ => None
    end
  else match k with
  | O | 1%nat => None
  | S k' =>
    (fix steps (n : nat) (d0 d1 : row) (st : state) {struct n} : option state :=
      match read (at_ st) with
      | None => None
      | Some (next, i) =>
        if next <? 2 then
          if settled V k d0 d1 then Some (close k V p me (next =? 1) (moved st i)) else None
        else match n with
        | O => None
        | S n =>
          let l := next - 2 in
          let x := N.div2 l in
          let s := N.odd l in
          let W := side V x s in
          let good :=
            if (x <? N.of_nat M) && negb (bit d0 x || bit d1 x) && two W && two (side V x (negb s)) then
              match read i with
              | Some (0, i) => accept k' W (l :: p) (moved st i)
              | Some (kind, i) =>
                match read i with
                | None => None
                | Some (value, i) =>
                  let st := moved st i in
                  if kind =? 1 then
                    let y := N.div2 value in
                    let t := N.odd value in
                    if bit (if t then d1 else d0) y && forallb (fun r => eqb (bit r y) t) W then Some st else None
                  else match lookup st value with
                  | None => None
                  | Some c =>
                    if Nat.leb (bound c) k' then
                      if kind =? 2 then if subpath (path c) (l :: p) then Some st else None
                      else if kind =? 3 then
                        match kept c with
                        | Some sh => if has_shape W sh then Some st else None
                        | None => None
                        end
                      else None
                    else None
                  end
                end
              | None => None
              end
            else None in
          match good with
          | Some st => if s then steps n d0 (with_column d1 (S M) x) st else steps n (with_column d0 (S M) x) d1 st
          | None => None
          end
        end
      end) M [] [] st
  end.

(** * The table: whether all rows differ *)

Fixpoint distinct (n : nat) (x : N) (V : list row) : bool :=
  match V with
  | [] | [_] => true
  | _ => match n with
    | O => false
    | S n => distinct n (N.succ x) (side V x false) && distinct n (N.succ x) (side V x true)
    end
  end.

Lemma nodup_sides V x : NoDup (side V x false) -> NoDup (side V x true) -> NoDup V.
Proof.
  unfold side. induction V as [| r V IH]; simpl; [constructor |]. intros F T.
  assert (N : NoDup V) by (destruct (bit r x); simpl in *; [inversion T | inversion F]; auto).
  constructor; auto. intros I. destruct (bit r x) eqn:B; simpl in *; [inversion T as [| ? ? J _] | inversion F as [| ? ? J _]];
    subst; apply J, filter_In; rewrite B; auto.
Qed.

Lemma distinct_spec n : forall x V, distinct n x V = true -> NoDup V /\ told_apart V.
Proof.
  assert (Few : forall V : list row, (length V <= 1)%nat -> NoDup V /\ told_apart V).
  { intros [| r [| r' V]] L; simpl in L; [| | lia].
    - split; [constructor | intros ? ? []].
    - split; [repeat constructor; auto | intros a b [<- | []] [<- | []]; tauto]. }
  induction n as [| n IH]; intros x V E.
  - apply Few. destruct V as [| r [| r' V]]; simpl in *; [lia | lia | discriminate].
  - destruct (Compare_dec.le_lt_dec (length V) 1) as [L | L]; [auto |].
    assert (E' : distinct n (N.succ x) (side V x false) && distinct n (N.succ x) (side V x true) = true)
      by (destruct V as [| r [| r' V]]; simpl in L; [lia | lia | exact E]).
    apply andb_true_iff in E' as (F & T). apply IH in F as (F & F'), T as (T & T').
    split; [eapply nodup_sides; eauto |]. intros r r' I I' D. destruct (bool_dec (bit r x) (bit r' x)) as [B | B]; [| eauto].
    destruct (bit r x) eqn:B1; symmetry in B; [apply T' | apply F']; auto; apply side_in; auto.
Qed.

(** * The tree *)

(** Rows with their numbers *)
Definition numbered := list (N * row).

Fixpoint number_rows (V : list row) (i : N) : numbered :=
  match V with [] => [] | r :: V => (i, r) :: number_rows V (N.succ i) end.

Definition answers (v : numbered) (x : N) (s : bool) : numbered := filter (fun p => eqb (bit (snd p) x) s) v.

(** Read a point for each version space of a level. *)
Fixpoint level (vs : list numbered) (i : N) : option (list numbered * N) :=
  match vs with
  | [] => Some ([], i)
  | v :: vs =>
    match read i with
    | None => None
    | Some (x, i) =>
      match level vs i with
      | None => None
      | Some (out, i) => Some (answers v x false :: answers v x true :: out, i)
      end
    end
  end.

Fixpoint leaves (vs : list numbered) (i : N) : option N :=
  match vs with
  | [] => Some i
  | v :: vs =>
    match read i with
    | None => None
    | Some (leaf, i) => if existsb (fun p => fst p =? leaf) v then leaves vs i else None
    end
  end.

Fixpoint tree (d : nat) (vs : list numbered) (i : N) : option N :=
  match d with
  | O => leaves vs i
  | S d => match level vs i with None => None | Some (vs, i) => tree d vs i end
  end.

Lemma level_spec vs : forall i out i', level vs i = Some (out, i') ->
  forall v, In v vs -> exists x, In (answers v x false) out /\ In (answers v x true) out.
Proof.
  induction vs as [| v vs IH]; intros i out i' E w I; [destruct I |]. simpl in E.
  destruct (read i) as [(x & j) |]; [| discriminate]. destruct (level vs j) as [(o & j') |] eqn:L; [| discriminate].
  injection E as <- <-. destruct I as [<- | I]; [exists x; simpl; auto |].
  destruct (IH _ _ _ L w I) as (y & A & B). exists y; simpl; auto.
Qed.

Lemma tree_spec d : forall vs i i', tree d vs i = Some i' -> forall v, In v vs -> ldim_ge (map snd v) d.
Proof.
  induction d as [| d IH]; intros vs i i' E v I; cbn [tree] in E.
  - apply ldim_0. revert i E. induction vs as [| w vs IH]; intros i E; [destruct I |]. simpl in E.
    destruct (read i) as [(leaf & j) |]; [| discriminate]. destruct (existsb _ w) eqn:X; [| discriminate].
    destruct I as [<- | I]; [| eauto]. destruct w; [discriminate | discriminate].
  - destruct (level vs i) as [(out & j) |] eqn:L; [| discriminate].
    destruct (level_spec _ _ _ _ L v I) as (x & F & T). apply ldim_S. exists x.
    assert (Part : forall s, incl (map snd (answers v x s)) (side (map snd v) x s)).
    { intros s r J. apply in_map_iff in J as (p & <- & J). apply filter_In in J as (J & B).
      apply side_in. split; [apply in_map; auto | apply eqb_prop; auto]. }
    split; [apply (ldim_incl _ _ _ (Part false)) | apply (ldim_incl _ _ _ (Part true))]; eapply IH; eauto.
Qed.

Lemma number_rows_snd V : forall i, map snd (number_rows V i) = V.
Proof. induction V as [| r V IH]; intros i; simpl; [| rewrite IH]; auto. Qed.

(** * The file *)

(** littlestone-certificate 3 *)
Definition mark : list N :=
  [108; 105; 116; 116; 108; 101; 115; 116; 111; 110; 101; 45; 99; 101; 114; 116; 105; 102; 105; 99; 97; 116; 101; 32; 51; 10].

Fixpoint begins (l : list N) (i : N) : bool :=
  match l with [] => true | b :: l => (i <? bytes) && (byte i =? b) && begins l (N.succ i) end.

(** Whether claims prove LDim(H) < k, from the byte i on *)
Definition follows (k : nat) (declared i : N) : bool :=
  if declared =? 0 then (i =? bytes) && few (size H) k
  else match read i with
  | Some (0, i) =>
    match accept k H [] {| at_ := i; made := 0; known := PositiveMap.empty claim |} with
    | Some st => (at_ st =? bytes) && (made st =? declared)
    | None => false
    end
  | _ => false
  end.

(** The bounds, if both are proved *)
Definition check : option (N * N) :=
  if negb (begins mark 0 && distinct M 0 H) then None
  else match read 58 with None => None | Some (lower, i) =>
    match read i with None => None | Some (upper, i) =>
      if (lower <=? upper) && (upper <? 62) then
        match tree (N.to_nat lower) [number_rows H 0] i with None => None | Some i =>
          match read i with None => None | Some (declared, i) =>
            if follows (S (N.to_nat upper)) declared i then Some (lower, upper) else None
          end
        end
      else None
    end
  end.

Section Sound.
Hypothesis H_apart : told_apart H.

Lemma few_rows V k : few (size V) k = true -> ~ ldim_ge V k.
Proof. intros F G. apply ldim_length in G. apply few_spec in F. rewrite size_spec in F. apply few_power in F. lia. Qed.

Lemma space_side V p l : space V p -> space (side V (N.div2 l) (N.odd l)) (l :: p).
Proof.
  intros (N & E). split; [apply NoDup_filter; auto |]. intros r. rewrite side_in, E. unfold satisfies. simpl. split.
  - intros ((I & A) & B). split; auto. intros l' [<- | I']; auto.
  - intros (I & A). repeat split; auto.
Qed.

Lemma space_apart V p : space V p -> told_apart V.
Proof. intros (_ & E) r r' I I'. apply H_apart; [apply E in I | apply E in I']; tauto. Qed.

Lemma close_holds k V p me keep st : all_hold st -> space V p -> ~ ldim_ge V k -> all_hold (close k V p me keep st).
Proof.
  intros A S L. destruct me as [| i]; simpl; auto. intros j c F. simpl in F.
  destruct (Pos.eq_dec j i) as [-> | D].
  - rewrite PositiveMap.gss in F. injection F as <-. exists V. split; [exact S | split; [exact L |]].
    intros s K. destruct keep; [injection K as <-; auto | discriminate].
  - rewrite PositiveMap.gso in F by auto. eauto.
Qed.

Lemma lookup_holds st b c : all_hold st -> lookup st b = Some c -> holds c.
Proof. intros A. unfold lookup. destruct (made st - b); [discriminate | apply A]. Qed.

Lemma with_column_spec n : forall r x y, bit (with_column r n x) y = true -> bit r y = true \/ y = x.
Proof.
  induction n as [| n IH]; intros r x y; cbn [with_column]; [auto |].
  destruct (N.ltb_spec x 60) as [X | X]; cbn [bit]; destruct (N.ltb_spec y 60) as [Y | Y].
  - rewrite N.lor_spec, N.shiftl_1_l, orb_true_iff. intros [B | B].
    + left. destruct r as [| w r]; cbn [bit]; [rewrite N.bits_0 in B; discriminate |].
      apply N.ltb_lt in Y. rewrite Y. auto.
    + right. rewrite N.pow2_bits_eqb in B. apply N.eqb_eq in B. auto.
  - intros B. left. destruct r as [| w r]; cbn [bit tl] in *; [discriminate |].
    destruct (N.ltb_spec y 60); [lia | auto].
  - intros B. left. destruct r as [| w r]; cbn [bit]; [rewrite N.bits_0 in B; discriminate |].
    apply N.ltb_lt in Y. rewrite Y. auto.
  - intros B. apply IH in B as [B | B]; [left | right; lia].
    destruct r as [| w r]; cbn [bit tl] in *; [discriminate |]. destruct (N.ltb_spec y 60); [lia | auto].
Qed.

Lemma counts_settle_spec V x k : counts_settle V x (S k) = true -> exists s, ~ ldim_ge (side V x s) k.
Proof.
  destruct k as [| [| k]]; try discriminate. cbn [counts_settle]. intros E.
  assert (One : forall s, empty (splitters (side V x s) (size (side V x s)) (S k)) = true -> ~ ldim_ge (side V x s) (S (S k))).
  { intros s F G. apply ldim_S in G as (y & G0 & G1). apply ldim_length in G0, G1.
    pose proof (splitters_spec (side V x s) (S k) y G0 G1) as B. rewrite empty_spec in B by auto. discriminate. }
  destruct (_ <? _); apply orb_true_iff in E as [E | E]; eauto.
Qed.

(** Every column has a side without the dimension k. *)
Lemma settled_spec V k d0 d1 :
  (forall y, bit d0 y = true -> ~ ldim_ge (side V y false) k) ->
  (forall y, bit d1 y = true -> ~ ldim_ge (side V y true) k) ->
  settled V (S k) d0 d1 = true -> ~ ldim_ge V (S k).
Proof.
  intros D0 D1 E G. apply ldim_S in G as (x & G0 & G1).
  enough (All : forall x, exists s, ~ ldim_ge (side V x s) k) by (destruct (All x) as ([] & N); auto).
  clear x G0 G1. unfold settled in E. rewrite forallb_forall in E. cbn [pred] in E.
  intros x. induction x as [x IH] using (well_founded_induction N.lt_wf_0).
  destruct (bit (splitters V (size V) k) x) eqn:B.
  - apply columns_in in B. apply E in B. rewrite !orb_true_iff in B. destruct B as [[[B | B] | B] | B]; eauto.
    + apply counts_settle_spec; auto.
    + apply repeated_spec in B as [-> | (y & c & L & F)].
      * exists true. intros G. apply (ldim_le _ 0) in G; [| lia]. apply ldim_0 in G. auto.
      * destruct (IH y L) as (s & N). exists (xorb c s). intros G. apply N. revert G. apply ldim_incl.
        intros r I. apply side_in in I as (I & J). apply side_in. split; auto. rewrite (F r I), J.
        destruct c, s; auto.
  - (* rule 1 *)
    destruct (Compare_dec.le_lt_dec (Nat.pow 2 k) (length (side V x false))) as [L | L].
    + exists true. intros G. apply ldim_length in G. rewrite splitters_spec in B by auto. discriminate.
    + exists false. intros G. apply ldim_length in G. lia.
Qed.

Theorem accept_spec k : forall V p st st', all_hold st -> space V p -> accept k V p st = Some st' ->
  all_hold st' /\ ~ ldim_ge V k.
Proof.
  induction k as [| k IHk]; intros V p st st' A Sp; cbn [accept]; set (me := N.succ (made st));
    destruct (few (size V) _) eqn:F.
  1, 3: pose proof (few_rows V _ F) as L;
    destruct (read _) as [([| [| |]] & i) |]; try discriminate; intros E; injection E as <-;
    (split; [apply close_holds; auto | exact L]).
  - discriminate.
  - destruct k as [| k]; [discriminate |].
    match goal with |- ?f M [] [] ?s = Some _ -> _ => set (steps := f); set (st0 := s) end.
    assert (A0 : all_hold st0) by exact A. clearbody st0.
    assert (G : forall n d0 d1 s, all_hold s ->
      (forall y, bit d0 y = true -> ~ ldim_ge (side V y false) (S k)) ->
      (forall y, bit d1 y = true -> ~ ldim_ge (side V y true) (S k)) ->
      steps n d0 d1 s = Some st' -> all_hold st' /\ ~ ldim_ge V (S (S k))).
    2: { apply G; auto; intros y B; discriminate. }
    clear st0 A0. induction n as [| n IH]; intros d0 d1 s As D0 D1; unfold steps; fold steps; destruct (read (at_ s)) as [(next & i) |];
      try discriminate; destruct (next <? 2).
    1, 3: destruct (settled V (S (S k)) d0 d1) eqn:E; [| discriminate]; intros J; injection J as <-;
      apply settled_spec in E; auto; split; auto; apply close_holds; auto.
    + discriminate.
    + set (l := next - 2). set (x := N.div2 l). set (b := N.odd l). set (W := side V x b).
      assert (Sw : space W (l :: p)) by (apply space_side; auto).
      match goal with |- match ?g with _ => _ end = _ -> _ => destruct g as [s' |] eqn:E end; [| discriminate].
      assert (G : all_hold s' /\ ~ ldim_ge W (S k)).
      2: { destruct G as (As' & Lw). destruct b eqn:Eb; intros J; apply IH in J; auto.
        - intros y B. apply with_column_spec in B as [B | ->]; auto.
        - intros y B. apply with_column_spec in B as [B | ->]; auto. }
      destruct ((x <? N.of_nat M) && _ && _ && _); [| discriminate].
      destruct (read i) as [(kind & i') |]; [| discriminate].
      destruct kind as [| kind]; [apply IHk in E; auto |].
      destruct (read i') as [(value & i'') |]; [| discriminate].
      destruct (Npos kind =? 1).
      { (* kind 1 *)
        set (y := N.div2 value) in *. set (t := N.odd value) in *.
        destruct (bit (if t then d1 else d0) y) eqn:B; [| discriminate]. cbn [andb] in E.
        destruct (forallb _ W) eqn:Fa; [| discriminate]. injection E as <-. split; [exact As |].
        rewrite forallb_forall in Fa. intros Lw. apply (ldim_incl _ (side V y t)) in Lw.
        - destruct t; [apply (D1 y B Lw) | apply (D0 y B Lw)].
        - intros r J. apply side_in. split; [apply side_in in J; tauto | apply eqb_prop, Fa; auto]. }
      destruct (lookup _ value) as [c |] eqn:K; [| discriminate].
      apply (lookup_holds (moved s i'')) in K; [| exact As]. destruct K as (V' & (N' & S') & L' & Sh).
      destruct (Nat.leb (bound c) (S k)) eqn:Le; [| discriminate]. apply Nat.leb_le in Le.
      destruct (Npos kind =? 2).
      { (* kind 2 *)
        destruct (subpath _ _) eqn:Su; [| discriminate]. injection E as <-. split; [exact As |].
        intros Lw. apply L'. apply (ldim_le _ (bound c)) in Lw; auto. revert Lw. apply ldim_incl.
        intros r J. apply Sw in J as (J & T). apply S'. split; auto. eapply subpath_spec; eauto. }
      destruct (Npos kind =? 3); [| discriminate].
      (* kind 3 *)
      destruct (kept c) as [sh |]; [| discriminate]. destruct (has_shape W sh) eqn:Hs; [| discriminate].
      injection E as <-. split; [exact As |]. rewrite (Sh sh eq_refl) in Hs.
      intros Lw. apply L'. apply (ldim_le _ (bound c)) in Lw; auto.
      eapply has_shape_spec in Hs; eauto. apply (space_apart V' (path c)). split; auto.
Qed.

End Sound.

Lemma follows_spec k declared i : NoDup H -> told_apart H -> follows k declared i = true -> ~ ldim_ge H k.
Proof.
  intros N D. unfold follows. destruct (declared =? 0).
  - intros E. apply andb_true_iff in E as (_ & F). apply few_rows; auto.
  - destruct (read i) as [([|] & j) |]; try discriminate. destruct (accept k H [] _) as [st |] eqn:E; [| discriminate].
    intros _. apply accept_spec in E; [tauto | exact D | |].
    + intros p c F. cbn [known] in F. rewrite PositiveMap.gempty in F. discriminate.
    + split; [exact N |]. intros r. split; [| tauto]. intros I. split; auto. intros l [].
Qed.

(** What is accepted is true. *)
Theorem check_is_sound lower upper : check = Some (lower, upper) ->
  dim_ge (functions H) (N.to_nat lower) /\ ~ dim_ge (functions H) (S (N.to_nat upper)).
Proof.
  unfold check. destruct (begins mark 0); [| discriminate]. cbn [andb].
  destruct (distinct M 0 H) eqn:E; [| discriminate]. cbn [negb]. apply distinct_spec in E as (N & D).
  destruct (read 58) as [(l & i) |]; [| discriminate]. destruct (read i) as [(u & i') |]; [| discriminate].
  destruct ((l <=? u) && (u <? 62)); [| discriminate]. destruct (tree _ _ i') as [j |] eqn:T; [| discriminate].
  destruct (read j) as [(c & j') |]; [| discriminate]. destruct (follows _ c j') eqn:F; [| discriminate].
  intros J; injection J as <- <-. split.
  - apply tree_spec with (v := number_rows H 0) in T; [| simpl; auto]. rewrite number_rows_snd in T. exact T.
  - apply follows_spec in F; auto.
Qed.

Theorem accepted_dimension d : check = Some (d, d) -> dim (functions H) (N.to_nat d).
Proof. intros E. apply check_is_sound in E as (A & B). split; auto. Qed.

End Checking.
