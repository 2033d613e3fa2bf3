(** Sets of rows of a table, and what a checker of certificates sees in them: counts, shapes and equal columns.

    Pages: docs/certificate-format.md, docs/proofs/certificates.md.  Rows are lists of words of 60 bits, so that a word
    is one number of OCaml.  No axiom is used. *)

From Coq Require Import List PeanoNat NArith PArith Bool Lia Permutation Mergesort Orders.
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

(** * The order of rows *)

Fixpoint row_compare (a b : row) : comparison :=
  match a, b with
  | [], [] => Eq
  | [], _ :: _ => Lt
  | _ :: _, [] => Gt
  | v :: a, w :: b => match v ?= w with Eq => row_compare a b | c => c end
  end.

Lemma row_compare_eq a : forall b, row_compare a b = Eq -> a = b.
Proof.
  induction a as [| v a IH]; intros [| w b]; simpl; try discriminate; auto.
  destruct (N.compare_spec v w) as [-> | |]; try discriminate. intros E. f_equal; auto.
Qed.

Lemma row_compare_refl a : row_compare a a = Eq.
Proof. induction a as [| v a IH]; simpl; auto. rewrite N.compare_refl. auto. Qed.

Lemma row_compare_trans a : forall b c, row_compare a b = Lt -> row_compare b c = Lt -> row_compare a c = Lt.
Proof.
  induction a as [| u a IH]; intros [| v b] [| w c]; simpl; try discriminate; auto.
  destruct (N.compare_spec u v), (N.compare_spec v w), (N.compare_spec u w); try discriminate; try lia; subst; eauto.
Qed.

Definition row_leb (a b : row) : bool := match row_compare a b with Gt => false | _ => true end.

Fixpoint row_eqb (a b : row) : bool :=
  match a, b with [], [] => true | v :: a, w :: b => N.eqb v w && row_eqb a b | _, _ => false end.

Lemma row_eqb_eq a : forall b, row_eqb a b = true -> a = b.
Proof.
  induction a as [| v a IH]; intros [| w b] E; simpl in E; try discriminate; auto.
  apply andb_true_iff in E as (E & E'). apply N.eqb_eq in E. f_equal; auto.
Qed.

Module Row <: TotalLeBool.
  Definition t := row.
  Definition leb := row_leb.
  Lemma leb_total a : forall b, leb a b = true \/ leb b a = true.
  Proof.
    unfold leb, row_leb. induction a as [| v a IH]; intros [| w b]; simpl; auto.
    rewrite (N.compare_antisym v w). destruct (v ?= w); simpl; auto.
  Qed.
End Row.
Module RowSort := Sort Row.

(** * The table: whether all rows differ *)

(** Rows of as many words, of 60 bits each *)
Definition fits (words : nat) (r : row) : bool := Nat.eqb (length r) words && forallb (fun w => N.shiftr w 60 =? 0) r.

Fixpoint increasing (V : list row) : bool :=
  match V with
  | r :: (r' :: _) as V' => match row_compare r r' with Lt => increasing V' | _ => false end
  | _ => true
  end.

Definition sorted (V : list row) : list row := RowSort.sort V.

Lemma sorted_in V r : In r (sorted V) <-> In r V.
Proof.
  pose proof (RowSort.Permuted_sort V) as P. split; apply Permutation_in; [apply Permutation_sym |]; exact P.
Qed.

Lemma increasing_nodup V : increasing V = true -> NoDup V.
Proof.
  induction V as [| r V IH]; [constructor |]. intros I.
  assert (I' : increasing V = true).
  { destruct V as [| r' V]; auto. simpl in I. destruct (row_compare r r'); try discriminate. exact I. }
  constructor; [| auto].
  enough (L : forall r', In r' V -> row_compare r r' = Lt).
  { intros J. apply L in J. rewrite row_compare_refl in J. discriminate. }
  clear IH. revert r I I'. induction V as [| a V IH]; intros r I I' r' J; [destruct J |].
  simpl in I. destruct (row_compare r a) eqn:E; try discriminate.
  destruct J as [<- | J]; [exact E |]. apply (row_compare_trans r a r' E). apply IH; auto.
  destruct V as [| b V]; auto. simpl in I'. destruct (row_compare a b); try discriminate. exact I'.
Qed.

Lemma fits_apart words r : forall r', fits words r = true -> fits words r' = true -> r <> r' -> exists x, bit r x <> bit r' x.
Proof.
  unfold fits. revert words. induction r as [| w r IH]; intros words r' F F' D; apply andb_true_iff in F as (L & F), F' as (L' & F');
    apply Nat.eqb_eq in L, L'; subst words; destruct r' as [| w' r']; simpl in L'; try discriminate; [congruence |].
  cbn [forallb] in F, F'. apply andb_true_iff in F as (S & F), F' as (S' & F'). apply N.eqb_eq in S, S'.
  destruct (N.eq_dec w w') as [<- | E].
  - destruct (IH (length r) r') as (x & B).
    + rewrite Nat.eqb_refl. exact F.
    + injection L' as L'. rewrite L', Nat.eqb_refl. exact F'.
    + congruence.
    + exists (x + 60). cbn [bit]. destruct (N.ltb_spec (x + 60) 60); [lia |]. rewrite N.add_sub. exact B.
  - exists (N.log2 (N.lxor w w')).
    assert (B : N.testbit (N.lxor w w') (N.log2 (N.lxor w w')) = true).
    { apply N.bit_log2. intros Z. apply E, N.lxor_eq, Z. }
    set (j := N.log2 (N.lxor w w')) in *. rewrite N.lxor_spec in B. cbn [bit].
    destruct (N.ltb_spec j 60) as [J | J].
    + intros Q. rewrite Q, xorb_nilpotent in B. discriminate.
    + replace j with (j - 60 + 60) in B by lia. rewrite <- !N.shiftr_spec', S, S', !N.bits_0 in B. discriminate.
Qed.

Definition distinct (V : list row) : bool :=
  match V with [] => true | r :: _ => forallb (fits (length r)) V end && increasing (sorted V).

Lemma distinct_spec V : distinct V = true ->
  NoDup V /\ told_apart V /\ forall r r', In r V -> In r' V -> length r = length r'.
Proof.
  unfold distinct. intros E. apply andb_true_iff in E as (F & I). split.
  - apply increasing_nodup in I. apply (Permutation_NoDup (Permutation_sym (RowSort.Permuted_sort V)) I).
  - destruct V as [| r0 V]; [split; intros ? ? [] |]. rewrite forallb_forall in F. split.
    + intros r r' J J' D. apply (fits_apart (length r0)); auto.
    + intros r r' J J'. apply F in J, J'. unfold fits in J, J'. apply andb_true_iff in J as (J & _), J' as (J' & _).
      apply Nat.eqb_eq in J, J'. congruence.
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

(** Adding three bits at each place: the sum is even or odd, and half of it is carried. *)
Definition odd_of (a b c : N) : N := N.lxor (N.lxor a b) c.
Definition carry (a b c : N) : N := N.lor (N.land a b) (N.land (N.lxor a b) c).

Lemma adder a b c x : N.b2n (N.testbit a x) + N.b2n (N.testbit b x) + N.b2n (N.testbit c x)
  = N.b2n (N.testbit (odd_of a b c) x) + 2 * N.b2n (N.testbit (carry a b c) x).
Proof.
  unfold odd_of, carry. rewrite !N.lxor_spec, N.lor_spec, !N.land_spec, N.lxor_spec.
  destruct (N.testbit a x), (N.testbit b x), (N.testbit c x); reflexivity.
Qed.

(** For each word the ones, twos and fours of a sum, and the eights that the last eight rows carried out of it *)
Inductive sums := no_sums | sums_with (ones twos fours eights : N) (s : sums).

Fixpoint add_eight (s : sums) (a b c d e f g h : row) : sums :=
  match s, a, b, c, d, e, f, g, h with
  | sums_with p q r _ s, wa :: a, wb :: b, wc :: c, wd :: d, we :: e, wf :: f, wg :: g, wh :: h =>
    let q1 := carry p wa wb in
    let p := odd_of p wa wb in
    let q2 := carry p wc wd in
    let p := odd_of p wc wd in
    let r1 := carry q q1 q2 in
    let q := odd_of q q1 q2 in
    let q3 := carry p we wf in
    let p := odd_of p we wf in
    let q4 := carry p wg wh in
    let p := odd_of p wg wh in
    let r2 := carry q q3 q4 in
    let q := odd_of q q3 q4 in
    sums_with p q (odd_of r r1 r2) (carry r r1 r2) (add_eight s a b c d e f g h)
  | _, _, _, _, _, _, _, _, _ => no_sums
  end.

Lemma eight_words p q r a b c d e f g h x :
  let q1 := carry p a b in let p1 := odd_of p a b in
  let q2 := carry p1 c d in let p2 := odd_of p1 c d in
  let r1 := carry q q1 q2 in let t := odd_of q q1 q2 in
  let q3 := carry p2 e f in let p3 := odd_of p2 e f in
  let q4 := carry p3 g h in let p4 := odd_of p3 g h in
  let r2 := carry t q3 q4 in
  let bit w := N.b2n (N.testbit w x) in
  bit p4 + 2 * bit (odd_of t q3 q4) + 4 * bit (odd_of r r1 r2) + 8 * bit (carry r r1 r2)
  = bit p + 2 * bit q + 4 * bit r + bit a + bit b + bit c + bit d + bit e + bit f + bit g + bit h.
Proof.
  intros q1 p1 q2 p2 r1 t q3 p3 q4 p4 r2 bit.
  pose proof (adder p a b x : bit p + bit a + bit b = bit p1 + 2 * bit q1).
  pose proof (adder p1 c d x : bit p1 + bit c + bit d = bit p2 + 2 * bit q2).
  pose proof (adder p2 e f x : bit p2 + bit e + bit f = bit p3 + 2 * bit q3).
  pose proof (adder p3 g h x : bit p3 + bit g + bit h = bit p4 + 2 * bit q4).
  pose proof (adder q q1 q2 x : bit q + bit q1 + bit q2 = bit t + 2 * bit r1).
  pose proof (adder t q3 q4 x : bit t + bit q3 + bit q4 = bit (odd_of t q3 q4) + 2 * bit r2).
  pose proof (adder r r1 r2 x : bit r + bit r1 + bit r2 = bit (odd_of r r1 r2) + 2 * bit (carry r r1 r2)).
  clearbody bit. lia.
Qed.

Fixpoint blank (r : row) : sums := match r with [] => no_sums | _ :: r => sums_with 0 0 0 0 (blank r) end.
Fixpoint eights (s : sums) : row := match s with no_sums => [] | sums_with _ _ _ e s => e :: eights s end.

Fixpoint summed (s : sums) (x : N) : N :=
  match s with
  | no_sums => 0
  | sums_with p q r _ s =>
    if x <? 60 then N.b2n (N.testbit p x) + 2 * N.b2n (N.testbit q x) + 4 * N.b2n (N.testbit r x) else summed s (x - 60)
  end.

Lemma add_eight_spec n a : forall b c d e f g h s x, length (eights s) = n -> length a = n -> length b = n ->
  length c = n -> length d = n -> length e = n -> length f = n -> length g = n -> length h = n ->
  length (eights (add_eight s a b c d e f g h)) = n /\
  summed (add_eight s a b c d e f g h) x + 8 * N.b2n (bit (eights (add_eight s a b c d e f g h)) x)
  = summed s x + N.b2n (bit a x) + N.b2n (bit b x) + N.b2n (bit c x) + N.b2n (bit d x)
    + N.b2n (bit e x) + N.b2n (bit f x) + N.b2n (bit g x) + N.b2n (bit h x).
Proof.
  revert a. induction n as [| n IH]; intros [| wa a] [| wb b] [| wc c] [| wd d] [| we e] [| wf f] [| wg g] [| wh h] [| p q r t s] x;
    intros; try discriminate; [cbn; auto |]. simpl length in *.
  destruct (IH a b c d e f g h s (x - 60)) as (L & E); try lia. cbn [add_eight eights summed bit length]. split; [lia |].
  destruct (x <? 60); [| exact E]. apply eight_words.
Qed.

(** The columns with at least 2^j *)
Fixpoint many (j : N) (planes : list N) : N :=
  match planes with
  | [] => 0
  | p :: planes => if j =? 0 then N.lor p (many 0 planes) else many (j - 1) planes
  end.

Lemma many_spec planes : forall j x, 2 ^ j <= value planes x -> N.testbit (many j planes) x = true.
Proof.
  induction planes as [| p planes IH]; intros j x L; cbn [value many] in *.
  - assert (0 < 2 ^ j) by (apply N.neq_0_lt_0, N.pow_nonzero; discriminate). lia.
  - destruct (N.eqb_spec j 0) as [-> | D].
    + rewrite N.lor_spec. destruct (N.testbit p x); cbn [N.b2n orb] in *; auto. apply IH. change (2 ^ 0) with 1 in *. lia.
    + apply IH. replace j with (N.succ (j - 1)) in L by lia. rewrite N.pow_succ_r' in L.
      destruct (N.testbit p x); cbn [N.b2n] in L; lia.
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

(** How many rows have 1 at column x *)
Definition total (V : list row) (x : N) : N := N.of_nat (length (side V x true)).

Lemma total_cons r V x : total (r :: V) x = N.b2n (bit r x) + total V x.
Proof. unfold total, side. cbn [filter]. destruct (bit r x); cbn [eqb length N.b2n]; lia. Qed.

Lemma fold_add_row V x : forall counts, counted_at (fold_left add_row V counts) x = counted_at counts x + total V x.
Proof.
  induction V as [| r V IH]; intros counts; cbn [fold_left]; [unfold total; simpl; lia |].
  rewrite IH, add_row_spec, total_cons. lia.
Qed.

Definition zeros (r : row) : row := map (fun _ => 0) r.

Lemma zeros_bit r : forall x, bit (zeros r) x = false.
Proof.
  unfold zeros. induction r as [| w r IH]; intros x; cbn [map bit]; auto. rewrite N.bits_0. destruct (x <? 60); auto.
Qed.

(** Add up eight rows at once, with zeros z after the last ones. What they carry makes [out], one row for eight. *)
Fixpoint eight_by_eight (V : list row) (z : row) (s : sums) (out : list row) : sums * list row :=
  match V with
  | a :: b :: c :: d :: e :: f :: g :: h :: V =>
    let s := add_eight s a b c d e f g h in eight_by_eight V z s (eights s :: out)
  | _ =>
    match V ++ [z; z; z; z; z; z; z] with
    | a :: b :: c :: d :: e :: f :: g :: h :: _ => let s := add_eight s a b c d e f g h in (s, eights s :: out)
    | _ => (s, out)
    end
  end.

(** Counts of eights, and less than eight *)
Fixpoint with_eights (s : sums) (counts : list (list N)) : list (list N) :=
  match s, counts with
  | no_sums, _ => map (fun c => 0 :: 0 :: 0 :: c) counts
  | sums_with p q r _ s, [] => [p; q; r] :: with_eights s []
  | sums_with p q r _ s, c :: counts => (p :: q :: r :: c) :: with_eights s counts
  end.

Fixpoint counts_below (levels : nat) (V : list row) : list (list N) :=
  match levels, V with
  | S levels, r :: _ :: _ => let (s, out) := eight_by_eight V (zeros r) (blank r) [] in with_eights s (counts_below levels out)
  | _, _ => fold_left add_row V []
  end.

Definition counts_of (V : list row) : list (list N) := counts_below 20 V.

(** Rows of n words *)
Definition wide (n : nat) (V : list row) : Prop := forall r, In r V -> length r = n.

Lemma eight_by_eight_spec n z x : length z = n -> bit z x = false -> forall V s out, wide n V -> wide n out ->
  length (eights s) = n -> let (s', out') := eight_by_eight V z s out in
  wide n out' /\ summed s' x + 8 * total out' x = summed s x + 8 * total out x + total V x.
Proof.
  intros Lz Z V. enough (G : forall m V s out, (length V < m)%nat -> wide n V -> wide n out -> length (eights s) = n ->
    let (s', out') := eight_by_eight V z s out in
    wide n out' /\ summed s' x + 8 * total out' x = summed s x + 8 * total out x + total V x) by (intros; eapply G; eauto).
  clear V. induction m as [| m IH]; intros V s out Lm W O Ls; [lia |].
  assert (Z' : forall U, total (z :: U) x = total U x) by (intros U; rewrite total_cons, Z; reflexivity).
  assert (Step : forall a b c d e f g h, wide n [a; b; c; d; e; f; g; h] ->
    wide n (eights (add_eight s a b c d e f g h) :: out) /\ length (eights (add_eight s a b c d e f g h)) = n /\
    summed (add_eight s a b c d e f g h) x + 8 * total (eights (add_eight s a b c d e f g h) :: out) x
    = summed s x + 8 * total out x + total [a; b; c; d; e; f; g; h] x).
  { intros a b c d e f g h W8. destruct (add_eight_spec n a b c d e f g h s x) as (L & E);
      try (exact Ls || (apply W8; simpl; tauto)). repeat split; auto.
    - intros r [<- | I]; auto.
    - rewrite !total_cons. change (total [] x) with 0. lia. }
  do 8 (destruct V as [| ? V]; [cbn [eight_by_eight app]; try (split; [exact O | unfold total at 3; simpl; lia]);
    match goal with |- context [add_eight s ?a ?b ?c ?d ?e ?f ?g ?h] =>
      destruct (Step a b c d e f g h) as (A & _ & B);
        [let y := fresh in let I := fresh in intros y I; simpl in I; repeat destruct I as [<- | I]; auto; try (apply W; simpl; tauto); destruct I |];
        split; [exact A |]; rewrite B; rewrite !total_cons, ?Z; cbn [N.b2n]; lia end |]).
  cbn [eight_by_eight].
  match goal with |- context [add_eight s ?a ?b ?c ?d ?e ?f ?g ?h] => destruct (Step a b c d e f g h) as (A & B & C) end.
  { intros y I. apply W. simpl in *. tauto. }
  specialize (IH V _ _ ltac:(simpl in Lm; lia) ltac:(intros y I; apply W; simpl; tauto) A B).
  destruct (eight_by_eight V z _ _) as (s' & out'). destruct IH as (D & E). split; [exact D |].
  rewrite E, C, !total_cons. change (total [] x) with 0. lia.
Qed.

Lemma with_eights_spec s : forall counts x, counted_at (with_eights s counts) x = summed s x + 8 * counted_at counts x.
Proof.
  induction s as [| p q r e s IH]; intros counts x; cbn [with_eights summed].
  - revert x. induction counts as [| c counts IH]; intros x; cbn [map counted_at]; [reflexivity |].
    destruct (x <? 60); [| apply IH]. cbn [value]. rewrite N.bits_0. cbn [N.b2n]; lia.
  - destruct counts as [| c counts]; cbn [counted_at]; destruct (x <? 60); rewrite ?IH; cbn [value counted_at]; lia.
Qed.

Lemma blank_spec r : length (eights (blank r)) = length r /\ forall x, summed (blank r) x = 0.
Proof.
  induction r as [| w r (L & IH)]; cbn [blank eights length summed]; auto. split; [lia |]. intros x. rewrite N.bits_0, IH.
  destruct (x <? 60); reflexivity.
Qed.

Lemma counts_spec n V x : wide n V -> counted_at (counts_of V) x = total V x.
Proof.
  unfold counts_of. generalize 20%nat. intros levels. revert V. induction levels as [| levels IH]; intros V W;
    cbn [counts_below]; [apply fold_add_row |].
  destruct V as [| r [| r' V]]; try apply fold_add_row. pose proof (blank_spec r) as (L & B).
  assert (Lr : length r = n) by (apply W; simpl; auto).
  pose proof (eight_by_eight_spec n (zeros r) x) as S. specialize (S ltac:(unfold zeros; rewrite map_length; exact Lr) (zeros_bit r x)
    (r :: r' :: V) (blank r) [] W ltac:(intros q []) ltac:(congruence)).
  destruct (eight_by_eight _ _ _ _) as (s & out). destruct S as (O & E).
  rewrite with_eights_spec, IH by exact O. rewrite E, B. change (total [] x) with 0. lia.
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

(** The columns with at least 2^j of n rows on both sides, as a row *)
Definition chosen (counts : list (list N)) (n : N) (j : nat) : row :=
  let most := n - N.shiftl 1 (N.of_nat j) in
  map (fun planes => N.land (many (N.of_nat j) planes) (at_most planes most full)) counts.

Definition splitters (V : list row) (n : N) (j : nat) : row := if few n (S j) then [] else chosen (counts_of V) n j.

Lemma splitters_spec words V j x : wide words V ->
  (Nat.pow 2 j <= length (side V x false))%nat -> (Nat.pow 2 j <= length (side V x true))%nat ->
  bit (splitters V (size V) j) x = true.
Proof.
  intros Wi F T. pose proof (sides_length V x) as L. rewrite size_spec. unfold splitters, chosen.
  pose proof (of_power j) as P.
  destruct (few (N.of_nat (length V)) (S j)) eqn:E.
  { apply few_spec in E. rewrite Nat2N.inj_succ, N.pow_succ_r' in E. lia. }
  rewrite N.shiftl_1_l. pose proof (counts_spec words V x Wi) as C. unfold total in C.
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
Fixpoint pack (l : list bool) (p : positive) (room : nat) : row :=
  match l with
  | [] => [Npos p]
  | b :: l =>
    let p' := if b then xI p else xO p in
    match room with O => Npos p' :: pack l 1 59 | S room => pack l p' room end
  end.

Fixpoint unpacked (p : positive) : list bool :=
  match p with xH => [] | xO p => unpacked p ++ [false] | xI p => unpacked p ++ [true] end.

Definition unpacked_word (w : N) : list bool := match w with 0 => [] | Npos p => unpacked p end.

Lemma unpack l : forall p room, flat_map unpacked_word (pack l p room) = unpacked p ++ l.
Proof.
  induction l as [| b l IH]; intros p room; cbn [pack flat_map unpacked_word]; [reflexivity |].
  assert (E : unpacked (if b then xI p else xO p) = unpacked p ++ [b]) by (destruct b; reflexivity).
  destruct room as [| room]; cbn [flat_map unpacked_word]; rewrite IH, ?E; cbn [unpacked app]; rewrite <- app_assoc; reflexivity.
Qed.

(** Column x of W, 0 at the first row *)
Definition first_bit (W : list row) (x : N) : bool := match W with [] => false | r :: _ => bit r x end.

Definition column (W : list row) (x : N) : row :=
  let c := first_bit W x in pack (map (fun r => xorb c (bit r x)) W) 1 59.

Lemma column_eq W W' x y : column W x = column W' y ->
  map (fun r => xorb (first_bit W x) (bit r x)) W = map (fun r => xorb (first_bit W' y) (bit r y)) W'.
Proof.
  unfold column. intros E. apply (f_equal (flat_map unpacked_word)) in E. rewrite !unpack in E. exact E.
Qed.

(** Whether all of [a] are in [b]; both are sorted. *)
Fixpoint all_in (b a : list row) : bool :=
  match b with
  | [] => match a with [] => true | _ => false end
  | y :: b =>
    (fix skip a := match a with
      | [] => true
      | x :: a' => if row_eqb x y then skip a' else all_in b a
      end) a
  end.

Lemma all_in_spec b : forall a, all_in b a = true -> incl a b.
Proof.
  induction b as [| y b IH]; intros a.
  - destruct a; simpl; [intros _ x [] | discriminate].
  - induction a as [| x a IHa]; [intros _ z [] |]. cbn [all_in]. destruct (row_eqb x y) eqn:E.
    + apply row_eqb_eq in E. subst y. intros A z [<- | I]; [simpl; auto | apply IHa; auto].
    + intros A z I. right. apply (IH _ A); auto.
Qed.

Definition shape : Type := (N * list row)%type.

Definition shape_columns (W : list row) : list row :=
  RowSort.sort (map (column W) (columns (splitters W (size W) 1))).

Definition shape_of (W : list row) : shape := (size W, shape_columns W).

Definition has_shape (W : list row) (s : shape) : bool :=
  (size W =? fst s) && all_in (snd s) (shape_columns W).

Lemma shape_columns_in W c :
  In c (shape_columns W) <-> exists x, c = column W x /\ bit (splitters W (size W) 1) x = true.
Proof.
  unfold shape_columns.
  assert (P := RowSort.Permuted_sort (map (column W) (columns (splitters W (size W) 1)))).
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
Lemma has_shape_spec words W V n : wide words W -> NoDup V -> told_apart V ->
  has_shape W (shape_of V) = true -> ldim_ge W n -> ldim_ge V n.
Proof.
  intros Wi N D H G. unfold has_shape, shape_of in H; cbn [fst snd] in H.
  apply andb_true_iff in H as (L & A). apply N.eqb_eq in L. rewrite !size_spec in L.
  assert (L' : length W = length V) by lia. apply all_in_spec in A.
  rewrite <- (map_snd_combine W V L') in N, D |- *. rewrite <- (map_fst_combine W V L') in G.
  revert G. apply shapes with (pairs := combine W V); auto using incl_refl.
  intros x T.
  assert (B : bit (splitters W (size W) 1) x = true).
  { apply (splitters_spec words); unfold side; try exact Wi; change (Nat.pow 2 1) with 2%nat.
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

(** * Paths *)

(** A restriction to value s at column x is 2 x + s. *)
Definition satisfies (r : row) (path : list N) : Prop := forall l, In l path -> bit r (N.div2 l) = N.odd l.

Definition subpath (path path' : list N) : bool := forallb (fun l => existsb (N.eqb l) path') path.

Lemma subpath_spec path path' r : subpath path path' = true -> satisfies r path' -> satisfies r path.
Proof.
  unfold subpath. rewrite forallb_forall. intros S A l I. apply A. specialize (S l I).
  apply existsb_exists in S as (l' & I' & E). apply N.eqb_eq in E. congruence.
Qed.

(** The rows of the table H that satisfy a path *)
Definition space (H V : list row) (p : list N) : Prop := NoDup V /\ forall r, In r V <-> In r H /\ satisfies r p.

Lemma space_side H V p l : space H V p -> space H (side V (N.div2 l) (N.odd l)) (l :: p).
Proof.
  intros (N & E). split; [apply NoDup_filter; auto |]. intros r. rewrite side_in, E. unfold satisfies. simpl. split.
  - intros ((I & A) & B). split; auto. intros l' [<- | I']; auto.
  - intros (I & A). repeat split; auto.
Qed.
