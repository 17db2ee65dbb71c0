-- The lender's staff, who sign in to the console.

CREATE TABLE staff_members (
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

CREATE INDEX staff_members_company ON staff_members (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX staff_members_created ON staff_members (created_at, id);
CREATE INDEX staff_members_merchant ON staff_members (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX staff_members_next ON staff_members (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX staff_members_of ON staff_members (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX staff_members_status ON staff_members (status, created_at, id);

CREATE TRIGGER staff_members_stay BEFORE DELETE OR TRUNCATE ON staff_members EXECUTE FUNCTION refuse('a record is never deleted');
