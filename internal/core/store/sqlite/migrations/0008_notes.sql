-- Notes of the lender's staff about an object.

CREATE TABLE notes (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL,
  kind        TEXT
) STRICT;

CREATE INDEX notes_company ON notes (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX notes_created ON notes (created_at, id);
CREATE INDEX notes_merchant ON notes (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX notes_next ON notes (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX notes_of ON notes (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX notes_status ON notes (status, created_at, id);

CREATE TRIGGER notes_stay BEFORE DELETE ON notes
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;
