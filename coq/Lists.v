(** The tree of a radius, and Lemma 1: one record moves a list by one radius.

    docs/proofs/radii.md, "Setting" and "Lemma 1". *)

From Coq Require Import List Arith Lia Classical ClassicalEpsilon.
From Littlestone Require Import Dimension.
Import ListNotations.

(** * Demands *)

Fixpoint binomial (n k : nat) : nat :=
  match k, n with
  | 0, _ => 1
  | S _, 0 => 0
  | S k', S n' => binomial n' k' + binomial n' k
  end.

(** k_l(s) = demand (d - l) s *)
Definition demand (e s : nat) := 2 * binomial (s + e) (S e).

(** 2 + sum over i > l of k_i(s) = room s (d - l) *)
Fixpoint room (s e : nat) := match e with 0 => 2 | S e' => room s e' + demand e' s end.

Lemma room_binomial s e : room s e = 2 * binomial (s + e) e.
Proof.
  induction e as [| e IH]; [destruct s; reflexivity |].
  cbn [room]; rewrite IH; unfold demand. rewrite <- plus_n_Sm; cbn [binomial]. lia.
Qed.

(** k_l(s + 1) = k_l(s) + 2 + sum over i > l of k_i(s) *)
Lemma demand_S e s : demand e (S s) = demand e s + room s e.
Proof. unfold demand; rewrite room_binomial; cbn [plus binomial]. lia. Qed.

Lemma room_S e s : room s (S e) = demand e (S s).
Proof. rewrite demand_S; simpl; lia. Qed.

Lemma room_mono s e e' : e <= e' -> room s e <= room s e'.
Proof. induction 1; simpl; lia. Qed.

Lemma demand_pos e s : 1 <= s -> 1 <= demand e s.
Proof.
  destruct s as [| s]; intros L; [lia |]. rewrite demand_S.
  enough (2 <= room s e) by lia. change 2 with (room s 0) at 1. apply room_mono; lia.
Qed.

Section Lists.
Variables X Y : Type.
Variable default : Y.
Variable labels : list Y.
Hypothesis all_labels : forall y, In y labels.

Notation rule := (X -> Y).
Notation class := (rule -> Prop).
Notation labelled := (list (X * Y)).
Notation sample := (list (X * Y)).
Notation soa := (soa default).
Notation along := (along default).
Notation irreducible := (irreducible default).
Notation reduced_by := (reduced_by default).

Definition eq_dec {A : Type} (a b : A) : {a = b} + {a <> b} := excluded_middle_informative (a = b).

(** * Samples and errors *)

Definition errs (h : rule) (r : X * Y) : bool := if eq_dec (h (fst r)) (snd r) then false else true.
Definition errors (S : sample) (h : rule) : nat := length (filter (errs h) S).

(** The records at the point x with another label than y. *)
Definition wrong (S : sample) (x : X) (y : Y) : nat :=
  length (filter (fun r => if eq_dec (fst r) x then if eq_dec y (snd r) then false else true
                           else false) S).

(** The label y costs something at x: another label has fewer records against it. *)
Definition costs (S : sample) (x : X) (y : Y) := exists y', wrong S x y' < wrong S x y.

(** The labels a make at most b errors: base(S) and the costs of a are the errors of the best function
    with these labels. *)
Definition within (S : sample) (a : labelled) (b : nat) := exists h, agrees h a /\ errors S h <= b.

Definition elsewhere (x : X) (S : sample) :=
  filter (fun r : X * Y => if eq_dec (fst r) x then false else true) S.

Lemma errors_at x h S : errors S h = wrong S x (h x) + errors (elsewhere x S) h.
Proof.
  unfold errors, wrong, elsewhere; induction S as [| [x' y] S IH]; auto; simpl.
  unfold errs at 1; simpl. destruct (eq_dec x' x) as [-> | N]; simpl.
  - destruct (eq_dec (h x) y); simpl; lia.
  - unfold errs at 3; simpl. destruct (eq_dec (h x') y); simpl; lia.
Qed.

Lemma wrong_elsewhere x x' y S :
  wrong (elsewhere x S) x' y = if eq_dec x' x then 0 else wrong S x' y.
Proof.
  unfold wrong, elsewhere; induction S as [| [z w] S IH]; simpl.
  - destruct eq_dec; auto.
  - destruct (eq_dec z x) as [-> | N]; simpl; rewrite ?IH.
    + destruct (eq_dec x' x), (eq_dec x x'); subst; try congruence; auto.
    + destruct (eq_dec z x') as [-> | N']; simpl.
      * destruct (eq_dec x' x); try congruence. destruct (eq_dec y w); simpl; rewrite ?IH;
          destruct (eq_dec x' x); congruence.
      * rewrite IH. destruct (eq_dec x' x); auto.
Qed.

Lemma elsewhere_length x S : length (elsewhere x S) <= length S.
Proof. unfold elsewhere; induction S as [| r S IH]; simpl; auto. destruct eq_dec; simpl; lia. Qed.

(** A function that is no worse at any point is no worse. *)
Lemma errors_pointwise g h : forall S,
  (forall x, wrong S x (g x) <= wrong S x (h x)) -> errors S g <= errors S h.
Proof.
  intros S; remember (length S) as n eqn:En; assert (Ln : length S <= n) by lia; clear En.
  revert S Ln; induction n as [| n IH]; intros S Ln A.
  - destruct S; simpl in *; [auto | lia].
  - destruct S as [| [x y] S]; auto.
    rewrite (errors_at x g), (errors_at x h).
    apply Nat.add_le_mono; [apply A |]. apply IH.
    + unfold elsewhere; simpl. destruct eq_dec; [| congruence].
      pose proof (elsewhere_length x S); unfold elsewhere in *; simpl in Ln; lia.
    + intros z. rewrite !wrong_elsewhere. destruct eq_dec; auto.
Qed.

(** S' = S, or they differ in one record. *)
Inductive neighbours : sample -> sample -> Prop :=
| same S : neighbours S S
| replaced l r r' m : neighbours (l ++ r :: m) (l ++ r' :: m).

Lemma neighbours_sym S S' : neighbours S S' -> neighbours S' S.
Proof. destruct 1; constructor. Qed.

Lemma neighbours_errors S S' h : neighbours S S' -> errors S' h <= errors S h + 1.
Proof.
  destruct 1; [lia |]. unfold errors. rewrite !filter_app, !app_length; simpl.
  destruct (errs h r), (errs h r'); simpl; lia.
Qed.

(** At most two points have other records in S' than in S. *)
Lemma neighbours_points S S' : neighbours S S' ->
  exists two : list X, length two <= 2 /\ forall x y, ~ In x two -> wrong S x y = wrong S' x y.
Proof.
  destruct 1 as [| l [x y] [x' y'] m].
  - exists []; simpl; auto.
  - exists [x; x']; split; auto. intros z w N. unfold wrong. rewrite !filter_app, !app_length; simpl.
    destruct (eq_dec x z); [subst; simpl in N; tauto |].
    destruct (eq_dec x' z); [subst; simpl in N; tauto |]. reflexivity.
Qed.

(** * The tree *)

Variable H : class.
Variable d : nat.
Hypothesis H_dim : ~ dim_ge H (S d).

Inductive tree := Out | Leaf | Node (x : X) (child : Y -> tree).

Definition above (x : X) (a : labelled) := exists y, In (x, y) a.

Definition kept (S : sample) (b : nat) (a : labelled) := dim_ge (under H a) 0 /\ within S a b.

Definition hard (s : nat) (a : labelled) :=
  forall l, dim (under H a) l -> irreducible (under H a) (demand (d - l) s).

(** [built S b s a T]: T is what T_S(b, s) has below the labels a.  The order of the points, and which
    of several paths is taken, is left open. *)
Inductive built (S : sample) (b s : nat) : labelled -> tree -> Prop :=
| built_out a : ~ kept S b a -> built S b s a Out
| built_leaf a :
    kept S b a -> hard s a ->
    (forall x, ~ above x a -> ~ costs S x (soa (under H a) x)) ->
    built S b s a Leaf
| built_split a x child :
    kept S b a -> hard s a -> ~ above x a -> costs S x (soa (under H a) x) ->
    (forall y, built S b s ((x, y) :: a) (child y)) ->
    built S b s a (Node x child)
| built_path a l p T :
    kept S b a -> dim (under H a) l -> length p <= demand (d - l) s -> reduced_by (under H a) p ->
    followed S b s (under H a) p a T ->
    built S b s a T
with followed (S : sample) (b s : nat) : class -> list X -> labelled -> tree -> Prop :=
| followed_end V a T : built S b s a T -> followed S b s V [] a T
| followed_on V x p a child :
    followed S b s V p ((x, soa V x) :: a) (child (soa V x)) ->
    (forall y, y <> soa V x -> built S b s ((x, y) :: a) (child y)) ->
    followed S b s V (x :: p) a (Node x child).

Scheme built_rec := Minimality for built Sort Prop
  with followed_rec := Minimality for followed Sort Prop.
Combined Scheme built_followed from built_rec, followed_rec.

(** The labels above each leaf. *)
Fixpoint leaves (a : labelled) (T : tree) : list labelled :=
  match T with
  | Out => []
  | Leaf => [a]
  | Node x child => flat_map (fun y => leaves ((x, y) :: a) (child y)) labels
  end.

Definition leaf (S : sample) (b s : nat) (w : labelled) :=
  kept S b w /\ hard s w /\ forall x, ~ above x w -> ~ costs S x (soa (under H w) x).

Lemma leaves_are_leaves S b s :
  (forall a T, built S b s a T -> forall w, In w (leaves a T) -> leaf S b s w) /\
  (forall V p a T, followed S b s V p a T -> forall w, In w (leaves a T) -> leaf S b s w).
Proof.
  apply built_followed; simpl; auto.
  - intros _ _ w [].
  - intros a K I C w [<- | []]; repeat split; auto; apply K.
  - intros a x child _ _ _ _ _ IH w I. apply in_flat_map in I as (y & _ & I). eauto.
  - intros V x p a child _ IHp _ IH w I. apply in_flat_map in I as (y & _ & I).
    destruct (classic (y = soa V x)) as [-> | N]; eauto.
Qed.

Lemma dim_under a : dim_ge (under H a) 0 -> exists l, l <= d /\ dim (under H a) l.
Proof.
  intros G; apply dim_exists; auto.
  intros G'; apply H_dim; eapply dim_ge_mono; [apply under_sub | exact G'].
Qed.

(** A leaf errs at its points above alone, so its SOA errs as often as its labels. *)
Lemma leaf_errors S b s w : leaf S b s w ->
  agrees (soa (under H w)) w /\ errors S (soa (under H w)) <= b.
Proof.
  intros ((G & h & A & E) & _ & C). destruct (dim_under w G) as (l & _ & D).
  assert (Aw : agrees (soa (under H w)) w).
  { intros x y I. eapply soa_of_all; eauto. intros g [_ Ag]; auto. }
  split; auto. etransitivity; [apply errors_pointwise | exact E].
  intros x. destruct (classic (above x w)) as [(y & I) | N].
  - rewrite (Aw x y I), (A x y I); auto.
  - destruct (le_lt_dec (wrong S x (soa (under H w) x)) (wrong S x (h x))); auto.
    exfalso; apply (C x N). exists (h x); auto.
Qed.

(** * Lemma 1 *)

Section Walk.
Variables (S S' : sample) (b s t : nat) (w : labelled).
Hypothesis near : neighbours S S'.
Hypothesis s_pos : 1 <= s.
Hypothesis w_leaf : leaf S b (Datatypes.S s) w.
Let W := under H w.
Hypothesis W_dim : dim W t.
Variable two : list X.
Hypothesis two_points : forall x y, ~ In x two -> wrong S x y = wrong S' x y.

(** Step 1: at a free point, all functions of W have the label of SOA_W. *)
Definition free (x : X) := forall h, W h -> h x = soa W x.

(** The points above the walk are free or in N, which holds the two from the start. *)
Definition walks (a : labelled) (N : list X) :=
  incl two N /\ forall x y, In (x, y) a -> y = soa W x /\ (In x N \/ free x).

Definition found (u : labelled) :=
  dim_ge (under H u) t /\
  (~ dim_ge (under H u) (Datatypes.S t) -> forall x, soa (under H u) x = soa W x).

(** Step 1, the rest: a split at a point that is none of the two, with the label of SOA_V. *)
Lemma split_is_free x : ~ In x two -> costs S' x (soa W x) -> free x.
Proof.
  intros N (y' & C) h Wh. rewrite <- !two_points in C by auto.
  destruct w_leaf as (_ & _ & L). destruct (classic (above x w)) as [(y & I) | Nx].
  - assert (A : forall g, W g -> g x = y) by (intros g [_ Ag]; auto).
    rewrite (A h Wh). symmetry; eapply soa_of_all; eauto.
  - exfalso; apply (L x Nx). exists y'; auto.
Qed.

(** Step 2: while at most k_t(s + 1) points are not free, the dimension is t or more. *)
Lemma walk_dim a N : walks a N -> length N <= demand (d - t) (Datatypes.S s) -> dim_ge (under H a) t.
Proof.
  intros (_ & A) L. destruct w_leaf as (_ & I & _).
  eapply dim_ge_mono; [| apply (I t W_dim N L t (proj1 W_dim))].
  intros h [Wh Ah]; split; [apply Wh |]. intros x y Ixy.
  destruct (A x y Ixy) as (-> & [In | F]); [| apply F; auto].
  rewrite agrees_along in Ah; auto.
Qed.

Lemma walks_one a N x : walks a N -> In x N \/ free x -> walks ((x, soa W x) :: a) N.
Proof.
  intros (I & A) F; split; auto. intros x' y' [E | I']; [injection E as <- <- | apply A]; auto.
Qed.

Lemma walks_more a N x : walks a N -> walks ((x, soa W x) :: a) (x :: N).
Proof.
  intros (I & A); split; [intros z Iz; right; auto |]. intros x' y' [E | I'].
  - injection E as <- <-; simpl; auto.
  - destruct (A x' y' I') as (E & [F | F]); split; simpl; auto.
Qed.

(** Step 6: nothing on the walk is left out. *)
Lemma walk_within a N : walks a N -> within S' a (b + 1).
Proof.
  intros (_ & A). exists (soa W); split.
  - intros x y I; symmetry; apply (A x y I).
  - pose proof (neighbours_errors S S' (soa W) near).
    destruct (leaf_errors S b _ w w_leaf) as [_ E]. fold W in E; lia.
Qed.

Lemma room_of_demand l : t <= l -> l <= d -> room s (Datatypes.S (d - l)) <= demand (d - t) (Datatypes.S s).
Proof. intros; rewrite <- room_S; apply room_mono; lia. Qed.

Lemma walk :
  (forall a T, built S' (b + 1) s a T -> forall N, walks a N ->
    (forall l, dim (under H a) l -> length N <= room s (d - l)) -> dim_ge (under H a) t ->
    exists u, In u (leaves a T) /\ found u) /\
  (forall V p a T, followed S' (b + 1) s V p a T -> forall N l, walks a N ->
    dim V l -> t <= l -> l <= d -> length N + length p <= room s (Datatypes.S (d - l)) ->
    subclass (under H a) V ->
    ~ dim_ge (under (under H a) (along V p)) l -> dim_ge (under H a) t ->
    exists u, In u (leaves a T) /\ found u).
Proof.
  apply built_followed.
  - (* left out: never *)
    intros a K N A _ G. destruct K; split; [eapply dim_ge_le; [| exact G]; lia |].
    eapply walk_within; eauto.
  - (* a leaf: steps 4 and 5 *)
    intros a K _ _ N A L G. exists a; split; [simpl; auto |]. split; auto.
    intros G' x. assert (D : dim (under H a) t) by (split; auto).
    eapply soa_keeps; [exact D |]. eapply keeps_of_dim; [exact D |].
    assert (A1 : walks ((x, soa W x) :: a) (x :: N)) by (apply walks_more; auto).
    eapply dim_ge_mono; [| apply (walk_dim _ _ A1)].
    + intros h [Hh Ah]; apply agrees_cons in Ah as [E Ah]. repeat split; auto.
      apply agrees_cons; split; auto. intros ? ? [].
    + specialize (L t D); simpl. rewrite demand_S. pose proof (demand_pos (d - t) s s_pos). lia.
  - (* a split where SOA_V errs *)
    intros a x child K _ Nx C _ IH N A L G.
    destruct (dim_under a) as (l & Ll & D); [eapply dim_ge_le; [| exact G]; lia |].
    pose proof (dim_below _ _ _ _ _ D G) as Lt. specialize (L l D).
    pose proof (demand_pos (d - l) s s_pos) as P. pose proof (room_of_demand l Lt Ll) as R.
    cbn [room] in R.
    assert (Next : exists N', walks ((x, soa W x) :: a) N' /\ length N' <= demand (d - t) (Datatypes.S s)
      /\ forall l', dim (under H ((x, soa W x) :: a)) l' -> length N' <= room s (d - l')).
    { destruct (classic (soa (under H a) x = soa W x)) as [E | E].
      - (* the walk goes on over a free point, or one of the two *)
        exists N; split; [apply walks_one; auto | split; [lia |]].
        + destruct (classic (In x two)) as [I | I]; [left; apply A; auto | right].
          apply split_is_free; auto. rewrite <- E; auto.
        + intros l' [G' _]. enough (l' <= l) by (pose proof (room_mono s (d - l) (d - l')); lia).
          eapply dim_below; [exact D |]. eapply dim_ge_mono; [| exact G'].
          intros h [Hh Ah]; apply agrees_cons in Ah as [_ Ah]; split; auto.
      - (* one point is taken, and the dimension falls *)
        exists (x :: N); split; [apply walks_more; auto | split; [simpl; lia |]].
        intros l' [G' _]. assert (l' < l).
        { destruct (le_lt_dec l l') as [C' |]; auto. exfalso.
          apply (soa_other _ _ default _ l x (soa W x) D (not_eq_sym E)).
          eapply dim_ge_le; [exact C' |]. eapply dim_ge_mono; [| exact G'].
          intros h [Hh Ah]; apply agrees_cons in Ah as [Ex Ah]. repeat split; auto.
          apply agrees_cons; split; auto. intros ? ? []. }
        pose proof (room_mono s (Datatypes.S (d - l)) (d - l')) as M.
        cbn [room length] in *. lia. }
    destruct Next as (N' & A' & L' & R').
    destruct (IH (soa W x) N' A' R' (walk_dim _ _ A' L')) as (u & I & F).
    exists u; split; auto. simpl. apply in_flat_map; exists (soa W x); auto.
  - (* a path begins *)
    intros a l p T K D Lp Rp _ IH N A L G.
    destruct (dim_under a) as (l' & Ll & D'); [eapply dim_ge_le; [| exact G]; lia |].
    assert (l' = l).
    { pose proof (dim_below _ _ _ _ _ D (proj1 D')). pose proof (dim_below _ _ _ _ _ D' (proj1 D)). lia. }
    subst l'. pose proof (dim_below _ _ _ _ _ D G) as Lt. specialize (L l D).
    apply (IH N l A D Lt Ll); auto.
    + simpl; lia.
    + intros h; auto.
    + eapply reduced_dim; eauto.
  - (* the end of a path: the dimension fell by the choice of the path *)
    intros V a T _ IH N l A D Lt Ll L Sub R G. apply (IH N); auto.
    intros l' [G' _]. assert (l' < l).
    { destruct (le_lt_dec l l') as [C |]; auto. exfalso; apply R.
      eapply dim_ge_le; [exact C |]. eapply dim_ge_mono; [| exact G'].
      intros h Hh; split; auto. intros ? ? []. }
    pose proof (room_mono s (Datatypes.S (d - l)) (d - l')). cbn [length] in L; lia.
  - (* a point of a path *)
    intros V x p a child _ IHp _ IH N l A D Lt Ll L Sub R G.
    assert (A' : walks ((x, soa W x) :: a) (x :: N)) by (apply walks_more; auto).
    assert (Dt : dim_ge (under H ((x, soa W x) :: a)) t).
    { apply (walk_dim _ _ A'). pose proof (room_of_demand l Lt Ll). simpl in *; lia. }
    assert (Found : exists u, In u (leaves ((x, soa W x) :: a) (child (soa W x))) /\ found u).
    { destruct (classic (soa W x = soa V x)) as [E | E].
      - rewrite E in *. apply (IHp (x :: N) l); auto.
        + simpl in *; lia.
        + intros h [Hh Ah]; apply agrees_cons in Ah as [_ Ah]; apply Sub; split; auto.
        + intros G'; apply R. eapply dim_ge_mono; [| exact G'].
          intros h [[Hh Ah] Ap]; apply agrees_cons in Ah as [Ex Ah]. repeat split; auto.
          apply agrees_cons; split; auto.
      - (* off the path: only the label of the SOA keeps the dimension *)
        apply (IH (soa W x) E (x :: N)); auto.
        intros l' [G' _]. assert (l' < l).
        { destruct (le_lt_dec l l') as [C |]; auto. exfalso.
          apply (soa_other _ _ default _ l x (soa W x) D E).
          eapply dim_ge_le; [exact C |]. eapply dim_ge_mono; [| exact G'].
          intros h [Hh Ah]; apply agrees_cons in Ah as [Ex Ah]. split.
          - apply Sub; split; auto.
          - apply agrees_cons; split; auto. intros ? ? []. }
        pose proof (room_mono s (Datatypes.S (d - l)) (d - l')). simpl in *; lia. }
    destruct Found as (u & I & F). exists u; split; auto.
    simpl. apply in_flat_map; exists (soa W x); auto.
Qed.

End Walk.

(** Lemma 1. *)
Theorem one_record_moves_a_list_by_one_radius S S' b s t T T' w :
  neighbours S S' -> 1 <= s ->
  built S b (Datatypes.S s) [] T -> built S' (b + 1) s [] T' ->
  In w (leaves [] T) -> dim (under H w) t ->
  exists u, In u (leaves [] T') /\ dim_ge (under H u) t /\
    (dim (under H u) t -> forall x, soa (under H u) x = soa (under H w) x).
Proof.
  intros near P B B' I D.
  destruct (leaves_are_leaves S b (Datatypes.S s)) as [F _]. pose proof (F _ _ B _ I) as Lw.
  destruct (neighbours_points S S' near) as (two & L2 & E2).
  destruct (walk S S' b s t w near P Lw D two E2) as [Wk _].
  destruct (Wk [] T' B' two) as (u & Iu & G & E).
  - split; [apply incl_refl | intros ? ? []].
  - intros l _. etransitivity; [exact L2 |]. change 2 with (room s 0); apply room_mono; lia.
  - eapply dim_ge_mono; [| exact (proj1 D)]. intros h [Hh _]; split; auto. intros ? ? [].
  - exists u; repeat split; auto. intros [_ N]; auto.
Qed.

End Lists.
