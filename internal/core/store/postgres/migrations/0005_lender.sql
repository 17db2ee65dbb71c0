-- The lender's own record, and what screening has found.

CREATE TABLE lenders (
  id             text COLLATE "C" NOT NULL PRIMARY KEY CHECK (id = 'lender'),
  allowance      bigint NOT NULL,
  provision_from date,
  provided_to    date,
  closed_to      date,
  settings       text,
  updated_at     timestamptz,
  version        bigint NOT NULL CHECK (version > 0),
  q              bigint NOT NULL
) WITH (fillfactor = 80);

CREATE FUNCTION lenders_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE n.version < o.version
               OR o.provided_to IS NOT NULL AND (n.provided_to IS NULL OR n.provided_to < o.provided_to)
               OR o.closed_to IS NOT NULL AND (n.closed_to IS NULL OR n.closed_to < o.closed_to)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'months that were provided for or closed stay so'; -- F17, LG7
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER lenders_life AFTER UPDATE ON lenders
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION lenders_life();
CREATE TRIGGER lenders_identity BEFORE UPDATE OF id ON lenders
  EXECUTE FUNCTION refuse('there is one lender');
CREATE TRIGGER lenders_stay BEFORE DELETE OR TRUNCATE ON lenders
  EXECUTE FUNCTION refuse('the lender is never deleted');

CREATE TABLE screenings (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  company_id  bigint NOT NULL, -- 0 of a merchant
  merchant_id text COLLATE "C" NOT NULL, -- '' of a company
  list        text COLLATE "C" NOT NULL,
  names       text,
  matches     text,
  status      text COLLATE "C" NOT NULL CHECK (status IN ('OPEN', 'CLEARED', 'CONFIRMED')),
  opened_at   timestamptz,
  decided_at  timestamptz,
  reason      text COLLATE "C" NOT NULL,
  report_by   date,
  version     bigint NOT NULL CHECK (version > 0),
  q           bigint NOT NULL,
  CHECK ((status = 'OPEN') = (decided_at IS NULL)),
  CHECK ((company_id = 0) <> (merchant_id = ''))
) WITH (fillfactor = 80);
CREATE INDEX screenings_opened ON screenings (opened_at, id);
CREATE INDEX screenings_company ON screenings (company_id, opened_at, id);
CREATE INDEX screenings_status ON screenings (status, opened_at, id);

CREATE FUNCTION screenings_of() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.company_id <> 0
             AND NOT EXISTS (SELECT 1 FROM companies c WHERE c.company_id = n.company_id OFFSET 0))
  OR EXISTS (SELECT 1 FROM fresh n WHERE n.merchant_id <> ''
             AND NOT EXISTS (SELECT 1 FROM merchants m WHERE m.id = n.merchant_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a screening is of a company or a merchant'; -- AU1
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER screenings_of AFTER INSERT ON screenings
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION screenings_of();
CREATE TRIGGER screenings_identity BEFORE UPDATE OF id, company_id, merchant_id, opened_at ON screenings
  EXECUTE FUNCTION refuse('a screening keeps what it is about');

CREATE FUNCTION screenings_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE n.version < o.version OR o.decided_at IS NOT NULL AND n.decided_at IS NULL) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a screening that was decided stays so'; -- F29
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER screenings_life AFTER UPDATE ON screenings
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION screenings_life();
CREATE TRIGGER screenings_stay BEFORE DELETE OR TRUNCATE ON screenings
  EXECUTE FUNCTION refuse('a screening is never deleted');

-- F22: debits of the last days, which returns are compared with.
CREATE INDEX transfers_debited ON transfers (sent_at) WHERE rail = 'ACH' AND kind IN ('PAYMENT', 'CLAWBACK') AND sent_at IS NOT NULL;

-- F28: what is to be sent soon.
CREATE INDEX notices_unsent ON notices (due_on, id) WHERE sent_at IS NULL;
