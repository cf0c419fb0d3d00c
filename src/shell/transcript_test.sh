#!/bin/bash
# transcript_test.sh HOLODB: what the shell prints, byte for byte, and how it exits. Prints `N passed, N failed`.
# Covers what ci/shell_test does not: every output mode, carets, dot commands, imports, verify, Ctrl-C, the prompt, the demo.
set -uo pipefail
program=$(realpath "${1:?usage: transcript_test.sh HOLODB}")
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT; cd "$scratch" || exit 2
export NO_COLOR=1 HOLODB_HISTORY=
passed=0 failed=0
fault() { failed=$((failed + 1)); echo "FAIL $1"; shift; printf '  %s\n' "$@"; }

# expect NAME STATUS OUT ERR ARGUMENTS... <SCRIPT ; OUT and ERR are whole texts, * is not compared.
expect() {
  local name=$1 status=$2 out=$3 err=$4 code=0; shift 4
  timeout 120 "$program" "$@" >out 2>err || code=$?
  if [[ $code != "$status" ]]; then fault "$name" "exit $code, wanted $status" "$(head -5 err)"; return; fi
  if [[ $out != '*' ]] && ! diff <(printf '%s' "$out") out >diff 2>&1; then fault "$name: standard output" "$(head -20 diff)"; return; fi
  if [[ $err != '*' ]] && ! diff <(printf '%s' "$err") err >diff 2>&1; then fault "$name: standard error" "$(head -20 diff)"; return; fi
  passed=$((passed + 1))
}
has() { if grep -qF -- "$2" "$3"; then passed=$((passed + 1)); else fault "$1" "no '$2' in:" "$(head -20 "$3")"; fi; }

table="CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, a BIGINT, d DECIMAL(10,2), r DOUBLE, b BOOLEAN);
INSERT INTO t VALUES (1,'x',10,1.50,0.5,TRUE),(2,NULL,NULL,2.25,1e100,FALSE),(3,'',-4,0.00,-3.0,NULL);
"

# ---- The worked transcript: both streams together keep their order -----------------------------------------------------
printf '%s\n' "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, a BIGINT, d DECIMAL(10,2));" \
  "INSERT INTO t VALUES (1,'x',10,1.50),(2,'y',NULL,2.25),(3,'x',-4,0.00);" \
  "CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (a, d);" \
  "SELECT g, COUNT(*), SUM(a), SUM(d), AVG(a) FROM t GROUP BY g ORDER BY g;" \
  "SELECT id/0 FROM t;" "SELECT '' AS e, NULL AS n, TRUE AS b, 1e100, 'a,b';" >transcript.sql
expect "the worked transcript" 1 "g,COUNT(*),SUM(a),SUM(d),AVG(a)
x,2,6,1.50,3.0
y,1,,2.25,
e,n,b,1e100,\"'a,b'\"
\"\",,true,1e+100,\"a,b\"
" "error[22012] line 5:10: division by zero
SELECT id/0 FROM t;
         ^
" -csv <transcript.sql
"$program" -csv <transcript.sql >both 2>&1
if [[ $(sed -n 4p both) == "error[22012] line 5:10: division by zero" ]]; then passed=$((passed + 1)); else
  fault "output comes before the error that follows it" "$(cat both)"; fi

# ---- Output modes ------------------------------------------------------------------------------------------------------
expect "csv" 0 "id,g,a,d,r,b
1,x,10,1.50,0.5,true
2,,,2.25,1e+100,false
3,\"\",-4,0.00,-3.0,
" "" -csv <<<"${table}SELECT * FROM t ORDER BY id;"
expect "json" 0 '[{"id":1,"g":"x","a":10,"d":1.50,"r":0.5,"b":true},{"id":2,"g":null,"a":null,"d":2.25,"r":1e+100,"b":false},'\
'{"id":3,"g":"","a":-4,"d":0.00,"r":-3.0,"b":null}]
[]
' "" -json <<<"${table}SELECT * FROM t ORDER BY id; SELECT id FROM t WHERE id > 3;"
expect "box, the default" 0 "┌────┬──────┬──────┐
│ id │ g    │    a │
├────┼──────┼──────┤
│  1 │ x    │   10 │
│  2 │ NULL │ NULL │
│  3 │      │   -4 │
└────┴──────┴──────┘
" "" <<<"${table}SELECT id, g, a FROM t ORDER BY id;"
expect "line" 0 "id = 1
 g = x
" "" -line <<<"${table}SELECT id, g FROM t WHERE id = 1;"
expect "markdown" 0 "|  id | g   |
| --: | --- |
|   1 | x   |
" "" -markdown <<<"${table}SELECT id, g FROM t WHERE id = 1;"
expect "several results, each with its header, no header for statements without rows" 0 "a
1
b
2
" "" -csv <<<"SELECT 1 AS a; CREATE TABLE u(x BIGINT); INSERT INTO u VALUES (1); SELECT 2 AS b;"

# ---- A database as a script, a table as CSV ---------------------------------------------------------------------------
dump="BEGIN;
CREATE TABLE t (id BIGINT PRIMARY KEY, g TEXT, a BIGINT, d DECIMAL(10,2), r DOUBLE, b BOOLEAN);
INSERT INTO \"t\" VALUES
(1, 'x', 10, 1.50, 0.5e0, TRUE),
(2, NULL, NULL, 2.25, 1e+100, FALSE),
(3, '', -4, 0.00, -3.0e0, NULL);
CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (d);
COMMIT;
"
expect ".dump" 0 "$dump" "" -csv <<<"${table}CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (d);
.dump
"
expect ".dump into a file, .read from it, .export of a table and of a query" 0 "$dump" "" -csv <<<"${table}CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (d);
.dump 'd 1.sql'
.export t.csv t
.export q.csv SELECT g AS \"a b\", 'x,y' FROM t WHERE id = 3;
DROP TABLE t;
.read 'd 1.sql'
.dump
"
if [[ $(cat t.csv q.csv) == $'id,g,a,d,r,b\n1,x,10,1.50,0.5,true\n2,,,2.25,1e+100,false\n3,"",-4,0.00,-3.0,\na b,"\'x,y\'"\n"","x,y"' ]]; then passed=$((passed + 1)); else
  fault "exported files" "$(cat t.csv q.csv)"; fi
expect "an exported table is imported again" 0 "id,g,a,d,r,b
1,x,10,1.50,0.5,true
2,,,2.25,1e+100,false
3,\"\",-4,0.00,-3.0,
" "" -csv <<<".import t.csv u
SELECT * FROM u ORDER BY id;"
expect "restore points are said to be no part of a dump" 0 "-- The restore point \"p\" (commit 1) is no part of this script.
BEGIN;
CREATE TABLE t (a BIGINT);
COMMIT;
" "" -csv r.holodb <<<"CREATE TABLE t(a BIGINT); CREATE RESTORE POINT p;
.dump
"
expect "an export that cannot be written" 1 "" "*" -csv <<<".export no/such/dir.csv SELECT 1"
expect "an export of what is no query" 1 "" "*" -csv <<<".export x.csv CREATE TABLE x(a BIGINT)"
[[ ! -e x.csv && ! -e x.csv.part ]] && passed=$((passed + 1)) || fault "a failed export leaves nothing" "$(ls)"

# ---- A restore point, beside another process that writes ---------------------------------------------------------------
mkfifo script
"$program" -csv live.holodb <script >live.out 2>live.err & writer=$!
exec 9>script
echo "CREATE TABLE t(a BIGINT); INSERT INTO t VALUES (1); CREATE RESTORE POINT p; INSERT INTO t VALUES (2); CHECKPOINT;
.dump ready.sql" >&9
for ((i = 0; i < 400; ++i)); do [[ -e ready.sql ]] && break; sleep 0.05; done
expect "a restore point is read while another process writes" 0 "SUM(a)
1
" "" -csv -restore-point P live.holodb "SELECT SUM(a) FROM t"
expect "it is open to read only" 1 "" "*" -csv -restore-point p live.holodb "INSERT INTO t VALUES (3)"
expect "a restore point that is not there" 1 "" "error[42704]: there is no restore point q
" -csv -restore-point q live.holodb "SELECT 1"
expect "the file itself is the writer's" 1 "" "*" -csv -readonly live.holodb "SELECT 1"
expect "a restore point of no file" 2 "" "*" -restore-point p
mkfifo reading
"$program" -csv -restore-point p live.holodb <reading >reading.out 2>&1 & reader=$!
exec 8>reading
echo "SELECT COUNT(*) FROM t;
.dump reader.sql" >&8
for ((i = 0; i < 400; ++i)); do [[ -e reader.sql ]] && break; sleep 0.05; done
echo "DROP RESTORE POINT p;
.dump tried.sql" >&9
for ((i = 0; i < 400; ++i)); do [[ -e tried.sql ]] && break; sleep 0.05; done
has "a restore point that is open somewhere is not dropped" 'error[55006]' live.err
exec 8>&-; wait "$reader"
echo "DROP RESTORE POINT p; SHOW RESTORE POINTS; SELECT SUM(a) FROM t;" >&9
exec 9>&-; wait "$writer"
if [[ $(cat live.out) == $'name,commit\nSUM(a)\n3' ]]; then passed=$((passed + 1)); else fault "the writer went on" "$(cat live.out live.err)"; fi

# ---- Errors ------------------------------------------------------------------------------------------------------------
expect "line and column are those of the script, in characters" 1 "" "error[22012] line 4:13: division by zero
  'üü€', id / 0
            ^
" -csv <<<"CREATE TABLE t(id BIGINT);
INSERT INTO t VALUES (1);
SELECT -- one; two
  'üü€', id / 0
FROM t;"
expect "a table that is not there" 1 "" "*" -csv <<<"SELECT 1 FROM nothing;"
has "the caret's line" "error[42P01] line 1:15: " err
expect "an error in the middle leaves the transaction's earlier work" 1 "COUNT(*)
1
" "*" -csv <<<"CREATE TABLE t(id BIGINT PRIMARY KEY); BEGIN; INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2),(1); COMMIT; SELECT COUNT(*) FROM t;"
has "a duplicate key" "error[23505] line 2:" err
expect "an unterminated string" 1 "" "*" -csv <<<"SELECT 'abc;"
has "an unterminated string is a syntax error" "error[42601] line 1:8: " err
expect "a transaction open at the end" 0 "" "warning: a transaction was still open at the end of the input; it was rolled back
" -csv <<<"CREATE TABLE t(a BIGINT); BEGIN; INSERT INTO t VALUES (1);"
expect "readonly refuses changes" 1 "" "*" -csv -readonly <<<"CREATE TABLE t(a BIGINT);"
has "readonly has its code" "error[25006]" err
expect "a file that cannot be read" 1 "" "error[58030]: cannot read 'nosuch.sql': No such file or directory
" -f nosuch.sql
expect "a file is made" 0 "" "" f.holodb "CREATE TABLE t(a BIGINT); INSERT INTO t VALUES (7)"
expect "it is there the next time" 0 "a
7
" "" -csv f.holodb "SELECT * FROM t"
expect "to read only" 1 "" "error[25006] line 1:1: the transaction is read-only
" -readonly f.holodb "INSERT INTO t VALUES (8)"
expect "a directory as file" 1 "" "error[58030]: cannot open .: it is a directory
" -readonly . "SELECT 1"
printf 'hello' >notes.txt
expect "a file that is no database" 1 "" "error[58030]: cannot open notes.txt: it is not a HoloDb database
" notes.txt "SELECT 1"
printf 'torn' >>f.holodb-log
expect "a torn tail is told" 0 "a
7
" "notice: f.holodb-log: the last 4 bytes, from offset 697 on, were no whole commit and are left out: the last session broke off while it wrote them
" -csv f.holodb "SELECT * FROM t"
expect "a salvaged copy" 0 "copy.holodb: 2 commits, up to number 2, are whole and were copied; there was nothing else
" "" -salvage copy.holodb f.holodb
expect "a copy is not overwritten" 1 "" "error[58030]: cannot salvage into copy.holodb: it exists already
" -salvage copy.holodb f.holodb

# ---- Dot commands ------------------------------------------------------------------------------------------------------
expect ".tables, in the order of creation, and .mode" 0 "u
t
csv
[{\"x\":1}]
" "" -csv <<<"CREATE TABLE u(a BIGINT); CREATE TABLE t(a BIGINT);
.tables
.mode
.mode json
SELECT 1 AS x;"
expect ".schema makes the tables again" 0 "*" "" -csv <<<"CREATE TABLE t(id BIGINT PRIMARY KEY, \"my g\" VARCHAR(5) NOT NULL, d DECIMAL(10,2));
.schema t"
cp out schema.sql
expect ".schema's text is a script" 0 "id,my g,d
1,x,2.50
" "" -csv <<<"$(cat schema.sql)
INSERT INTO t VALUES (1,'x',2.5); SELECT * FROM t;"
expect "an unknown command" 1 "a
1
" "error[42601] line 2:1: there is no command .nosuch; .help lists them
.nosuch now
^
" -csv <<<"SELECT 1 AS a;
.nosuch now"
printf 'SELECT 5 AS five;\nSELECT 1/0;\n' >inner.sql
expect ".read runs a script, with its own lines" 1 "five
5
six
6
" "error[22012] line 2:9: division by zero
SELECT 1/0;
        ^
" -csv <<<"
.read inner.sql
SELECT 6 AS six;"
echo ".read self.sql" >self.sql
expect ".read has a depth" 1 "" "*" -csv -f self.sql
has "the depth is told" "nested more than 16 deep" err
expect ".quit ends a script" 0 "a
1
" "" -csv <<<"SELECT 1 AS a;
.quit
SELECT 2 AS b;"
expect ".help lists the commands" 0 "*" "" <<<".help"
for command in .dump .export .import .read .schema .tables .timer .verify .quit .mode; do has "help names $command" "$command" out; done
expect ".timer" 0 "*" "*" -csv <<<".timer on
SELECT 1 AS a;"
has "the time is told" "time " err

# ---- Verify ------------------------------------------------------------------------------------------------------------
expect ".verify, a line an index" 0 "*" "" -csv <<<"${table}CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (a, d);
DELETE FROM t WHERE id = 1; UPDATE t SET a = 7 WHERE id = 2;
.verify"
has "the summary equals a rebuild" "s on t: ok, 2 cells equal a rebuild from the rows" out
has "the key has no value twice" "on t: ok, no value twice in 2 rows" out
[[ $(wc -l <out) == 2 ]] && passed=$((passed + 1)) || fault ".verify prints one line an index" "$(cat out)"
expect ".verify of one" 0 "s on t: ok, 3 cells equal a rebuild from the rows
" "" -csv <<<"${table}CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (a);
.verify S"
expect ".verify of none" 1 "" "*" -csv <<<".verify nosuch"
has "no such index" "error[42704]" err

# ---- Import ------------------------------------------------------------------------------------------------------------
printf '\xEF\xBB\xBFid,zip,price,when,day,ok,"Cost Total $",note\r\n1,00501,1.50,2001-01-01 00:01:00,2001-01-01,true,10,"a ""b"", c"\r\n' >a.csv
printf '2,,20.25,2001-01-02 10:00:00.5,2001-02-28,false,-7,""\r\n' >>a.csv
expect "sniffed types, quotes, CRLF, a byte order mark, odd names" 0 'id,zip,price,when,day,ok,Cost Total $,note
1,00501,1.50,2001-01-01 00:01:00,2001-01-01,true,10,"a ""b"", c"
2,,20.25,2001-01-02 10:00:00.5,2001-02-28,false,-7,""
n,SUM(price),"SUM(""Cost Total $"")"
2,21.75,3
' "" -csv <<<".import a.csv a
SELECT * FROM a ORDER BY id; SELECT COUNT(*) AS n, SUM(price), SUM(\"Cost Total \$\") FROM a;"
printf 'B,a\nx,1\ny,2\n' >swapped.csv
expect "columns are matched by name, a missing one is NULL" 0 "a,b,c
1,x,
2,y,
" "" -csv <<<"CREATE TABLE m(a BIGINT, b TEXT, c BIGINT);
.import swapped.csv m
SELECT * FROM m ORDER BY a;"
printf 'a,b\n1,x\nz,y\n3\n4,"open\n' >bad.csv
expect "all or nothing, each rejected line told" 1 "COUNT(*)
0
" "rejected line 3, column a: 'z' is not a whole number that fits BIGINT
rejected line 4: 1 field where the header has 2
rejected line 5, column b: the quote that opens here is never closed
error[22P02] line 2:1: 3 lines were rejected, and nothing was imported (--skip-rejects keeps the other lines)
" -csv <<<"CREATE TABLE m(a BIGINT, b TEXT);
.import bad.csv m
SELECT COUNT(*) FROM m;"
expect "--skip-rejects keeps the others, and still fails" 1 "a,b
1,x
" "*" -csv <<<"CREATE TABLE m(a BIGINT, b TEXT);
.import bad.csv m --skip-rejects
SELECT * FROM m;"
has "what was kept is told" "warning: 3 lines were rejected; 1 rows were imported" err
printf 'id,v\n1,a\n2,b\n1,c\n3,\n' >keys.csv
expect "rows that the table refuses are told by line" 1 "COUNT(*)
0
" "*" -csv <<<"CREATE TABLE k(id BIGINT PRIMARY KEY, v TEXT NOT NULL);
.import keys.csv k
SELECT COUNT(*) FROM k;"
has "the duplicate's line" "rejected line 4: " err
has "the NULL's line" "rejected line 5: " err
has "both are counted" "2 lines were rejected, and nothing" err
expect "and skipped if asked" 1 "id,v
1,a
2,b
" "*" -csv <<<"CREATE TABLE k(id BIGINT PRIMARY KEY, v TEXT NOT NULL);
.import keys.csv k --skip-rejects
SELECT * FROM k ORDER BY id;"
{ echo "a,b"; for i in $(seq 25); do echo "x$i,1"; done; } >many.csv
expect "the first twenty and a count" 1 "" "*" -csv <<<"CREATE TABLE m(a BIGINT, b TEXT);
.import many.csv m"
has "the twentieth" "rejected line 21, " err
has "the count" "and 5 more" err
if grep -q "rejected line 22" err; then fault "not the twenty-first"; else passed=$((passed + 1)); fi
: >empty.csv
expect "an empty file" 1 "" "*" -csv <<<".import empty.csv e"
has "says so" "empty.csv: the file is empty" err
printf 'a,b\n' >header.csv
expect "a header without rows makes an empty table" 0 "a,b
" "" -csv <<<".import header.csv h
SELECT * FROM h;"
# Types are guessed from the first 64 KB of a large file.
{ echo "a,b,c"; seq -f '%.0f,2.5,2026-11-30' 9000; echo '9001.25,10000.125,2026-11-30 12:00'; } >late.csv
expect "a type that only the last line of a large file asks for" 0 'SUM(a),MAX(b),MAX(c),COUNT(*)
40513501.25,10000.125,2026-11-30 12:00:00,9001
' "" -csv <<<".import late.csv l
SELECT SUM(a), MAX(b), MAX(c), COUNT(*) FROM l;"
{ echo "a,b"; seq -f '%.0f,' 30000; printf '"x\ny",007\n'; } >late.csv
expect "text behind many numbers, and digits behind many NULLs" 0 'MAX(a),MAX(b),COUNT(b),COUNT(*)
"x
y",007,1,30001
' "" -csv <<<".import late.csv l
SELECT MAX(a), MAX(b), COUNT(b), COUNT(*) FROM l;"
expect "the same inside of a transaction" 0 'COUNT(*)
30001
COUNT(*)
1
' "" -csv <<<"BEGIN; CREATE TABLE o(a BIGINT); INSERT INTO o VALUES (1);
.import late.csv l
SELECT COUNT(*) FROM l; COMMIT; SELECT COUNT(*) FROM o;"
printf 'nosuch\n1\n' >other.csv
expect "a column that the table does not have" 1 "" "*" -csv <<<"CREATE TABLE m(a BIGINT);
.import other.csv m"
has "is named" "error[42703]" err
expect "an import inside of a transaction is a part of it" 0 "COUNT(*)
2
COUNT(*)
0
" "" -csv <<<"CREATE TABLE m(a BIGINT, b TEXT, c BIGINT); BEGIN;
.import swapped.csv m
SELECT COUNT(*) FROM m; ROLLBACK; SELECT COUNT(*) FROM m;"
expect "a failed import leaves the transaction's earlier work" 1 "COUNT(*)
1
" "*" -csv <<<"CREATE TABLE m(a BIGINT, b TEXT); BEGIN; INSERT INTO m VALUES (9, 'kept');
.import bad.csv m
COMMIT; SELECT COUNT(*) FROM m;"
expect "a rejected line leaves no new table" 1 "" "*" -csv <<<".import bad.csv fresh
.tables"
printf 'g,a\nx,1\ny,2\nx,3\n' >s.csv
expect "an import keeps summaries exact" 0 "g,SUM(a)
x,14
y,2
s on t: ok, 2 cells equal a rebuild from the rows
" "" -csv <<<"CREATE TABLE t(g TEXT, a BIGINT); INSERT INTO t VALUES ('x', 10); CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (a);
.import s.csv t
SELECT g, SUM(a) FROM t GROUP BY g ORDER BY g;
.verify s"
if LC_ALL=C grep -q $'\x1b' err out; then fault "no escape sequence reaches a file"; else passed=$((passed + 1)); fi

# ---- Ctrl-C, the prompt, the demo --------------------------------------------------------------------------------------
printf 'CREATE TABLE n(a BIGINT); INSERT INTO n VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10);\n' >slow.sql
printf 'SELECT SUM(a.a*b.a+c.a*d.a-e.a*f.a+g.a*h.a-i.a) FROM n a, n b, n c, n d, n e, n f, n g, n h, n i;\nSELECT 1 AS never;\n' >>slow.sql
"$program" -csv -f slow.sql >out 2>err & child=$!
sleep 1; kill -INT "$child"; wait "$child"; code=$?
if [[ $code == 1 ]] && grep -q 'error\[57014\]' err && ! grep -q never out; then passed=$((passed + 1)); else
  fault "Ctrl-C ends the statement and the script" "exit $code" "$(head -5 err out)"; fi
# A bare root may have no pseudo-terminals: then there is nothing that a prompt could be shown on.
if ! script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  echo "SKIPPED the prompt: no pseudo-terminal here"
else
  printf 'SELECT 1 +\n 41 AS answer;\n.tables\n' | TERM=xterm timeout 20 script -qec "$program" /dev/null >out 2>&1
  has "the prompt" "holodb> " out
  has "the second prompt" "...> " out
  has "the prompt's answer" "42" out
fi
expect "the demo holds" 0 "*" "" --demo --rows 5000
has "the demo says so" "checks, all of them held." out
if grep -q '✗' out; then fault "a check of the demo"; else passed=$((passed + 1)); fi

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
