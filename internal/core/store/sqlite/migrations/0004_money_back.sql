-- Money that goes back to companies.
--
-- When credit of a company goes back by time, and why it has not gone although its day
-- has come (F36).

ALTER TABLE credits ADD COLUMN next_at INTEGER;
ALTER TABLE credits ADD COLUMN waits TEXT NOT NULL DEFAULT '';
-- Nobody has said yet when what is open goes back: it is looked at once.
UPDATE credits SET next_at = 0;
CREATE INDEX credits_next ON credits (next_at, company_id, source) WHERE next_at IS NOT NULL;

-- Since when money of a payment has been on its way back, or waits for a person (2110).
ALTER TABLE payments ADD COLUMN owed_since INTEGER;
CREATE INDEX payments_owed ON payments (owed_since, id) WHERE owed_since IS NOT NULL;

-- What goes back to a card's charge is never more than was charged (RF2).
ALTER TABLE transfers ADD COLUMN charge_id TEXT;
ALTER TABLE transfers ADD COLUMN back INTEGER NOT NULL DEFAULT 0 CHECK (back BETWEEN 0 AND amount);
