-- What bounds the lender's loss by a merchant (F41.6, F41.12): its limits, what it has
-- settled of its debts by day, since when it owes, and what stands between the two, so that
-- no command has to read all of a merchant's orders. How much was settled before is not
-- known; the limits start without it.
ALTER TABLE merchants ADD COLUMN limits text NOT NULL DEFAULT '{}';
ALTER TABLE merchants ADD COLUMN settled text;
ALTER TABLE merchants ADD COLUMN owed_since date;

CREATE TABLE merchant_positions (
  merchant_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES merchants,
  principal   bigint NOT NULL,
  clawback    bigint NOT NULL,
  collected   bigint NOT NULL,
  payable     bigint NOT NULL
);

INSERT INTO merchant_positions (merchant_id, principal, clawback, collected, payable)
  SELECT p.merchant_id,
    coalesce(sum(p.amount) FILTER (WHERE p.account = 1100 OR p.account = 1900 AND p.order_key IS NOT NULL AND e.event <> 'ALLOWANCE_RAISED'), 0),
    coalesce(sum(p.amount) FILTER (WHERE p.account = 1200), 0),
    coalesce(sum(p.amount) FILTER (WHERE p.account = 1210), 0),
    -coalesce(sum(p.amount) FILTER (WHERE p.account = 2000), 0)
  FROM postings p JOIN entries e ON e.q = p.q AND e.n = p.n
  WHERE p.account IN (1100, 1200, 1210, 1900, 2000) AND p.merchant_id <> ''
  GROUP BY p.merchant_id;
