-- What a bank or a processor has said and no program could use waits for a person, who
-- says once what was done about it.

ALTER TABLE bank_notices ADD COLUMN reviewed_at INTEGER;
ALTER TABLE bank_notices ADD COLUMN reviewed_by TEXT NOT NULL DEFAULT '';
ALTER TABLE bank_notices ADD COLUMN review_note TEXT NOT NULL DEFAULT ''
  CHECK (iif(reviewed_at IS NULL, reviewed_by = '' AND review_note = '', closed_at IS NOT NULL AND reviewed_by <> '' AND review_note <> ''));

DROP TRIGGER bank_notices_identity;
CREATE TRIGGER bank_notices_identity BEFORE UPDATE ON bank_notices
WHEN OLD.reviewed_at IS NOT NULL OR
     OLD.closed_at IS NOT NULL AND (OLD.closed_at, OLD.result) IS NOT (NEW.closed_at, NEW.result) OR
     (OLD.rail, OLD.id, OLD.kind, OLD.transfer_id, OLD.code, OLD.payload, OLD.at) IS NOT
     (NEW.rail, NEW.id, NEW.kind, NEW.transfer_id, NEW.code, NEW.payload, NEW.at)
BEGIN SELECT raise(ABORT, 'what a bank has said stays, and is dealt with and reviewed once'); END;

-- Both as long as what was left to a person, which is little.
CREATE INDEX bank_notices_left ON bank_notices (at, rail || '/' || id) WHERE result NOT IN ('', 'done', 'ignored');
CREATE INDEX bank_notices_waiting ON bank_notices (at, rail || '/' || id) WHERE result NOT IN ('', 'done', 'ignored') AND reviewed_at IS NULL;
