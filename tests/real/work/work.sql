-- Work for the SQLite shell; SIZE is replaced by a number of rows.
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, parent INTEGER REFERENCES item(id));
CREATE TABLE sale(item INTEGER, day INTEGER, amount INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < SIZE)
    INSERT INTO item SELECT i, 'item ' || (i * 7919 % 1009), (i % 37) * 1.25, i / 2 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3 * SIZE)
    INSERT INTO sale SELECT i * 31 % SIZE + 1, i % 28, i * i % 13 FROM n;
CREATE INDEX by_name ON item(name);
CREATE INDEX by_day ON sale(day, item) WHERE amount > 6;
CREATE VIEW total AS SELECT item, sum(amount) AS pieces FROM sale GROUP BY item;
CREATE TRIGGER cheaper AFTER UPDATE OF price ON item WHEN new.price < old.price
    BEGIN INSERT INTO sale VALUES(new.id, -1, 0); END;
ANALYZE;
SELECT count(*), min(name), max(price), round(avg(price), 3), group_concat(DISTINCT id % 3) FROM item;
SELECT name, pieces FROM item JOIN total ON item.id = total.item ORDER BY pieces DESC, name LIMIT 5;
SELECT day, sum(amount) OVER (ORDER BY day ROWS 3 PRECEDING) FROM (SELECT day, sum(amount) AS amount FROM sale GROUP BY day) LIMIT 6;
SELECT i.name FROM item AS i LEFT JOIN sale AS s ON s.item = i.id AND s.amount = 12 WHERE s.item IS NULL ORDER BY 1 LIMIT 4;
SELECT upper(substr(name, 1, 3)), instr(name, '7'), printf('%05.1f|%x', price, id), CASE WHEN price > 20 THEN 'dear' ELSE 'cheap' END
    FROM item WHERE name LIKE '%1%' AND price BETWEEN 5 AND 30 ORDER BY id LIMIT 5;
WITH RECURSIVE up(id) AS (SELECT SIZE UNION SELECT parent FROM item JOIN up USING (id) WHERE parent > 0) SELECT count(*) FROM up;
SELECT json_extract('{"a":[1,2,{"b":"x"}]}', '$.a[2].b'), json_group_array(id) FROM (SELECT id FROM item LIMIT 4);
BEGIN;
UPDATE item SET price = price * 0.9 WHERE id % 5 = 0;
DELETE FROM sale WHERE amount = 7;
SAVEPOINT half;
DELETE FROM item;
ROLLBACK TO half;
COMMIT;
SELECT count(*), total(price) FROM item;
SELECT count(*) FROM sale WHERE day = -1;
INSERT OR REPLACE INTO item(id, name, price) VALUES (1, 'first', NULL), (2, 'second', 2.5);
SELECT id, name, price IS NULL FROM item WHERE id IN (1, 2, 3) UNION ALL SELECT -1, 'end', 0 ORDER BY 1 DESC;
EXPLAIN QUERY PLAN SELECT * FROM item WHERE name = 'item 5';
VACUUM;
PRAGMA integrity_check;
