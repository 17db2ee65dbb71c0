-- What is due on each date, and how much the orders owe whose oldest unpaid amount is due then, as
-- each business day changed it: reports of what is late and of what will be collected read it instead
-- of all orders. What is there already is added up as of the last business date. An index has what a
-- sum of credit limits needs.

CREATE TABLE due_totals (
  book_date    INTEGER NOT NULL,
  due_date     INTEGER NOT NULL,
  held_from    INTEGER NOT NULL,
  held_days    INTEGER NOT NULL,
  currency     TEXT    NOT NULL,
  scheduled    INTEGER NOT NULL,
  principal    INTEGER NOT NULL,
  charge       INTEGER NOT NULL,
  installments INTEGER NOT NULL,
  orders       INTEGER NOT NULL,
  exposure     INTEGER NOT NULL,
  PRIMARY KEY (book_date, due_date, held_from, held_days, currency)
) STRICT, WITHOUT ROWID;

CREATE INDEX companies_limit ON companies (status, credit_limit);

INSERT INTO due_totals
WITH owing AS (
  SELECT l.order_key, o.currency, o.servicing FROM loans l JOIN orders o ON o.order_key = l.order_key
  WHERE l.charged_off = 0 AND o.terms IS NOT NULL AND NOT coalesce(o.terms ->> '$.unfunded', 0)
), rows AS (
  SELECT w.order_key, w.currency, i.due_date, i.canceled, i.principal + i.finance_charge AS amount, i.principal - i.paid_principal AS principal,
    i.finance_charge - i.paid_finance_charge AS charge
  FROM owing w JOIN installments i ON i.order_key = w.order_key
), oldest AS (
  SELECT order_key, min(on_date) AS due FROM (
    SELECT order_key, due_date AS on_date FROM rows WHERE principal + charge > 0
    UNION ALL SELECT f.order_key, f.assessed_on FROM owing w JOIN fees f ON f.order_key = w.order_key WHERE f.kind = 'OTHER_RECEIVABLE' AND f.amount > f.paid
  ) x GROUP BY order_key
), holds AS (
  SELECT order_key, n, max(due, began) AS held_from, max(0, coalesce(ended, began) - max(due, began)) AS held_days FROM (
    SELECT p.order_key, p.due, h.key AS n, CAST(julianday(h.value ->> '$.from') - 2440587.5 AS INTEGER) AS began, CAST(julianday(h.value ->> '$.to') - 2440587.5 AS INTEGER) AS ended
    FROM oldest p JOIN owing w ON w.order_key = p.order_key, json_each(w.servicing, '$.holds') h
  ) x
), aged AS (
  SELECT p.order_key, p.due AS due_date,
    coalesce((SELECT h.held_from FROM holds h WHERE h.order_key = p.order_key AND h.held_days > 0 ORDER BY h.n DESC LIMIT 1), 0)
      - coalesce((SELECT sum(h.held_days) FROM holds h WHERE h.order_key = p.order_key AND h.held_days > 0
        AND h.n < (SELECT max(g.n) FROM holds g WHERE g.order_key = p.order_key AND g.held_days > 0)), 0) AS held_from,
    coalesce((SELECT sum(h.held_days) FROM holds h WHERE h.order_key = p.order_key), 0) AS held_days
  FROM oldest p
), parts AS (
  SELECT due_date, 0 AS held_from, 0 AS held_days, currency, CASE WHEN canceled THEN 0 ELSE amount END AS scheduled,
    CASE WHEN principal + charge > 0 THEN principal ELSE 0 END AS principal, CASE WHEN principal + charge > 0 THEN charge ELSE 0 END AS charge,
    CASE WHEN principal + charge > 0 THEN 1 ELSE 0 END AS installments, 0 AS orders, 0 AS exposure
  FROM rows
  UNION ALL
  SELECT a.due_date, a.held_from, a.held_days, w.currency, 0, 0, 0, 0, 1, (SELECT sum(r.principal) FROM rows r WHERE r.order_key = a.order_key)
  FROM aged a JOIN owing w ON w.order_key = a.order_key
)
SELECT b.business_date, p.due_date, p.held_from, p.held_days, p.currency, sum(p.scheduled), sum(p.principal), sum(p.charge), sum(p.installments), sum(p.orders), sum(p.exposure)
FROM parts p CROSS JOIN books b GROUP BY 1, 2, 3, 4, 5;
