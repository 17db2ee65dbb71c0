-- Acts of the lender's that wait for a second person.

CREATE TABLE approvals (
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

CREATE INDEX approvals_company ON approvals (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX approvals_created ON approvals (created_at, id);
CREATE INDEX approvals_merchant ON approvals (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX approvals_next ON approvals (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX approvals_of ON approvals (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX approvals_status ON approvals (status, created_at, id);

CREATE TRIGGER approvals_stay BEFORE DELETE OR TRUNCATE ON approvals EXECUTE FUNCTION refuse('a record is never deleted');
