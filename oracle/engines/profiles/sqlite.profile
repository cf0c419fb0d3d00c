# SQLite's shell: --engine "sqlite3 -json"
prelude PRAGMA case_sensitive_like = ON
skip ^\s*SET\b
skip ^\s*CREATE\s+INDEX\b.*\bUSING\s+SUMMARY\b
skip ^\s*(EXPLAIN|SHOW)\b
replace \bsum_exact\( => SUM(
replace \b(DATE|TIMESTAMP) ' => '
replace \bILIKE\b => LIKE
# What SQLite documents or decides otherwise.
known SUM of doubles is rounded at each step | \b(SUM|AVG)\( | ^rounding:
known SUM stops where a partial sum leaves 64 bits | \b(SUM|sum_exact)\( | integer overflow
known x / 0 and x % 0 are NULL | [/%] | ^no error: 22012
known arithmetic beyond 64 bits goes on in doubles | [-+*] | ^no error: 22003
