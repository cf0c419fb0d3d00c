# DuckDB through the driver that comes along: --engine "build/release/oracle/duckdb_json build/peers/libduckdb.so"
prelude SET default_null_order = 'nulls_first_on_asc_last_on_desc'
decimals exact
skip ^\s*SET\b
skip ^\s*CREATE\s+INDEX\b.*\bUSING\s+SUMMARY\b
skip ^\s*(EXPLAIN|SHOW)\b
replace \bsum_exact\( => SUM(
replace  / =>  // 
known sums of doubles are rounded at each step | \b(SUM|AVG)\( | ^(rounding|value):
known SUM of a BIGINT is a HUGEINT | \bSUM\( | ^no error: 22003
known x // 0 and x % 0 are NULL | [/%] | ^no error: 22012
known AVG of a DECIMAL is a DOUBLE | \bAVG\( | ^(rounding|value):.*\.
