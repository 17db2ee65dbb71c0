-- When credit of a company goes back by time, and why it has not gone although its day
-- has come (F36).

ALTER TABLE credits ADD COLUMN next_at INTEGER;
ALTER TABLE credits ADD COLUMN waits TEXT NOT NULL DEFAULT '';
-- Nobody has said yet when what is open goes back: it is looked at once.
UPDATE credits SET next_at = 0;
CREATE INDEX credits_next ON credits (next_at, company_id, source) WHERE next_at IS NOT NULL;
