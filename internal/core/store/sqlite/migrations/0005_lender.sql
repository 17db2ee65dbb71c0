-- The lender's own record, and what screening has found.

CREATE TABLE lenders (
  id             TEXT    NOT NULL PRIMARY KEY CHECK (id = 'lender'),
  allowance      INTEGER NOT NULL,
  provision_from INTEGER,
  provided_to    INTEGER,
  closed_to      INTEGER,
  settings       TEXT,
  updated_at     INTEGER,
  version        INTEGER NOT NULL CHECK (version > 0),
  q              INTEGER NOT NULL
) STRICT;
CREATE TRIGGER lenders_life BEFORE UPDATE ON lenders -- F17, LG7
WHEN NEW.id <> OLD.id OR NEW.version < OLD.version OR
     OLD.provided_to IS NOT NULL AND (NEW.provided_to IS NULL OR NEW.provided_to < OLD.provided_to) OR
     OLD.closed_to IS NOT NULL AND (NEW.closed_to IS NULL OR NEW.closed_to < OLD.closed_to)
BEGIN SELECT raise(ABORT, 'months that were provided for or closed stay so'); END;
CREATE TRIGGER lenders_stay BEFORE DELETE ON lenders
BEGIN SELECT raise(ABORT, 'the lender is never deleted'); END;

CREATE TABLE screenings (
  id          TEXT    NOT NULL PRIMARY KEY,
  company_id  INTEGER NOT NULL, -- 0 of a merchant
  merchant_id TEXT    NOT NULL, -- '' of a company
  list        TEXT    NOT NULL,
  names       TEXT,
  matches     TEXT,
  status      TEXT    NOT NULL CHECK (status IN ('OPEN', 'CLEARED', 'CONFIRMED')),
  opened_at   INTEGER,
  decided_at  INTEGER,
  reason      TEXT    NOT NULL,
  report_by   INTEGER,
  version     INTEGER NOT NULL CHECK (version > 0),
  q           INTEGER NOT NULL,
  CHECK ((status = 'OPEN') = (decided_at IS NULL)),
  CHECK ((company_id = 0) <> (merchant_id = ''))
) STRICT;
CREATE INDEX screenings_opened ON screenings (opened_at, id);
CREATE INDEX screenings_company ON screenings (company_id, opened_at, id);
CREATE INDEX screenings_status ON screenings (status, opened_at, id);
CREATE TRIGGER screenings_of BEFORE INSERT ON screenings -- AU1
WHEN NEW.company_id <> 0 AND NOT EXISTS (SELECT 1 FROM companies c WHERE c.company_id = NEW.company_id) OR
     NEW.merchant_id <> '' AND NOT EXISTS (SELECT 1 FROM merchants m WHERE m.id = NEW.merchant_id)
BEGIN SELECT raise(ABORT, 'a screening is of a company or a merchant'); END;
CREATE TRIGGER screenings_identity BEFORE UPDATE ON screenings -- F29
WHEN NEW.version < OLD.version OR OLD.decided_at IS NOT NULL AND NEW.decided_at IS NULL OR
     (OLD.company_id, OLD.merchant_id, OLD.opened_at) IS NOT (NEW.company_id, NEW.merchant_id, NEW.opened_at)
BEGIN SELECT raise(ABORT, 'a screening keeps what it is about'); END;
CREATE TRIGGER screenings_stay BEFORE DELETE ON screenings
BEGIN SELECT raise(ABORT, 'a screening is never deleted'); END;

-- F22: debits of the last days, which returns are compared with.
CREATE INDEX transfers_debited ON transfers (sent_at) WHERE rail = 'ACH' AND kind IN ('PAYMENT', 'CLAWBACK') AND sent_at IS NOT NULL;

-- F28: what is to be sent soon.
CREATE INDEX notices_unsent ON notices (due_on, id) WHERE sent_at IS NULL;
