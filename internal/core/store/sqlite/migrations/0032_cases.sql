-- Cases: disputes and questions of buyers and merchants, records like those of 0030.
CREATE TABLE cases (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL CHECK (version > 0),
  event_seq   INTEGER NOT NULL CHECK (event_seq >= 0),
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL
) STRICT;
CREATE INDEX cases_created ON cases (created_at, id);
CREATE INDEX cases_merchant ON cases (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX cases_company ON cases (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX cases_of ON cases (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX cases_next ON cases (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX cases_status ON cases (status, created_at, id); -- what waits is found beside all that is resolved
CREATE TRIGGER cases_identity BEFORE UPDATE ON cases -- RC1
WHEN NEW.version < OLD.version OR (OLD.merchant_id, OLD.created_at) IS NOT (NEW.merchant_id, NEW.created_at)
BEGIN SELECT raise(ABORT, 'a record keeps whose it is'); END;
CREATE TRIGGER cases_stay BEFORE DELETE ON cases
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;
