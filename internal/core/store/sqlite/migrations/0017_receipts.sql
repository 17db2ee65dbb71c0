-- Money that has reached the lender's account and of which nobody knows whose it is: open
-- ones stand on 2130 (F39).

CREATE TABLE receipts (
  id             TEXT    NOT NULL PRIMARY KEY,
  amount         INTEGER NOT NULL CHECK (amount > 0),
  method         TEXT    NOT NULL CHECK (method IN ('CHECK', 'WIRE', 'CASH', 'OTHER')),
  received_on    INTEGER NOT NULL,
  reference      TEXT    NOT NULL,
  note           TEXT    NOT NULL,
  status         TEXT    NOT NULL CHECK (status IN ('OPEN', 'IDENTIFIED', 'RETURNED')),
  payment_id     TEXT,
  back_reference TEXT,
  created_at     INTEGER NOT NULL,
  ended_at       INTEGER,
  version        INTEGER NOT NULL CHECK (version > 0),
  q              INTEGER NOT NULL,
  CHECK ((status = 'OPEN') = (ended_at IS NULL)),
  CHECK ((status = 'IDENTIFIED') = (payment_id IS NOT NULL)),
  CHECK ((status = 'RETURNED') = (back_reference IS NOT NULL))
) STRICT;
CREATE INDEX receipts_created ON receipts (created_at, id);
CREATE INDEX receipts_status ON receipts (status, created_at, id);
CREATE TRIGGER receipts_identity BEFORE UPDATE ON receipts -- F39
WHEN NEW.version < OLD.version OR
     (OLD.amount, OLD.method, OLD.received_on, OLD.reference, OLD.created_at) IS NOT (NEW.amount, NEW.method, NEW.received_on, NEW.reference, NEW.created_at) OR
     OLD.status <> 'OPEN' AND (OLD.status, OLD.payment_id, OLD.back_reference) IS NOT (NEW.status, NEW.payment_id, NEW.back_reference)
BEGIN SELECT raise(ABORT, 'a receipt keeps what it is, and what has become of it'); END;
CREATE TRIGGER receipts_stay BEFORE DELETE ON receipts
BEGIN SELECT raise(ABORT, 'a receipt is never deleted'); END;
