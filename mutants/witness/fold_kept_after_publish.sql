CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, h TEXT, v BIGINT);
CREATE INDEX s ON t USING SUMMARY (g, h) INCLUDE (v);
INSERT INTO t VALUES (1,'a','x',5),(2,'b','x',7),(3,'a','y',1);
SET summary_mode = force;
SELECT g, COUNT(*) AS n, SUM(v) AS total FROM t GROUP BY g ORDER BY g;
INSERT INTO t VALUES (4,'a','y',10);
SELECT g, COUNT(*) AS n, SUM(v) AS total FROM t GROUP BY g ORDER BY g;
