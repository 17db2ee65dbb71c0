-- Notes of the lender's staff about an object.

CREATE TABLE notes (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C",
  company_id  bigint NOT NULL,
  of_key      text COLLATE "C",
  status      text COLLATE "C" NOT NULL,
  next_at     timestamptz,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  version     bigint NOT NULL,
  event_seq   bigint NOT NULL,
  body        text NOT NULL,
  q           bigint NOT NULL,
  kind        text COLLATE "C"
) WITH (fillfactor = 80);

CREATE INDEX notes_company ON notes (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX notes_created ON notes (created_at, id);
CREATE INDEX notes_merchant ON notes (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX notes_next ON notes (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX notes_of ON notes (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX notes_status ON notes (status, created_at, id);

CREATE TRIGGER notes_stay BEFORE DELETE OR TRUNCATE ON notes EXECUTE FUNCTION refuse('a record is never deleted');
