(** What the learner of radii releases on clean labels: steps 1 to 5 of Theorem 2 of docs/proofs/radii.md.

    What is left of that theorem is step 6: few errors on the sample mean a small error on new records. *)

From Coq Require Import List Arith Lia ZArith QArith Lqa Classical ClassicalEpsilon.
From Littlestone Require Import Dimension Laws Selection Runs Lists Radii.
Import ListNotations.
Local Open Scope nat_scope.

Section Accuracy.
Variables X Y : Type.
Variable default : Y.
Variable labels : list Y.
Hypothesis all_labels : forall y, In y labels.
Hypothesis labels_once : NoDup labels.
Variable H : (X -> Y) -> Prop.
Variable d : nat.
Hypothesis H_dim : dim H d.
Hypothesis d_pos : 1 <= d.

Notation rule := (X -> Y).
Notation sample := (list (X * Y)).
Notation soa := (soa default).
Notation built := (built X Y default H d).
Notation followed := (followed X Y default H d).
Notation tree := (tree X Y).
Notation leaves := (leaves X Y labels).
Notation leaf := (leaf X Y default H d).
Notation errors := (errors X Y).
Notation size := (size X Y d).

Let H_bound : ~ dim_ge H (S d) := proj2 H_dim.

(** * Step 1: every radius lists something *)

Lemma clean_labels_reach_a_leaf S b s h : H h -> errors S h = 0 ->
  (forall a T, built S b s a T -> agrees h a -> exists w, In w (leaves a T)) /\
  (forall V p a T, followed S b s V p a T -> agrees h a -> exists w, In w (leaves a T)).
Proof.
  intros Hh E. apply built_followed.
  - intros a K A. destruct K. split.
    + apply dim_ge_0. exists h; split; auto.
    + exists h; split; auto. lia.
  - intros a _ _ _ _. exists a; simpl; auto.
  - intros a x child _ _ _ _ _ IH A. destruct (IH (h x)) as (w & I).
    { apply agrees_cons; auto. }
    exists w. simpl. apply in_flat_map; eauto.
  - intros a l p T _ _ _ _ _ IH A. auto.
  - intros V a T _ IH A. auto.
  - intros V x p a child _ IHp _ IH A.
    assert (I : exists w, In w (leaves ((x, h x) :: a) (child (h x)))).
    { destruct (classic (h x = soa V x)) as [Ex | N].
      - rewrite Ex. apply IHp, agrees_cons; auto.
      - apply IH; auto. apply agrees_cons; auto. }
    destruct I as (w & I). exists w. simpl. apply in_flat_map; eauto.
Qed.

(** * Step 2: a leaf of dimension d has the SOA of H *)

Lemma full_leaf S b s w : 1 <= s -> leaf S b s w -> dim_ge (under H w) d ->
  forall x, soa H x = soa (under H w) x.
Proof.
  intros P (K & I & _) G x.
  assert (D : dim (under H w) d).
  { split; auto. intros G'; apply H_bound. eapply dim_ge_mono; [apply under_sub | exact G']. }
  eapply soa_keeps; [exact H_dim |]. eapply keeps_of_dim; [exact H_dim |].
  assert (One : length [x] <= demand (d - d) s) by (pose proof (demand_pos (d - d) s P); simpl; lia).
  eapply dim_ge_mono; [| exact (I d D [x] One d G)].
  intros h [[Hh _] A]. split; auto.
Qed.

(** * Step 4: no list is too long *)

Let K := length labels.

(** The ways to leave the dimension l, with e further errors. *)
Definition ways (s e l : nat) : nat := (K - 1) * (e + 1 + demand (d - l) s) + 1.

(** The product over l' = t + 1, ..., l. *)
Fixpoint most (s e t l : nat) : nat :=
  match l with 0 => 1 | S l' => if t <=? l' then ways s e l * most s e t l' else 1 end.

Lemma most_pos s e t l : 1 <= most s e t l.
Proof.
  induction l as [| l IH]; simpl; auto. destruct (t <=? l); auto.
  unfold ways. nia.
Qed.

Lemma most_mono s e t l l' : l <= l' -> most s e t l <= most s e t l'.
Proof.
  induction 1 as [| l' L IH]; auto. etransitivity; [exact IH |]. simpl.
  destruct (Nat.leb_spec t l').
  - unfold ways. pose proof (most_pos s e t l'). nia.
  - destruct l' as [| l'']; simpl; auto. destruct (Nat.leb_spec t l''); [lia | auto].
Qed.

Definition of_dim (t : nat) (w : sample) : bool :=
  if excluded_middle_informative (dim_ge (under H w) t) then true else false.

Definition number (t : nat) (a : sample) (T : tree) : nat := length (filter (of_dim t) (leaves a T)).

Lemma number_node t x child a :
  number t a (Node X Y x child) = list_sum (map (fun y => number t ((x, y) :: a) (child y)) labels).
Proof.
  unfold number. simpl. set (g := fun y => leaves ((x, y) :: a) (child y)).
  change (length (filter (of_dim t) (flat_map g labels)) =
    list_sum (map (fun y => length (filter (of_dim t) (g y))) labels)).
  clearbody g. generalize labels as ys. induction ys as [| y ys IH]; simpl; auto.
  rewrite filter_app, app_length, IH. reflexivity.
Qed.

(** One label may have [one] leaves below, the others [other] each. *)
Lemma sum_of_labels (f : Y -> nat) y one other :
  f y <= one -> (forall z, z <> y -> f z <= other) ->
  list_sum (map f labels) <= one + (K - 1) * other.
Proof.
  intros Fy Fz. unfold K. pose proof (all_labels y) as I.
  assert (Gen : forall ys, NoDup ys ->
    list_sum (map f ys) <= (if in_dec eq_dec y ys then one + (length ys - 1) * other else length ys * other)).
  { induction ys as [| z ys IH]; intros N; simpl; auto.
    apply NoDup_cons_iff in N as (Nz & N). specialize (IH N).
    destruct (eq_dec z y) as [-> | Ne].
    - destruct (in_dec eq_dec y ys); [contradiction |]. nia.
    - specialize (Fz z Ne). destruct (in_dec eq_dec y ys) as [Iy | Iy].
      + destruct ys; [destruct Iy |]. simpl in *. nia.
      + nia. }
  specialize (Gen labels labels_once). destruct (in_dec eq_dec y labels); [auto | contradiction].
Qed.

(** A label that costs something at a new point costs one of the errors that are left. *)
Lemma a_cost_is_paid S a x y c : ~ above X Y x a -> costs X Y S x y ->
  within X Y S ((x, y) :: a) c -> exists c', c = 1 + c' /\ within X Y S a c'.
Proof.
  intros N (y' & C) (h & A & E). apply agrees_cons in A as (Hx & A).
  set (g := fun z => if eq_dec z x then y' else h z).
  assert (Ge : errors S g + 1 <= errors S h).
  { rewrite (errors_at X Y x g), (errors_at X Y x h), Hx.
    assert (gx : g x = y') by (unfold g; destruct (eq_dec x x); congruence). rewrite gx.
    assert (errors (elsewhere X Y x S) g <= errors (elsewhere X Y x S) h).
    { apply errors_pointwise. intros z. rewrite !wrong_elsewhere. destruct (eq_dec z x) as [| Nz]; auto.
      unfold g. destruct (eq_dec z x); [contradiction | auto]. }
    lia. }
  destruct c as [| c]; [lia |]. exists c. split; auto. exists g. split; [| lia].
  intros z w I. unfold g. destruct (eq_dec z x) as [-> | Nz]; [destruct N; exists w; auto | apply A; auto].
Qed.

Lemma empty_has_none t a T S b s : built S b s a T -> ~ dim_ge (under H a) t -> number t a T = 0.
Proof.
  intros B N. unfold number.
  assert (Sub : (forall a T, built S b s a T -> forall w, In w (leaves a T) -> subclass (under H w) (under H a)) /\
    (forall V p a T, followed S b s V p a T -> forall w, In w (leaves a T) -> subclass (under H w) (under H a))).
  { assert (Step : forall a x (child : Y -> tree),
      (forall y w, In w (leaves ((x, y) :: a) (child y)) -> subclass (under H w) (under H ((x, y) :: a))) ->
      forall w, In w (leaves a (Node X Y x child)) -> subclass (under H w) (under H a)).
    { intros a' x child A w I. simpl in I. apply in_flat_map in I as (y & _ & I).
      intros h Hw. destruct (A y w I h Hw) as (Hh & Ah). apply agrees_cons in Ah as (_ & Ah). split; auto. }
    apply built_followed; auto.
    - intros a' _ w [].
    - intros a' _ _ _ w [<- | []] h; auto.
    - intros a' x child _ _ _ _ _ IH. apply Step. intros y w I. apply IH; auto.
    - intros V x p a' child _ IHp _ IH. apply Step. intros y w I.
      destruct (classic (y = soa V x)) as [-> | Ny]; auto. }
  destruct Sub as (Sub & _). specialize (Sub a T B).
  induction (leaves a T) as [| w ws IH]; auto. simpl. unfold of_dim at 1.
  destruct excluded_middle_informative as [G | G].
  - exfalso; apply N. eapply dim_ge_mono; [| exact G]. apply Sub; simpl; auto.
  - apply IH. intros w' I; apply Sub; simpl; auto.
Qed.

(** With e further errors at a version space of dimension at most l. *)
Lemma few_leaves S b s t e0 l : b <= e0 ->
  forall a T, built S b s a T -> ~ dim_ge (under H a) (Datatypes.S l) -> number t a T <= most s e0 t l.
Proof.
  intros Le0. induction l as [l IHl] using lt_wf_ind.
  assert (Lower : forall a T l', l' <= l -> built S b s a T -> ~ dim_ge (under H a) l' ->
    number t a T <= (if t <=? Nat.pred l' then most s e0 t (Nat.pred l') else 0) \/ number t a T = 0).
  { intros a T l' Ll B N. destruct l' as [| l'].
    - right. eapply empty_has_none; eauto. intros G; apply N. eapply dim_ge_le; [| exact G]; lia.
    - simpl. destruct (Nat.leb_spec t l').
      + left. apply (IHl l'); auto.
      + right. eapply empty_has_none; eauto. intros G; apply N. eapply dim_ge_le; [| exact G]; lia. }
  (* the number of leaves of a version space whose dimension is below l *)
  assert (Fallen : forall a T, built S b s a T -> ~ dim_ge (under H a) l ->
    number t a T <= (if t <? l then most s e0 t (Nat.pred l) else 0)).
  { intros a T B N. destruct (Lower a T l (le_n _) B N) as [L | L]; [| lia].
    destruct (Nat.ltb_spec t l); destruct (Nat.leb_spec t (Nat.pred l)); try lia.
    rewrite (empty_has_none t a T S b s B); [lia |]. intros G; apply N. eapply dim_ge_le; [| exact G]; lia. }
  set (fallen := if t <? l then most s e0 t (Nat.pred l) else 0) in *.
  assert (Main :
    (forall a T, built S b s a T -> ~ dim_ge (under H a) (Datatypes.S l) ->
      forall e, (forall c, within X Y S a c -> b <= c + e) ->
      number t a T <= Nat.max 1 (((K - 1) * (e + 1 + demand (d - l) s) + 1) * fallen)) /\
    (forall V p a T, followed S b s V p a T -> dim V l -> subclass (under H a) V ->
      ~ dim_ge (under (under H a) (along default V p)) l ->
      number t a T <= ((K - 1) * length p + 1) * fallen)).
  { apply built_followed.
    - intros; unfold number; cbn [Lists.leaves filter length]. lia.
    - intros; unfold number; cbn [Lists.leaves filter]. destruct (of_dim t a); cbn [length]; lia.
    - (* a split: the label of the SOA costs an error, the others lower the dimension *)
      intros a x child Kp Hd Nx C B IH N e He. rewrite number_node.
      destruct (classic (dim_ge (under H a) l)) as [G | G].
      + assert (D : dim (under H a) l) by (split; auto).
        assert (Oth : forall z, z <> soa (under H a) x -> number t ((x, z) :: a) (child z) <= fallen).
        { intros z Nz. apply Fallen; [apply B |]. intros G'. apply (soa_other _ _ default _ l x z D Nz).
          eapply dim_ge_mono; [| exact G']. intros h [Hh A]; apply agrees_cons in A as [Ex A].
          repeat split; auto. apply agrees_cons; split; auto. intros ? ? []. }
        destruct e as [| e].
        * (* none is left *)
          assert (Z : number t ((x, soa (under H a) x) :: a) (child (soa (under H a) x)) <= 0).
          { pose proof (B (soa (under H a) x)) as Bs.
            assert (Out : ~ within X Y S ((x, soa (under H a) x) :: a) b).
            { intros Wi. destruct (a_cost_is_paid S a x _ b Nx C Wi) as (c' & Ec & Wc). specialize (He c' Wc). lia. }
            assert (O : forall w, In w (leaves ((x, soa (under H a) x) :: a) (child (soa (under H a) x))) -> False).
            { intros w I. destruct (leaves_are_leaves X Y default labels H d S b s) as [Fa _].
              pose proof (Fa _ _ Bs w I) as ((_ & Wi) & _).
              assert (Sb : incl ((x, soa (under H a) x) :: a) w).
              { clear - I. revert I. generalize ((x, soa (under H a) x) :: a) as a0.
                generalize (child (soa (under H a) x)) as T0. induction T0 as [| | z ch IH]; intros a0 I.
                - destruct I.
                - destruct I as [<- | []]; apply incl_refl.
                - simpl in I. apply in_flat_map in I as (y & _ & I). specialize (IH y _ I).
                  intros q Iq; apply IH; right; auto. }
              destruct Wi as (h & Ah & Eh). apply Out. exists h; split; auto. intros p q I'; apply Ah, Sb, I'. }
            unfold number. destruct (leaves _ (child (soa (under H a) x))) as [| w ws]; [simpl; lia |].
            exfalso; apply (O w); simpl; auto. }
          pose proof (sum_of_labels (fun y => number t ((x, y) :: a) (child y)) _ _ _ Z Oth). nia.
        * assert (One : number t ((x, soa (under H a) x) :: a) (child (soa (under H a) x))
            <= Nat.max 1 (((K - 1) * (e + 1 + demand (d - l) s) + 1) * fallen)).
          { apply (IH (soa (under H a) x)).
            - intros G'; apply N. eapply dim_ge_mono; [| exact G'].
              intros h [Hh A]; apply agrees_cons in A as [_ A]; split; auto.
            - intros c Wi. destruct (a_cost_is_paid S a x _ c Nx C Wi) as (c' & -> & Wc).
              specialize (He c' Wc). lia. }
          pose proof (sum_of_labels (fun y => number t ((x, y) :: a) (child y)) _ _ _ One Oth).
          destruct (Nat.eq_dec fallen 0) as [F0 | F0]; nia.
      + (* the dimension is below l already *)
        pose proof (Fallen a (Node X Y x child) ltac:(apply built_split; auto) G) as L.
        rewrite number_node in L. nia.
    - intros a l' p T Kp D Lp R Fo IH N e He.
      destruct (classic (dim_ge (under H a) l)) as [G | G].
      + assert (l' = l).
        { pose proof (dim_below _ _ _ _ _ D G). destruct (le_lt_dec l' l); [lia |]. exfalso; apply N.
          eapply dim_ge_le; [| apply D]; lia. }
        subst l'. assert (L : number t a T <= ((K - 1) * length p + 1) * fallen).
        { apply IH; auto. { intros h; auto. } eapply reduced_dim; eauto. }
        nia.
      + pose proof (Fallen a T ltac:(eapply built_path; eauto) G) as L. nia.
    - intros V a T B IH D Sub Nd. simpl. rewrite Nat.mul_0_r, Nat.add_0_l, Nat.mul_1_l.
      apply Fallen; auto. intros G; apply Nd. eapply dim_ge_mono; [| exact G].
      intros h Hh; split; auto. intros ? ? [].
    - intros V x p a child Fo IHp B IH D Sub Nd. rewrite number_node.
      assert (Oth : forall z, z <> soa V x -> number t ((x, z) :: a) (child z) <= fallen).
      { intros z Nz. apply Fallen; [apply B; auto |]. intros G. apply (soa_other _ _ default _ l x z D Nz).
        eapply dim_ge_mono; [| exact G]. intros h [Hh A]; apply agrees_cons in A as [Ex A].
        split; [apply Sub; split; auto |]. apply agrees_cons; split; auto. intros ? ? []. }
      assert (One : number t ((x, soa V x) :: a) (child (soa V x)) <= ((K - 1) * length p + 1) * fallen).
      { apply IHp; auto.
        - intros h [Hh A]; apply agrees_cons in A as [_ A]; apply Sub; split; auto.
        - intros G; apply Nd. eapply dim_ge_mono; [| exact G].
          intros h [[Hh A] Ap]; apply agrees_cons in A as [Ex A]. repeat split; auto.
          apply agrees_cons; split; auto. }
      pose proof (sum_of_labels (fun y => number t ((x, y) :: a) (child y)) _ _ _ One Oth).
      cbn [length]. nia. }
  destruct Main as (Main & _). intros a T B N.
  pose proof (Main a T B N e0 ltac:(intros; lia)) as L. unfold fallen in L.
  destruct l as [| l]; simpl most.
  - destruct (Nat.ltb_spec t 0); lia.
  - destruct (Nat.ltb_spec t (Datatypes.S l)), (Nat.leb_spec t l); try lia.
    simpl Nat.pred in L. fold (ways s e0 (Datatypes.S l)) in L.
    pose proof (most_pos s e0 t l). unfold ways in *. nia.
Qed.

Lemma binomial_mono n k : binomial n k <= binomial (Datatypes.S n) k.
Proof. destruct k; [destruct n; simpl; auto | cbn [binomial]; lia]. Qed.

Lemma demand_mono e s s' : s <= s' -> demand e s <= demand e s'.
Proof.
  unfold demand. induction 1 as [| s' L IH]; auto.
  pose proof (binomial_mono (s' + e) (Datatypes.S e)). simpl plus in *. lia.
Qed.

Lemma most_in_s s s' e t l : s <= s' -> most s e t l <= most s' e t l.
Proof.
  intros L. induction l as [| l IH]; auto. cbn [most]. destruct (t <=? l); auto.
  unfold ways. pose proof (demand_mono (d - Datatypes.S l) s s' L). pose proof (most_pos s e t l).
  apply Nat.mul_le_mono; auto. nia.
Qed.

(** * Step 5: rules come from a small class *)

Definition small (f : rule) := exists V, subclass V H /\ dim_ge V 0 /\
  irreducible default V (1 + d) /\ forall x, f x = soa V x.

Lemma branch_length n t a : complete X Y n t -> In a (branches X Y t) -> length a = n.
Proof.
  revert n a; induction t as [| x y0 y1 l IHl r IHr]; intros [| n] a C I; simpl in *; try tauto.
  - destruct I as [<- | []]; auto.
  - destruct C as (_ & Cl & Cr).
    apply in_app_or in I as [I | I]; apply in_map_iff in I as (a' & <- & I); simpl; f_equal; eauto.
Qed.

Theorem rules_are_few : ~ dim_ge small (Datatypes.S d).
Proof.
  intros (t & C & B). apply H_bound. exists t; split; auto. intros a Ia.
  destruct (B a Ia) as (f & (V & Sub & G & I & E) & A).
  assert (L : length (map fst a) <= 1 + d) by (rewrite map_length, (branch_length _ _ _ C Ia); lia).
  pose proof (I (map fst a) L 0 G) as G'. apply dim_ge_0 in G' as (h & Vh & Ah).
  exists h. split; [apply Sub; auto |]. intros x y Ixy. rewrite agrees_along in Ah.
  rewrite (Ah x) by (apply in_map_iff; exists (x, y); auto). rewrite <- E. apply A; auto.
Qed.

Lemma leaf_is_small S b s w : d <= s -> leaf S b s w -> small (soa (under H w)).
Proof.
  intros Ls ((G & _) & I & _). exists (under H w). repeat split; auto.
  - intros h [Hh _]; auto.
  - destruct (dim_under X Y H d H_bound w G) as (l & Ll & D). intros p Lp. apply (I l D).
    assert (2 * s <= demand (d - l) s); [| lia].
    destruct s as [| s']; [lia |]. rewrite demand_S.
    enough (2 * s' <= demand (d - l) s') by (pose proof (room_mono s' 0 (d - l)); simpl in *; lia).
    clear. induction s' as [| s' IH]; [lia |]. rewrite demand_S.
    pose proof (room_mono s' 0 (d - l)). simpl in *; lia.
Qed.

(** * Steps 2 and 3 *)

Variable M : nat.
Variable longest : nat -> nat.
Variable handicap : nat -> nat.
Variables B B' : nat.
Variable r : Q.
Hypothesis r_ge_1 : (1 <= r)%Q.
Hypothesis B'_pos : 1 <= B'.

(** L_t is at least the product of step 4. *)
Hypothesis long_enough : forall t, t < d -> most (d + M) M t d <= longest t.

(** R_t = B' + o_t, and M is at least the sum of the R_t - 1. *)
Definition needed (t : nat) : nat := B' + handicap t.
Hypothesis radii_enough : list_sum (map (fun t => needed t - 1) (seq 0 d)) <= M.

Section Sample.
Variable S : sample.
Variable T : nat -> tree.
Hypothesis trees : trees_of X Y default H d M S T.
Variable h : rule.
Hypothesis h_in : H h.
Hypothesis h_right : errors S h = 0.

Notation lists := (lists_of X Y default labels H d T).
Notation degree := (Runs.degree rule lists).
Notation listed := (Runs.listed rule lists).

Let grow : interleave rule M lists lists :=
  lists_interleave X Y default labels all_labels H d H_bound M d_pos S S T T (same X Y S) trees trees.

Lemma leaf_of b w : b <= M -> In w (leaves [] (T b)) -> leaf S b (d + M - b) w.
Proof.
  intros Lb I. destruct (leaves_are_leaves X Y default labels H d S b (d + M - b)) as (F & _). eauto.
Qed.

Lemma size_of b w : b <= M -> In w (leaves [] (T b)) ->
  exists l, l <= d /\ dim (under H w) l /\ size (under H w) = 1 + l.
Proof.
  intros Lb I. destruct (leaf_of b w Lb I) as ((G & _) & _).
  destruct (dim_under X Y H d H_bound w G) as (l & Ll & D).
  exists l; repeat split; auto; try apply D. apply size_dim; auto.
Qed.

Lemma list_max_attained l : 0 < list_max l -> In (list_max l) l.
Proof.
  induction l as [| n l IH]; simpl; [lia |]. intros P.
  destruct (Nat.max_spec n (list_max l)) as [(L & E) | (L & E)]; rewrite E; auto.
  right; apply IH; lia.
Qed.

Lemma degree_pos b : b <= M -> 1 <= degree b <= 1 + d.
Proof.
  intros Lb. simpl. unfold largest. split.
  - destruct (clean_labels_reach_a_leaf S b (d + M - b) h h_in h_right) as (R & _).
    destruct (R [] (T b) (trees b Lb)) as (w & I); [intros ? ? [] |].
    destruct (size_of b w Lb I) as (l & _ & _ & E).
    assert (size (under H w) <= list_max (map (fun w => size (under H w)) (leaves [] (T b)))).
    { apply list_max_in, in_map_iff; eauto. }
    lia.
  - apply list_max_le, Forall_forall. intros n I. apply in_map_iff in I as (w & <- & I).
    destruct (size_of b w Lb I) as (l & Ll & _ & ->). lia.
Qed.

Lemma listed_in b f : b <= M -> In f (listed b) ->
  exists w, In w (leaves [] (T b)) /\ f = soa (under H w) /\ size (under H w) = degree b.
Proof.
  intros Lb I. simpl in *. unfold soas in I. apply nodup_In, in_map_iff in I as (w & <- & I).
  apply filter_In in I as (I & E). apply Nat.eqb_eq in E. eauto.
Qed.

Lemma listed_some b : b <= M -> exists f, In f (listed b).
Proof.
  intros Lb. pose proof (degree_pos b Lb) as P. simpl in *. unfold largest in P.
  pose proof (list_max_attained _ (proj1 P)) as I. apply in_map_iff in I as (w & E & I).
  exists (soa (under H w)). unfold soas. apply nodup_In, in_map_iff. exists w; split; auto.
  apply filter_In; split; auto. apply Nat.eqb_eq. auto.
Qed.

(** Step 4, for lists. *)
Lemma listed_short b t : b <= M -> t < d -> degree b = 1 + t -> length (listed b) <= longest t.
Proof.
  intros Lb Lt E. etransitivity; [| apply long_enough; auto].
  etransitivity; [| apply (most_in_s (d + M - b)); lia].
  assert (N : number t [] (T b) <= most (d + M - b) M t d).
  { apply (few_leaves S b (d + M - b) t M d Lb [] (T b) (trees b Lb)).
    intros G; apply H_bound. eapply dim_ge_mono; [apply under_sub | exact G]. }
  etransitivity; [| exact N]. simpl. unfold soas, number.
  assert (Nd : forall l : list rule, length (nodup eq_dec l) <= length l).
  { intros l. apply NoDup_incl_length; [apply NoDup_nodup |]. intros f I; apply nodup_In in I; auto. }
  etransitivity; [apply Nd |]. rewrite map_length.
  assert (Fl : forall l, incl l (leaves [] (T b)) ->
    length (filter (fun w => size (under H w) =? largest X Y labels H d (T b)) l) <= length (filter (of_dim t) l)).
  { cbn [Runs.degree lists_of] in E. rewrite E. induction l as [| w l IH]; intros Sub; auto. cbn [filter].
    assert (Sub' : incl l (leaves [] (T b))) by (intros q Iq; apply Sub; simpl; auto). specialize (IH Sub').
    destruct (size_of b w Lb (Sub w (or_introl eq_refl))) as (l' & _ & D & Es). rewrite Es.
    destruct (Nat.eqb_spec (1 + l') (1 + t)) as [El | Ne]; [| destruct (of_dim t w); cbn [length]; lia].
    unfold of_dim at 1. destruct excluded_middle_informative as [G | G]; [cbn [length]; lia |].
    exfalso; apply G. replace t with l' by lia. apply D. }
  apply Fl, incl_refl.
Qed.

Lemma soa_errs b f : b <= M -> In f (listed b) -> errors S f <= M /\ small f.
Proof.
  intros Lb I. destruct (listed_in b f Lb I) as (w & Iw & -> & _).
  pose proof (leaf_of b w Lb Iw) as L. split.
  - destruct (leaf_errors X Y default H d H_bound S b _ w L) as (_ & E). lia.
  - eapply leaf_is_small; [| exact L]. lia.
Qed.

(** Step 2: if the last dimension is d, SOA_H errs at most M times. *)
Lemma last_is_full : degree M = 1 + d -> errors S (soa H) <= M /\ small (soa H).
Proof.
  intros E. destruct (listed_some M (le_n _)) as (f & I).
  destruct (listed_in M f (le_n _) I) as (w & Iw & -> & Ew). rewrite E in Ew.
  destruct (size_of M w (le_n _) Iw) as (l & _ & D & El).
  assert (Full : forall x, soa H x = soa (under H w) x).
  { apply (full_leaf S M (d + M - M) w); [lia | apply leaf_of; auto |].
    replace d with l by lia. apply D. }
  destruct (soa_errs M _ (le_n _) I) as (Er & (V & S1 & S2 & S3 & S4)). split.
  - etransitivity; [| exact Er]. apply errors_pointwise. intros x. rewrite Full; auto.
  - exists V; repeat split; auto. intros x; rewrite Full; auto.
Qed.

(** Step 3: otherwise some run is long. *)
Lemma degrees_add_up n : n <= 1 + M -> (forall b, b < n -> 1 <= degree b <= d) ->
  list_sum (map (fun t => count (fun b => degree b =? 1 + t) n) (seq 0 d)) = n.
Proof.
  induction n as [| n IH]; intros Ln R; cbn [count].
  - clear. induction (seq 0 d) as [| t ts IHt]; [reflexivity | exact IHt].
  - assert (Add : forall ts (f g : nat -> nat),
      list_sum (map (fun t => f t + g t) ts) = list_sum (map f ts) + list_sum (map g ts)).
    { induction ts as [| t ts IHt]; intros f g; simpl; auto. rewrite IHt. lia. }
    rewrite Add, IH; [| lia | intros b Lb; apply R; lia].
    specialize (R n ltac:(lia)).
    assert (One : forall k a, a < degree n <= a + k ->
      list_sum (map (fun t => Runs.one (degree n =? 1 + t)) (seq a k)) = 1).
    { induction k as [| k IHk]; intros a L; [lia |]. cbn [seq map list_sum fold_right].
      change (Runs.one (degree n =? 1 + a) +
        list_sum (map (fun t => Runs.one (degree n =? 1 + t)) (seq (Datatypes.S a) k)) = 1).
      destruct (Nat.eqb_spec (degree n) (1 + a)) as [E | N].
      - assert (Z : forall k c, degree n < 1 + c ->
          list_sum (map (fun t => Runs.one (degree n =? 1 + t)) (seq c k)) = 0).
        { induction k0 as [| k0 IHz]; intros c Lc; auto. cbn [seq map].
          change (Runs.one (degree n =? 1 + c) +
            list_sum (map (fun t => Runs.one (degree n =? 1 + t)) (seq (Datatypes.S c) k0)) = 0).
          destruct (Nat.eqb_spec (degree n) (1 + c)); [lia |]. rewrite IHz by lia. reflexivity. }
        rewrite Z by lia. reflexivity.
      - rewrite IHk by lia. reflexivity. }
    rewrite One by lia. lia.
Qed.

Lemma a_run_is_long : degree M <= d -> exists t f, t < d /\ needed t <= score rule eq_dec M longest lists t f.
Proof.
  intros Dm.
  assert (R : forall b, b < 1 + M -> 1 <= degree b <= d).
  { intros b Lb. split; [apply degree_pos; lia |].
    destruct (grows rule M lists b M grow ltac:(lia) (le_n _)) as (L & _). lia. }
  assert (Long : exists t, t < d /\ needed t <= count (fun b => degree b =? 1 + t) (1 + M)).
  { apply NNPP. intros N.
    assert (Le : list_sum (map (fun t => count (fun b => degree b =? 1 + t) (1 + M)) (seq 0 d))
      <= list_sum (map (fun t => needed t - 1) (seq 0 d))).
    { assert (All : forall t, In t (seq 0 d) ->
        count (fun b => degree b =? 1 + t) (1 + M) <= needed t - 1).
      { intros t It. apply in_seq in It. destruct (le_lt_dec (needed t) (count (fun b => degree b =? 1 + t) (1 + M))).
        - exfalso; apply N; exists t; split; [lia | auto].
        - lia. }
      revert All. generalize (seq 0 d) as ts. induction ts as [| t ts IH]; intros All; simpl; auto.
      apply Nat.add_le_mono; [apply All; simpl; auto | apply IH; intros; apply All; simpl; auto]. }
    rewrite (degrees_add_up (1 + M) (le_n _) R) in Le. lia. }
  destruct Long as (t & Lt & C).
  assert (First : exists b0, b0 <= M /\ degree b0 = 1 + t /\ forall b, degree b = 1 + t -> b0 <= b).
  { assert (Some : exists b, b < 1 + M /\ (degree b =? 1 + t) = true)
      by (apply count_pos; unfold needed in C; lia).
    destruct Some as (b & Lb & E). revert Lb E. induction b as [b IH] using lt_wf_ind. intros Lb E.
    destruct (classic (exists b', b' < b /\ (degree b' =? 1 + t) = true)) as [(b' & Lb' & E') | N].
    - apply (IH b'); auto; lia.
    - exists b. apply Nat.eqb_eq in E. repeat split; auto; [lia |]. intros b' E'.
      destruct (le_lt_dec b b'); auto. exfalso; apply N. exists b'. split; auto. apply Nat.eqb_eq; auto. }
  destruct First as (b0 & L0 & E0 & Min). destruct (listed_some b0 L0) as (f & If).
  exists t, f. split; auto. etransitivity; [exact C |]. unfold score. apply count_le. intros b Lb E.
  apply Nat.eqb_eq in E. unfold counts.
  assert (Ib : In f (listed b)).
  { destruct (grows rule M lists b0 b grow (Min b E) ltac:(lia)) as (_ & Sub). apply Sub; [lia | auto]. }
  assert (Sh : length (listed b) <= longest t) by (apply listed_short; auto; lia).
  apply Nat.eqb_eq in E. apply Nat.leb_le in Sh. rewrite E, Sh. apply has_in. auto.
Qed.

Local Open Scope Q_scope.

(** Theorem 2, steps 1 to 5, for any fixed sample that some h fits. *)
Theorem what_is_released :
  (* whatever is drawn errs at most M times on the sample, and comes from the small class *)
  (forall t f, In (t, f) (candidates rule eq_dec M longest d lists) -> (errors S f <= M)%nat /\ small f) /\
  (* and either SOA_H does so as well, or bottom is rare *)
  ((errors S (soa H) <= M)%nat /\ small (soa H) \/
   draw rule eq_dec M longest d r handicap B lists (fun o => match o with None => true | _ => false end)
   <= r ^ Z.of_nat B / (r ^ Z.of_nat B + r ^ Z.of_nat B')).
Proof.
  split.
  - intros t f I. apply candidates_in in I as (_ & P). apply count_pos in P as (b & Lb & C).
    unfold counts in C. apply andb_prop in C as (_ & C). apply has_in in C.
    apply (soa_errs b); [lia | auto].
  - destruct (Nat.eq_dec (degree M) (1 + d)) as [E | N]; [left; apply last_is_full; auto | right].
    pose proof (degree_pos M (le_n _)).
    destruct a_run_is_long as (t & f & Lt & Sc); [lia |].
    unfold draw, select, prob, outcomes. cbn [sum weight].
    set (cs := candidates rule eq_dec M longest d lists). set (bal := balance rule eq_dec M longest handicap lists).
    pose proof (power_pos r r_ge_1 (Z.of_nat B)) as PB. pose proof (power_pos r r_ge_1 (Z.of_nat B')) as PB'.
    assert (Zero : sum (fun o => match o with Some _ => 0 | None => 0 end) (map Some cs) == 0).
    { rewrite sum_map, sum_const. lra. }
    assert (Num : sum (fun a => if match a with Some _ => false | None => true end then weight (nat * rule) r (Z.of_nat B) bal a else 0)
      (map Some cs) == 0).
    { rewrite <- Zero. apply sum_eq. intros [c |] I; [reflexivity |].
      apply in_map_iff in I as (? & Ex & _); discriminate. }
    rewrite Num.
    assert (Den : r ^ Z.of_nat B' <= sum (weight (nat * rule) r (Z.of_nat B) bal) (map Some cs)).
    { unfold needed in Sc. apply Qle_trans with (weight (nat * rule) r (Z.of_nat B) bal (Some (t, f))).
      - simpl. apply power_le; auto. unfold bal, balance; cbn [fst snd]. lia.
      - apply sum_member.
        + intros o _. apply weight_pos; auto.
        + apply in_map, candidates_in. split; [auto | lia]. }
    apply Qle_shift_div_r; [lra |].
    set (den := sum (weight (nat * rule) r (Z.of_nat B) bal) (map Some cs)) in *.
    setoid_replace (r ^ Z.of_nat B / (r ^ Z.of_nat B + r ^ Z.of_nat B') * (r ^ Z.of_nat B + den))
      with (r ^ Z.of_nat B * ((r ^ Z.of_nat B + den) / (r ^ Z.of_nat B + r ^ Z.of_nat B'))) by (field; lra).
    assert (1 <= (r ^ Z.of_nat B + den) / (r ^ Z.of_nat B + r ^ Z.of_nat B')).
    { apply Qle_shift_div_l; lra. }
    rewrite Qplus_0_r. rewrite <- (Qmult_1_r (r ^ Z.of_nat B)) at 1.
    rewrite !(Qmult_comm (r ^ Z.of_nat B)). apply Qmult_le_compat_r; lra.
Qed.

(** So the released rule errs more than M times on the sample with a probability of at most that. *)
Theorem errors_of_the_released_rule :
  learn X Y default labels H d M longest handicap B r T (fun f => (M <? errors S f)%nat)
  <= r ^ Z.of_nat B / (r ^ Z.of_nat B + r ^ Z.of_nat B').
Proof.
  destruct what_is_released as (Cand & Bot). unfold learn, draw, select, prob in *.
  set (w := weight _ r (Z.of_nat B) _) in *.
  set (outs := outcomes _ (candidates rule eq_dec M longest d lists)) in *.
  pose proof (power_pos r r_ge_1 (Z.of_nat B)) as PB. pose proof (power_pos r r_ge_1 (Z.of_nat B')) as PB'.
  assert (W : forall o, In o outs -> 0 <= w o) by (intros; apply weight_pos; auto).
  assert (Total : 0 < sum w outs).
  { eapply Qlt_le_trans; [exact PB |]. apply (sum_member w outs None W). unfold outs; simpl; auto. }
  assert (Drawn : forall t f, In (Some (t, f)) outs -> (M <? errors S f)%nat = false).
  { intros t f I. unfold outs in I. rewrite outcomes_some in I. apply Nat.ltb_ge, (Cand t f I). }
  destruct Bot as [(E & _) | Bot].
  - assert (Z : sum (fun o => if (M <? errors S (released X Y default H o))%nat then w o else 0) outs == 0).
    { transitivity (sum (fun _ : option (nat * rule) => 0) outs); [| rewrite sum_const; lra].
      apply sum_eq. intros [[t f] |] I; cbn [released].
      - rewrite (Drawn t f I). reflexivity.
      - apply Nat.ltb_ge in E. rewrite E. reflexivity. }
    rewrite Z. apply Qle_trans with 0.
    + apply Qle_shift_div_r; lra.
    + apply Qle_shift_div_l; lra.
  - eapply Qle_trans; [| exact Bot]. apply Qmult_le_compat_r.
    + apply sum_le. intros [[t f] |] I; cbn [released].
      * rewrite (Drawn t f I). apply Qle_refl.
      * specialize (W None I). destruct (M <? errors S (soa H))%nat; lra.
    + apply Qlt_le_weak, Qinv_lt_0_compat, Total.
Qed.

End Sample.
End Accuracy.
