(** The checker as a program of OCaml.

    Numbers become numbers of OCaml, which have 62 bits and a sign: words have 60 bits, bytes 8, and what the file says
    is below 2^61.  These lines are trusted, as is `certificates.ml`. *)

From Coq Require Import NArith Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZInt.
From Littlestone Require Import Spaces Certificates.

Extract Inductive positive => int [ "(fun p -> 2 * p + 1)" "(fun p -> 2 * p)" "1" ]
  "(fun f2p1 f2p f1 p -> if p <= 1 then f1 () else if p land 1 = 0 then f2p (p lsr 1) else f2p1 (p lsr 1))".
Extract Inlined Constant N.eqb => "((=) : int -> int -> bool)".
Extract Inlined Constant N.ltb => "((<) : int -> int -> bool)".
Extract Inlined Constant N.leb => "((<=) : int -> int -> bool)".
Extract Inlined Constant N.add => "(+)".
Extract Inlined Constant N.succ => "succ".
Extract Inlined Constant N.succ_pos => "succ".
Extract Inlined Constant N.mul => "( * )".
Extract Inlined Constant N.div => "(fun a b -> if b = 0 then 0 else a / b)".
Extract Inlined Constant N.compare => "(fun (a : int) b -> if a < b then Lt else if a = b then Eq else Gt)".
Extract Inlined Constant N.sub => "(fun (a : int) b -> if a > b then a - b else 0)".
Extract Inlined Constant N.land => "(land)".
Extract Inlined Constant N.lor => "(lor)".
Extract Inlined Constant N.lxor => "(lxor)".
Extract Inlined Constant N.ldiff => "(fun a b -> a land lnot b)".
Extract Inlined Constant N.shiftl => "(lsl)".
Extract Inlined Constant N.shiftr => "(lsr)".
Extract Inlined Constant N.testbit => "(fun w x -> (w lsr x) land 1 = 1)".
Extract Inlined Constant N.odd => "(fun w -> w land 1 = 1)".
Extract Inlined Constant N.div2 => "(fun w -> w lsr 1)".
Extract Inlined Constant N.ones => "(fun x -> (1 lsl x) - 1)".
Extract Inlined Constant N.of_nat => "(fun n -> n)".
Extract Inlined Constant N.to_nat => "(fun n -> n)".
Extract Inlined Constant N.size_nat => "(let rec bits n x = if x = 0 then n else bits (n + 1) (x lsr 1) in bits 0)".
Extract Inlined Constant Pos.eqb => "((=) : int -> int -> bool)".
Extraction Inline odd_of carry.
Extract Inlined Constant List.filter => "List.filter".

Extraction "checked.ml" check.
