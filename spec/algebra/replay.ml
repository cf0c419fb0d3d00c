(* replay.ml FILE: runs histories of the engine through the step function that was extracted from Machine.v, and compares every answer that the
   engine gave with the cells that the step function keeps. The format is told by oracle/support/transcript.h.

   The driver asks for every merge after a commit, and for every drop now and then; the step function refuses those that C5 forbids.
   Prints DIFFERENCE lines and closes with: histories N changes N answers N behind N merged N differences N
   (behind: answers to a snapshot that has deltas to take away). Exit 0 if there was no difference. *)
open Machine

let num n = znat n
let ten = num 10
let of_text s =                      (* a decimal number of any length *)
  let negative = s.[0] = '-' in
  let v = ref (num 0) in
  String.iteri (fun i c -> if not (negative && i = 0) then v := zadd (zmul !v ten) (num (Char.code c - 48))) s;
  if negative then zneg !v else !v

let histories = ref 0 and changes = ref 0 and answers = ref 0 and behind = ref 0 and merged = ref 0 and differences = ref 0
let name = ref "" and line_number = ref 0
let g = ref zstart and k = ref zstart
let groups = Hashtbl.create 64       (* numbers of groups and keys that were seen *)
let snapshot = ref None

let apply o =
  incr changes;
  g := gstep !g o;
  k := kstep !k o
let ask_each o =
  List.iter (fun (t, _) ->
    let before = List.length !g.deltas in
    g := gstep !g (o t); k := kstep !k (o t);
    if List.length !g.deltas < before then incr merged) (List.rev !g.deltas)
let merge_all () = ask_each (fun t -> Merge t)
let drop_all () = ask_each (fun t -> Drop t)   (* not always: a delta at or below a snapshot must do no harm *)

let equal ((a, b), c) ((d, e), f) = zeq a d && zeq b e && zeq c f
let differ what id =
  incr differences;
  if !differences <= 10 then Printf.printf "DIFFERENCE %s line %d: %s %s\n" !name !line_number what id
let as_of who d =
  match who with
  | "writer" -> zown d
  | _ -> (match !snapshot with
          | Some s -> if List.exists (fun (t, _) -> t > s) d.deltas then incr behind; zview d s
          | None -> failwith "a reader without a snapshot")

let words line = List.filter (fun w -> w <> "") (String.split_on_char ' ' line)
let row grp key n s = { group = of_text grp; key = of_text key; weight = ((num 1, of_text n), of_text s) }
let see grp key = Hashtbl.replace groups ("g" ^ grp) (); Hashtbl.replace groups ("k" ^ key) ()

(* Every answer is for all groups: one that is not listed must be zero. *)
let check kind plane rows =
  incr answers;
  let want = Hashtbl.create 16 in
  List.iter (fun (id, c) -> Hashtbl.replace want id c) rows;
  List.iter (fun (id, c) -> if not (equal (plane (of_text id)) c) then differ kind id) rows;
  Hashtbl.iter (fun seen () ->
    if seen.[0] = kind.[0] then
      let id = String.sub seen 1 (String.length seen - 1) in
      if not (Hashtbl.mem want id) && not (equal (plane (of_text id)) ((num 0, num 0), num 0)) then differ (kind ^ " without rows") id) groups

let () =
  let input = open_in Sys.argv.(1) in
  let next () = incr line_number; words (input_line input) in
  let cells count =
    List.init count (fun _ -> match next () with
      | [id; r; n; s] -> (id, ((of_text r, of_text n), of_text s))
      | _ -> failwith "a cell has four words") in
  let rec loop () =
    (match next () with
     | ["history"; n] -> incr histories; name := n; g := zstart; k := zstart; Hashtbl.reset groups; snapshot := None
     | ["insert"; id; grp; key; n; s] -> see grp key; apply (Insert (of_text id, row grp key n s))
     | ["update"; id; grp; key; n; s] -> see grp key; apply (Update (of_text id, row grp key n s))
     | ["delete"; id] -> apply (Delete (of_text id))
     | ["begin"] -> apply Begin
     | ["savepoint"] -> apply Savepoint
     | ["rollback_to"; n] -> apply (RollbackTo (int_of_string n))
     | ["release"; n] -> apply (Release (int_of_string n))
     | ["rollback"] -> apply Rollback
     | ["commit"] -> apply Commit; apply (Sync !g.newest); merge_all (); if !snapshot <> None && !g.newest mod 3 = 0 then drop_all ()
     | ["snapshot"] -> apply Register; snapshot := Some !g.durable
     | ["close"] -> (match !snapshot with Some s -> apply (Close s); snapshot := None; merge_all (); drop_all () | None -> ())
     | ["cells"; who; count] -> check "group" (as_of who !g) (cells (int_of_string count))
     | ["keys"; who; count] -> check "key" (as_of who !k) (cells (int_of_string count))
     | ["join"; who; parents; count] ->
       let parents = List.init (int_of_string parents) (fun _ -> match next () with
         | [key; attr] -> (of_text key, of_text attr)
         | _ -> failwith "a parent has two words") in
       let plane = as_of who !k in
       check "attribute" (zjoin parents plane) (cells (int_of_string count))
     | [] -> ()
     | w :: _ -> failwith ("no such line: " ^ w));
    loop () in
  (try loop () with End_of_file -> ());
  Printf.printf "histories %d changes %d answers %d behind %d merged %d differences %d\n" !histories !changes !answers !behind !merged !differences;
  exit (if !differences = 0 then 0 else 1)
