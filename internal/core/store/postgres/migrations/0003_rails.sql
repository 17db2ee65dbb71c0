-- Money in and out: payment methods, transfers, payouts with their lines, notices of
-- adverse actions, closed months, and the exchange with banks and processors. The rules
-- are kept as 0001 says.
--
-- New columns of old tables come last: no statement relies on the order of columns, and
-- nothing that is there has to be written again for them. What they hold until now is
-- what the program writes for nothing.

ALTER TABLE merchants ADD COLUMN account text NOT NULL DEFAULT '{"bank":null,"debits":false}';
ALTER TABLE merchants ALTER COLUMN account DROP DEFAULT;
ALTER TABLE companies ADD COLUMN servicing text NOT NULL DEFAULT '{"autopay":{"enabled":false,"payment_method_id":""}}';
ALTER TABLE companies ALTER COLUMN servicing DROP DEFAULT;
ALTER TABLE company_history ADD COLUMN servicing text NOT NULL DEFAULT '{"autopay":{"enabled":false,"payment_method_id":""}}';
ALTER TABLE company_history ALTER COLUMN servicing DROP DEFAULT;

-- A payout's lines say which orders are in it.
ALTER TABLE orders DROP COLUMN payout_id, ADD COLUMN next_at timestamptz, ADD COLUMN servicing text NOT NULL DEFAULT '{}';
ALTER TABLE orders ALTER COLUMN servicing DROP DEFAULT;
ALTER TABLE order_history DROP COLUMN payout_id, ADD COLUMN next_at timestamptz, ADD COLUMN servicing text NOT NULL DEFAULT '{}';
ALTER TABLE order_history ALTER COLUMN servicing DROP DEFAULT;
-- Nobody has said yet when time changes an order that is open: it is looked at once.
UPDATE orders SET next_at = updated_at WHERE status = 'AUTHORIZED' OR financing_status IN ('ACTIVE', 'OVERDUE');
CREATE INDEX orders_next ON orders (next_at, order_key) WHERE next_at IS NOT NULL;

ALTER TABLE loans ADD COLUMN charged_off boolean NOT NULL DEFAULT false; -- F17
ALTER TABLE loans ALTER COLUMN charged_off DROP DEFAULT;

ALTER TABLE payments ADD COLUMN payment_method_id text COLLATE "C", ADD COLUMN transfer_id text COLLATE "C",
  ADD COLUMN original_id text COLLATE "C", ADD COLUMN items text, ADD COLUMN autopay boolean NOT NULL DEFAULT false,
  ADD COLUMN fee_assessed boolean NOT NULL DEFAULT false,
  ADD COLUMN on_hold bigint NOT NULL DEFAULT 0 CHECK (on_hold BETWEEN 0 AND amount); -- F24
ALTER TABLE payments ALTER COLUMN autopay DROP DEFAULT, ALTER COLUMN fee_assessed DROP DEFAULT, ALTER COLUMN on_hold DROP DEFAULT;

-- The trial balance at a day, and an account's lines that are of no order: the others
-- are found through the company's orders.
CREATE INDEX entries_book ON entries (book_date, q, n);
CREATE INDEX postings_company ON postings (company_id, q, n) WHERE order_key IS NULL AND company_id <> 0;

CREATE TABLE payment_methods (
  id                   text COLLATE "C" NOT NULL PRIMARY KEY,
  company_id           bigint NOT NULL,
  merchant_id          text COLLATE "C" NOT NULL,
  type                 text COLLATE "C" NOT NULL CHECK (type IN ('ACH', 'CARD')),
  status               text COLLATE "C" NOT NULL CHECK (status IN ('UNVERIFIED', 'ACTIVE', 'DISABLED')),
  disabled_reason      text COLLATE "C" NOT NULL,
  bank                 text,
  card                 text,
  debtor_authorization text NOT NULL,
  verification         text,
  first_settled        date,
  created_at           timestamptz,
  updated_at           timestamptz,
  version              bigint NOT NULL CHECK (version > 0),
  q                    bigint NOT NULL,
  CHECK ((type = 'ACH') = (bank IS NOT NULL) AND (type = 'CARD') = (card IS NOT NULL)),
  CHECK ((status = 'DISABLED') = (disabled_reason <> ''))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX payment_methods_company ON payment_methods (company_id, created_at, id);

CREATE TRIGGER payment_methods_company AFTER INSERT ON payment_methods
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION company_exists();
CREATE TRIGGER payment_methods_identity BEFORE UPDATE OF id ON payment_methods
  EXECUTE FUNCTION refuse('a payment method keeps its identifier');

-- Of these records little stays as it is, and few are written at once: each is compared
-- with what it was.
CREATE FUNCTION payment_methods_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
DECLARE
  broken text;
BEGIN
  SELECT min(CASE
    WHEN (o.company_id, o.merchant_id, o.type) IS DISTINCT FROM (n.company_id, n.merchant_id, n.type)
    THEN 'a payment method stays with its company and type' -- AU1
    WHEN n.version < o.version
    THEN 'the version of a payment method never goes back'
    END)
  INTO broken
  FROM past o JOIN fresh n ON n.id = o.id;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = broken, TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payment_methods_life AFTER UPDATE ON payment_methods
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION payment_methods_life();
CREATE TRIGGER payment_methods_stay BEFORE DELETE OR TRUNCATE ON payment_methods
  EXECUTE FUNCTION refuse('a payment method is never deleted');

CREATE FUNCTION payments_method() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.payment_method_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM payment_methods m WHERE m.id = n.payment_method_id AND m.company_id = n.company_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a payment is made with a payment method of its company';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payments_method AFTER INSERT ON payments -- AU1
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION payments_method();

-- A card dispute that is won makes a payment what it was before: refunds of it too.
CREATE OR REPLACE FUNCTION payments_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
DECLARE
  broken text;
BEGIN
  SELECT min(CASE
    WHEN o.status <> n.status AND NOT (
      o.status = 'SCHEDULED' OR
      o.status = 'PENDING' AND n.status <> 'SCHEDULED' OR
      o.status = 'SUCCEEDED' AND n.status IN ('PARTIALLY_REFUNDED', 'REFUNDED', 'RETURNED') OR
      o.status = 'PARTIALLY_REFUNDED' AND n.status IN ('REFUNDED', 'RETURNED') OR
      o.status = 'REFUNDED' AND n.status = 'RETURNED' OR
      o.status = 'RETURNED' AND n.status = 'SUCCEEDED' OR
      o.status = 'RETURNED' AND n.status IN ('PARTIALLY_REFUNDED', 'REFUNDED') AND n.method = 'CARD')
    THEN 'no such edge between statuses of a payment' -- PA1
    WHEN n.version < o.version OR n.event_seq < o.event_seq
    THEN 'the version of a payment never goes back'
    END)
  INTO broken
  FROM past o JOIN fresh n ON n.id = o.id;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = broken, TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE TABLE payouts (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL,
  status      text COLLATE "C" NOT NULL CHECK (status IN ('PENDING', 'SENT', 'SETTLED', 'FAILED')),
  run_on      date CHECK (run_on IS NOT NULL),
  gross       bigint NOT NULL CHECK (gross >= 0),
  discount    bigint NOT NULL CHECK (discount >= 0),
  refunds     bigint NOT NULL CHECK (refunds >= 0),
  repaid      bigint NOT NULL CHECK (repaid >= 0),
  clawback    bigint NOT NULL CHECK (clawback >= 0),
  collected   bigint NOT NULL CHECK (collected >= 0),
  net         bigint NOT NULL CHECK (net >= 0), -- PO3
  transfer_id text COLLATE "C",
  failure     text,
  created_at  timestamptz,
  updated_at  timestamptz,
  sent_at     timestamptz,
  settled_at  timestamptz,
  version     bigint NOT NULL CHECK (version > 0),
  event_seq   bigint NOT NULL,
  q           bigint NOT NULL,
  CHECK (net = gross - discount - refunds + repaid - clawback - collected) -- PO2
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX payouts_created ON payouts (created_at, id);
CREATE INDEX payouts_merchant ON payouts (merchant_id, created_at, id);
CREATE INDEX payouts_status ON payouts (status, created_at, id) WHERE status <> 'SETTLED';

CREATE TRIGGER payouts_merchant AFTER INSERT ON payouts
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION merchant_exists();
CREATE TRIGGER payouts_identity BEFORE UPDATE OF id ON payouts
  EXECUTE FUNCTION refuse('a payout keeps its identifier');

CREATE FUNCTION payouts_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
DECLARE
  broken text;
BEGIN
  SELECT min(CASE
    WHEN o.status <> n.status AND NOT (
      o.status = 'PENDING' OR
      o.status = 'SENT' AND n.status IN ('SETTLED', 'FAILED') OR
      o.status = 'SETTLED' AND n.status = 'FAILED')
    THEN 'no such edge between statuses of a payout' -- PO4
    WHEN (o.merchant_id, o.run_on, o.gross, o.discount, o.refunds, o.repaid, o.clawback, o.collected, o.net) IS DISTINCT FROM
      (n.merchant_id, n.run_on, n.gross, n.discount, n.refunds, n.repaid, n.clawback, n.collected, n.net)
    THEN 'the merchant, day and amounts of a payout never change' -- PO2
    WHEN n.version < o.version OR n.event_seq < o.event_seq
    THEN 'the version of a payout never goes back'
    END)
  INTO broken
  FROM past o JOIN fresh n ON n.id = o.id;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = broken, TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payouts_life AFTER UPDATE ON payouts -- PO4
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION payouts_life();
CREATE TRIGGER payouts_stay BEFORE DELETE OR TRUNCATE ON payouts
  EXECUTE FUNCTION refuse('a payout is never deleted');

CREATE TABLE payout_lines (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL CHECK (kind IN ('CAPTURE', 'CLAWBACK', 'COLLECTED', 'REPAID', 'CARRIED')),
  company_id  bigint NOT NULL,
  order_key   text COLLATE "C",
  of_key      text COLLATE "C" NOT NULL,
  source      text COLLATE "C" NOT NULL,
  gross       bigint NOT NULL CHECK (gross >= 0),
  discount    bigint NOT NULL CHECK (discount >= 0),
  refunds     bigint NOT NULL CHECK (refunds >= 0),
  amount      bigint NOT NULL CHECK (amount >= 0),
  netted      bigint NOT NULL CHECK (netted BETWEEN 0 AND amount),
  due_on      date CHECK (due_on IS NOT NULL),
  payout_id   text COLLATE "C",
  at          timestamptz,
  version     bigint NOT NULL CHECK (version > 0),
  q           bigint NOT NULL,
  CHECK (of_key = coalesce(order_key, company_id::text)),
  CHECK (kind <> 'CAPTURE' OR amount = gross - discount - refunds), -- PO2
  CHECK (kind IN ('CLAWBACK', 'COLLECTED') OR netted = 0)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX payout_lines_of ON payout_lines (of_key, due_on, id);
CREATE INDEX payout_lines_payout ON payout_lines (payout_id, due_on, id) WHERE payout_id IS NOT NULL;
CREATE INDEX payout_lines_waiting ON payout_lines (merchant_id, due_on, id) WHERE payout_id IS NULL;

CREATE FUNCTION payout_lines_parent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.order_key IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM orders o WHERE o.order_key = n.order_key AND o.company_id = n.company_id
    AND o.merchant_id = n.merchant_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a payout line has the company and merchant of its order';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payout_lines_parent AFTER INSERT ON payout_lines -- AU1, PO3
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION payout_lines_parent();
CREATE TRIGGER payout_lines_merchant AFTER INSERT ON payout_lines
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION merchant_exists();

-- What has ended a line is known: a payout of the same merchant, a transfer that debited
-- the merchant, an entry of the books that wrote it off or remitted it, or, if nothing
-- was left of it, what it came from. So lines are written after all of these.
CREATE FUNCTION payout_lines_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.payout_id IS NOT NULL AND n.payout_id <> n.source
             AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = n.payout_id AND p.merchant_id = n.merchant_id OFFSET 0)
             AND NOT EXISTS (SELECT 1 FROM transfers t WHERE t.id = n.payout_id AND t.merchant_id = n.merchant_id OFFSET 0)
             AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = n.payout_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the merchant has no payout, debit or entry that ends the line';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payout_lines_payout AFTER INSERT ON payout_lines -- PO2
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION payout_lines_end();
CREATE TRIGGER payout_lines_payout_still AFTER UPDATE ON payout_lines -- PO2
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION payout_lines_end();
CREATE TRIGGER payout_lines_identity BEFORE UPDATE OF id ON payout_lines
  EXECUTE FUNCTION refuse('a payout line keeps its identifier');

CREATE FUNCTION payout_lines_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
DECLARE
  broken text;
BEGIN
  SELECT min(CASE
    WHEN o.payout_id IS NOT NULL AND
      (o.payout_id, o.gross, o.discount, o.refunds, o.amount, o.netted) IS DISTINCT FROM
      (n.payout_id, n.gross, n.discount, n.refunds, n.amount, n.netted)
    THEN 'a line that a payout includes stays as it is' -- PO2
    WHEN (o.merchant_id, o.kind, o.company_id, o.order_key, o.of_key, o.source, o.due_on) IS DISTINCT FROM
      (n.merchant_id, n.kind, n.company_id, n.order_key, n.of_key, n.source, n.due_on)
    THEN 'parties, kind, source and day of a payout line never change' -- AU1
    WHEN n.version < o.version
    THEN 'the version of a payout line never goes back'
    END)
  INTO broken
  FROM past o JOIN fresh n ON n.id = o.id;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = broken, TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payout_lines_life AFTER UPDATE ON payout_lines -- PO2
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION payout_lines_life();
CREATE TRIGGER payout_lines_stay BEFORE DELETE OR TRUNCATE ON payout_lines
  EXECUTE FUNCTION refuse('a payout line is never deleted');

CREATE TABLE transfers (
  id                text COLLATE "C" NOT NULL PRIMARY KEY,
  rail              text COLLATE "C" NOT NULL CHECK (rail IN ('ACH', 'CARD')),
  kind              text COLLATE "C" NOT NULL
    CHECK (kind IN ('PAYMENT', 'REFUND', 'CREDIT', 'PAYOUT', 'CLAWBACK', 'PRENOTE', 'MICRO')),
  company_id        bigint NOT NULL,
  merchant_id       text COLLATE "C" NOT NULL,
  payment_id        text COLLATE "C",
  refund_id         text COLLATE "C",
  payout_id         text COLLATE "C",
  payment_method_id text COLLATE "C",
  amount            bigint NOT NULL CHECK (amount >= 0),
  entry_description text COLLATE "C" NOT NULL,
  status            text COLLATE "C" NOT NULL
    CHECK (status IN ('QUEUED', 'SENT', 'SETTLED', 'FAILED', 'RETURNED', 'CANCELED')),
  send_on           date,
  settles_on        date,
  release_on        date,
  next_at           timestamptz,
  return_code       text COLLATE "C" NOT NULL,
  reference         text COLLATE "C" NOT NULL,
  created_at        timestamptz,
  updated_at        timestamptz,
  sent_at           timestamptz,
  settled_at        timestamptz,
  version           bigint NOT NULL CHECK (version > 0),
  filed             boolean NOT NULL,
  q                 bigint NOT NULL,
  CHECK (amount > 0 OR kind = 'PRENOTE'), -- MN2
  CHECK ((company_id = 0) = (kind IN ('PAYOUT', 'CLAWBACK')) AND (merchant_id <> '') = (kind IN ('PAYOUT', 'CLAWBACK'))),
  CHECK (sent_at IS NOT NULL OR status NOT IN ('SENT', 'SETTLED'))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX transfers_created ON transfers (created_at, id);
CREATE INDEX transfers_company ON transfers (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX transfers_merchant ON transfers (merchant_id, created_at, id) WHERE merchant_id <> '';
CREATE INDEX transfers_payment ON transfers (payment_id, created_at, id) WHERE payment_id IS NOT NULL;
CREATE UNIQUE INDEX transfers_collects ON transfers (payment_id) WHERE kind = 'PAYMENT'; -- PA9: a retry is a payment of its own
CREATE UNIQUE INDEX transfers_payout ON transfers (payout_id) WHERE payout_id IS NOT NULL; -- PO4
CREATE INDEX transfers_status ON transfers (status, created_at, id) WHERE status <> 'SETTLED';
CREATE INDEX transfers_card ON transfers (created_at, id) WHERE rail = 'CARD';
CREATE INDEX transfers_next ON transfers (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX transfers_unfiled ON transfers (sent_at, id)
  WHERE rail = 'ACH' AND status IN ('SENT', 'SETTLED') AND NOT filed;

CREATE FUNCTION transfers_parent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n
             WHERE n.company_id <> 0 AND NOT EXISTS (SELECT 1 FROM companies c WHERE c.company_id = n.company_id OFFSET 0)
                OR n.merchant_id <> '' AND NOT EXISTS (SELECT 1 FROM merchants m WHERE m.id = n.merchant_id OFFSET 0)
                OR n.payment_id IS NOT NULL AND NOT EXISTS (
                  SELECT 1 FROM payments p WHERE p.id = n.payment_id AND p.company_id = n.company_id OFFSET 0)
                OR n.payment_method_id IS NOT NULL AND NOT EXISTS (
                  SELECT 1 FROM payment_methods m WHERE m.id = n.payment_method_id AND m.company_id = n.company_id OFFSET 0)
                OR n.payout_id IS NOT NULL AND NOT EXISTS (
                  SELECT 1 FROM payouts p WHERE p.id = n.payout_id AND p.merchant_id = n.merchant_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a transfer is of a payment, payment method or payout of its company or merchant';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER transfers_parent AFTER INSERT ON transfers -- AU1
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION transfers_parent();
CREATE TRIGGER transfers_identity BEFORE UPDATE OF id ON transfers
  EXECUTE FUNCTION refuse('a transfer keeps its identifier');

CREATE FUNCTION transfers_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
DECLARE
  broken text;
BEGIN
  SELECT min(CASE
    WHEN o.status <> n.status AND NOT (
      o.status = 'QUEUED' OR
      o.status = 'SENT' AND n.status IN ('SETTLED', 'FAILED', 'RETURNED') OR
      o.status = 'SETTLED' AND n.status = 'RETURNED' OR
      o.status = 'RETURNED' AND n.status IN ('SENT', 'SETTLED') AND n.rail = 'CARD') -- a dispute that was won
    THEN 'no such edge between statuses of a transfer'
    WHEN (o.rail, o.kind, o.company_id, o.merchant_id, o.payment_id, o.refund_id, o.payout_id, o.payment_method_id,
      o.amount, o.entry_description) IS DISTINCT FROM
      (n.rail, n.kind, n.company_id, n.merchant_id, n.payment_id, n.refund_id, n.payout_id, n.payment_method_id,
      n.amount, n.entry_description)
    THEN 'what a transfer moves, and for whom, never changes' -- PO5
    WHEN n.version < o.version
    THEN 'the version of a transfer never goes back'
    WHEN o.filed AND NOT n.filed
    THEN 'a transfer that stands in a file stays there' -- PA2
    END)
  INTO broken
  FROM past o JOIN fresh n ON n.id = o.id;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = broken, TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER transfers_life AFTER UPDATE ON transfers -- PA1, PO4
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION transfers_life();
CREATE TRIGGER transfers_stay BEFORE DELETE OR TRUNCATE ON transfers
  EXECUTE FUNCTION refuse('a transfer is never deleted');

CREATE TABLE notices (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  kind        text COLLATE "C" NOT NULL CHECK (kind IN ('LINE_DECREASE', 'SUSPENSION', 'CLOSURE')),
  company_id  bigint NOT NULL,
  action_at   timestamptz,
  clock_start date,
  due_on      date,
  sent_at     timestamptz,
  channel     text COLLATE "C" NOT NULL,
  reasons     text,
  evidence    text COLLATE "C" NOT NULL,
  version     bigint NOT NULL CHECK (version > 0),
  q           bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX notices_action ON notices (action_at, id);
CREATE INDEX notices_company ON notices (company_id, action_at, id);

CREATE TRIGGER notices_company AFTER INSERT ON notices
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION company_exists();
CREATE TRIGGER notices_identity BEFORE UPDATE OF id ON notices
  EXECUTE FUNCTION refuse('a notice keeps its identifier');

CREATE FUNCTION notices_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE n.version < o.version OR o.sent_at IS NOT NULL AND o.sent_at IS DISTINCT FROM n.sent_at
               OR (o.kind, o.company_id, o.action_at, o.reasons) IS DISTINCT FROM (n.kind, n.company_id, n.action_at, n.reasons)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a notice keeps its action and its reasons, and one that was sent stays sent'; -- F28
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER notices_life AFTER UPDATE ON notices
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION notices_life();
CREATE TRIGGER notices_stay BEFORE DELETE OR TRUNCATE ON notices
  EXECUTE FUNCTION refuse('a notice is never deleted');

CREATE TABLE periods (
  month     date NOT NULL PRIMARY KEY CHECK (extract(day FROM month) = 1),
  closed_at timestamptz,
  debits    bigint NOT NULL CHECK (debits >= 0),
  q         bigint NOT NULL
);
CREATE TRIGGER periods_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON periods
  EXECUTE FUNCTION refuse('a closed month stays closed');

CREATE FUNCTION entries_open() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT book_date FROM fresh) n
             WHERE EXISTS (SELECT 1 FROM periods p WHERE p.month = date_trunc('month', n.book_date)::date OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'nothing is booked in a closed month';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entries_open AFTER INSERT ON entries -- LG7
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION entries_open();

-- What is exchanged with banks and processors is no decision: it has transactions of
-- its own.
CREATE TABLE bank_files (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  cut_off     timestamptz,
  state       text COLLATE "C" NOT NULL CHECK (state IN ('BUILT', 'SENT', 'ACCEPTED', 'REFUSED')),
  first_trace bigint NOT NULL CHECK (first_trace BETWEEN 1 AND 9999999),
  entries     bigint NOT NULL CHECK (entries > 0),
  debits      bigint NOT NULL CHECK (debits >= 0),
  credits     bigint NOT NULL CHECK (credits >= 0),
  created_at  timestamptz,
  moved_at    timestamptz
);
CREATE INDEX bank_files_state ON bank_files (state, created_at, id);

CREATE TRIGGER bank_files_identity BEFORE UPDATE OF id, cut_off, first_trace, entries, debits, credits, created_at
  ON bank_files
  EXECUTE FUNCTION refuse('a file to a bank keeps its content');

CREATE FUNCTION bank_files_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE o.state <> n.state AND NOT (o.state = 'BUILT' OR o.state = 'SENT' AND n.state <> 'BUILT')) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the state of a file only goes forward';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_files_life AFTER UPDATE ON bank_files
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION bank_files_life();
CREATE TRIGGER bank_files_stay BEFORE DELETE OR TRUNCATE ON bank_files
  EXECUTE FUNCTION refuse('a file to a bank is never deleted');

CREATE TABLE bank_entries (
  transfer_id text COLLATE "C" NOT NULL PRIMARY KEY, -- PA2: in one file only
  file_id     text COLLATE "C" NOT NULL,
  trace       bigint NOT NULL CHECK (trace BETWEEN 1 AND 9999999)
);
CREATE UNIQUE INDEX bank_entries_file ON bank_entries (file_id, trace);
CREATE INDEX bank_entries_trace ON bank_entries (trace);

CREATE FUNCTION bank_entries_parent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n
             WHERE NOT EXISTS (SELECT 1 FROM bank_files f WHERE f.id = n.file_id OFFSET 0)
                OR NOT EXISTS (SELECT 1 FROM transfers t WHERE t.id = n.transfer_id AND t.rail = 'ACH' AND t.status IN ('SENT', 'SETTLED') AND t.filed OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'an entry of a file is an ACH transfer that was sent, and is marked so';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_entries_parent AFTER INSERT ON bank_entries
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION bank_entries_parent();
CREATE TRIGGER bank_entries_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON bank_entries
  EXECUTE FUNCTION refuse('entries of files are append-only');

CREATE TABLE bank_notices (
  rail        text COLLATE "C" NOT NULL CHECK (rail IN ('ACH', 'CARD')),
  id          text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL,
  transfer_id text COLLATE "C",
  code        text COLLATE "C" NOT NULL,
  payload     text,
  at          timestamptz,
  closed_at   timestamptz,
  result      text COLLATE "C" NOT NULL,
  PRIMARY KEY (rail, id), -- PA2
  CHECK (closed_at IS NOT NULL OR result = '')
) WITH (toast_tuple_target = 8160, fillfactor = 80);
CREATE INDEX bank_notices_open ON bank_notices (at, rail, id) WHERE closed_at IS NULL;
CREATE INDEX bank_notices_code ON bank_notices (at, code) WHERE code <> '';

CREATE FUNCTION bank_notices_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.transfer_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM transfers t WHERE t.id = n.transfer_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such transfer';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_notices_transfer AFTER INSERT ON bank_notices
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION bank_notices_transfer();
CREATE TRIGGER bank_notices_identity BEFORE UPDATE OF rail, id, kind, transfer_id, code, payload, at ON bank_notices
  EXECUTE FUNCTION refuse('what a bank has said never changes');

CREATE FUNCTION bank_notices_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.rail = o.rail AND n.id = o.id
             WHERE o.closed_at IS NOT NULL AND (o.closed_at, o.result) IS DISTINCT FROM (n.closed_at, n.result)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a notice that was dealt with stays so';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_notices_life AFTER UPDATE ON bank_notices
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION bank_notices_life();
CREATE TRIGGER bank_notices_stay BEFORE DELETE OR TRUNCATE ON bank_notices
  EXECUTE FUNCTION refuse('what a bank has said is never deleted');

CREATE TABLE bank_lines (
  id        text COLLATE "C" NOT NULL PRIMARY KEY,
  date      date CHECK (date IS NOT NULL),
  amount    bigint NOT NULL,
  reference text COLLATE "C" NOT NULL,
  entry_id  text COLLATE "C"
);
CREATE INDEX bank_lines_date ON bank_lines (date, id);
CREATE INDEX bank_lines_open ON bank_lines (date, id) WHERE entry_id IS NULL;

CREATE TRIGGER bank_lines_identity BEFORE UPDATE OF id, date, amount, reference ON bank_lines
  EXECUTE FUNCTION refuse('a line of the bank''s statement never changes');

CREATE FUNCTION bank_lines_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.entry_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = n.entry_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such entry';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_lines_entry AFTER INSERT ON bank_lines -- PO6
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION bank_lines_entry();
CREATE TRIGGER bank_lines_entry_still AFTER UPDATE ON bank_lines -- PO6
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION bank_lines_entry();
CREATE TRIGGER bank_lines_stay BEFORE DELETE OR TRUNCATE ON bank_lines
  EXECUTE FUNCTION refuse('a line of the bank''s statement is never deleted');
