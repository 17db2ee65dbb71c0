-- When credit of a company goes back by time, and why it has not gone although its day
-- has come (F36).

ALTER TABLE credits
  ADD COLUMN next_at timestamptz,
  ADD COLUMN waits text COLLATE "C" NOT NULL DEFAULT '';
-- Nobody has said yet when what is open goes back: it is looked at once.
UPDATE credits SET next_at = '1970-01-01 00:00Z';
CREATE INDEX credits_next ON credits (next_at, company_id, source) WHERE next_at IS NOT NULL;
