-- The lender's staff, who sign in to the console.

CREATE TABLE staff_members (
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

CREATE INDEX staff_members_company ON staff_members (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX staff_members_created ON staff_members (created_at, id);
CREATE INDEX staff_members_merchant ON staff_members (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX staff_members_next ON staff_members (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX staff_members_of ON staff_members (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX staff_members_status ON staff_members (status, created_at, id);

CREATE TRIGGER staff_members_stay BEFORE DELETE ON staff_members
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;
