-- Money that has reached the lender's account and of which nobody knows whose it is: open
-- ones stand on 2130 (F39).

CREATE TABLE receipts (
  id             text COLLATE "C" NOT NULL PRIMARY KEY,
  amount         bigint NOT NULL CHECK (amount > 0),
  method         text COLLATE "C" NOT NULL CHECK (method IN ('CHECK', 'WIRE', 'CASH', 'OTHER')),
  received_on    date NOT NULL,
  reference      text COLLATE "C" NOT NULL,
  note           text COLLATE "C" NOT NULL,
  status         text COLLATE "C" NOT NULL CHECK (status IN ('OPEN', 'IDENTIFIED', 'RETURNED')),
  payment_id     text COLLATE "C",
  back_reference text COLLATE "C",
  created_at     timestamptz NOT NULL,
  ended_at       timestamptz,
  version        bigint NOT NULL CHECK (version > 0),
  q              bigint NOT NULL,
  CHECK ((status = 'OPEN') = (ended_at IS NULL)),
  CHECK ((status = 'IDENTIFIED') = (payment_id IS NOT NULL)),
  CHECK ((status = 'RETURNED') = (back_reference IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX receipts_created ON receipts (created_at, id);
CREATE INDEX receipts_status ON receipts (status, created_at, id);
CREATE TRIGGER receipts_identity BEFORE UPDATE OF id, amount, method, received_on, reference, created_at ON receipts
  EXECUTE FUNCTION refuse('a receipt keeps what it is');

CREATE FUNCTION receipts_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE n.version < o.version OR o.status <> 'OPEN' AND
                   (o.status, o.payment_id, o.back_reference) IS DISTINCT FROM (n.status, n.payment_id, n.back_reference)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a receipt that has ended stays so'; -- F39
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER receipts_life AFTER UPDATE ON receipts
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION receipts_life();
CREATE TRIGGER receipts_stay BEFORE DELETE OR TRUNCATE ON receipts
  EXECUTE FUNCTION refuse('a receipt is never deleted');
