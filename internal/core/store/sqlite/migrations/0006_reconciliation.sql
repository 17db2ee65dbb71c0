-- The bank's statement against account 1000: what its lines were found to be, and who
-- sees to what is open.

CREATE TABLE bank_matches (
  id        TEXT    NOT NULL PRIMARY KEY,
  rule      TEXT    NOT NULL CHECK (rule IN ('REFERENCE', 'BATCH', 'AMOUNT', 'BY_HAND')),
  lines     TEXT,
  entries   TEXT,
  amount    INTEGER NOT NULL,
  note      TEXT    NOT NULL,
  made_at   INTEGER,
  made_by   TEXT    NOT NULL,
  undone_at INTEGER,
  undone_by TEXT    NOT NULL,
  CHECK (undone_at IS NOT NULL OR undone_by = '')
) STRICT;
CREATE INDEX bank_matches_made ON bank_matches (made_at, id);

-- Until now a line was matched with one entry, whatever their amounts were. What agrees
-- is kept, everything else is open again.
INSERT INTO bank_matches
SELECT 'mtc_' || l.id, 'BY_HAND', json_array(l.id), json_array(l.entry_id), l.amount, '', l.date * 86400000000, '', NULL, ''
FROM bank_lines l WHERE l.entry_id IS NOT NULL
 AND l.amount = (SELECT sum(p.amount) FROM entries e CROSS JOIN postings p ON p.q = e.q AND p.n = e.n
                 WHERE e.id = l.entry_id AND p.account = 1000)
 AND NOT EXISTS (SELECT 1 FROM bank_lines o WHERE o.entry_id = l.entry_id AND o.id < l.id);

CREATE TRIGGER bank_matches_keep BEFORE UPDATE ON bank_matches
WHEN (OLD.id, OLD.rule, OLD.lines, OLD.entries, OLD.amount, OLD.note, OLD.made_at, OLD.made_by) IS NOT
     (NEW.id, NEW.rule, NEW.lines, NEW.entries, NEW.amount, NEW.note, NEW.made_at, NEW.made_by) OR
     OLD.undone_at IS NOT NULL AND (OLD.undone_at, OLD.undone_by) IS NOT (NEW.undone_at, NEW.undone_by)
BEGIN SELECT raise(ABORT, 'a match stays as it is, but for its end'); END;
CREATE TRIGGER bank_matches_stay BEFORE DELETE ON bank_matches
BEGIN SELECT raise(ABORT, 'a match is never deleted'); END;

DROP TRIGGER bank_lines_entry;
DROP TRIGGER bank_lines_match;
DROP TRIGGER bank_lines_stay;
DROP INDEX bank_lines_date;
DROP INDEX bank_lines_open;
ALTER TABLE bank_lines RENAME TO bank_lines_before;
CREATE TABLE bank_lines (
  id        TEXT    NOT NULL PRIMARY KEY,
  date      INTEGER CHECK (date IS NOT NULL),
  amount    INTEGER NOT NULL,
  reference TEXT    NOT NULL,
  match_id  TEXT,
  owner     TEXT    NOT NULL,
  note      TEXT    NOT NULL
) STRICT;
INSERT INTO bank_lines SELECT b.id, b.date, b.amount, b.reference, m.id, '', ''
  FROM bank_lines_before b LEFT JOIN bank_matches m ON m.id = 'mtc_' || b.id;
CREATE INDEX bank_lines_date ON bank_lines (date, id);
CREATE INDEX bank_lines_open ON bank_lines (date, id) WHERE match_id IS NULL;
CREATE TRIGGER bank_lines_entry BEFORE INSERT ON bank_lines -- PO6
WHEN NEW.match_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bank_matches m WHERE m.id = NEW.match_id AND m.undone_at IS NULL)
BEGIN SELECT raise(ABORT, 'a line of the bank is in a match that holds'); END;
CREATE TRIGGER bank_lines_match BEFORE UPDATE ON bank_lines -- PO6
WHEN (OLD.id, OLD.date, OLD.amount, OLD.reference) IS NOT (NEW.id, NEW.date, NEW.amount, NEW.reference) OR
     NEW.match_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bank_matches m WHERE m.id = NEW.match_id AND m.undone_at IS NULL)
BEGIN SELECT raise(ABORT, 'a line of the bank stays, and is in a match that holds'); END;
CREATE TRIGGER bank_lines_stay BEFORE DELETE ON bank_lines
BEGIN SELECT raise(ABORT, 'a line of the bank is never deleted'); END;

-- Entries on 1000 that are matched, or that somebody sees to.
CREATE TABLE cash_items (
  entry_id TEXT NOT NULL PRIMARY KEY,
  match_id TEXT,
  owner    TEXT NOT NULL,
  note     TEXT NOT NULL
) STRICT;
INSERT INTO cash_items SELECT b.entry_id, m.id, '', ''
  FROM bank_lines_before b CROSS JOIN bank_matches m ON m.id = 'mtc_' || b.id;
DROP TABLE bank_lines_before;
CREATE TRIGGER cash_items_entry BEFORE INSERT ON cash_items -- PO6
WHEN NOT EXISTS (SELECT 1 FROM entries e CROSS JOIN postings p ON p.q = e.q AND p.n = e.n WHERE e.id = NEW.entry_id AND p.account = 1000) OR
     NEW.match_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bank_matches m WHERE m.id = NEW.match_id AND m.undone_at IS NULL)
BEGIN SELECT raise(ABORT, 'what is matched is an entry on 1000, in a match that holds'); END;
CREATE TRIGGER cash_items_match BEFORE UPDATE ON cash_items -- PO6
WHEN OLD.entry_id <> NEW.entry_id OR
     NEW.match_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bank_matches m WHERE m.id = NEW.match_id AND m.undone_at IS NULL)
BEGIN SELECT raise(ABORT, 'what is matched stays, and is in a match that holds'); END;
CREATE TRIGGER cash_items_stay BEFORE DELETE ON cash_items
BEGIN SELECT raise(ABORT, 'what is known of an entry is never deleted'); END;

-- What stands on 1000, without a look at everything else that was posted.
CREATE INDEX postings_cash ON postings (q, n) WHERE account = 1000;
