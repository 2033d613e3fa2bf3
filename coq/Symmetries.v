(** Symmetries of a table, and the rule by which a certificate may use them.

    Page: docs/proofs/symmetry.md. With `settled_by_orbit` the checker of Certificates.v settles a column
    by another one of its orbit. No axiom is used. *)

From Coq Require Import List PeanoNat NArith Bool Lia.
From Littlestone Require Import Dimension Spaces.
Import ListNotations.
Local Open Scope N_scope.

(** Column x goes to column `to x`, complemented if `flip x`. *)
Record moves := { to : N -> N; flip : N -> bool }.

(** The literal 2 x + s stands for value s at column x. *)
Definition literal (g : moves) (l : N) : N := 2 * to g (N.div2 l) + N.b2n (xorb (flip g (N.div2 l)) (N.odd l)).

(** The literals of r go to those of r'. *)
Definition image (g : moves) (r r' : row) : Prop := forall x, bit r' (to g x) = xorb (flip g x) (bit r x).

Definition onto (g : moves) : Prop := forall y, exists x, to g x = y.

Lemma div2_literal a s : N.div2 (2 * a + N.b2n s) = a.
Proof. destruct a, s; reflexivity. Qed.

Lemma odd_literal a s : N.odd (2 * a + N.b2n s) = s.
Proof. destruct a, s; reflexivity. Qed.

Lemma image_side g r r' x s : image g r r' -> bit r x = s <-> bit r' (to g x) = xorb (flip g x) s.
Proof. intros E. rewrite E. destruct (bit r x), s, (flip g x); simpl; intuition congruence. Qed.

Lemma carried g n : forall V W, (forall r, In r V -> exists r', In r' W /\ image g r r') -> ldim_ge V n -> ldim_ge W n.
Proof.
  induction n as [| n IH]; intros V W C G.
  - apply ldim_0 in G. apply ldim_0. intros E. destruct V as [| r V]; [congruence |].
    destruct (C r) as (r' & I & _); [simpl; auto |]. rewrite E in I. destruct I.
  - apply ldim_S in G as (x & G0 & G1). apply ldim_S. exists (to g x).
    assert (S : forall s, ldim_ge (side V x s) n -> ldim_ge (side W (to g x) (xorb (flip g x) s)) n).
    { intros s. apply IH. intros r I. apply side_in in I as (I & B). destruct (C r I) as (r' & I' & E).
      exists r'. rewrite side_in, <- (image_side g r r' x s E). auto. }
    apply S in G0, G1. destruct (flip g x); simpl in *; auto.
Qed.

Lemma carried_back g n : onto g -> forall V W,
  (forall r', In r' W -> exists r, In r V /\ image g r r') -> ldim_ge W n -> ldim_ge V n.
Proof.
  intros O. induction n as [| n IH]; intros V W C G.
  - apply ldim_0 in G. apply ldim_0. intros E. destruct W as [| r' W]; [congruence |].
    destruct (C r') as (r & I & _); [simpl; auto |]. rewrite E in I. destruct I.
  - apply ldim_S in G as (y & G0 & G1). destruct (O y) as (x & <-). apply ldim_S. exists x.
    assert (S : forall s, ldim_ge (side W (to g x) (xorb (flip g x) s)) n -> ldim_ge (side V x s) n).
    { intros s. apply IH. intros r' I. apply side_in in I as (I & B). destruct (C r' I) as (r & I' & E).
      exists r. rewrite side_in, (image_side g r r' x s E). auto. }
    split; apply S; destruct (flip g x); simpl; auto.
Qed.

(** A symmetry permutes the columns, perhaps complemented, and the rows. *)
Definition symmetric (H : list row) (g : moves) : Prop :=
  onto g /\ (forall r, In r H -> exists r', In r' H /\ image g r r') /\
  (forall r', In r' H -> exists r, In r H /\ image g r r').

Lemma row_dec (r r' : row) : {r = r'} + {r <> r'}.
Proof. apply list_eq_dec, N.eq_dec. Qed.

(** It is enough to look up the image of each row. *)
Theorem images_make_a_symmetry H g (im : row -> row) : NoDup H -> told_apart H -> onto g ->
  (forall r, In r H -> In (im r) H /\ image g r (im r)) -> symmetric H g.
Proof.
  intros N T O C. split; auto. split.
  - intros r I. exists (im r). apply C; auto.
  - assert (D : NoDup (map im H)).
    { assert (E : forall r r', In r H -> In r' H -> im r = im r' -> r = r').
      { intros r r' I I' E. destruct (row_dec r r') as [| D]; auto. destruct (T r r' I I' D) as (x & []).
        destruct (C r I) as (_ & A), (C r' I') as (_ & A'). specialize (A x). specialize (A' x). rewrite E, A' in A.
        destruct (flip g x), (bit r x), (bit r' x); simpl in *; congruence. }
      clear C T. induction N as [| r V M N IH]; simpl; constructor.
      - intros J. apply in_map_iff in J as (r' & J & I). apply M. rewrite (E r r'); simpl; auto.
      - apply IH. intros a b I I'. apply E; simpl; auto. }
    assert (K : incl H (map im H)).
    { apply NoDup_length_incl; auto; [rewrite map_length; auto |].
      intros a J. apply in_map_iff in J as (r & <- & J). apply C; auto. }
    intros r' I. apply K in I as J.
    apply in_map_iff in J as (r & <- & J). exists r. split; auto. apply C; auto.
Qed.

Definition product (g h : moves) : moves :=
  {| to := fun x => to h (to g x); flip := fun x => xorb (flip g x) (flip h (to g x)) |}.

Lemma image_product g h r r' r'' : image g r r' -> image h r' r'' -> image (product g h) r r''.
Proof.
  intros E F x. simpl. rewrite F, E. destruct (flip g x), (flip h (to g x)), (bit r x); reflexivity.
Qed.

(** The words of a certificate are symmetries, and so are inverses. *)
Theorem products_are_symmetries H g h : symmetric H g -> symmetric H h -> symmetric H (product g h).
Proof.
  intros (O & C & B) (O' & C' & B'). split; [| split].
  - intros y. destruct (O' y) as (z & <-), (O z) as (x & <-). exists x. reflexivity.
  - intros r I. destruct (C r I) as (a & J & E), (C' a J) as (b & K & F). exists b. eauto using image_product.
  - intros r I. destruct (B' r I) as (a & J & E), (B a J) as (b & K & F). exists b. eauto using image_product.
Qed.

Theorem inverses_are_symmetries H g h : symmetric H g -> (forall x, to h (to g x) = x) ->
  (forall x, flip h (to g x) = flip g x) -> symmetric H h.
Proof.
  intros (O & C & B) R F.
  assert (E : forall r r', image g r r' -> image h r' r).
  { intros r r' E y. destruct (O y) as (x & <-). rewrite R, F, E. destruct (flip g x), (bit r x); reflexivity. }
  split; [| split].
  - intros x. exists (to g x). auto.
  - intros r' I. destruct (B r' I) as (r & J & K). eauto.
  - intros r I. destruct (C r I) as (r' & J & K). eauto.
Qed.

Lemma image_satisfies g r r' p : image g r r' -> satisfies r p <-> satisfies r' (map (literal g) p).
Proof.
  intros E. unfold satisfies. split; intros A l I.
  - apply in_map_iff in I as (m & <- & I). unfold literal. rewrite div2_literal, odd_literal.
    apply (image_side g r r'); auto.
  - assert (B : In (literal g l) (map (literal g) p)) by (apply in_map; auto). apply A in B. unfold literal in B.
    rewrite div2_literal, odd_literal in B. apply (image_side g r r'); auto.
Qed.

(** Lemma 1 of the page *)
Theorem symmetries_keep_the_dimension H g V W p n : symmetric H g -> space H V p -> space H W (map (literal g) p) ->
  ldim_ge V n <-> ldim_ge W n.
Proof.
  intros (O & C & B) (_ & SV) (_ & SW). split; [apply (carried g) | apply (carried_back g); auto].
  - intros r I. apply SV in I as (I & A). destruct (C r I) as (r' & J & E). exists r'. split; auto.
    apply SW. split; auto. apply (image_satisfies g r r'); auto.
  - intros r' I. apply SW in I as (I & A). destruct (B r' I) as (r & J & E). exists r. split; auto.
    apply SV. split; auto. apply (image_satisfies g r r'); auto.
Qed.

Definition splits (V : list row) (x : N) (n : nat) : Prop := forall s, ldim_ge (side V x s) n.

Definition fixes (g : moves) (p : list N) : Prop := forall l, In l p -> literal g l = l.

(** The columns that products of some symmetries and of their inverses take to each other. *)
Inductive orbit (G : list moves) : N -> N -> Prop :=
| orbit_step g x : In g G -> orbit G x (to g x)
| orbit_refl x : orbit G x x
| orbit_back x y : orbit G x y -> orbit G y x
| orbit_trans x y z : orbit G x y -> orbit G y z -> orbit G x z.

Lemma step_splits H g V p x n : symmetric H g -> fixes g p -> space H V p -> splits V x n <-> splits V (to g x) n.
Proof.
  intros S F A.
  assert (E : forall s, ldim_ge (side V x s) n <-> ldim_ge (side V (to g x) (xorb (flip g x) s)) n).
  { intros s. pose proof (space_side H V p (2 * x + N.b2n s) A) as B.
    pose proof (space_side H V p (literal g (2 * x + N.b2n s)) A) as B'.
    unfold literal in B'. rewrite !div2_literal, !odd_literal in B. rewrite !div2_literal, !odd_literal in B'.
    apply (symmetries_keep_the_dimension H g _ _ (2 * x + N.b2n s :: p)); auto. rewrite map_cons.
    replace (map (literal g) p) with p by (symmetry; erewrite map_ext_in by exact F; apply map_id).
    unfold literal. rewrite div2_literal, odd_literal. exact B'. }
  unfold splits. split; intros G s.
  - specialize (E (xorb (flip g x) s)). rewrite <- xorb_assoc, xorb_nilpotent, xorb_false_l in E. apply E, G.
  - apply E, G.
Qed.

(** Lemma 2 of the page *)
Theorem orbit_splits H G V p x y n : (forall g, In g G -> symmetric H g /\ fixes g p) -> space H V p -> orbit G x y ->
  splits V x n <-> splits V y n.
Proof.
  intros S A O. induction O as [g x I | x | x y O IH | x y z O IH O' IH']; try tauto.
  destruct (S g I). apply (step_splits H g V p); auto.
Qed.

(** A column is settled if another one of its orbit is: condition 5 of a settled column. *)
Theorem settled_by_orbit H G V p x y n : (forall g, In g G -> symmetric H g /\ fixes g p) -> space H V p -> orbit G x y ->
  (exists s, ~ ldim_ge (side V y s) n) -> ~ splits V x n.
Proof.
  intros S A O (s & D) B. apply D. apply (orbit_splits H G V p x y n S A O). exact B.
Qed.
