-- What a bank or a processor has said and no program could use waits for a person, who
-- says once what was done about it.

ALTER TABLE bank_notices
  ADD COLUMN reviewed_at timestamptz,
  ADD COLUMN reviewed_by text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN review_note text COLLATE "C" NOT NULL DEFAULT '',
  ADD CONSTRAINT bank_notices_review CHECK (CASE WHEN reviewed_at IS NULL THEN reviewed_by = '' AND review_note = ''
    ELSE closed_at IS NOT NULL AND reviewed_by <> '' AND review_note <> '' END);

CREATE OR REPLACE FUNCTION bank_notices_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.rail = o.rail AND n.id = o.id
             WHERE o.closed_at IS NOT NULL AND (o.closed_at, o.result) IS DISTINCT FROM (n.closed_at, n.result)
                OR o.reviewed_at IS NOT NULL AND (o.reviewed_at, o.reviewed_by, o.review_note) IS DISTINCT FROM (n.reviewed_at, n.reviewed_by, n.review_note)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a notice that was dealt with stays so, and what a person has said of it';
  END IF;
  RETURN NULL;
END $$;

-- Both as long as what was left to a person, which is little.
CREATE INDEX bank_notices_left ON bank_notices (at, (rail || '/' || id)) WHERE result NOT IN ('', 'done', 'ignored');
CREATE INDEX bank_notices_waiting ON bank_notices (at, (rail || '/' || id)) WHERE result NOT IN ('', 'done', 'ignored') AND reviewed_at IS NULL;
