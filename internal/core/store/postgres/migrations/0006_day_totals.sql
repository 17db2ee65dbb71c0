-- What was posted on each day, by account and event: reports and the trial balance of a day read it
-- instead of all entries up to then.

CREATE TABLE day_totals (
  book_date date NOT NULL,
  account   bigint NOT NULL,
  event     text COLLATE "C" NOT NULL,
  currency  text COLLATE "C" NOT NULL,
  debits    bigint NOT NULL,
  credits   bigint NOT NULL,
  postings  bigint NOT NULL,
  PRIMARY KEY (book_date, account, event, currency)
) WITH (fillfactor = 50);

INSERT INTO day_totals
SELECT e.book_date, p.account, e.event, e.currency, sum(greatest(p.amount, 0)), -sum(least(p.amount, 0)), count(*)
FROM entries e JOIN postings p ON p.q = e.q AND p.n = e.n GROUP BY 1, 2, 3, 4;
