-- The whole state of one book, as the file of the same number says it for SQLite:
-- the same tables, columns and rules. Amounts are cents. Text is compared byte by
-- byte (COLLATE "C"); nested members are JSON kept as text, because its bytes count.
-- A batch is merged before it is written, so an update may take several edges of
-- a life cycle at once: the triggers allow every path of OR1 and PA1, never back.
--
-- Rules that a CHECK cannot say are triggers, and a trigger is called once for a
-- statement, which writes up to thousands of rows:
--   * What never changes is refused BEFORE UPDATE OF those columns. That fires if a
--     statement names one of them, even with the same value: an upsert leaves them out.
--   * What must exist is looked for AFTER INSERT, for all rows at once. Foreign keys
--     would look for each row and lock it. A parent is never deleted and its key never
--     changes, so to look once is enough.
--   * What may only grow is compared AFTER UPDATE, old rows with new. They have no
--     index, so the functions ask for a hash join whatever the session has set.
-- Tables with long texts keep them in the row as long as it fits a page
-- (toast_tuple_target): else the server would compress each text of more than 2 kB,
-- which costs more than writing it.
-- OFFSET 0 keeps a look-up by key what it is, even if the plan was made while the
-- table was empty.

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = TG_ARGV[0], TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;

CREATE TABLE books (
  book          bigint PRIMARY KEY,
  q             bigint NOT NULL CHECK (q >= 0),
  hash          bytea NOT NULL CHECK (length(hash) = 32),
  at            timestamptz,
  business_date date,
  epoch         bigint NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.02);

INSERT INTO books VALUES (1, 0, decode(repeat('00', 32), 'hex'), NULL, NULL, 1);

CREATE FUNCTION books_grow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n, past o WHERE n.book = o.book
             AND (n.q < o.q OR n.at < o.at OR n.business_date < o.business_date)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the commit sequence and its time never go back';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER books_grow AFTER UPDATE ON books -- TM1, AU7
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION books_grow();
CREATE TRIGGER books_identity BEFORE UPDATE OF book ON books
  EXECUTE FUNCTION refuse('a book keeps its number');
CREATE TRIGGER books_stay BEFORE DELETE OR TRUNCATE ON books
  EXECUTE FUNCTION refuse('a book is never deleted');

CREATE TABLE batches (
  id            bytea NOT NULL PRIMARY KEY CHECK (length(id) = 16),
  node          text COLLATE "C" NOT NULL,
  first_q       bigint NOT NULL,
  last_q        bigint NOT NULL CHECK (last_q >= first_q),
  at            timestamptz,
  business_date date,
  rules         bigint NOT NULL,
  wire          text COLLATE "C" NOT NULL,
  digest        bytea NOT NULL CHECK (length(digest) = 32),
  hash          bytea NOT NULL CHECK (length(hash) = 32),
  tombstone     boolean NOT NULL
);
CREATE INDEX batches_at ON batches (at, last_q) WHERE NOT tombstone;

CREATE TRIGGER batches_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON batches
  EXECUTE FUNCTION refuse('batches are append-only');

CREATE TABLE merchants (
  id         text COLLATE "C" NOT NULL PRIMARY KEY,
  name       text COLLATE "C" NOT NULL,
  created_at timestamptz,
  updated_at timestamptz,
  version    bigint NOT NULL,
  q          bigint NOT NULL
);
CREATE TRIGGER merchants_identity BEFORE UPDATE OF id ON merchants
  EXECUTE FUNCTION refuse('a merchant keeps its identifier');
CREATE TRIGGER merchants_stay BEFORE DELETE OR TRUNCATE ON merchants
  EXECUTE FUNCTION refuse('a merchant is never deleted');

CREATE TABLE programmes (
  merchant_id    text COLLATE "C" NOT NULL REFERENCES merchants,
  version        bigint NOT NULL CHECK (version > 0),
  effective_from date,
  settings       text NOT NULL,
  q              bigint NOT NULL,
  PRIMARY KEY (merchant_id, version)
);
CREATE TRIGGER programmes_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON programmes
  EXECUTE FUNCTION refuse('programme versions are append-only');

CREATE TABLE companies (
  company_id       bigint PRIMARY KEY,
  name             text COLLATE "C" NOT NULL,
  legal_name       text COLLATE "C" NOT NULL,
  tax_id_last4     text COLLATE "C" NOT NULL,
  status           text COLLATE "C" NOT NULL
    CHECK (status IN ('PENDING', 'APPROVED', 'DECLINED', 'ON_HOLD', 'SUSPENDED', 'CLOSED')),
  status_code      text COLLATE "C" NOT NULL,
  status_message   text COLLATE "C" NOT NULL,
  phone            text COLLATE "C" NOT NULL,
  email            text COLLATE "C" NOT NULL,
  billing_address  text NOT NULL,
  tier             text COLLATE "C" NOT NULL,
  credit_limit     bigint NOT NULL CHECK (credit_limit >= 0),
  reserved         bigint NOT NULL CHECK (reserved >= 0),
  outstanding      bigint NOT NULL CHECK (outstanding >= 0),
  on_hold          bigint NOT NULL CHECK (on_hold >= 0),
  unapplied_credit bigint NOT NULL CHECK (unapplied_credit >= 0), -- PA6
  linked           text,
  money_seq        bigint NOT NULL,
  shared           boolean NOT NULL,
  created_at       timestamptz,
  updated_at       timestamptz,
  version          bigint NOT NULL,
  event_seq        bigint NOT NULL,
  q                bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX companies_created ON companies (created_at, company_id);

CREATE FUNCTION companies_version() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.company_id = o.company_id
             WHERE n.version < o.version OR n.event_seq < o.event_seq) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the version of a company never goes back';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER companies_version AFTER UPDATE ON companies
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION companies_version();
CREATE TRIGGER companies_identity BEFORE UPDATE OF company_id ON companies
  EXECUTE FUNCTION refuse('a company keeps its identifier');
CREATE TRIGGER companies_stay BEFORE DELETE OR TRUNCATE ON companies
  EXECUTE FUNCTION refuse('a company is never deleted');

-- company_exists stands for a foreign key to companies, merchant_exists for one to
-- merchants.
CREATE FUNCTION company_exists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT company_id FROM fresh) n
             WHERE NOT EXISTS (SELECT 1 FROM companies c WHERE c.company_id = n.company_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such company';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION merchant_exists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT merchant_id FROM fresh) n
             WHERE NOT EXISTS (SELECT 1 FROM merchants m WHERE m.id = n.merchant_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such merchant';
  END IF;
  RETURN NULL;
END $$;

CREATE TABLE company_history (
  company_id       bigint NOT NULL,
  until_q          bigint NOT NULL,
  name             text COLLATE "C" NOT NULL,
  legal_name       text COLLATE "C" NOT NULL,
  tax_id_last4     text COLLATE "C" NOT NULL,
  status           text COLLATE "C" NOT NULL,
  status_code      text COLLATE "C" NOT NULL,
  status_message   text COLLATE "C" NOT NULL,
  phone            text COLLATE "C" NOT NULL,
  email            text COLLATE "C" NOT NULL,
  billing_address  text NOT NULL,
  tier             text COLLATE "C" NOT NULL,
  credit_limit     bigint NOT NULL,
  reserved         bigint NOT NULL,
  outstanding      bigint NOT NULL,
  on_hold          bigint NOT NULL,
  unapplied_credit bigint NOT NULL,
  linked           text,
  money_seq        bigint NOT NULL,
  shared           boolean NOT NULL,
  created_at       timestamptz,
  updated_at       timestamptz,
  version          bigint NOT NULL,
  event_seq        bigint NOT NULL,
  q                bigint NOT NULL,
  PRIMARY KEY (company_id, until_q)
);
CREATE TRIGGER company_history_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON company_history
  EXECUTE FUNCTION refuse('history is append-only');

CREATE TABLE company_merchants (
  company_id  bigint NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  created_at  timestamptz,
  PRIMARY KEY (company_id, merchant_id)
);
CREATE INDEX company_merchants_created ON company_merchants (merchant_id, created_at, company_id);

CREATE TRIGGER company_merchants_company AFTER INSERT ON company_merchants
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION company_exists();
CREATE TRIGGER company_merchants_merchant AFTER INSERT ON company_merchants
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION merchant_exists();
CREATE TRIGGER company_merchants_keep BEFORE UPDATE ON company_merchants
  EXECUTE FUNCTION refuse('a link is made or removed, never changed');

CREATE TABLE orders (
  order_key              text COLLATE "C" NOT NULL PRIMARY KEY,
  company_id             bigint NOT NULL,
  merchant_id            text COLLATE "C" NOT NULL,
  merchant_order_id      text COLLATE "C",
  currency               text COLLATE "C" NOT NULL,
  amount                 bigint NOT NULL CHECK (amount BETWEEN 1 AND 1000000000), -- MN2
  status                 text COLLATE "C" NOT NULL
    CHECK (status IN ('CREATED', 'AUTHORIZED', 'CAPTURED', 'CANCELED', 'RETURNED')),
  financing_status       text COLLATE "C" NOT NULL
    CHECK (financing_status IN ('NONE', 'ACTIVE', 'PAID_OFF', 'OVERDUE', 'CHARGED_OFF')),
  installments           bigint NOT NULL CHECK (installments BETWEEN 0 AND 36),
  externally_managed     boolean NOT NULL,
  programme              bigint NOT NULL,
  terms                  text,
  authorized_amount      bigint NOT NULL CHECK (authorized_amount >= 0),
  reserved               bigint NOT NULL CHECK (reserved >= 0),
  captured               bigint NOT NULL CHECK (captured BETWEEN 0 AND 1000000000),
  refunded               bigint NOT NULL CHECK (refunded BETWEEN 0 AND captured), -- RF1
  merchant_discount      bigint NOT NULL,
  merchant_discount_back bigint NOT NULL,
  capture_date           date,
  captured_at            timestamptz,
  authorized_at          timestamptz,
  expires_at             timestamptz,
  extended               boolean NOT NULL,
  warned_for             timestamptz,
  canceled_at            timestamptz,
  cancel_reason          text COLLATE "C" NOT NULL,
  returned_at            timestamptz,
  merchant_status        text COLLATE "C" NOT NULL,
  cart                   text,
  charges                text,
  shipping               text,
  billing                text,
  metadata               text,
  refunds                text,
  invoice_id             text COLLATE "C",
  parent                 text COLLATE "C",
  checkout_id            text COLLATE "C",
  payout_id              text COLLATE "C",
  revision               bigint NOT NULL,
  created_at             timestamptz,
  updated_at             timestamptz,
  version                bigint NOT NULL,
  event_seq              bigint NOT NULL,
  q                      bigint NOT NULL,
  CHECK ((capture_date IS NULL) = (status IN ('CREATED', 'AUTHORIZED', 'CANCELED'))) -- OR3
) WITH (toast_tuple_target = 8160, fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX orders_created ON orders (created_at, order_key);
CREATE INDEX orders_merchant ON orders (merchant_id, created_at, order_key);
CREATE INDEX orders_status ON orders (merchant_id, status, created_at, order_key);
CREATE INDEX orders_updated ON orders (merchant_id, updated_at, created_at, order_key);
CREATE INDEX orders_captured ON orders (merchant_id, capture_date, created_at, order_key) WHERE capture_date IS NOT NULL;
CREATE INDEX orders_company ON orders (company_id, created_at, order_key);
CREATE INDEX orders_financing ON orders (merchant_id, financing_status, created_at, order_key)
  WHERE financing_status <> 'NONE';
CREATE INDEX orders_merchant_order ON orders (merchant_order_id) WHERE merchant_order_id IS NOT NULL;

CREATE TRIGGER orders_company AFTER INSERT ON orders
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION company_exists();
CREATE TRIGGER orders_merchant AFTER INSERT ON orders
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION merchant_exists();
CREATE TRIGGER orders_identity BEFORE UPDATE OF order_key, company_id, merchant_id, currency, parent ON orders -- OR4
  EXECUTE FUNCTION refuse('company, merchant, currency and parent of an order never change');

CREATE FUNCTION orders_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
DECLARE
  broken text;
BEGIN
  SELECT min(CASE
    WHEN o.status <> n.status AND NOT (
      o.status = 'CREATED' OR
      o.status = 'AUTHORIZED' AND n.status IN ('CAPTURED', 'CANCELED', 'RETURNED') OR
      o.status = 'CAPTURED' AND n.status = 'RETURNED')
    THEN 'no such edge between statuses of an order' -- OR1
    WHEN n.version < o.version OR n.event_seq < o.event_seq
    THEN 'the version of an order never goes back' -- OR2
    WHEN o.capture_date IS NOT NULL AND
      (o.capture_date, o.amount, o.installments, o.terms, o.merchant_order_id, o.cart, o.shipping, o.billing)
      IS DISTINCT FROM
      (n.capture_date, n.amount, n.installments, n.terms, n.merchant_order_id, n.cart, n.shipping, n.billing)
    THEN 'a captured order keeps its date, amount, terms and goods' -- OR3, OR4
    END)
  INTO broken
  FROM past o JOIN fresh n ON n.order_key = o.order_key;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = broken, TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER orders_life AFTER UPDATE ON orders -- OR1, OR2, OR3, OR4
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION orders_life();
CREATE TRIGGER orders_stay BEFORE DELETE OR TRUNCATE ON orders
  EXECUTE FUNCTION refuse('an order is never deleted');

CREATE TABLE order_history (
  order_key              text COLLATE "C" NOT NULL,
  until_q                bigint NOT NULL,
  company_id             bigint NOT NULL,
  merchant_id            text COLLATE "C" NOT NULL,
  merchant_order_id      text COLLATE "C",
  currency               text COLLATE "C" NOT NULL,
  amount                 bigint NOT NULL,
  status                 text COLLATE "C" NOT NULL,
  financing_status       text COLLATE "C" NOT NULL,
  installments           bigint NOT NULL,
  externally_managed     boolean NOT NULL,
  programme              bigint NOT NULL,
  terms                  text,
  authorized_amount      bigint NOT NULL,
  reserved               bigint NOT NULL,
  captured               bigint NOT NULL,
  refunded               bigint NOT NULL,
  merchant_discount      bigint NOT NULL,
  merchant_discount_back bigint NOT NULL,
  capture_date           date,
  captured_at            timestamptz,
  authorized_at          timestamptz,
  expires_at             timestamptz,
  extended               boolean NOT NULL,
  warned_for             timestamptz,
  canceled_at            timestamptz,
  cancel_reason          text COLLATE "C" NOT NULL,
  returned_at            timestamptz,
  merchant_status        text COLLATE "C" NOT NULL,
  cart                   text,
  charges                text,
  shipping               text,
  billing                text,
  metadata               text,
  refunds                text,
  invoice_id             text COLLATE "C",
  parent                 text COLLATE "C",
  checkout_id            text COLLATE "C",
  payout_id              text COLLATE "C",
  revision               bigint NOT NULL,
  created_at             timestamptz,
  updated_at             timestamptz,
  version                bigint NOT NULL,
  event_seq              bigint NOT NULL,
  q                      bigint NOT NULL,
  PRIMARY KEY (order_key, until_q)
) WITH (toast_tuple_target = 8160);
CREATE TRIGGER order_history_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON order_history
  EXECUTE FUNCTION refuse('history is append-only');

CREATE TABLE loans (
  order_key     text COLLATE "C" NOT NULL PRIMARY KEY,
  company_id    bigint NOT NULL,
  merchant_id   text COLLATE "C" NOT NULL,
  captured_at   bigint NOT NULL,
  terms         text NOT NULL,
  level_payment bigint NOT NULL,
  as_of         date,
  current       bigint NOT NULL,
  slices        bigint NOT NULL,
  carried       bigint NOT NULL,
  earned        bigint NOT NULL,
  earned_from   date,
  prepaid       text,
  refunded      bigint NOT NULL,
  waived        bigint NOT NULL,
  q             bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX loans_company ON loans (company_id, captured_at, order_key);

CREATE FUNCTION loans_parent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE NOT EXISTS (
    SELECT 1 FROM orders o WHERE o.order_key = n.order_key AND o.company_id = n.company_id
    AND o.merchant_id = n.merchant_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a loan belongs to the company and merchant of its order';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER loans_parent AFTER INSERT ON loans -- AU1
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION loans_parent();
CREATE TRIGGER loans_identity BEFORE UPDATE OF order_key, company_id, merchant_id ON loans -- AU1
  EXECUTE FUNCTION refuse('a loan stays with its order');
CREATE TRIGGER loans_stay BEFORE DELETE OR TRUNCATE ON loans
  EXECUTE FUNCTION refuse('a loan is never deleted');

-- loan_exists stands for a foreign key to loans.
CREATE FUNCTION loan_exists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT order_key FROM fresh) n
             WHERE NOT EXISTS (SELECT 1 FROM loans l WHERE l.order_key = n.order_key OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such loan';
  END IF;
  RETURN NULL;
END $$;

CREATE TABLE installments (
  order_key           text COLLATE "C" NOT NULL,
  number              bigint NOT NULL CHECK (number > 0),
  company_id          bigint NOT NULL,
  merchant_id         text COLLATE "C" NOT NULL,
  due_date            date,
  target              bigint NOT NULL,
  principal           bigint NOT NULL CHECK (principal >= 0), -- SC1
  finance_charge      bigint NOT NULL CHECK (finance_charge >= 0),
  paid_principal      bigint NOT NULL CHECK (paid_principal BETWEEN 0 AND principal), -- SC5
  paid_finance_charge bigint NOT NULL CHECK (paid_finance_charge BETWEEN 0 AND finance_charge),
  recognised          bigint NOT NULL,
  paid_on             date,
  canceled            boolean NOT NULL,
  PRIMARY KEY (order_key, number)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- Rows that still owe something, by company for what is past due and by date for
-- what falls due.
CREATE INDEX installments_open ON installments (company_id, due_date)
  WHERE NOT canceled AND principal + finance_charge > paid_principal + paid_finance_charge;
CREATE INDEX installments_due ON installments (due_date, order_key)
  WHERE NOT canceled AND principal + finance_charge > paid_principal + paid_finance_charge;

CREATE TRIGGER installments_loan AFTER INSERT ON installments
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION loan_exists();
CREATE TRIGGER installments_identity BEFORE UPDATE OF order_key, number ON installments
  EXECUTE FUNCTION refuse('an installment stays with its loan');

CREATE TABLE fees (
  order_key   text COLLATE "C" NOT NULL,
  n           bigint NOT NULL,
  company_id  bigint NOT NULL,
  id          text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL,
  installment bigint NOT NULL,
  assessed_on date,
  amount      bigint NOT NULL CHECK (amount >= 0),
  paid        bigint NOT NULL CHECK (paid BETWEEN 0 AND amount),
  PRIMARY KEY (order_key, n)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE TRIGGER fees_loan AFTER INSERT ON fees
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION loan_exists();
CREATE TRIGGER fees_identity BEFORE UPDATE OF order_key, n ON fees
  EXECUTE FUNCTION refuse('a fee stays with its loan');

CREATE TABLE payments (
  id                text COLLATE "C" NOT NULL PRIMARY KEY,
  company_id        bigint NOT NULL,
  merchant_id       text COLLATE "C" NOT NULL,
  order_merchant_id text COLLATE "C" NOT NULL,
  order_key         text COLLATE "C",
  invoice_id        text COLLATE "C",
  amount            bigint NOT NULL CHECK (amount > 0), -- MN2
  currency          text COLLATE "C" NOT NULL,
  status            text COLLATE "C" NOT NULL
    CHECK (status IN ('SCHEDULED', 'PENDING', 'SUCCEEDED', 'FAILED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'RETURNED',
                      'CANCELED')),
  method            text COLLATE "C" NOT NULL CHECK (method IN ('ACH', 'CARD', 'CHECK', 'WIRE', 'CASH', 'OTHER')),
  direction         text COLLATE "C" NOT NULL CHECK (direction IN ('IN', 'OUT')),
  scheduled_date    date,
  effective_date    date,
  reference         text COLLATE "C" NOT NULL,
  external_id       text COLLATE "C",
  memo              text COLLATE "C" NOT NULL,
  hold_excess       boolean NOT NULL,
  refunded          bigint NOT NULL CHECK (refunded BETWEEN 0 AND amount), -- RF2
  unapplied         bigint NOT NULL CHECK (unapplied >= 0),
  allocations       text,
  refunds           text,
  failure           text,
  attempt           bigint NOT NULL,
  from_merchant     boolean NOT NULL,
  created_at        timestamptz,
  updated_at        timestamptz,
  submitted_at      timestamptz,
  settled_at        timestamptz,
  version           bigint NOT NULL,
  event_seq         bigint NOT NULL,
  q                 bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX payments_created ON payments (created_at, id);
CREATE INDEX payments_merchant ON payments (merchant_id, created_at, id);
CREATE INDEX payments_order_merchant ON payments (order_merchant_id, created_at, id)
  WHERE order_merchant_id <> '' AND order_merchant_id <> merchant_id;
CREATE INDEX payments_company ON payments (company_id, created_at, id);
CREATE INDEX payments_order ON payments (order_key, created_at, id) WHERE order_key IS NOT NULL;
CREATE INDEX payments_invoice ON payments (invoice_id, created_at, id) WHERE invoice_id IS NOT NULL;

CREATE FUNCTION payments_parent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.order_key IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM orders o WHERE o.order_key = n.order_key AND o.company_id = n.company_id
    AND o.merchant_id = n.order_merchant_id AND o.currency = n.currency OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a payment has the company and currency of its order';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payments_parent AFTER INSERT ON payments -- AU1, PA4, MN4
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION payments_parent();
CREATE TRIGGER payments_company AFTER INSERT ON payments
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION company_exists();
CREATE TRIGGER payments_identity BEFORE UPDATE OF id, company_id, merchant_id, order_merchant_id, order_key,
  amount, currency, direction ON payments
  EXECUTE FUNCTION refuse('parties, amount and currency of a payment never change');

CREATE FUNCTION payments_life() RETURNS trigger LANGUAGE plpgsql
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
      o.status = 'RETURNED' AND n.status = 'SUCCEEDED')
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
CREATE TRIGGER payments_life AFTER UPDATE ON payments -- PA1
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION payments_life();
CREATE TRIGGER payments_stay BEFORE DELETE OR TRUNCATE ON payments
  EXECUTE FUNCTION refuse('a payment is never deleted');

CREATE TABLE invoices (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  number      text COLLATE "C" NOT NULL,
  order_key   text COLLATE "C" NOT NULL,
  company_id  bigint NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  amount_due  bigint NOT NULL,
  paid        bigint NOT NULL CHECK (paid >= 0),
  status      text COLLATE "C" NOT NULL CHECK (status IN ('OPEN', 'PAID', 'PAST_DUE', 'VOID')),
  issued_at   timestamptz,
  due_date    date,
  lines       text,
  updated_at  timestamptz,
  version     bigint NOT NULL,
  event_seq   bigint NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX invoices_created ON invoices (issued_at, id);
CREATE INDEX invoices_merchant ON invoices (merchant_id, issued_at, id);
CREATE INDEX invoices_company ON invoices (company_id, issued_at, id);
CREATE INDEX invoices_order ON invoices (order_key, issued_at, id);

CREATE FUNCTION invoices_parent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE NOT EXISTS (
    SELECT 1 FROM orders o WHERE o.order_key = n.order_key AND o.company_id = n.company_id
    AND o.merchant_id = n.merchant_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'an invoice belongs to the company and merchant of its order';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER invoices_parent AFTER INSERT ON invoices -- AU1
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION invoices_parent();
CREATE TRIGGER invoices_identity BEFORE UPDATE OF id, order_key, company_id, merchant_id ON invoices -- AU1
  EXECUTE FUNCTION refuse('an invoice stays with its order');
CREATE TRIGGER invoices_stay BEFORE DELETE OR TRUNCATE ON invoices
  EXECUTE FUNCTION refuse('an invoice is never deleted');

CREATE TABLE credits (
  company_id bigint NOT NULL,
  source     text COLLATE "C" NOT NULL,
  q          bigint NOT NULL,
  n          bigint NOT NULL,
  order_key  text COLLATE "C",
  opened_on  date,
  amount     bigint NOT NULL CHECK (amount > 0), -- PA6
  hold       boolean NOT NULL,
  PRIMARY KEY (company_id, source)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE TRIGGER credits_company AFTER INSERT ON credits
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION company_exists();
CREATE TRIGGER credits_identity BEFORE UPDATE OF company_id, source ON credits
  EXECUTE FUNCTION refuse('a credit stays with its company and source');

CREATE TABLE money_events (
  id             text COLLATE "C" NOT NULL PRIMARY KEY,
  q              bigint NOT NULL,
  n              bigint NOT NULL,
  company_id     bigint NOT NULL,
  kind           text COLLATE "C" NOT NULL,
  effective_date date,
  seq            bigint NOT NULL,
  order_key      text COLLATE "C",
  payment_id     text COLLATE "C",
  amount         bigint NOT NULL,
  event          text NOT NULL,
  touches        text,
  posted         text,
  returned       boolean NOT NULL,
  recorded_at    timestamptz
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE TRIGGER money_events_company AFTER INSERT ON money_events
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION company_exists();
CREATE TRIGGER money_events_company_still AFTER UPDATE ON money_events
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION company_exists();
CREATE TRIGGER money_events_identity BEFORE UPDATE OF id ON money_events
  EXECUTE FUNCTION refuse('a money event keeps its identifier');
CREATE TRIGGER money_events_stay BEFORE DELETE OR TRUNCATE ON money_events
  EXECUTE FUNCTION refuse('a money event is never deleted');

CREATE TABLE money_touches (
  order_key  text COLLATE "C" NOT NULL,
  event_id   text COLLATE "C" NOT NULL,
  company_id bigint NOT NULL,
  PRIMARY KEY (order_key, event_id)
);

CREATE FUNCTION money_touches_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT event_id FROM fresh) n
             WHERE NOT EXISTS (SELECT 1 FROM money_events e WHERE e.id = n.event_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such money event';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER money_touches_event AFTER INSERT ON money_touches
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION money_touches_event();
CREATE TRIGGER money_touches_keep BEFORE UPDATE ON money_touches
  EXECUTE FUNCTION refuse('what a money event touched never changes');

CREATE TABLE postings (
  q           bigint NOT NULL,
  n           bigint NOT NULL,
  line        bigint NOT NULL,
  account     bigint NOT NULL,
  amount      bigint NOT NULL CHECK (amount <> 0), -- LG1
  company_id  bigint NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  order_key   text COLLATE "C",
  payment_id  text COLLATE "C" NOT NULL,
  installment bigint NOT NULL,
  PRIMARY KEY (q, n, line)
);
CREATE INDEX postings_order ON postings (order_key, q, n) WHERE order_key IS NOT NULL;

CREATE TABLE entries (
  q          bigint NOT NULL,
  n          bigint NOT NULL,
  id         text COLLATE "C" NOT NULL,
  company_id bigint NOT NULL,
  book_date  date NOT NULL,
  value_date date NOT NULL CHECK (value_date <= book_date), -- LG7
  event      text COLLATE "C" NOT NULL,
  cause      text COLLATE "C" NOT NULL,
  currency   text COLLATE "C" NOT NULL,
  reverses   text COLLATE "C",
  at         timestamptz,
  PRIMARY KEY (q, n)
);
CREATE UNIQUE INDEX entries_id ON entries (id);
CREATE UNIQUE INDEX entries_reverses ON entries (reverses) WHERE reverses IS NOT NULL; -- LG4

-- The lines of an entry are written first and the entry closes them: its trigger
-- adds them up, and after it no line can join (LG1, LG4).
CREATE FUNCTION postings_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A batch's lines come after every entry that is there.
  IF (SELECT min(q) FROM fresh) <= (SELECT max(q) FROM entries) THEN
    IF EXISTS (SELECT 1 FROM (SELECT DISTINCT q, n FROM fresh) p
               WHERE EXISTS (SELECT 1 FROM entries e WHERE e.q = p.q AND e.n = p.n OFFSET 0)) THEN
      RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
        MESSAGE = 'a written entry takes no more lines';
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER postings_closed AFTER INSERT ON postings
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION postings_closed();
CREATE TRIGGER postings_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON postings
  EXECUTE FUNCTION refuse('postings are append-only');

CREATE FUNCTION entries_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n CROSS JOIN LATERAL (
               SELECT count(*) AS lines, sum(p.amount) AS books, sum(p.amount) FILTER (WHERE p.account >= 9000) AS memo
               FROM postings p WHERE p.q = n.q AND p.n = n.n OFFSET 0) s
             WHERE s.lines < 2 OR s.books <> 0 OR s.memo <> 0) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'an entry has at least two lines that sum to zero';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entries_balance AFTER INSERT ON entries -- LG1, LG2
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION entries_balance();

CREATE FUNCTION entries_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.reverses IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM entries e WHERE e.id = n.reverses AND e.reverses IS NULL OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a reversal names an entry that is no reversal';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entries_reversal AFTER INSERT ON entries -- LG4
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION entries_reversal();
CREATE TRIGGER entries_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
  EXECUTE FUNCTION refuse('entries are append-only');

-- A line has an entry. Lines are written before it, so this is asked once a batch, at
-- the COMMIT or at SET CONSTRAINTS ALL IMMEDIATE, of two indexes read side by side.
CREATE FUNCTION batches_lines() RETURNS trigger LANGUAGE plpgsql
  SET enable_mergejoin = on SET enable_hashjoin = off SET enable_nestloop = off SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM postings p WHERE p.q BETWEEN NEW.first_q AND NEW.last_q AND NOT EXISTS (
    SELECT 1 FROM entries e WHERE e.q = p.q AND e.n = p.n AND e.q BETWEEN NEW.first_q AND NEW.last_q)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a line belongs to an entry';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER batches_lines AFTER INSERT ON batches -- LG1
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION batches_lines();

-- The order goes first: what is written together lies together.
CREATE TABLE balances (
  order_key   text COLLATE "C" NOT NULL,
  company_id  bigint NOT NULL,
  account     bigint NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  currency    text COLLATE "C" NOT NULL,
  amount      bigint NOT NULL,
  PRIMARY KEY (order_key, company_id, account, merchant_id, currency)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE events (
  q           bigint NOT NULL,
  n           bigint NOT NULL,
  id          text COLLATE "C" NOT NULL,
  type        text COLLATE "C" NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  object_id   text COLLATE "C" NOT NULL,
  sequence    bigint NOT NULL CHECK (sequence > 0),
  company_id  bigint NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  at          timestamptz,
  payload     text,
  PRIMARY KEY (q, n)
) WITH (toast_tuple_target = 8160);
CREATE UNIQUE INDEX events_id ON events (id);
CREATE UNIQUE INDEX events_object ON events (object_type, object_id, sequence);

CREATE FUNCTION events_sequence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.sequence > 1 AND NOT EXISTS (
    SELECT 1 FROM events e WHERE e.object_type = n.object_type AND e.object_id = n.object_id
    AND e.sequence = n.sequence - 1 OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the events of an object have no gaps';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER events_sequence AFTER INSERT ON events -- EV1
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION events_sequence();
CREATE TRIGGER events_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON events
  EXECUTE FUNCTION refuse('events are append-only');

CREATE TABLE claims (
  kind  text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  name  text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL CHECK (owner <> ''),
  q     bigint NOT NULL,
  PRIMARY KEY (kind, scope, name)
);

CREATE TABLE audit (
  q               bigint PRIMARY KEY,
  at              timestamptz,
  client_id       text COLLATE "C" NOT NULL,
  merchant_id     text COLLATE "C" NOT NULL,
  operator        boolean NOT NULL,
  request_id      text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  address         text COLLATE "C" NOT NULL,
  company_id      bigint NOT NULL,
  object          text COLLATE "C" NOT NULL,
  command         text COLLATE "C" NOT NULL,
  payload         text,
  seed            bytea NOT NULL CHECK (length(seed) = 16),
  result          text COLLATE "C" NOT NULL,
  body_hash       bytea NOT NULL CHECK (length(body_hash) = 32)
) WITH (toast_tuple_target = 8160);
CREATE TRIGGER audit_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  EXECUTE FUNCTION refuse('the audit log is append-only');

CREATE TABLE idempotency (
  client_id    text COLLATE "C" NOT NULL,
  key          text COLLATE "C" NOT NULL,
  request      bytea NOT NULL CHECK (length(request) = 32),
  status       bigint NOT NULL,
  body         bytea NOT NULL,
  content_type text COLLATE "C" NOT NULL,
  location     text COLLATE "C" NOT NULL,
  etag         text COLLATE "C" NOT NULL,
  q            bigint NOT NULL,
  at           timestamptz,
  company_id   bigint NOT NULL,
  PRIMARY KEY (client_id, key)
) WITH (toast_tuple_target = 8160);
CREATE TRIGGER idempotency_keep BEFORE UPDATE ON idempotency -- ID3
  EXECUTE FUNCTION refuse('the first answer under a key stays');

CREATE TABLE clients (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL,
  name        text COLLATE "C" NOT NULL,
  scopes      text,
  per_minute  bigint NOT NULL,
  created_at  timestamptz,
  revoked_at  timestamptz
);

CREATE TABLE tokens (
  hash       bytea NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
  client_id  text COLLATE "C" NOT NULL REFERENCES clients,
  scopes     text,
  expires_at timestamptz,
  revoked_at timestamptz
);

CREATE FUNCTION tokens_scopes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM clients c WHERE c.id = NEW.client_id
                 AND coalesce(c.scopes, '[]')::jsonb @> coalesce(NEW.scopes, '[]')::jsonb) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a token has no scope that its client has not';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER tokens_scopes BEFORE INSERT OR UPDATE ON tokens -- AU3
  FOR EACH ROW EXECUTE FUNCTION tokens_scopes();

CREATE TABLE settings (
  name  text COLLATE "C" NOT NULL PRIMARY KEY,
  value bytea NOT NULL
);
