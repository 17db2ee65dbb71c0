-- What was posted on each day, by account and event: reports and the trial balance of a day read it
-- instead of all entries up to then.

CREATE TABLE day_totals (
  book_date INTEGER NOT NULL,
  account   INTEGER NOT NULL,
  event     TEXT    NOT NULL,
  currency  TEXT    NOT NULL,
  debits    INTEGER NOT NULL,
  credits   INTEGER NOT NULL,
  postings  INTEGER NOT NULL,
  PRIMARY KEY (book_date, account, event, currency)
) STRICT, WITHOUT ROWID;

INSERT INTO day_totals
SELECT e.book_date, p.account, e.event, e.currency, sum(max(p.amount, 0)), -sum(min(p.amount, 0)), count(*)
FROM entries e JOIN postings p ON p.q = e.q AND p.n = e.n GROUP BY 1, 2, 3, 4;
