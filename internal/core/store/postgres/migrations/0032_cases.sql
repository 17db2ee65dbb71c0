-- Cases: disputes and questions of buyers and merchants, records like those of 0030.
CREATE TABLE cases (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C",
  company_id  bigint NOT NULL,
  of_key      text COLLATE "C",
  status      text COLLATE "C" NOT NULL,
  next_at     timestamptz,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  version     bigint NOT NULL CHECK (version > 0),
  event_seq   bigint NOT NULL CHECK (event_seq >= 0),
  body        text NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX cases_created ON cases (created_at, id);
CREATE INDEX cases_merchant ON cases (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX cases_company ON cases (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX cases_of ON cases (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX cases_next ON cases (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX cases_status ON cases (status, created_at, id); -- what waits is found beside all that is resolved
CREATE TRIGGER cases_identity BEFORE UPDATE OF id ON cases
  EXECUTE FUNCTION refuse('a record keeps its identifier');
CREATE TRIGGER cases_life AFTER UPDATE ON cases -- RC1
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION records_life();
CREATE TRIGGER cases_stay BEFORE DELETE OR TRUNCATE ON cases
  EXECUTE FUNCTION refuse('a record is never deleted');
