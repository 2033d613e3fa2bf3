(* Check certificates of a table with the function that CertificateProgram.v extracts.

       ./certificates TABLE.npy CERTIFICATE
       ./certificates TABLE.npy CERTIFICATES STATUSES

   The exit status is 0 if both bounds are proved, and 1 if not.  The second form writes such a digit for each of many
   certificates; they follow one another, each after its size in decimal and a line feed. *)

let read_file name =
  let file = open_in_bin name in
  let text = really_input_string file (in_channel_length file) in
  close_in file;
  text

(* The two numbers after 'shape': ( *)
let shape head =
  let rec find i = if String.sub head i 10 = "'shape': (" then i + 10 else find (i + 1) in
  let start = find 0 in
  Scanf.sscanf (String.sub head start (String.length head - start)) "%d, %d" (fun n m -> (n, m))

module Rows = Hashtbl.Make (struct
  type t = int list
  let rec equal a b = match a, b with v :: a, w :: b -> (v : int) = w && equal a b | [], [] -> true | _ -> false
  let hash = List.fold_left (fun h w -> let h = (h lxor w) * 0x9E3779B97F4A7C1 in h lxor (h lsr 29)) 0
end)

(* The distinct rows in the order of their first appearance, 60 columns to a word, and the number of columns. *)
let read_table name =
  let text = read_file name in
  let start = 10 + Char.code text.[8] + (256 * Char.code text.[9]) in
  let many, columns = shape (String.sub text 0 start) in
  if String.length text <> start + (many * columns) then failwith "the table is no array of bytes";
  let row i =
    List.init ((columns + 59) / 60) (fun w ->
      let word = ref 0 in
      for x = 60 * w to min columns (60 * (w + 1)) - 1 do
        match text.[start + (i * columns) + x] with
        | '\000' -> ()
        | '\001' -> word := !word lor (1 lsl (x mod 60))
        | _ -> failwith "the table has other values than 0 and 1"
      done;
      !word)
  in
  let met = Rows.create many and rows = ref [] in
  for i = 0 to many - 1 do
    let r = row i in
    if not (Rows.mem met r) then (Rows.add met r (); rows := r :: !rows)
  done;
  (List.rev !rows, columns)

let status (rows, columns) text from size =
  match Checked.check rows columns (fun i -> Char.code text.[from + i]) size with Some _ -> 0 | None -> 1

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 200 };
  match Sys.argv with
  | [| _; table; name |] ->
    let text = read_file name in
    exit (status (read_table table) text 0 (String.length text))
  | [| _; table; name; out |] ->
    let table = read_table table and text = read_file name and out = open_out_bin out in
    let rec all from =
      if from < String.length text then begin
        let line = String.index_from text from '\n' in
        let size = int_of_string (String.sub text from (line - from)) in
        output_string out (string_of_int (status table text (line + 1) size));
        all (line + 1 + size)
      end
    in
    all 0;
    close_out out
  | _ ->
    prerr_endline "usage: certificates TABLE.npy CERTIFICATES [STATUSES]";
    exit 2
