-- The bank's statement against account 1000: what its lines were found to be, and who
-- sees to what is open.

CREATE TABLE bank_matches (
  id        text COLLATE "C" NOT NULL PRIMARY KEY,
  rule      text COLLATE "C" NOT NULL CHECK (rule IN ('REFERENCE', 'BATCH', 'AMOUNT', 'BY_HAND')),
  lines     text,
  entries   text,
  amount    bigint NOT NULL,
  note      text COLLATE "C" NOT NULL,
  made_at   timestamptz,
  made_by   text COLLATE "C" NOT NULL,
  undone_at timestamptz,
  undone_by text COLLATE "C" NOT NULL,
  CHECK (undone_at IS NOT NULL OR undone_by = '')
);
CREATE INDEX bank_matches_made ON bank_matches (made_at, id);

-- Until now a line was matched with one entry, whatever their amounts were. What agrees
-- is kept, everything else is open again.
INSERT INTO bank_matches
SELECT 'mtc_' || l.id, 'BY_HAND', '["' || l.id || '"]', '["' || l.entry_id || '"]', l.amount, '', l.date::timestamp AT TIME ZONE 'UTC', '', NULL, ''
FROM bank_lines l WHERE l.entry_id IS NOT NULL
 AND l.amount = (SELECT sum(p.amount) FROM entries e JOIN postings p ON p.q = e.q AND p.n = e.n
                 WHERE e.id = l.entry_id AND p.account = 1000)
 AND NOT EXISTS (SELECT 1 FROM bank_lines o WHERE o.entry_id = l.entry_id AND o.id < l.id);

CREATE TRIGGER bank_matches_identity BEFORE UPDATE OF id, rule, lines, entries, amount, note, made_at, made_by ON bank_matches
  EXECUTE FUNCTION refuse('a match stays as it is, but for its end');
CREATE FUNCTION bank_matches_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE o.undone_at IS NOT NULL AND (o.undone_at, o.undone_by) IS DISTINCT FROM (n.undone_at, n.undone_by)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a match that was undone stays so';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_matches_life AFTER UPDATE ON bank_matches
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION bank_matches_life();
CREATE TRIGGER bank_matches_stay BEFORE DELETE OR TRUNCATE ON bank_matches
  EXECUTE FUNCTION refuse('a match is never deleted');

-- Entries on 1000 that are matched, or that somebody sees to.
CREATE TABLE cash_items (
  entry_id text COLLATE "C" NOT NULL PRIMARY KEY,
  match_id text COLLATE "C",
  owner    text COLLATE "C" NOT NULL,
  note     text COLLATE "C" NOT NULL
);
INSERT INTO cash_items SELECT l.entry_id, m.id, '', '' FROM bank_lines l JOIN bank_matches m ON m.id = 'mtc_' || l.id;

DROP TRIGGER bank_lines_entry ON bank_lines;
DROP TRIGGER bank_lines_entry_still ON bank_lines;
DROP FUNCTION bank_lines_entry();
ALTER TABLE bank_lines DROP COLUMN entry_id; -- and with it the index of open lines
ALTER TABLE bank_lines ADD COLUMN match_id text COLLATE "C";
ALTER TABLE bank_lines ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE bank_lines ADD COLUMN note text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE bank_lines ALTER COLUMN owner DROP DEFAULT;
ALTER TABLE bank_lines ALTER COLUMN note DROP DEFAULT;
UPDATE bank_lines l SET match_id = m.id FROM bank_matches m WHERE m.id = 'mtc_' || l.id;
CREATE INDEX bank_lines_open ON bank_lines (date, id) WHERE match_id IS NULL;

CREATE FUNCTION in_match() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.match_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM bank_matches m WHERE m.id = n.match_id AND m.undone_at IS NULL OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such match that holds';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_lines_match AFTER INSERT ON bank_lines -- PO6
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION in_match();
CREATE TRIGGER bank_lines_match_still AFTER UPDATE ON bank_lines -- PO6
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION in_match();
CREATE TRIGGER cash_items_match AFTER INSERT ON cash_items -- PO6
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION in_match();
CREATE TRIGGER cash_items_match_still AFTER UPDATE ON cash_items -- PO6
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION in_match();

CREATE FUNCTION cash_items_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE NOT EXISTS (SELECT 1 FROM entries e JOIN postings p ON p.q = e.q AND p.n = e.n
             WHERE e.id = n.entry_id AND p.account = 1000 OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such entry on 1000';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER cash_items_entry AFTER INSERT ON cash_items -- PO6
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION cash_items_entry();
CREATE TRIGGER cash_items_identity BEFORE UPDATE OF entry_id ON cash_items
  EXECUTE FUNCTION refuse('what is known of an entry stays with it');
CREATE TRIGGER cash_items_stay BEFORE DELETE OR TRUNCATE ON cash_items
  EXECUTE FUNCTION refuse('what is known of an entry is never deleted');

-- What stands on 1000, without a look at everything else that was posted.
CREATE INDEX postings_cash ON postings (q, n) WHERE account = 1000;
