-- What refunds of orders have freed of a payment (F13.4), what a merchant still holds of it
-- (F41.4), and the lines of collected money that a payout has ended and whose companies do
-- not know yet. What was held before is found again by the next command on its order.
ALTER TABLE payments
  ADD COLUMN freed bigint NOT NULL DEFAULT 0,
  ADD COLUMN held bigint NOT NULL DEFAULT 0;
ALTER TABLE payout_lines ADD COLUMN next_at timestamptz;
CREATE INDEX payout_lines_next ON payout_lines (next_at, of_key) WHERE next_at IS NOT NULL;
