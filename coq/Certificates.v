(** A checker of certificates: what it accepts is true.

    Pages: docs/certificate-format.md, docs/proofs/certificates.md.  No axiom is used. *)

From Coq Require Import List PeanoNat NArith PArith Bool Lia.
From Littlestone Require Import Dimension Spaces Symmetries Declarations.
Import ListNotations.
Local Open Scope N_scope.

(** * Claims *)

Record claim := { bound : nat; path : list N; kept : option shape }.

(** What rule 2 was found to settle in a claim: the columns at whose side 0 or 1 it holds *)
Record note := { about : list N; under : nat; sides : row * row }.

Definition at_side (f : row * row) (s : bool) : row := if s then snd f else fst f.

Record state := { at_ : N; made : N; known : table claim; notes : table note }.

Section Checking.
Variable H : list row.  (* the table *)
Variable M : nat.       (* its columns *)
Variable byte : N -> N. (* the file *)
Variable bytes : N.

Local Notation space := (space H).
Local Notation read := (read byte bytes).
Local Notation fixes := Symmetries.fixes.

Definition holds (c : claim) : Prop :=
  exists V, space V (path c) /\ ~ ldim_ge V (bound c) /\ forall s, kept c = Some s -> s = shape_of V.

(** In the rows of its path, no side that it names has the dimension that it names. *)
Definition right_about (V : list row) (k : nat) (f : row * row) : Prop :=
  forall x s, bit (at_side f s) x = true -> ~ ldim_ge (side V x s) k.

Definition notes_hold (ns : table note) : Prop :=
  forall h n, find h ns = Some n -> exists V, space V (about n) /\ right_about V (under n) (sides n).

Definition all_hold (st : state) : Prop :=
  (forall i c, find i (known st) = Some c -> holds c) /\ notes_hold (notes st).

Definition lookup (st : state) (b : N) : option claim :=
  let i := made st - b in if i =? 0 then None else find i (known st).

(** The end of a claim *)
Definition close (k : nat) (V : list row) (p : list N) (me : N) (keep : bool) (st : state) : state :=
  let c := {| bound := k; path := p; kept := if keep then Some (shape_of V) else None |} in
  {| at_ := at_ st; made := made st; known := insert me c (known st); notes := notes st |}.

(** Rows beside one of their words *)
Inductive tagged := no_tag | tag (w : N) (r : row) (rest : tagged).

Fixpoint word (i : N) (r : row) : N := match r with [] => 0 | w :: r => if i =? 0 then w else word (i - 1) r end.

Fixpoint tag_all (i : N) (V : list row) : tagged :=
  match V with [] => no_tag | r :: V => tag (word i r) r (tag_all i V) end.

(** Those with value s at column j of the word, in the opposite order *)
Fixpoint pick (t : tagged) (j : N) (s : bool) (W : list row) : list row :=
  match t with
  | no_tag => W
  | tag w r t => if eqb (N.testbit w j) s then pick t j s (r :: W) else pick t j s W
  end.

(** Rule 2 for side s of column j of the word, if the claim about the side is to say LDim < k *)
Definition unsplit (t : tagged) (j : N) (k : nat) (s : bool) : bool :=
  match k with
  | O | 1%nat => false
  | S k => let W := pick t j s [] in empty (splitters W (size W) k)
  end.

Definition orbit_done (g : group) (y : N) (done : table unit) : table unit :=
  match members g with [] => done | _ => insert y tt done end.

(** The columns of a set, and x *)
Fixpoint with_column (r : row) (n : nat) (x : N) : row :=
  match n with
  | O => r
  | S n =>
    let w := match r with [] => 0 | w :: _ => w end in
    if x <? 60 then N.lor w (N.shiftl 1 x) :: tl r else w :: with_column (tl r) n (x - 60)
  end.

(** Notes lie at a number made of the literals of their path, in any order. Nothing rests on what it is. *)
Definition factor : N := 0x9E3779B97F.
Definition mixed (l : N) : N := let a := factor * N.land l (N.ones 20) in N.land (N.lxor a (N.shiftr a 29)) (N.ones 50).
Definition sum_of (p : list N) : N := fold_left (fun sum l => sum + mixed l) p 0.
Definition place (sum : N) : N := N.land (N.lxor sum (N.shiftr sum 20)) (N.ones 20).

(** Whether rule 2 was found to hold, under the path [all], for the side of literal l: a note names it whose path and
    literal a have the same literals, for some a of [p]. *)
Fixpoint noted (ns : table note) (p all : list N) (sum l : N) (k : nat) : bool :=
  match p with
  | [] => false
  | a :: p =>
    match find (place (sum - mixed a)) ns with
    | None => noted ns p all sum l k
    | Some n =>
      if bit (at_side (sides n) (N.odd a)) (N.div2 a) && Nat.leb (under n) k && subpath (a :: about n) (l :: all) then true
      else noted ns p all sum l k
    end
  end.

Section Settle.
Variables (V : list row) (p : list N) (k : nat) (g : group).
Variable ns : table note.
Variable keep : bool.  (* whether there are enough rows for notes to be worth their time *)

(** Whether these columns are settled, where those are done to which a column of each orbit goes.  t has the rows beside
    their word i.  The sides for which rule 2 holds are added to f. *)
Fixpoint settle (n : N) (counts : list (list N)) (sum : N) (done : table unit) (i : N) (t : tagged) (f : row * row)
    (l : list N) : option (row * row) :=
  match l with
  | [] => Some f
  | x :: l =>
    let y := first g x in
    match find y done with
    | Some _ => settle n counts sum done i t f l
    | None =>
      let s := 2 * counted_at counts x <=? n in
      let i' := x / 60 in
      let t := if i' =? i then t else tag_all i' V in
      let j := x - 60 * i' in
      let m := 2 * x + N.b2n s in
      let shown :=
        if keep && noted ns p p (sum + mixed m) m k then Some s
        else if unsplit t j k s then Some s
        else if unsplit t j k (negb s) then Some (negb s)
        else None in
      match shown with
      | Some s =>
        let f := if keep then if s then (fst f, with_column (snd f) (S M) x) else (with_column (fst f) (S M) x, snd f) else f in
        settle n counts sum (orbit_done g y done) i' t f l
      | None => if repeated V x then settle n counts sum done i' t f l else None
      end
    end
  end.
End Settle.

(** The notes after a claim, if all columns are settled *)
Definition settled (V : list row) (p : list N) (k : nat) (d0 d1 : row) (g : group) (ns : table note) : option (table note) :=
  let done := fold_left (fun done x => insert (first g x) tt done) (columns d0 ++ columns d1) nothing in
  let n := size V in
  if few n (S (pred k)) then Some ns
  else
    let counts := counts_of V in
    let keep := negb (few n 8) in
    let sum := sum_of p in
    match settle V p (pred k) g ns keep n counts sum done 0 (tag_all 0 V) ([], []) (columns (chosen counts n (pred k))) with
    | None => None
    | Some f => Some (if keep then insert (place sum) {| about := p; under := pred k; sides := f |} ns else ns)
    end.

(** Whether two rows have value s at column x, or one if [one] *)
Fixpoint two (V : list row) (x : N) (s one : bool) : bool :=
  match V with [] => false | r :: V => if eqb (bit r x) s then one || two V x s true else two V x s one end.

Definition moved (st : state) (i : N) : state := {| at_ := i; made := made st; known := known st; notes := notes st |}.

(** Whether a map takes every literal of a path to itself *)
Definition keeps (p : list N) (m : table N) : bool :=
  forallb (fun l => let x := N.div2 l in goes M m x =? 2 * x) p.

(** Read the claim LDim(V) < k, which is under group g; the state after it, if it follows. *)
Fixpoint accept (groups : table group) (k : nat) (V : list row) (p : list N) (g : group) (st : state) {struct k} : option state :=
  let me := N.succ (made st) in
  let st := {| at_ := at_ st; made := me; known := known st; notes := notes st |} in
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
          match settled V p k d0 d1 g (notes st) with
          | Some ns => Some (close k V p me (next =? 1) {| at_ := i; made := made st; known := known st; notes := ns |})
          | None => None
          end
        else match n with
        | O => None
        | S n =>
          let l := next - 2 in
          let x := N.div2 l in
          let s := N.odd l in
          let good :=
            if (x <? N.of_nat M) && negb (bit d0 x || bit d1 x) && two V x false false && two V x true false then
              match read i with
              | Some (0, i) => accept groups k' (side V x s) (l :: p) trivial (moved st i)
              | Some (kind, i) =>
                match read i with
                | None => None
                | Some (value, i) =>
                  let st := moved st i in
                  if kind =? 4 then
                    match find value groups with
                    | Some g' => if forallb (keeps (l :: p)) (members g') then accept groups k' (side V x s) (l :: p) g' st else None
                    | None => None
                    end
                  else if kind =? 1 then
                    let y := N.div2 value in
                    let t := N.odd value in
                    if bit (if t then d1 else d0) y && forallb (fun r => eqb (bit r y) t) (side V x s) then Some st else None
                  else match lookup st value with
                  | None => None
                  | Some c =>
                    if Nat.leb (bound c) k' then
                      if kind =? 2 then if subpath (path c) (l :: p) then Some st else None
                      else if kind =? 3 then
                        match kept c with
                        | Some sh => if has_shape (side V x s) sh then Some st else None
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

(** * The tree *)

(** Rows with their numbers *)
Definition numbered := list (N * row).

Fixpoint number_rows (V : list row) (i : N) : numbered :=
  match V with [] => [] | r :: V => (i, r) :: number_rows V (N.succ i) end.

(** Those with 0 and with 1 at column x, before a and b *)
Fixpoint halves (v : numbered) (x : N) (a b : numbered) : numbered * numbered :=
  match v with
  | [] => (a, b)
  | p :: v => if bit (snd p) x then halves v x a (p :: b) else halves v x (p :: a) b
  end.

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
      | Some (out, i) => let (a, b) := halves v x [] [] in Some (a :: b :: out, i)
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

Lemma halves_spec v x (s : bool) : forall (a b : numbered) (p : N * row), In p (if s then snd (halves v x a b) else fst (halves v x a b)) ->
  In p (if s then b else a) \/ In p v /\ bit (snd p) x = s.
Proof.
  induction v as [| q v IH]; intros a b p I; cbn [halves] in I; [destruct s; auto |].
  destruct (bit (snd q) x) eqn:B; apply IH in I as [I | (I & E)]; simpl In; auto; destruct s; auto;
    destruct I as [<- | I]; auto.
Qed.

Lemma level_spec vs : forall i out i', level vs i = Some (out, i') ->
  forall v, In v vs -> exists x, In (fst (halves v x [] [])) out /\ In (snd (halves v x [] [])) out.
Proof.
  induction vs as [| v vs IH]; intros i out i' E w I; [destruct I |]. simpl in E.
  destruct (read i) as [(x & j) |]; [| discriminate]. destruct (level vs j) as [(o & j') |] eqn:L; [| discriminate].
  destruct (halves v x [] []) as (a, b) eqn:Q. injection E as <- <-.
  destruct I as [<- | I]; [exists x; rewrite Q; simpl; auto |].
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
    assert (Part : forall s : bool, incl (map snd (if s then snd (halves v x [] []) else fst (halves v x [] []))) (side (map snd v) x s)).
    { intros s r J. apply in_map_iff in J as (p & <- & J).
      apply halves_spec in J as [J | (J & B)]; [destruct s; destruct J |]. apply side_in. split; [apply in_map; auto | exact B]. }
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
  else match read_symmetries H M byte bytes i with
  | Some (groups, i) =>
    let g := match find 0 groups with Some g => g | None => trivial end in
    match accept groups k H [] g {| at_ := i; made := 0; known := nothing; notes := nothing |} with
    | Some st => (at_ st =? bytes) && (made st =? declared)
    | None => false
    end
  | None => false
  end.

(** The bounds, if both are proved *)
Definition check : option (N * N) :=
  if negb (begins mark 0 && distinct H) then None
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
Variable words : nat.
Hypothesis H_wide : wide words H.

Lemma space_wide V p : space V p -> wide words V.
Proof. intros (_ & E) r I. apply H_wide, E, I. Qed.

Lemma few_rows V k : few (size V) k = true -> ~ ldim_ge V k.
Proof. intros F G. apply ldim_length in G. apply few_spec in F. rewrite size_spec in F. apply few_power in F. lia. Qed.

Lemma space_apart V p : space V p -> told_apart V.
Proof. intros (_ & E) r r' I I'. apply H_apart; [apply E in I | apply E in I']; tauto. Qed.

Lemma close_holds k V p me keep st : all_hold st -> space V p -> ~ ldim_ge V k -> all_hold (close k V p me keep st).
Proof.
  intros (A & B) S L. split; [| exact B]. intros j c F. cbn [close known] in F. rewrite find_insert in F.
  destruct (j =? me); [| eauto]. injection F as <-. exists V. split; [exact S | split; [exact L |]].
  intros s K. cbn [kept] in K. destruct keep; [injection K as <-; auto | discriminate].
Qed.

Lemma lookup_holds st b c : all_hold st -> lookup st b = Some c -> holds c.
Proof. intros (A & _). unfold lookup. cbv zeta. destruct (_ =? 0); [discriminate | apply A]. Qed.

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

Lemma word_bit j : j < 60 -> forall r i, bit r (60 * i + j) = N.testbit (word i r) j.
Proof.
  intros J. induction r as [| w r IH]; intros i; cbn [bit word]; [rewrite N.bits_0; reflexivity |].
  destruct (N.eqb_spec i 0) as [-> | D].
  - change (60 * 0 + j) with j. apply N.ltb_lt in J. rewrite J. reflexivity.
  - destruct (N.ltb_spec (60 * i + j) 60); [lia |]. rewrite <- IH. f_equal. lia.
Qed.

Lemma pick_spec i j s V : j < 60 -> forall W r, In r (pick (tag_all i V) j s W) <-> In r W \/ In r (side V (60 * i + j) s).
Proof.
  intros J. induction V as [| r' V IH]; intros W r; [simpl; tauto |]. cbn [tag_all pick side filter].
  rewrite (word_bit j J r' i). destruct (eqb (N.testbit (word i r') j) s); rewrite IH; cbn [In]; unfold side; tauto.
Qed.

Lemma unsplit_spec i V j k s : wide words V -> j < 60 -> unsplit (tag_all i V) j k s = true ->
  ~ ldim_ge (side V (60 * i + j) s) k.
Proof.
  intros Wi J. destruct k as [| [| k]]; try discriminate. unfold unsplit. set (W := pick _ _ _ _). intros E G.
  apply (ldim_incl _ W) in G; [| intros r I; apply pick_spec; auto].
  apply ldim_S in G as (y & G0 & G1). apply ldim_length in G0, G1.
  assert (B : bit (splitters W (size W) (S k)) y = true).
  { apply (splitters_spec words); auto. intros r I. apply pick_spec in I as [[] | I]; auto. apply side_in in I as (I & _). apply Wi, I. }
  rewrite (empty_spec _ y E) in B. discriminate.
Qed.

(** The same literals, in another order, leave the same rows. *)
Lemma noted_spec ns V all sum l k : notes_hold ns -> space V all -> forall p, noted ns p all sum l k = true ->
  ~ ldim_ge (side V (N.div2 l) (N.odd l)) k.
Proof.
  intros A Sp. induction p as [| a p IH]; cbn [noted]; [discriminate |]. destruct (find _ ns) as [n |] eqn:F; [| exact IH].
  destruct (_ && _) eqn:E; [intros _ | exact IH]. apply andb_true_iff in E as (E & Su). apply andb_true_iff in E as (B & Le).
  apply A in F as (V' & S' & R). apply R in B. intros G. apply B. apply Nat.leb_le in Le. apply (ldim_le _ (under n)) in G; auto.
  revert G. apply ldim_incl. intros r J. apply (space_side H V all l Sp) in J as (J & T).
  apply (space_side H V' (about n) a S'). split; [exact J |]. eapply subpath_spec; eauto.
Qed.

(** A group of symmetries that fix a path *)
Definition fitting (g : group) (p : list N) : Prop :=
  group_holds H M g /\ forall m, In m (members g) -> fixes (moves_of M m) p.

Lemma trivial_fits p : fitting trivial p.
Proof. split; [apply trivial_holds | intros m []]. Qed.

Lemma keeps_spec p m : keeps p m = true -> fixes (moves_of M m) p.
Proof.
  unfold keeps. rewrite forallb_forall. intros K l I. apply K in I. apply N.eqb_eq in I. unfold literal. cbn [to flip moves_of].
  replace (goes M m (N.div2 l)) with (2 * N.div2 l + N.b2n false) by (rewrite I; simpl; lia).
  rewrite div2_literal, odd_literal, xorb_false_l. symmetry. apply N.div2_odd.
Qed.

(** What is done of one column of an orbit holds of all. *)
Definition done_right (V : list row) (k : nat) (g : group) (done : table unit) : Prop :=
  forall x, find (first g x) done = Some tt -> ~ splits V x k.

Lemma done_insert V p k g done x : space V p -> fitting g p -> done_right V k g done -> ~ splits V x k ->
  done_right V k g (insert (first g x) tt done).
Proof.
  intros A ((S & F) & K) D L y. rewrite find_insert. destruct (N.eqb_spec (first g y) (first g x)) as [E | _]; [| apply D].
  intros _ G. apply L. revert G. apply (orbit_splits H (map (moves_of M) (members g)) V p); auto.
  - intros h I. apply in_map_iff in I as (m & <- & I). auto.
  - apply (orbit_trans _ x (first g x)); [apply F |]. rewrite <- E. apply orbit_back, F.
Qed.

Lemma orbit_done_right V p k g done x : space V p -> fitting g p -> done_right V k g done -> ~ splits V x k ->
  done_right V k g (orbit_done g (first g x) done).
Proof.
  intros A G D L. unfold orbit_done. destruct (members g); [exact D |]. apply (done_insert V p); auto.
Qed.

Lemma settle_spec V n counts sum p k g ns keep l : space V p -> fitting g p -> notes_hold ns ->
  forall done i t f f', t = tag_all i V -> done_right V k g done -> right_about V k f ->
  settle V p k g ns keep n counts sum done i t f l = Some f' ->
  (forall x, In x l -> ~ splits V x k \/ repeated V x = true) /\ right_about V k f'.
Proof.
  intros A G Ns. induction l as [| y l IH]; intros done i t f f' T D R E; cbn [settle] in E.
  { injection E as <-. split; [intros x [] | exact R]. }
  destruct (find (first g y) done) as [[] |] eqn:F.
  { apply IH in E as (S & R'); auto. split; [| exact R']. intros x [<- | I]; [left; apply D, F | auto]. }
  cbv zeta in E. set (s := 2 * counted_at counts y <=? n) in *. set (i' := y / 60) in *.
  set (t' := if i' =? i then t else tag_all i' V) in *.
  assert (T' : t' = tag_all i' V).
  { unfold t'. destruct (N.eqb_spec i' i) as [Q |]; [rewrite Q; exact T | reflexivity]. }
  clearbody t'. subst t'. set (j := y - 60 * i') in *.
  pose proof (N.div_mod y 60 ltac:(discriminate)) as Dm. pose proof (N.mod_lt y 60 ltac:(discriminate)) as Lt. fold i' in Dm.
  assert (Y : 60 * i' + j = y /\ j < 60) by (unfold j; clear - Dm Lt; clearbody i'; generalize dependent (y mod 60); intros; lia).
  destruct Y as (Y & J).
  assert (U : forall c, unsplit (tag_all i' V) j k c = true -> ~ ldim_ge (side V y c) k).
  { intros c Q. apply (unsplit_spec _ _ _ _ _ (space_wide _ _ A) J) in Q. rewrite Y in Q. exact Q. }
  match type of E with match ?o with _ => _ end = _ => destruct o as [c |] eqn:Q end.
  - assert (L : ~ ldim_ge (side V y c) k).
    { destruct (keep && _) eqn:K.
      - injection Q as <-. apply andb_true_iff in K as (_ & K). apply (noted_spec ns V) in K; auto.
        rewrite div2_literal, odd_literal in K. exact K.
      - destruct (unsplit _ j k s) eqn:Q0; [injection Q as <-; auto |].
        destruct (unsplit _ j k (negb s)) eqn:Q1; [injection Q as <-; auto | discriminate]. }
    assert (L' : ~ splits V y k) by (intros B; apply L, B).
    apply IH in E as (S & R'); auto.
    + split; [| exact R']. intros x [<- | I]; auto.
    + apply (orbit_done_right V p); auto.
    + destruct keep; [| exact R]. intros x [|] B; destruct c; cbn [at_side fst snd] in B;
        try (apply with_column_spec in B as [B | ->]; [| exact L]); first [exact (R x true B) | exact (R x false B)].
  - destruct (repeated V y) eqn:Re; [| discriminate]. apply IH in E as (S & R'); auto.
    split; [| exact R']. intros x [<- | I]; auto.
Qed.

(** No column has two sides of the dimension k. *)
Lemma settled_spec V p k d0 d1 g ns ns' : space V p -> fitting g p -> notes_hold ns ->
  (forall y, bit d0 y = true -> ~ ldim_ge (side V y false) k) ->
  (forall y, bit d1 y = true -> ~ ldim_ge (side V y true) k) ->
  settled V p (S k) d0 d1 g ns = Some ns' -> notes_hold ns' /\ ~ ldim_ge V (S k).
Proof.
  intros A Fi Ns D0 D1 E. unfold settled in E. cbn [pred] in E. cbv zeta in E. pose proof (space_wide V p A) as Wi.
  assert (Steps : forall x, In x (columns d0 ++ columns d1) -> ~ splits V x k).
  { intros x I L. apply in_app_iff in I as [I | I]; apply columns_in in I; [apply (D0 x I) | apply (D1 x I)]; apply L. }
  assert (W : forall l done, done_right V k g done -> (forall x, In x l -> ~ splits V x k) ->
    done_right V k g (fold_left (fun done x => insert (first g x) tt done) l done)).
  { induction l as [| y l IH]; intros done D St; [exact D |]. cbn [fold_left].
    apply IH; [apply (done_insert V p); auto; apply St; simpl; auto | intros x I; apply St; simpl; auto]. }
  apply W with (done := nothing) in Steps; [| intros x; rewrite find_empty; discriminate].
  assert (Se : notes_hold ns' /\ forall x, In x (columns (splitters V (size V) k)) -> ~ splits V x k \/ repeated V x = true).
  { unfold splitters. destruct (few (size V) (S k)); [injection E as <-; split; [exact Ns | intros x []] |].
    destruct (settle _ _ _ _ _ _ _ _ _ _ _ _ _ _) as [f |] eqn:Q; [| discriminate]. injection E as <-.
    apply settle_spec in Q as (S & R); auto; [| intros x [|] B; discriminate].
    split; [| exact S]. destruct (negb _); [| exact Ns]. intros h m. rewrite find_insert. destruct (h =? _); [| apply Ns].
    intros Q. injection Q as <-. exists V. auto. }
  destruct Se as (Ns' & Se). split; [exact Ns' |]. intros G.
  apply ldim_S in G as (x & G0 & G1).
  enough (All : forall x, ~ splits V x k) by (apply (All x); intros []; auto). clear x G0 G1.
  intros x. induction x as [x IH] using (well_founded_induction N.lt_wf_0).
  destruct (bit (splitters V (size V) k) x) eqn:B.
  - apply columns_in in B. apply Se in B as [B | B]; [exact B |]. intros L.
    apply repeated_spec in B as [-> | (y & c & Y & F)].
    + specialize (L true). apply (ldim_le _ 0) in L; [| lia]. apply ldim_0 in L. auto.
    + apply (IH y Y). intros s. specialize (L (xorb c s)). revert L. apply ldim_incl.
      intros r I. apply side_in in I as (I & J). apply side_in. split; auto. rewrite (F r I), J.
      destruct c, s; auto.
  - (* rule 1 *)
    intros L. pose proof (ldim_length _ _ (L false)). pose proof (ldim_length _ _ (L true)).
    rewrite (splitters_spec words) in B by auto. discriminate.
Qed.

Theorem accept_spec groups k : groups_hold H M groups ->
  forall V p g st st', all_hold st -> space V p -> fitting g p -> accept groups k V p g st = Some st' ->
  all_hold st' /\ ~ ldim_ge V k.
Proof.
  intros Gr. induction k as [| k IHk]; intros V p g st st' A Sp Fi; cbn [accept]; set (me := N.succ (made st));
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
    1, 3: destruct (settled V p (S (S k)) d0 d1 g (notes s)) as [ns |] eqn:E; [| discriminate]; intros J; injection J as <-;
      destruct As as (As & Ns); apply (settled_spec V p) in E as (Ns' & L); auto; split; auto; apply close_holds; auto; split; auto.
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
      destruct kind as [| kind]; [apply IHk in E; auto using trivial_fits |].
      destruct (read i') as [(value & i'') |]; [| discriminate].
      destruct (Npos kind =? 4).
      { (* kind 4 *)
        destruct (find value groups) as [g' |] eqn:Fg; [| discriminate].
        destruct (forallb (keeps (l :: p)) (members g')) eqn:K; [| discriminate]. rewrite forallb_forall in K.
        apply IHk in E; auto. split; [apply (Gr value), Fg |]. intros m I. apply keeps_spec, K, I. }
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
      apply (has_shape_spec words W V'); auto; [apply (space_wide W (l :: p)), Sw | apply (space_apart V' (path c)); split; auto].
Qed.

End Sound.

Lemma follows_spec k declared i : distinct H = true -> follows k declared i = true -> ~ ldim_ge H k.
Proof.
  intros Di. apply distinct_spec in Di as (N & D & L). unfold follows. destruct (declared =? 0).
  - intros E. apply andb_true_iff in E as (_ & F). apply few_rows; auto.
  - destruct (read_symmetries H M byte bytes i) as [(groups & j) |] eqn:R; [| discriminate].
    apply read_symmetries_spec in R; auto. cbv zeta.
    destruct (accept groups k H [] _ _) as [st |] eqn:E; [| discriminate].
    intros _. apply (accept_spec D (length (hd [] H))) in E; [tauto | | exact R | | |].
    + intros r J. apply L; auto. destruct H as [| r0 V]; [destruct J | simpl; auto].
    + split; intros i' c F; discriminate.
    + split; [exact N |]. intros r. split; [| tauto]. intros I. split; auto. intros l [].
    + split; [| intros m _ l []]. destruct (find 0 groups) as [g |] eqn:F; [apply (R 0), F | apply trivial_holds].
Qed.

(** What is accepted is true. *)
Theorem check_is_sound lower upper : check = Some (lower, upper) ->
  dim_ge (functions H) (N.to_nat lower) /\ ~ dim_ge (functions H) (S (N.to_nat upper)).
Proof.
  unfold check. destruct (begins mark 0); [| discriminate]. cbn [andb].
  destruct (distinct H) eqn:E; [| discriminate]. cbn [negb].
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
