(** Littlestone dimension by shattered trees, and the SOA, for arbitrary classes of functions.

    Points are of any type, labels of any type.  docs/proofs/radii.md, "Setting". *)

From Coq Require Import List Arith Lia Classical ClassicalEpsilon.
Import ListNotations.

Section Dimension.
Variables X Y : Type.
Variable default : Y.  (* the label of an SOA where no label keeps the dimension *)

Definition rule := X -> Y.
Definition class := rule -> Prop.
Definition labelled := list (X * Y).

Definition agrees (h : rule) (a : labelled) := forall x y, In (x, y) a -> h x = y.
Definition under (V : class) (a : labelled) : class := fun h => V h /\ agrees h a.
Definition subclass (V W : class) := forall h, V h -> W h.

(** A tree whose inner nodes have a point and two labels. *)
Inductive mistakes := tip | fork (x : X) (y0 y1 : Y) (l r : mistakes).

Fixpoint complete (n : nat) (t : mistakes) : Prop :=
  match n, t with
  | 0, tip => True
  | S n, fork _ y0 y1 l r => y0 <> y1 /\ complete n l /\ complete n r
  | _, _ => False
  end.

Fixpoint branches (t : mistakes) : list labelled :=
  match t with
  | tip => [[]]
  | fork x y0 y1 l r => map (cons (x, y0)) (branches l) ++ map (cons (x, y1)) (branches r)
  end.

(** LDim(V) >= n: V shatters a complete tree of depth n.  LDim(V) >= 0: V has a function. *)
Definition dim_ge (V : class) (n : nat) :=
  exists t, complete n t /\ forall a, In a (branches t) -> exists h, under V a h.

(** LDim(V) = n *)
Definition dim (V : class) (n : nat) := dim_ge V n /\ ~ dim_ge V (S n).

Lemma agrees_cons h x y a : agrees h ((x, y) :: a) <-> h x = y /\ agrees h a.
Proof.
  unfold agrees; simpl; split.
  - intros A; split; [apply A; auto | intros; apply A; auto].
  - intros [E A] x' y' [I | I]; [congruence | auto].
Qed.

Lemma dim_ge_mono V W n : subclass V W -> dim_ge V n -> dim_ge W n.
Proof.
  intros I (t & C & B). exists t; split; auto.
  intros a Ia; destruct (B a Ia) as (h & Vh & A); exists h; split; auto.
Qed.

Lemma dim_ge_0 V : dim_ge V 0 <-> exists h, V h.
Proof.
  split.
  - intros ([|] & C & B); [| destruct C].
    destruct (B [] (or_introl eq_refl)) as (h & Vh & _); eauto.
  - intros (h & Vh); exists tip; split; [exact I |].
    intros a [<- | []]; exists h; split; auto. intros x y [].
Qed.

Lemma dim_ge_S V n :
  dim_ge V (S n) <->
  exists x y0 y1, y0 <> y1 /\ dim_ge (under V [(x, y0)]) n /\ dim_ge (under V [(x, y1)]) n.
Proof.
  split.
  - intros ([| x y0 y1 l r] & C & B); [destruct C |].
    destruct C as (D & Cl & Cr). exists x, y0, y1; split; [exact D |].
    split; [exists l | exists r]; split; auto; intros a Ia.
    + destruct (B ((x, y0) :: a)) as (h & Vh & A).
      { apply in_or_app; left; apply in_map; exact Ia. }
      apply agrees_cons in A as [E A]. exists h; split; auto; split; auto.
      apply agrees_cons; split; auto. intros x' y' [].
    + destruct (B ((x, y1) :: a)) as (h & Vh & A).
      { apply in_or_app; right; apply in_map; exact Ia. }
      apply agrees_cons in A as [E A]. exists h; split; auto; split; auto.
      apply agrees_cons; split; auto. intros x' y' [].
  - intros (x & y0 & y1 & D & (l & Cl & Bl) & (r & Cr & Br)).
    exists (fork x y0 y1 l r); split; [simpl; auto |].
    intros a Ia; apply in_app_or in Ia as [Ia | Ia]; apply in_map_iff in Ia as (a' & <- & Ia').
    + destruct (Bl a' Ia') as (h & (Vh & A) & A'). exists h; split; auto.
      apply agrees_cons in A as [E _]. apply agrees_cons; auto.
    + destruct (Br a' Ia') as (h & (Vh & A) & A'). exists h; split; auto.
      apply agrees_cons in A as [E _]. apply agrees_cons; auto.
Qed.

Lemma under_sub V a : subclass (under V a) V.
Proof. intros h [Vh _]; exact Vh. Qed.

Lemma dim_ge_pred n : forall V, dim_ge V (S n) -> dim_ge V n.
Proof.
  induction n as [| n IH]; intros V G; apply dim_ge_S in G as (x & y0 & y1 & D & G0 & G1).
  - eapply dim_ge_mono; [apply under_sub | exact G0].
  - apply dim_ge_S; exists x, y0, y1; auto.
Qed.

Lemma dim_ge_le V m n : m <= n -> dim_ge V n -> dim_ge V m.
Proof. induction 1; auto; intros; apply IHle, dim_ge_pred; assumption. Qed.

Lemma dim_below V l n : dim V l -> dim_ge V n -> n <= l.
Proof.
  intros [_ N] G. destruct (le_lt_dec n l) as [|C]; auto.
  exfalso; apply N; eapply dim_ge_le; [| exact G]; lia.
Qed.

(** A class with a function and without the dimension d + 1 has a dimension. *)
Lemma dim_exists V d : dim_ge V 0 -> ~ dim_ge V (S d) -> exists l, l <= d /\ dim V l.
Proof.
  intros G N; induction d as [| d IH].
  - exists 0; split; auto; split; auto.
  - destruct (classic (dim_ge V (S d))) as [G' | N'].
    + exists (S d); split; auto; split; auto.
    + destruct (IH N') as (l & Ll & D). exists l; split; auto.
Qed.

(** The label y at x keeps the dimension. *)
Definition keeps (V : class) (x : X) (y : Y) :=
  forall n, dim_ge V n -> dim_ge (under V [(x, y)]) n.

(** SOA_V predicts the label that keeps the dimension, if there is one. *)
Definition soa (V : class) : rule := fun x =>
  match excluded_middle_informative (exists y, keeps V x y) with
  | left E => proj1_sig (constructive_indefinite_description _ E)
  | right _ => default
  end.

(** At most one label keeps the dimension. *)
Lemma keeps_unique V l x y y' : dim V l -> keeps V x y -> keeps V x y' -> y = y'.
Proof.
  intros [G N] A B. apply NNPP; intros D. apply N, dim_ge_S. exists x, y, y'; auto.
Qed.

Lemma soa_keeps V l x y : dim V l -> keeps V x y -> soa V x = y.
Proof.
  intros D A. unfold soa.
  destruct excluded_middle_informative as [E | N]; [| destruct N; eauto].
  destruct constructive_indefinite_description as [z B]; simpl.
  eapply keeps_unique; eauto.
Qed.

Lemma keeps_of_dim V l x y : dim V l -> dim_ge (under V [(x, y)]) l -> keeps V x y.
Proof. intros D G n Gn. eapply dim_ge_le; [eapply dim_below; eauto | exact G]. Qed.

(** A label other than that of SOA_V lowers the dimension. *)
Lemma soa_other V l x y : dim V l -> y <> soa V x -> ~ dim_ge (under V [(x, y)]) l.
Proof.
  intros D N G; apply N. symmetry; eapply soa_keeps; eauto using keeps_of_dim.
Qed.

(** Where all functions of V have one label, SOA_V has it. *)
Lemma soa_of_all V l x y : dim V l -> (forall h, V h -> h x = y) -> soa V x = y.
Proof.
  intros D A. eapply soa_keeps; eauto. intros n G. eapply dim_ge_mono; [| exact G].
  intros h Vh; split; auto. apply agrees_cons; split; auto. intros x' y' [].
Qed.

(** The labels of SOA_V at some points. *)
Definition along (V : class) (p : list X) : labelled := map (fun x => (x, soa V x)) p.

Lemma agrees_along V h p : agrees h (along V p) <-> forall x, In x p -> h x = soa V x.
Proof.
  unfold agrees, along; split.
  - intros A x I. apply A, in_map_iff; eauto.
  - intros A x y I. apply in_map_iff in I as (z & E & Iz). injection E as <- <-. auto.
Qed.

(** V is k-irreducible: along any k points, the labels of SOA_V keep the dimension. *)
Definition irreducible (V : class) (k : nat) :=
  forall p, length p <= k -> forall n, dim_ge V n -> dim_ge (under V (along V p)) n.

Definition reduced_by (V : class) (p : list X) :=
  ~ forall n, dim_ge V n -> dim_ge (under V (along V p)) n.

Lemma reducible V k : ~ irreducible V k -> exists p, length p <= k /\ reduced_by V p.
Proof.
  intros N. apply not_all_ex_not in N as (p & N). apply imply_to_and in N. eauto.
Qed.

Lemma reduced_dim V l p : dim V l -> reduced_by V p -> ~ dim_ge (under V (along V p)) l.
Proof.
  intros D R G. apply R. intros n Gn. eapply dim_ge_le; [eapply dim_below; eauto | exact G].
Qed.

End Dimension.

Arguments agrees {X Y}.
Arguments under {X Y}.
Arguments subclass {X Y}.
Arguments dim_ge {X Y}.
Arguments dim {X Y}.
Arguments keeps {X Y}.
Arguments soa {X Y}.
Arguments along {X Y}.
Arguments irreducible {X Y}.
Arguments reduced_by {X Y}.
