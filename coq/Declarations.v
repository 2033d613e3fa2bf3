(** The symmetries that a certificate declares: read, and checked against the table.

    Page: docs/certificate-format.md, "The symmetries".  No axiom is used. *)

From Coq Require Import List PeanoNat NArith PArith Bool Lia.
From Littlestone Require Import Dimension Spaces Symmetries.
Import ListNotations.
Local Open Scope N_scope.

(** A map with numbers as keys: the lowest bit of a number that is not 0 says on which side it is. *)
Inductive table (A : Type) := nothing | around (odds : table A) (zero : option A) (evens : table A).
Arguments nothing {A}.
Arguments around {A}.

Fixpoint find {A} (x : N) (t : table A) : option A :=
  match t with
  | nothing => None
  | around l o r => if x =? 0 then o else if N.odd x then find (N.div2 x) l else find (N.div2 x) r
  end.

Fixpoint single {A} (bits : nat) (x : N) (a : A) : table A :=
  match bits with
  | O => around nothing (Some a) nothing
  | S bits => let t := single bits (N.div2 x) a in if N.odd x then around t None nothing else around nothing None t
  end.

Fixpoint insert {A} (x : N) (a : A) (t : table A) : table A :=
  match t with
  | nothing => single (N.size_nat x) x a
  | around l o r =>
    if x =? 0 then around l (Some a) r
    else if N.odd x then around (insert (N.div2 x) a l) o r else around l o (insert (N.div2 x) a r)
  end.

Lemma find_empty {A} x : find x (@nothing A) = None.
Proof. reflexivity. Qed.

Lemma same_half x y : N.odd x = N.odd y -> (N.div2 y =? N.div2 x) = (y =? x).
Proof.
  intros O. pose proof (N.div2_odd x) as E. pose proof (N.div2_odd y) as F. rewrite O in E.
  destruct (N.eqb_spec (N.div2 y) (N.div2 x)) as [D | D], (N.eqb_spec y x) as [C | C]; auto; lia.
Qed.

Lemma find_single {A} (a : A) x y : find y (single (N.size_nat x) x a) = if y =? x then Some a else None.
Proof.
  destruct x as [| p]; [cbn [N.size_nat single find]; destruct (y =? 0); auto; destruct (N.odd y); reflexivity |].
  revert y. induction p as [p IH | p IH |]; intros y; cbn [N.size_nat Pos.size_nat single] in *; cbv zeta.
  - change (N.odd (N.pos p~1)) with true. change (N.div2 (N.pos p~1)) with (N.pos p). cbn [find].
    destruct (N.eqb_spec y 0) as [-> | D]; [reflexivity |]. destruct (N.odd y) eqn:O.
    + rewrite IH. rewrite <- (same_half (N.pos p~1) y) by (symmetry; exact O). reflexivity.
    + destruct (N.eqb_spec y (N.pos p~1)) as [-> |]; [discriminate | reflexivity].
  - change (N.odd (N.pos p~0)) with false. change (N.div2 (N.pos p~0)) with (N.pos p). cbn [find].
    destruct (N.eqb_spec y 0) as [-> | D]; [reflexivity |]. destruct (N.odd y) eqn:O.
    + destruct (N.eqb_spec y (N.pos p~0)) as [-> |]; [discriminate | reflexivity].
    + rewrite IH. rewrite <- (same_half (N.pos p~0) y) by (symmetry; exact O). reflexivity.
  - change (N.odd 1) with true. change (N.div2 1) with 0. cbn [find].
    destruct (N.eqb_spec y 0) as [-> | D]; [reflexivity |]. destruct (N.odd y) eqn:O.
    + rewrite <- (same_half 1 y) by (symmetry; exact O). change (N.div2 1) with 0. destruct (N.div2 y =? 0) eqn:Z; [reflexivity |].
      destruct (N.odd (N.div2 y)); reflexivity.
    + destruct (N.eqb_spec y 1) as [-> |]; [discriminate | reflexivity].
Qed.

Lemma find_insert {A} x y (a : A) t : find y (insert x a t) = if y =? x then Some a else find y t.
Proof.
  revert x y; induction t as [| l IHl o r IHr]; intros x y; cbn [insert find]; [apply find_single |].
  destruct (N.eqb_spec x 0) as [-> | X]; cbn [find]; [destruct (y =? 0); reflexivity |].
  destruct (N.odd x) eqn:O; cbn [find]; (destruct (N.eqb_spec y 0) as [-> | Y];
    [destruct (N.eqb_spec 0 x); [congruence | reflexivity] |]); destruct (N.odd y) eqn:O'.
  - rewrite IHl, same_half by congruence. reflexivity.
  - destruct (N.eqb_spec y x) as [-> |]; [congruence | reflexivity].
  - destruct (N.eqb_spec y x) as [-> |]; [congruence | reflexivity].
  - rewrite IHr, same_half by congruence. reflexivity.
Qed.

Section Declared.
Variable H : list row.  (* the table *)
Variable M : nat.       (* its columns *)

Fixpoint columns_below (n : nat) (l : list N) : list N :=
  match n with O => l | S n => columns_below n (N.of_nat n :: l) end.

Definition all_columns : list N := columns_below M [].

Lemma all_columns_in x : In x all_columns <-> x < N.of_nat M.
Proof.
  unfold all_columns. enough (G : forall n l, In x (columns_below n l) <-> x < N.of_nat n \/ In x l).
  { rewrite G. simpl. tauto. }
  induction n as [| n IH]; intros l; cbn [columns_below]; [split; [auto | intros [L |]; [lia | auto]] |].
  rewrite IH. simpl. split.
  - intros [L | [<- | I]]; auto; left; lia.
  - intros [L | I]; auto. destruct (N.eq_dec (N.of_nat n) x); auto. left. lia.
Qed.

Lemma all_columns_nodup : NoDup all_columns.
Proof.
  unfold all_columns. enough (G : forall n l, NoDup l -> (forall y, In y l -> N.of_nat n <= y) -> NoDup (columns_below n l))
    by (apply G; [constructor | intros ? []]).
  induction n as [| n IH]; intros l N B; cbn [columns_below]; auto. apply IH.
  - constructor; auto. intros I. apply B in I. lia.
  - intros y [<- | I]; [lia |]. apply B in I. lia.
Qed.

(** * Maps of literals: 2 x goes to `goes m x`, and 2 x + 1 to its partner. *)

Definition goes (m : table N) (x : N) : N :=
  if x <? N.of_nat M then match find x m with Some l => l | None => 2 * x end else 2 * x.

Definition moves_of (m : table N) : moves := {| to := fun x => N.div2 (goes m x); flip := fun x => N.odd (goes m x) |}.

Definition tabulate (f : N -> N) : table N :=
  fold_right (fun x m => insert x (f x) m) nothing all_columns.

Lemma goes_tabulate f x : x < N.of_nat M -> goes (tabulate f) x = f x.
Proof.
  intros L. unfold goes. apply N.ltb_lt in L as B. rewrite B. apply all_columns_in in L. unfold tabulate.
  induction all_columns as [| y l IH]; [destruct L |]. cbn [fold_right]. rewrite find_insert.
  destruct (N.eqb_spec x y) as [-> | D]; [reflexivity |]. destruct L as [-> | L]; [congruence | auto].
Qed.

Lemma goes_beyond m x : N.of_nat M <= x -> goes m x = 2 * x.
Proof. intros L. unfold goes. apply N.ltb_ge in L. rewrite L. reflexivity. Qed.

(** Whether m' takes back what m moves *)
Definition undoes (m m' : table N) : bool :=
  forallb (fun x => let l := goes m x in
    (N.div2 l <? N.of_nat M) && (goes m' (N.div2 l) =? 2 * x + N.b2n (N.odd l))) all_columns.

Lemma undoes_spec m m' : undoes m m' = true -> forall x,
  to (moves_of m') (to (moves_of m) x) = x /\ flip (moves_of m') (to (moves_of m) x) = flip (moves_of m) x.
Proof.
  unfold undoes. rewrite forallb_forall. intros U x. simpl. destruct (N.lt_ge_cases x (N.of_nat M)) as [L | L].
  - apply all_columns_in in L. apply U in L. apply andb_true_iff in L as (_ & E). apply N.eqb_eq in E.
    rewrite E, div2_literal, odd_literal. auto.
  - assert (E : goes m x = 2 * x + N.b2n false) by (rewrite goes_beyond by auto; simpl; lia).
    rewrite E, div2_literal, odd_literal. assert (E' : goes m' x = 2 * x + N.b2n false) by (rewrite goes_beyond by auto; simpl; lia).
    rewrite E', div2_literal, odd_literal. auto.
Qed.

Definition inverse (m : table N) : table N :=
  fold_right (fun x t => let l := goes m x in insert (N.div2 l) (2 * x + N.b2n (N.odd l)) t) nothing all_columns.

Definition back_and_forth (m m' : table N) : bool := undoes m m' && undoes m' m.

(** * Images of rows *)

(** Exchange the value of column y. *)
Fixpoint toggle (r : row) (y : N) : row :=
  match r with [] => [] | w :: r => if y <? 60 then N.lxor w (N.shiftl 1 y) :: r else w :: toggle r (y - 60) end.

Definition long (r : row) (x : N) : bool := x <? 60 * N.of_nat (length r).

Lemma toggle_length r : forall y, length (toggle r y) = length r.
Proof. induction r as [| w r IH]; intros y; cbn [toggle]; auto. destruct (y <? 60); simpl; auto. Qed.

Lemma toggle_spec r : forall y z, bit (toggle r y) z = xorb (bit r z) ((y =? z) && long r z).
Proof.
  unfold long. induction r as [| w r IH]; intros y z; cbn [toggle bit length].
  - rewrite (proj2 (N.ltb_ge z (60 * N.of_nat 0))) by lia. rewrite andb_false_r. reflexivity.
  - destruct (N.ltb_spec y 60) as [Y | Y]; cbn [bit]; destruct (N.ltb_spec z 60) as [Z | Z].
    + rewrite N.lxor_spec, N.shiftl_1_l, N.pow2_bits_eqb. rewrite (proj2 (N.ltb_lt z _)) by lia. rewrite andb_true_r. reflexivity.
    + destruct (N.eqb_spec y z) as [-> |]; [lia |]. rewrite andb_false_l, xorb_false_r. reflexivity.
    + destruct (N.eqb_spec y z) as [-> |]; [lia |]. rewrite andb_false_l, xorb_false_r. reflexivity.
    + rewrite IH. f_equal. f_equal.
      * destruct (N.eqb_spec y z), (N.eqb_spec (y - 60) (z - 60)); auto; lia.
      * destruct (N.ltb_spec z (60 * N.of_nat (S (length r)))), (N.ltb_spec (z - 60) (60 * N.of_nat (length r))); auto; lia.
Qed.

Definition toggled (l : list N) (a : row) : row := fold_left toggle l a.

Definition times (l : list N) (z : N) : bool := fold_right (fun y b => xorb (y =? z) b) false l.

Lemma toggled_spec l : forall a z, length (toggled l a) = length a /\ bit (toggled l a) z = xorb (bit a z) (times l z && long a z).
Proof.
  unfold toggled. induction l as [| y l IH]; intros a z; cbn [fold_left times fold_right]; [rewrite xorb_false_r; auto |].
  destruct (IH (toggle a y) z) as (L & B). rewrite L, toggle_length. split; auto. rewrite B, toggle_spec. unfold long.
  rewrite toggle_length. unfold times. destruct (y =? z), (fold_right _ false l), (z <? _), (bit a z); reflexivity.
Qed.

Lemma times_map (f : N -> N) l x : (forall y z, f y = f z -> y = z) -> NoDup l ->
  times (map f l) (f x) = if in_dec N.eq_dec x l then true else false.
Proof.
  intros I. induction 1 as [| y l Y N IH]; [reflexivity |]. cbn [map times fold_right]. fold (times (map f l) (f x)). rewrite IH.
  destruct (N.eqb_spec (f y) (f x)) as [E | E].
  - apply I in E as ->. destruct (in_dec _ x l); [contradiction |]. destruct (in_dec _ x (x :: l)) as [| Q]; [reflexivity | destruct Q; simpl; auto].
  - destruct (in_dec _ x l), (in_dec _ x (y :: l)) as [J | J]; simpl in *; try reflexivity; exfalso; intuition congruence.
Qed.

Definition flips (m : table N) : list N := map (fun x => N.div2 (goes m x)) (filter (fun x => N.odd (goes m x)) all_columns).

(** The next n columns *)
Fixpoint run (n : nat) (x : N) : list N := match n with O => [] | S n => x :: run n (N.succ x) end.

(** Where the columns go, word by word *)
Fixpoint targets (word : N -> list N) (words : nat) (x : N) : list (list N) :=
  match words with O => [] | S words => word x :: targets word words (x + 60) end.

Fixpoint toggle_some (w : N) (ts : list N) (a : row) : row :=
  match ts with
  | [] => a
  | t :: ts => if w =? 0 then a else toggle_some (N.div2 w) ts (if N.odd w then toggle a t else a)
  end.

(** The image of row r, if [a] is that of a row of zeros *)
Fixpoint image_row (tss : list (list N)) (r a : row) : row :=
  match r, tss with w :: r, ts :: tss => image_row tss r (toggle_some w ts a) | _, _ => a end.

Lemma toggle_some_spec f n : forall w x a, toggle_some w (map f (run n x)) a = toggled (map f (scan n w x)) a.
Proof.
  induction n as [| n IH]; intros w x a; cbn [run map toggle_some scan]; [reflexivity |].
  destruct (w =? 0); [reflexivity |]. rewrite IH. destruct (N.odd w); reflexivity.
Qed.

Lemma columns_from_step w r x : columns_from (w :: r) x = scan 60 w x ++ columns_from r (x + 60).
Proof. reflexivity. Qed.

Lemma targets_step word n x : targets word (S n) x = word x :: targets word n (x + 60).
Proof. reflexivity. Qed.

Lemma image_row_step ts tss w r a : image_row (ts :: tss) (w :: r) a = image_row tss r (toggle_some w ts a).
Proof. reflexivity. Qed.

Lemma image_row_spec f word r : (forall w x a, toggle_some w (word x) a = toggled (map f (scan 60 w x)) a) ->
  forall a x, image_row (targets word (length r) x) r a = toggled (map f (columns_from r x)) a.
Proof.
  intros W. induction r as [| w r IH]; intros a x; [reflexivity |].
  change (length (w :: r)) with (S (length r)).
  rewrite targets_step, image_row_step, columns_from_step, IH, W, map_app. symmetry. apply fold_left_app.
Qed.

(** Rows in a balanced tree *)
Inductive rows := no_row | rows_around (a : rows) (r : row) (b : rows).

Fixpoint has (t : rows) (r : row) : bool :=
  match t with
  | no_row => false
  | rows_around a r' b => match row_compare r r' with Eq => true | Lt => has a r | Gt => has b r end
  end.

(** Those of a sorted list, up to a depth, and those that are left *)
Fixpoint build (depth : nat) (l : list row) : rows * list row :=
  match depth with
  | O => (no_row, l)
  | S depth =>
    let (a, l) := build depth l in
    match l with
    | [] => (a, [])
    | r :: l => let (b, l) := build depth l in (rows_around a r b, l)
    end
  end.

Lemma build_has depth : forall l t l', build depth l = (t, l') -> incl l' l /\ forall r, has t r = true -> In r l.
Proof.
  induction depth as [| depth IH]; intros l t l' E; cbn [build] in E.
  - injection E as <- <-. split; [apply incl_refl | discriminate].
  - destruct (build depth l) as (a, l1) eqn:A. destruct (IH _ _ _ A) as (I & F). destruct l1 as [| r l1].
    + injection E as <- <-. auto.
    + destruct (build depth l1) as (b, l2) eqn:B. destruct (IH _ _ _ B) as (I' & F'). injection E as <- <-.
      assert (K : incl l1 l) by (intros q J; apply I; simpl; auto).
      split; [intros q J; apply K, I', J |]. intros q. cbn [has]. destruct (row_compare q r) eqn:C; auto.
      apply row_compare_eq in C as ->. intros _. apply I. simpl; auto.
Qed.

Definition lookup_table : rows := fst (build (N.size_nat (size H)) (sorted H)).

Lemma lookup_table_has r : has lookup_table r = true -> In r H.
Proof.
  unfold lookup_table. destruct (build _ _) as (t, l) eqn:E. apply build_has in E as (_ & F). simpl. intros B.
  apply sorted_in; auto.
Qed.

(** Whether a map of literals and its inverse are symmetries *)
Definition permutes (t : rows) (m : table N) : bool :=
  match H with
  | [] => true
  | r0 :: _ =>
    let base := toggled (flips m) (zeros r0) in
    let tss := targets (fun x => map (fun y => N.div2 (goes m y)) (run 60 x)) (length r0) 0 in
    (N.of_nat M <=? 60 * N.of_nat (length r0)) && forallb (fun r => has t (image_row tss r base)) H
  end.

(** * Reading *)

Variable byte : N -> N. (* the file *)
Variable bytes : N.

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

(** A map of literals and its inverse *)
Definition element : Type := (table N * table N)%type.

Fixpoint read_map (l : list N) (m : table N) (i : N) : option (table N * N) :=
  match l with
  | [] => Some (m, i)
  | x :: l => match read i with None => None | Some (image, i) => read_map l (insert x image m) i end
  end.

(** Generators, and a list of them; the first one has the number k. *)
Fixpoint read_generators (n : nat) (t : rows) (k : N) (e : table element) (ms : list (table N)) (i : N)
    : option (table element * list (table N) * N) :=
  match n with
  | O => Some (e, ms, i)
  | S n =>
    match read_map all_columns nothing i with
    | None => None
    | Some (m, i) =>
      let m' := inverse m in
      if back_and_forth m m' && permutes t m then read_generators n t (N.succ k) (insert k (m, m') e) (m :: ms) i
      else None
    end
  end.

(** m, and then m' *)
Definition followed_by (m m' : table N) : table N :=
  tabulate (fun x => let l := goes m x in let g := goes m' (N.div2 l) in 2 * N.div2 g + N.b2n (xorb (N.odd g) (N.odd l))).

(** A product of elements and of their inverses, after m *)
Fixpoint read_word (n : nat) (e : table element) (m : table N) (i : N) : option (table N * N) :=
  match n with
  | O => Some (m, i)
  | S n =>
    match read i with
    | None => None
    | Some (letter, i) =>
      match find (N.div2 letter) e with
      | None => None
      | Some (a, b) =>
        let c := if N.odd letter then b else a in
        read_word n e (match m with nothing => c | _ => followed_by m c end) i
      end
    end
  end.

Fixpoint read_words (n : nat) (k : N) (e : table element) (i : N) : option (table element * N) :=
  match n with
  | O => Some (e, i)
  | S n =>
    match read i with
    | None => None
    | Some (length, i) =>
      match read_word (N.to_nat length) e nothing i with
      | None => None
      | Some (m, i) =>
        let m' := inverse m in
        if back_and_forth m m' then read_words n (N.succ k) (insert k (m, m') e) i else None
      end
    end
  end.

(** * Groups *)

(** Some symmetries, and a column of the orbit of each column, the same one for many of the orbit *)
Record group := { members : list (table N); firsts : table N }.

Definition first (g : group) (x : N) : N := match find x (firsts g) with Some y => y | None => x end.

Definition trivial : group := {| members := []; firsts := nothing |}.

Fixpoint root (n : nat) (up : table N) (x : N) : N :=
  match n with O => x | S n => match find x up with None => x | Some y => root n up y end end.

Definition joined (up : table N) (m : table N) : table N :=
  fold_left (fun up x =>
    let a := root M up x in
    let b := root M up (N.div2 (goes m x)) in
    if a =? b then up else if a <? b then insert b a up else insert a b up) all_columns up.

Definition roots (up : table N) : table N :=
  fold_left (fun t x => let a := root M up x in if a =? x then t else insert x a t) all_columns nothing.

Definition group_of (ms : list (table N)) : group :=
  {| members := ms; firsts := roots (fold_left joined ms nothing) |}.

Fixpoint read_group (n : nat) (e : table element) (ms : list (table N)) (i : N) : option (group * N) :=
  match n with
  | O => Some (group_of ms, i)
  | S n =>
    match read i with
    | None => None
    | Some (k, i) => match find k e with None => None | Some (m, _) => read_group n e (m :: ms) i end
    end
  end.

Fixpoint read_groups (n : nat) (k : N) (e : table element) (gs : table group) (i : N) : option (table group * N) :=
  match n with
  | O => Some (gs, i)
  | S n =>
    match read i with
    | None => None
    | Some (size, i) =>
      match read_group (N.to_nat size) e [] i with
      | None => None
      | Some (g, i) => read_groups n (N.succ k) e (insert k g gs) i
      end
    end
  end.

Definition most : N := 4096.  (* elements, and groups *)

Definition read_symmetries (i : N) : option (table group * N) :=
  match read i with None => None | Some (generators, i) =>
    if generators =? 0 then Some (nothing, i)
    else if most <? generators then None
    else match read_generators (N.to_nat generators) lookup_table 0 nothing [] i with
    | None => None
    | Some (e, ms, i) =>
      match read i with None => None | Some (words, i) =>
        if most - generators <? words then None
        else match read_words (N.to_nat words) generators e i with None => None | Some (e, i) =>
          match read i with None => None | Some (more, i) =>
            if most <=? more then None
            else read_groups (N.to_nat more) 1 e (insert 0 (group_of ms) nothing) i
          end
        end
      end
    end
  end.

Hypothesis H_nodup : NoDup H.
Hypothesis H_apart : told_apart H.
Hypothesis H_length : forall r r', In r H -> In r' H -> length r = length r'.

Lemma columns_nodup r : NoDup (columns r).
Proof.
  unfold columns. generalize 0. induction r as [| w r IH]; intros b; cbn [columns_from]; [constructor |].
  assert (S : forall n w x, NoDup (scan n w x)).
  { induction n as [| n IHn]; intros v x; cbn [scan]; [constructor |]. destruct (v =? 0); [constructor |].
    destruct (N.odd v); auto. constructor; auto. rewrite scan_in. lia. }
  assert (G : forall r b x, In x (columns_from r b) -> b <= x).
  { clear. induction r as [| w r IH]; intros b x; cbn [columns_from]; [intros [] |].
    rewrite in_app_iff, scan_in. intros [I | I]; [lia |]. apply IH in I. lia. }
  specialize (IH (b + 60)). specialize (S 60%nat w b). specialize (G r (b + 60)).
  assert (D : forall x, In x (scan 60 w b) -> x < b + 60) by (intros x I; apply scan_in in I; change (N.of_nat 60) with 60 in I; lia).
  induction S as [| y l Y N IHl]; [exact IH |]. cbn [app]. constructor.
  - rewrite in_app_iff. intros [I | I]; [auto |]. apply G in I. specialize (D y (or_introl eq_refl)). lia.
  - apply IHl. intros x I. apply D. right. exact I.
Qed.

Lemma permutes_spec m m' : permutes lookup_table m = true -> back_and_forth m m' = true ->
  symmetric H (moves_of m) /\ symmetric H (moves_of m').
Proof.
  intros P B. apply andb_true_iff in B as (U & U'). pose proof (undoes_spec _ _ U) as F. pose proof (undoes_spec _ _ U') as F'.
  enough (S : symmetric H (moves_of m)).
  { split; auto. apply (inverses_are_symmetries H (moves_of m)); auto; intros x; apply F. }
  unfold permutes in P. destruct H as [| r0 V] eqn:E.
  { split; [intros y; exists (to (moves_of m') y); apply F' |]. split; intros r []. }
  rewrite <- E in *. apply andb_true_iff in P as (L & P). apply N.leb_le in L. rewrite forallb_forall in P.
  set (base := toggled (flips m) (zeros r0)) in *.
  set (tss := targets _ (length r0) 0) in *.
  apply (images_make_a_symmetry H (moves_of m) (fun r => image_row tss r base)); auto.
  { intros y. exists (to (moves_of m') y). apply F'. }
  intros r I. split; [apply lookup_table_has, P, I |]. intros x.
  assert (J : forall y z, N.div2 (goes m y) = N.div2 (goes m z) -> y = z).
  { intros y z Q. rewrite <- (proj1 (F y)), <- (proj1 (F z)). simpl. rewrite Q. reflexivity. }
  assert (Lz : length (zeros r0) = length r0) by apply map_length.
  assert (Lr : length r = length r0) by (apply H_length; [exact I | rewrite E; simpl; auto]).
  cbv beta. unfold tss. rewrite <- Lr, (image_row_spec (fun y => N.div2 (goes m y))) by (intros; apply toggle_some_spec). fold (columns r). simpl to. simpl flip.
  destruct (toggled_spec (flips m) (zeros r0) (N.div2 (goes m x))) as (Lb & Bb). fold base in Lb, Bb.
  rewrite (proj2 (toggled_spec _ base _)), Bb, zeros_bit, xorb_false_l.
  unfold long. rewrite Lb, Lz. unfold flips.
  rewrite (times_map (fun y => N.div2 (goes m y)) (columns r) x J (columns_nodup r)).
  rewrite (times_map (fun y => N.div2 (goes m y)) _ x J (NoDup_filter _ all_columns_nodup)).
  destruct (N.lt_ge_cases x (N.of_nat M)) as [X | X].
  - assert (T : N.div2 (goes m x) <? 60 * N.of_nat (length r0) = true).
    { apply N.ltb_lt. assert (X' := X). apply all_columns_in in X. unfold undoes in U. rewrite forallb_forall in U. apply U in X.
      apply andb_true_iff in X as (X & _). apply N.ltb_lt in X. lia. }
    rewrite T, !andb_true_r. f_equal.
    + destruct (in_dec _ x _) as [K | K]; [apply filter_In in K as (_ & K); auto |].
      destruct (N.odd (goes m x)) eqn:O; auto. destruct K. apply filter_In. split; [apply all_columns_in; auto | auto].
    + destruct (in_dec _ x _) as [K | K]; [apply columns_in in K; auto |].
      destruct (bit r x) eqn:O; auto. destruct K. apply columns_in; auto.
  - assert (G : goes m x = 2 * x + N.b2n false) by (rewrite goes_beyond by auto; simpl; lia).
    rewrite G, div2_literal, odd_literal.
    destruct (in_dec _ x (filter _ _)) as [K | K]; [apply filter_In in K as (K & _); apply all_columns_in in K; lia |].
    rewrite andb_false_l, !xorb_false_l. destruct (in_dec _ x (columns r)) as [Q | Q].
    + apply columns_in in Q. rewrite Q. apply N.ltb_lt. rewrite <- Lr. clear - Q. revert x Q.
      induction r as [| w r IH]; intros x Q; cbn [bit length] in *; [discriminate |].
      destruct (N.ltb_spec x 60); [lia |]. apply IH in Q. lia.
    + destruct (bit r x) eqn:O; auto. destruct Q. apply columns_in; auto.
Qed.

Definition all_symmetric (ms : list (table N)) : Prop := forall m, In m ms -> symmetric H (moves_of m).

Definition elements_hold (e : table element) : Prop :=
  forall k a b, find k e = Some (a, b) -> symmetric H (moves_of a) /\ symmetric H (moves_of b).

Lemma insert_holds e k a b : elements_hold e -> symmetric H (moves_of a) -> symmetric H (moves_of b) ->
  elements_hold (insert k (a, b) e).
Proof.
  intros A S S' j c d. rewrite find_insert. destruct (j =? k); [intros E; injection E as <- <-; auto | apply A].
Qed.

Lemma read_generators_spec n : forall k e ms i e' ms' i', elements_hold e -> all_symmetric ms ->
  read_generators n lookup_table k e ms i = Some (e', ms', i') -> elements_hold e' /\ all_symmetric ms'.
Proof.
  induction n as [| n IH]; intros k e ms i e' ms' i' A S E; cbn [read_generators] in E.
  - injection E as <- <- <-. auto.
  - destruct (read_map _ _ i) as [(m & j) |]; [| discriminate].
    destruct (back_and_forth m (inverse m)) eqn:B; [| discriminate].
    destruct (permutes lookup_table m) eqn:P; [| discriminate].
    destruct (permutes_spec _ _ P B) as (T & T'). cbn [andb] in E. apply IH in E; auto using insert_holds.
    intros q [<- | I]; auto.
Qed.

Lemma symmetric_ext g g' : (forall x, to g' x = to g x /\ flip g' x = flip g x) -> symmetric H g -> symmetric H g'.
Proof.
  intros E (O & C & B).
  assert (I : forall r r', image g r r' -> image g' r r') by (intros r r' J x; destruct (E x) as (-> & ->); apply J).
  split; [| split].
  - intros y. destruct (O y) as (x & <-). exists x. apply E.
  - intros r J. destruct (C r J) as (r' & K & L). eauto.
  - intros r J. destruct (B r J) as (r' & K & L). eauto.
Qed.

Lemma nothing_is_symmetric : symmetric H (moves_of nothing).
Proof.
  assert (E : forall x, goes nothing x = 2 * x + N.b2n false).
  { intros x. unfold goes. rewrite find_empty. simpl. destruct (x <? _); lia. }
  assert (J : forall r, image (moves_of nothing) r r).
  { intros r x. simpl. rewrite E, div2_literal, odd_literal. destruct (bit r x); reflexivity. }
  split; [| split; eauto]. intros x. exists x. simpl. rewrite E. apply div2_literal.
Qed.

Lemma followed_by_is_symmetric m m' :
  symmetric H (moves_of m) -> symmetric H (moves_of m') -> symmetric H (moves_of (followed_by m m')).
Proof.
  intros S S'. apply (symmetric_ext (product (moves_of m) (moves_of m'))); [| apply products_are_symmetries; auto].
  intros x. unfold followed_by. cbn [to flip moves_of product]. destruct (N.lt_ge_cases x (N.of_nat M)) as [L | L].
  - rewrite goes_tabulate by auto. unfold literal. rewrite div2_literal, odd_literal. cbn [to flip moves_of].
    split; [reflexivity | apply xorb_comm].
  - assert (E : forall q, goes q x = 2 * x + N.b2n false) by (intros q; rewrite goes_beyond by auto; simpl; lia).
    rewrite !E, !div2_literal, !odd_literal, !E, !div2_literal, !odd_literal. auto.
Qed.

Lemma read_word_spec n e : elements_hold e -> forall m i m' i', symmetric H (moves_of m) ->
  read_word n e m i = Some (m', i') -> symmetric H (moves_of m').
Proof.
  intros A. induction n as [| n IH]; intros m i m' i' S E; cbn [read_word] in E; [injection E as <- <-; auto |].
  destruct (read i) as [(l & j) |]; [| discriminate]. destruct (find (N.div2 l) e) as [(a & b) |] eqn:F; [| discriminate].
  apply A in F as (Sa & Sb). cbv zeta in E. set (c := if N.odd l then b else a) in *.
  assert (Sc : symmetric H (moves_of c)) by (unfold c; destruct (N.odd l); auto).
  apply IH in E; auto. destruct m; [exact Sc | apply followed_by_is_symmetric; auto].
Qed.

Lemma read_words_spec n : forall k e i e' i', elements_hold e -> read_words n k e i = Some (e', i') -> elements_hold e'.
Proof.
  induction n as [| n IH]; intros k e i e' i' A E; cbn [read_words] in E; [injection E as <- <-; auto |].
  destruct (read i) as [(l & j) |]; [| discriminate].
  destruct (read_word _ e _ j) as [(m & j') |] eqn:W; [| discriminate].
  apply read_word_spec in W; auto using nothing_is_symmetric.
  destruct (back_and_forth m (inverse m)) eqn:B; [| discriminate]. apply IH in E; auto.
  apply insert_holds; auto. apply andb_true_iff in B as (U & _). pose proof (undoes_spec _ _ U) as F.
  apply (inverses_are_symmetries H (moves_of m)); auto; intros x; apply F.
Qed.

Definition group_holds (g : group) : Prop :=
  all_symmetric (members g) /\ forall x, orbit (map moves_of (members g)) x (first g x).

Definition links (G : list moves) (up : table N) : Prop := forall x y, find x up = Some y -> orbit G x y.

Lemma root_spec G up n : links G up -> forall x, orbit G x (root n up x).
Proof.
  intros L. induction n as [| n IH]; intros x; cbn [root]; [apply orbit_refl |].
  destruct (find x up) as [y |] eqn:F; [| apply orbit_refl]. apply (orbit_trans G x y); auto.
Qed.

Lemma links_insert G up x y : links G up -> orbit G x y -> links G (insert x y up).
Proof.
  intros L O a b. rewrite find_insert. destruct (N.eqb_spec a x) as [-> |]; [intros E; injection E as <-; auto | apply L].
Qed.

Lemma joined_links G m up : In (moves_of m) G -> links G up -> links G (joined up m).
Proof.
  intros I. unfold joined. revert up. induction all_columns as [| x l IH]; intros up L; [exact L |].
  cbn [fold_left]. apply IH. pose proof (root_spec G up M L) as R.
  assert (O : orbit G (root M up x) (root M up (N.div2 (goes m x)))).
  { apply (orbit_trans G _ x); [apply orbit_back, R |]. apply (orbit_trans G _ (N.div2 (goes m x))); [| apply R].
    apply (orbit_step G (moves_of m) x I). }
  destruct (_ =? _); [exact L |]. destruct (_ <? _); apply links_insert; auto using orbit_back.
Qed.

Lemma roots_links G up : links G up -> links G (roots up).
Proof.
  intros L. unfold roots. assert (L0 : links G nothing) by (intros x y; rewrite find_empty; discriminate).
  revert L0. generalize (@nothing N). induction all_columns as [| x l IH]; intros t T; [exact T |].
  cbn [fold_left]. apply IH. destruct (_ =? x); [exact T |]. apply links_insert; auto. apply root_spec; auto.
Qed.

Lemma group_of_holds ms : all_symmetric ms -> group_holds (group_of ms).
Proof.
  intros A. split; [exact A |]. intros x. unfold first. cbn [members firsts group_of].
  assert (L : links (map moves_of ms) (roots (fold_left joined ms nothing))).
  { apply roots_links.
    enough (G : forall l up, incl l ms -> links (map moves_of ms) up -> links (map moves_of ms) (fold_left joined l up)).
    { apply G; [apply incl_refl | intros a b; rewrite find_empty; discriminate]. }
    induction l as [| m l IH]; intros up I L; [exact L |]. cbn [fold_left]. apply IH; [intros q J; apply I; simpl; auto |].
    apply joined_links; auto. apply in_map, I. simpl; auto. }
  destruct (find x _) as [y |] eqn:F; [apply L; auto | apply orbit_refl].
Qed.

Lemma trivial_holds : group_holds trivial.
Proof. split; [intros m [] |]. intros x. unfold first. cbn [firsts trivial]. rewrite find_empty. apply orbit_refl. Qed.

Definition groups_hold (gs : table group) : Prop := forall k g, find k gs = Some g -> group_holds g.

Lemma read_group_spec n e : elements_hold e -> forall ms i g i', all_symmetric ms ->
  read_group n e ms i = Some (g, i') -> group_holds g.
Proof.
  intros A. induction n as [| n IH]; intros ms i g i' S E; cbn [read_group] in E.
  - injection E as <- <-. apply group_of_holds; auto.
  - destruct (read i) as [(k & j) |]; [| discriminate]. destruct (find k e) as [(m & m') |] eqn:F; [| discriminate].
    apply A in F as (F & _). apply IH in E; auto. intros q [<- | I]; auto.
Qed.

Lemma read_groups_spec n e : elements_hold e -> forall k gs i gs' i', groups_hold gs ->
  read_groups n k e gs i = Some (gs', i') -> groups_hold gs'.
Proof.
  intros A. induction n as [| n IH]; intros k gs i gs' i' S E; cbn [read_groups] in E; [injection E as <- <-; auto |].
  destruct (read i) as [(size & j) |]; [| discriminate]. destruct (read_group _ e [] j) as [(g & j') |] eqn:G; [| discriminate].
  apply read_group_spec in G; auto; [| intros m []]. apply IH in E; auto.
  intros a b. rewrite find_insert. destruct (a =? k); [intros F; injection F as <-; auto | apply S].
Qed.

Theorem read_symmetries_spec i gs i' : read_symmetries i = Some (gs, i') -> groups_hold gs.
Proof.
  unfold read_symmetries. assert (N0 : groups_hold nothing) by (intros k g; rewrite find_empty; discriminate).
  destruct (read i) as [(generators & j) |]; [| discriminate]. destruct (generators =? 0); [intros E; injection E as <- <-; auto |].
  destruct (most <? generators); [discriminate |].
  destruct (read_generators _ _ _ _ _ j) as [((e & ms) & j1) |] eqn:G; [| discriminate].
  apply read_generators_spec in G as (A & S); [| intros k a b; rewrite find_empty; discriminate | intros m []].
  destruct (read j1) as [(words & j2) |]; [| discriminate]. destruct (most - generators <? words); [discriminate |].
  destruct (read_words _ _ e j2) as [(e' & j3) |] eqn:W; [| discriminate]. apply read_words_spec in W; auto.
  destruct (read j3) as [(more & j4) |]; [| discriminate]. destruct (most <=? more); [discriminate |].
  apply read_groups_spec; auto. intros k g. rewrite find_insert. destruct (k =? 0).
  - intros E; injection E as <-. apply group_of_holds; auto.
  - rewrite find_empty. discriminate.
Qed.

End Declared.
