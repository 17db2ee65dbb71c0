-- Acts of the lender's that wait for a second person.

CREATE TABLE approvals (
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

CREATE INDEX approvals_company ON approvals (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX approvals_created ON approvals (created_at, id);
CREATE INDEX approvals_merchant ON approvals (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX approvals_next ON approvals (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX approvals_of ON approvals (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX approvals_status ON approvals (status, created_at, id);

CREATE TRIGGER approvals_stay BEFORE DELETE ON approvals
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;
