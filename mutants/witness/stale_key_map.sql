SET block_cells = off;
CREATE TABLE customer(id BIGINT PRIMARY KEY, region TEXT);
CREATE TABLE invoice(id BIGINT PRIMARY KEY, customer BIGINT REFERENCES customer(id), amount BIGINT);
INSERT INTO customer VALUES (1,'north'),(2,'south');
INSERT INTO invoice VALUES (1,1,5),(2,1,7),(3,2,1);
SELECT c.region, COUNT(*) AS n, SUM(i.amount) AS total FROM invoice i JOIN customer c ON c.id = i.customer GROUP BY c.region ORDER BY c.region;
UPDATE customer SET region = 'south' WHERE id = 1;
SELECT c.region, COUNT(*) AS n, SUM(i.amount) AS total FROM invoice i JOIN customer c ON c.id = i.customer GROUP BY c.region ORDER BY c.region;
