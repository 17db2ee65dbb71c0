-- The whole state of one book. Instants are microseconds since 1970 UTC, dates
-- days since 1970-01-01, amounts cents, booleans 0 or 1, nested members JSON.
-- A batch is merged before it is written, so an update may take several edges of
-- a life cycle at once: the triggers allow every path of OR1 and PA1, never back.

CREATE TABLE books (
  book          INTEGER PRIMARY KEY,
  q             INTEGER NOT NULL CHECK (q >= 0),
  hash          BLOB    NOT NULL CHECK (length(hash) = 32),
  at            INTEGER,
  business_date INTEGER,
  epoch         INTEGER NOT NULL
) STRICT;

INSERT INTO books VALUES (1, 0, zeroblob(32), NULL, NULL, 1);

CREATE TRIGGER books_grow BEFORE UPDATE ON books -- TM1, AU7
WHEN NEW.q < OLD.q OR NEW.at < OLD.at OR NEW.business_date < OLD.business_date
BEGIN SELECT raise(ABORT, 'the commit sequence and its time never go back'); END;
CREATE TRIGGER books_stay BEFORE DELETE ON books
BEGIN SELECT raise(ABORT, 'a book is never deleted'); END;

CREATE TABLE batches (
  id            BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
  node          TEXT    NOT NULL,
  first_q       INTEGER NOT NULL,
  last_q        INTEGER NOT NULL CHECK (last_q >= first_q),
  at            INTEGER,
  business_date INTEGER,
  rules         INTEGER NOT NULL,
  wire          TEXT    NOT NULL,
  digest        BLOB    NOT NULL CHECK (length(digest) = 32),
  hash          BLOB    NOT NULL CHECK (length(hash) = 32),
  tombstone     INTEGER NOT NULL CHECK (tombstone IN (0, 1))
) STRICT;
CREATE INDEX batches_at ON batches (at, last_q) WHERE tombstone = 0;
CREATE TRIGGER batches_keep BEFORE UPDATE ON batches
BEGIN SELECT raise(ABORT, 'batches are append-only'); END;
CREATE TRIGGER batches_stay BEFORE DELETE ON batches
BEGIN SELECT raise(ABORT, 'batches are append-only'); END;

CREATE TABLE merchants (
  id         TEXT    NOT NULL PRIMARY KEY,
  name       TEXT    NOT NULL,
  created_at INTEGER,
  updated_at INTEGER,
  version    INTEGER NOT NULL,
  q          INTEGER NOT NULL
) STRICT;

CREATE TABLE programmes (
  merchant_id    TEXT    NOT NULL REFERENCES merchants,
  version        INTEGER NOT NULL CHECK (version > 0),
  effective_from INTEGER,
  settings       TEXT    NOT NULL,
  q              INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, version)
) STRICT;
CREATE TRIGGER programmes_keep BEFORE UPDATE ON programmes
BEGIN SELECT raise(ABORT, 'programme versions are append-only'); END;
CREATE TRIGGER programmes_stay BEFORE DELETE ON programmes
BEGIN SELECT raise(ABORT, 'programme versions are append-only'); END;

CREATE TABLE companies (
  company_id       INTEGER PRIMARY KEY,
  name             TEXT    NOT NULL,
  legal_name       TEXT    NOT NULL,
  tax_id_last4     TEXT    NOT NULL,
  status           TEXT    NOT NULL
    CHECK (status IN ('PENDING', 'APPROVED', 'DECLINED', 'ON_HOLD', 'SUSPENDED', 'CLOSED')),
  status_code      TEXT    NOT NULL,
  status_message   TEXT    NOT NULL,
  phone            TEXT    NOT NULL,
  email            TEXT    NOT NULL,
  billing_address  TEXT    NOT NULL,
  tier             TEXT    NOT NULL,
  credit_limit     INTEGER NOT NULL CHECK (credit_limit >= 0),
  reserved         INTEGER NOT NULL CHECK (reserved >= 0),
  outstanding      INTEGER NOT NULL CHECK (outstanding >= 0),
  on_hold          INTEGER NOT NULL CHECK (on_hold >= 0),
  unapplied_credit INTEGER NOT NULL CHECK (unapplied_credit >= 0), -- PA6
  linked           TEXT,
  money_seq        INTEGER NOT NULL,
  shared           INTEGER NOT NULL CHECK (shared IN (0, 1)),
  created_at       INTEGER,
  updated_at       INTEGER,
  version          INTEGER NOT NULL,
  event_seq        INTEGER NOT NULL,
  q                INTEGER NOT NULL
) STRICT;
CREATE INDEX companies_created ON companies (created_at, company_id);
CREATE TRIGGER companies_version BEFORE UPDATE ON companies
WHEN NEW.version < OLD.version OR NEW.event_seq < OLD.event_seq
BEGIN SELECT raise(ABORT, 'the version of a company never goes back'); END;
CREATE TRIGGER companies_stay BEFORE DELETE ON companies
BEGIN SELECT raise(ABORT, 'a company is never deleted'); END;

CREATE TABLE company_history (
  company_id       INTEGER NOT NULL,
  until_q          INTEGER NOT NULL,
  name             TEXT    NOT NULL,
  legal_name       TEXT    NOT NULL,
  tax_id_last4     TEXT    NOT NULL,
  status           TEXT    NOT NULL,
  status_code      TEXT    NOT NULL,
  status_message   TEXT    NOT NULL,
  phone            TEXT    NOT NULL,
  email            TEXT    NOT NULL,
  billing_address  TEXT    NOT NULL,
  tier             TEXT    NOT NULL,
  credit_limit     INTEGER NOT NULL,
  reserved         INTEGER NOT NULL,
  outstanding      INTEGER NOT NULL,
  on_hold          INTEGER NOT NULL,
  unapplied_credit INTEGER NOT NULL,
  linked           TEXT,
  money_seq        INTEGER NOT NULL,
  shared           INTEGER NOT NULL,
  created_at       INTEGER,
  updated_at       INTEGER,
  version          INTEGER NOT NULL,
  event_seq        INTEGER NOT NULL,
  q                INTEGER NOT NULL,
  PRIMARY KEY (company_id, until_q)
) STRICT;
CREATE TRIGGER company_history_keep BEFORE UPDATE ON company_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;
CREATE TRIGGER company_history_stay BEFORE DELETE ON company_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;

CREATE TABLE company_merchants (
  company_id  INTEGER NOT NULL REFERENCES companies,
  merchant_id TEXT    NOT NULL REFERENCES merchants,
  created_at  INTEGER,
  PRIMARY KEY (company_id, merchant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX company_merchants_created ON company_merchants (merchant_id, created_at, company_id);

CREATE TABLE orders (
  order_key              TEXT    NOT NULL PRIMARY KEY,
  company_id             INTEGER NOT NULL REFERENCES companies,
  merchant_id            TEXT    NOT NULL REFERENCES merchants,
  merchant_order_id      TEXT,
  currency               TEXT    NOT NULL,
  amount                 INTEGER NOT NULL CHECK (amount BETWEEN 1 AND 1000000000), -- MN2
  status                 TEXT    NOT NULL
    CHECK (status IN ('CREATED', 'AUTHORIZED', 'CAPTURED', 'CANCELED', 'RETURNED')),
  financing_status       TEXT    NOT NULL
    CHECK (financing_status IN ('NONE', 'ACTIVE', 'PAID_OFF', 'OVERDUE', 'CHARGED_OFF')),
  installments           INTEGER NOT NULL CHECK (installments BETWEEN 0 AND 36),
  externally_managed     INTEGER NOT NULL CHECK (externally_managed IN (0, 1)),
  programme              INTEGER NOT NULL,
  terms                  TEXT,
  authorized_amount      INTEGER NOT NULL CHECK (authorized_amount >= 0),
  reserved               INTEGER NOT NULL CHECK (reserved >= 0),
  captured               INTEGER NOT NULL CHECK (captured BETWEEN 0 AND 1000000000),
  refunded               INTEGER NOT NULL CHECK (refunded BETWEEN 0 AND captured), -- RF1
  merchant_discount      INTEGER NOT NULL,
  merchant_discount_back INTEGER NOT NULL,
  capture_date           INTEGER,
  captured_at            INTEGER,
  authorized_at          INTEGER,
  expires_at             INTEGER,
  extended               INTEGER NOT NULL CHECK (extended IN (0, 1)),
  warned_for             INTEGER,
  canceled_at            INTEGER,
  cancel_reason          TEXT    NOT NULL,
  returned_at            INTEGER,
  merchant_status        TEXT    NOT NULL,
  cart                   TEXT,
  charges                TEXT,
  shipping               TEXT,
  billing                TEXT,
  metadata               TEXT,
  refunds                TEXT,
  invoice_id             TEXT,
  parent                 TEXT,
  checkout_id            TEXT,
  payout_id              TEXT,
  revision               INTEGER NOT NULL,
  created_at             INTEGER,
  updated_at             INTEGER,
  version                INTEGER NOT NULL,
  event_seq              INTEGER NOT NULL,
  q                      INTEGER NOT NULL,
  CHECK ((capture_date IS NULL) = (status IN ('CREATED', 'AUTHORIZED', 'CANCELED'))) -- OR3
) STRICT;
CREATE INDEX orders_created ON orders (created_at, order_key);
CREATE INDEX orders_merchant ON orders (merchant_id, created_at, order_key);
CREATE INDEX orders_status ON orders (merchant_id, status, created_at, order_key);
CREATE INDEX orders_updated ON orders (merchant_id, updated_at, created_at, order_key);
CREATE INDEX orders_captured ON orders (merchant_id, capture_date, created_at, order_key) WHERE capture_date IS NOT NULL;
CREATE INDEX orders_company ON orders (company_id, created_at, order_key);
CREATE INDEX orders_financing ON orders (merchant_id, financing_status, created_at, order_key)
  WHERE financing_status <> 'NONE';
CREATE INDEX orders_merchant_order ON orders (merchant_order_id) WHERE merchant_order_id IS NOT NULL;

CREATE TRIGGER orders_edges BEFORE UPDATE OF status ON orders -- OR1
WHEN OLD.status <> NEW.status AND NOT (
  OLD.status = 'CREATED' OR
  OLD.status = 'AUTHORIZED' AND NEW.status IN ('CAPTURED', 'CANCELED', 'RETURNED') OR
  OLD.status = 'CAPTURED' AND NEW.status = 'RETURNED')
BEGIN SELECT raise(ABORT, 'no such edge between statuses of an order'); END;
CREATE TRIGGER orders_version BEFORE UPDATE ON orders -- OR2
WHEN NEW.version < OLD.version OR NEW.event_seq < OLD.event_seq
BEGIN SELECT raise(ABORT, 'the version of an order never goes back'); END;
CREATE TRIGGER orders_identity BEFORE UPDATE ON orders -- OR4
WHEN (OLD.company_id, OLD.merchant_id, OLD.currency, OLD.parent) IS NOT
     (NEW.company_id, NEW.merchant_id, NEW.currency, NEW.parent)
BEGIN SELECT raise(ABORT, 'company, merchant, currency and parent of an order never change'); END;
CREATE TRIGGER orders_captured BEFORE UPDATE ON orders -- OR3, OR4
WHEN OLD.capture_date IS NOT NULL AND
     (OLD.capture_date, OLD.amount, OLD.installments, OLD.terms, OLD.merchant_order_id, OLD.cart, OLD.shipping,
      OLD.billing) IS NOT
     (NEW.capture_date, NEW.amount, NEW.installments, NEW.terms, NEW.merchant_order_id, NEW.cart, NEW.shipping,
      NEW.billing)
BEGIN SELECT raise(ABORT, 'a captured order keeps its date, amount, terms and goods'); END;
CREATE TRIGGER orders_stay BEFORE DELETE ON orders
BEGIN SELECT raise(ABORT, 'an order is never deleted'); END;

CREATE TABLE order_history (
  order_key              TEXT    NOT NULL,
  until_q                INTEGER NOT NULL,
  company_id             INTEGER NOT NULL,
  merchant_id            TEXT    NOT NULL,
  merchant_order_id      TEXT,
  currency               TEXT    NOT NULL,
  amount                 INTEGER NOT NULL,
  status                 TEXT    NOT NULL,
  financing_status       TEXT    NOT NULL,
  installments           INTEGER NOT NULL,
  externally_managed     INTEGER NOT NULL,
  programme              INTEGER NOT NULL,
  terms                  TEXT,
  authorized_amount      INTEGER NOT NULL,
  reserved               INTEGER NOT NULL,
  captured               INTEGER NOT NULL,
  refunded               INTEGER NOT NULL,
  merchant_discount      INTEGER NOT NULL,
  merchant_discount_back INTEGER NOT NULL,
  capture_date           INTEGER,
  captured_at            INTEGER,
  authorized_at          INTEGER,
  expires_at             INTEGER,
  extended               INTEGER NOT NULL,
  warned_for             INTEGER,
  canceled_at            INTEGER,
  cancel_reason          TEXT    NOT NULL,
  returned_at            INTEGER,
  merchant_status        TEXT    NOT NULL,
  cart                   TEXT,
  charges                TEXT,
  shipping               TEXT,
  billing                TEXT,
  metadata               TEXT,
  refunds                TEXT,
  invoice_id             TEXT,
  parent                 TEXT,
  checkout_id            TEXT,
  payout_id              TEXT,
  revision               INTEGER NOT NULL,
  created_at             INTEGER,
  updated_at             INTEGER,
  version                INTEGER NOT NULL,
  event_seq              INTEGER NOT NULL,
  q                      INTEGER NOT NULL,
  PRIMARY KEY (order_key, until_q)
) STRICT;
CREATE TRIGGER order_history_keep BEFORE UPDATE ON order_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;
CREATE TRIGGER order_history_stay BEFORE DELETE ON order_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;

CREATE TABLE loans (
  order_key     TEXT    NOT NULL PRIMARY KEY,
  company_id    INTEGER NOT NULL,
  merchant_id   TEXT    NOT NULL,
  captured_at   INTEGER NOT NULL,
  terms         TEXT    NOT NULL,
  level_payment INTEGER NOT NULL,
  as_of         INTEGER,
  current       INTEGER NOT NULL,
  slices        INTEGER NOT NULL,
  carried       INTEGER NOT NULL,
  earned        INTEGER NOT NULL,
  earned_from   INTEGER,
  prepaid       TEXT,
  refunded      INTEGER NOT NULL,
  waived        INTEGER NOT NULL,
  q             INTEGER NOT NULL
) STRICT;
CREATE INDEX loans_company ON loans (company_id, captured_at, order_key);
CREATE TRIGGER loans_parent BEFORE INSERT ON loans -- AU1
WHEN NOT EXISTS (SELECT 1 FROM orders o WHERE o.order_key = NEW.order_key AND o.company_id = NEW.company_id
                 AND o.merchant_id = NEW.merchant_id)
BEGIN SELECT raise(ABORT, 'a loan belongs to the company and merchant of its order'); END;
CREATE TRIGGER loans_stay BEFORE DELETE ON loans
BEGIN SELECT raise(ABORT, 'a loan is never deleted'); END;

CREATE TABLE installments (
  order_key           TEXT    NOT NULL REFERENCES loans,
  number              INTEGER NOT NULL CHECK (number > 0),
  company_id          INTEGER NOT NULL,
  merchant_id         TEXT    NOT NULL,
  due_date            INTEGER,
  target              INTEGER NOT NULL,
  principal           INTEGER NOT NULL CHECK (principal >= 0), -- SC1
  finance_charge      INTEGER NOT NULL CHECK (finance_charge >= 0),
  paid_principal      INTEGER NOT NULL CHECK (paid_principal BETWEEN 0 AND principal), -- SC5
  paid_finance_charge INTEGER NOT NULL CHECK (paid_finance_charge BETWEEN 0 AND finance_charge),
  recognised          INTEGER NOT NULL,
  paid_on             INTEGER,
  canceled            INTEGER NOT NULL CHECK (canceled IN (0, 1)),
  PRIMARY KEY (order_key, number)
) STRICT, WITHOUT ROWID;
-- Rows that still owe something, by company for what is past due and by date for
-- what falls due.
CREATE INDEX installments_open ON installments (company_id, due_date)
  WHERE canceled = 0 AND principal + finance_charge > paid_principal + paid_finance_charge;
CREATE INDEX installments_due ON installments (due_date, order_key)
  WHERE canceled = 0 AND principal + finance_charge > paid_principal + paid_finance_charge;

CREATE TABLE fees (
  order_key   TEXT    NOT NULL REFERENCES loans,
  n           INTEGER NOT NULL,
  company_id  INTEGER NOT NULL,
  id          TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  installment INTEGER NOT NULL,
  assessed_on INTEGER,
  amount      INTEGER NOT NULL CHECK (amount >= 0),
  paid        INTEGER NOT NULL CHECK (paid BETWEEN 0 AND amount),
  PRIMARY KEY (order_key, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE payments (
  id                TEXT    NOT NULL PRIMARY KEY,
  company_id        INTEGER NOT NULL REFERENCES companies,
  merchant_id       TEXT    NOT NULL,
  order_merchant_id TEXT    NOT NULL,
  order_key         TEXT,
  invoice_id        TEXT,
  amount            INTEGER NOT NULL CHECK (amount > 0), -- MN2
  currency          TEXT    NOT NULL,
  status            TEXT    NOT NULL
    CHECK (status IN ('SCHEDULED', 'PENDING', 'SUCCEEDED', 'FAILED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'RETURNED',
                      'CANCELED')),
  method            TEXT    NOT NULL CHECK (method IN ('ACH', 'CARD', 'CHECK', 'WIRE', 'CASH', 'OTHER')),
  direction         TEXT    NOT NULL CHECK (direction IN ('IN', 'OUT')),
  scheduled_date    INTEGER,
  effective_date    INTEGER,
  reference         TEXT    NOT NULL,
  external_id       TEXT,
  memo              TEXT    NOT NULL,
  hold_excess       INTEGER NOT NULL CHECK (hold_excess IN (0, 1)),
  refunded          INTEGER NOT NULL CHECK (refunded BETWEEN 0 AND amount), -- RF2
  unapplied         INTEGER NOT NULL CHECK (unapplied >= 0),
  allocations       TEXT,
  refunds           TEXT,
  failure           TEXT,
  attempt           INTEGER NOT NULL,
  from_merchant     INTEGER NOT NULL CHECK (from_merchant IN (0, 1)),
  created_at        INTEGER,
  updated_at        INTEGER,
  submitted_at      INTEGER,
  settled_at        INTEGER,
  version           INTEGER NOT NULL,
  event_seq         INTEGER NOT NULL,
  q                 INTEGER NOT NULL
) STRICT;
CREATE INDEX payments_created ON payments (created_at, id);
CREATE INDEX payments_merchant ON payments (merchant_id, created_at, id);
CREATE INDEX payments_order_merchant ON payments (order_merchant_id, created_at, id)
  WHERE order_merchant_id <> '' AND order_merchant_id <> merchant_id;
CREATE INDEX payments_company ON payments (company_id, created_at, id);
CREATE INDEX payments_order ON payments (order_key, created_at, id) WHERE order_key IS NOT NULL;
CREATE INDEX payments_invoice ON payments (invoice_id, created_at, id) WHERE invoice_id IS NOT NULL;

CREATE TRIGGER payments_parent BEFORE INSERT ON payments -- AU1, PA4, MN4
WHEN NEW.order_key IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM orders o WHERE o.order_key = NEW.order_key AND o.company_id = NEW.company_id
  AND o.merchant_id = NEW.order_merchant_id AND o.currency = NEW.currency)
BEGIN SELECT raise(ABORT, 'a payment has the company and currency of its order'); END;
CREATE TRIGGER payments_edges BEFORE UPDATE OF status ON payments -- PA1
WHEN OLD.status <> NEW.status AND NOT (
  OLD.status = 'SCHEDULED' OR
  OLD.status = 'PENDING' AND NEW.status <> 'SCHEDULED' OR
  OLD.status = 'SUCCEEDED' AND NEW.status IN ('PARTIALLY_REFUNDED', 'REFUNDED', 'RETURNED') OR
  OLD.status = 'PARTIALLY_REFUNDED' AND NEW.status IN ('REFUNDED', 'RETURNED') OR
  OLD.status = 'REFUNDED' AND NEW.status = 'RETURNED' OR
  OLD.status = 'RETURNED' AND NEW.status = 'SUCCEEDED')
BEGIN SELECT raise(ABORT, 'no such edge between statuses of a payment'); END;
CREATE TRIGGER payments_identity BEFORE UPDATE ON payments
WHEN NEW.version < OLD.version OR NEW.event_seq < OLD.event_seq OR
     (OLD.company_id, OLD.merchant_id, OLD.order_key, OLD.amount, OLD.currency, OLD.direction) IS NOT
     (NEW.company_id, NEW.merchant_id, NEW.order_key, NEW.amount, NEW.currency, NEW.direction)
BEGIN SELECT raise(ABORT, 'parties, amount and currency of a payment never change'); END;
CREATE TRIGGER payments_stay BEFORE DELETE ON payments
BEGIN SELECT raise(ABORT, 'a payment is never deleted'); END;

CREATE TABLE invoices (
  id          TEXT    NOT NULL PRIMARY KEY,
  number      TEXT    NOT NULL,
  order_key   TEXT    NOT NULL,
  company_id  INTEGER NOT NULL,
  merchant_id TEXT    NOT NULL,
  amount_due  INTEGER NOT NULL,
  paid        INTEGER NOT NULL CHECK (paid >= 0),
  status      TEXT    NOT NULL CHECK (status IN ('OPEN', 'PAID', 'PAST_DUE', 'VOID')),
  issued_at   INTEGER,
  due_date    INTEGER,
  lines       TEXT,
  updated_at  INTEGER,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  q           INTEGER NOT NULL
) STRICT;
CREATE INDEX invoices_created ON invoices (issued_at, id);
CREATE INDEX invoices_merchant ON invoices (merchant_id, issued_at, id);
CREATE INDEX invoices_company ON invoices (company_id, issued_at, id);
CREATE INDEX invoices_order ON invoices (order_key, issued_at, id);
CREATE TRIGGER invoices_parent BEFORE INSERT ON invoices -- AU1
WHEN NOT EXISTS (SELECT 1 FROM orders o WHERE o.order_key = NEW.order_key AND o.company_id = NEW.company_id
                 AND o.merchant_id = NEW.merchant_id)
BEGIN SELECT raise(ABORT, 'an invoice belongs to the company and merchant of its order'); END;
CREATE TRIGGER invoices_stay BEFORE DELETE ON invoices
BEGIN SELECT raise(ABORT, 'an invoice is never deleted'); END;

CREATE TABLE credits (
  company_id INTEGER NOT NULL REFERENCES companies,
  source     TEXT    NOT NULL,
  q          INTEGER NOT NULL,
  n          INTEGER NOT NULL,
  order_key  TEXT,
  opened_on  INTEGER,
  amount     INTEGER NOT NULL CHECK (amount > 0), -- PA6
  hold       INTEGER NOT NULL CHECK (hold IN (0, 1)),
  PRIMARY KEY (company_id, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE money_events (
  id             TEXT    NOT NULL PRIMARY KEY,
  q              INTEGER NOT NULL,
  n              INTEGER NOT NULL,
  company_id     INTEGER NOT NULL REFERENCES companies,
  kind           TEXT    NOT NULL,
  effective_date INTEGER,
  seq            INTEGER NOT NULL,
  order_key      TEXT,
  payment_id     TEXT,
  amount         INTEGER NOT NULL,
  event          TEXT    NOT NULL,
  touches        TEXT,
  posted         TEXT,
  returned       INTEGER NOT NULL CHECK (returned IN (0, 1)),
  recorded_at    INTEGER
) STRICT;
CREATE TRIGGER money_events_stay BEFORE DELETE ON money_events
BEGIN SELECT raise(ABORT, 'a money event is never deleted'); END;

CREATE TABLE money_touches (
  order_key  TEXT    NOT NULL,
  event_id   TEXT    NOT NULL REFERENCES money_events,
  company_id INTEGER NOT NULL,
  PRIMARY KEY (order_key, event_id)
) STRICT, WITHOUT ROWID;

-- The lines of an entry are written first and the entry closes them: its trigger
-- adds them up, and after it no line can join (LG1, LG4).
CREATE TABLE postings (
  q           INTEGER NOT NULL,
  n           INTEGER NOT NULL,
  line        INTEGER NOT NULL,
  account     INTEGER NOT NULL,
  amount      INTEGER NOT NULL CHECK (amount <> 0), -- LG1
  company_id  INTEGER NOT NULL,
  merchant_id TEXT    NOT NULL,
  order_key   TEXT,
  payment_id  TEXT    NOT NULL,
  installment INTEGER NOT NULL,
  PRIMARY KEY (q, n, line),
  FOREIGN KEY (q, n) REFERENCES entries DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX postings_order ON postings (order_key, q, n) WHERE order_key IS NOT NULL;
CREATE TRIGGER postings_closed BEFORE INSERT ON postings
WHEN EXISTS (SELECT 1 FROM entries e WHERE e.q = NEW.q AND e.n = NEW.n)
BEGIN SELECT raise(ABORT, 'a written entry takes no more lines'); END;
CREATE TRIGGER postings_keep BEFORE UPDATE ON postings
BEGIN SELECT raise(ABORT, 'postings are append-only'); END;
CREATE TRIGGER postings_stay BEFORE DELETE ON postings
BEGIN SELECT raise(ABORT, 'postings are append-only'); END;

CREATE TABLE entries (
  q          INTEGER NOT NULL,
  n          INTEGER NOT NULL,
  id         TEXT    NOT NULL,
  company_id INTEGER NOT NULL,
  book_date  INTEGER NOT NULL,
  value_date INTEGER NOT NULL CHECK (value_date <= book_date), -- LG7
  event      TEXT    NOT NULL,
  cause      TEXT    NOT NULL,
  currency   TEXT    NOT NULL,
  reverses   TEXT,
  at         INTEGER,
  PRIMARY KEY (q, n)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX entries_id ON entries (id);
CREATE UNIQUE INDEX entries_reverses ON entries (reverses) WHERE reverses IS NOT NULL; -- LG4
CREATE TRIGGER entries_balance BEFORE INSERT ON entries -- LG1, LG2
WHEN (SELECT count(*) < 2 OR sum(p.amount) <> 0 OR sum(p.amount * (p.account >= 9000)) <> 0
      FROM postings p WHERE p.q = NEW.q AND p.n = NEW.n)
BEGIN SELECT raise(ABORT, 'an entry has at least two lines that sum to zero'); END;
CREATE TRIGGER entries_reversal BEFORE INSERT ON entries -- LG4
WHEN NEW.reverses IS NOT NULL AND
     NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = NEW.reverses AND e.reverses IS NULL)
BEGIN SELECT raise(ABORT, 'a reversal names an entry that is no reversal'); END;
CREATE TRIGGER entries_keep BEFORE UPDATE ON entries
BEGIN SELECT raise(ABORT, 'entries are append-only'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries
BEGIN SELECT raise(ABORT, 'entries are append-only'); END;

-- The order goes first: what is written together lies together.
CREATE TABLE balances (
  order_key   TEXT    NOT NULL,
  company_id  INTEGER NOT NULL,
  account     INTEGER NOT NULL,
  merchant_id TEXT    NOT NULL,
  currency    TEXT    NOT NULL,
  amount      INTEGER NOT NULL,
  PRIMARY KEY (order_key, company_id, account, merchant_id, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  q           INTEGER NOT NULL,
  n           INTEGER NOT NULL,
  id          TEXT    NOT NULL,
  type        TEXT    NOT NULL,
  object_type TEXT    NOT NULL,
  object_id   TEXT    NOT NULL,
  sequence    INTEGER NOT NULL CHECK (sequence > 0),
  company_id  INTEGER NOT NULL,
  merchant_id TEXT    NOT NULL,
  at          INTEGER,
  payload     TEXT,
  previous    INTEGER GENERATED ALWAYS AS (nullif(sequence - 1, 0)) VIRTUAL,
  PRIMARY KEY (q, n),
  -- EV1: no gaps. A trigger would say the same, but SQLite copies the rows of an
  -- INSERT … SELECT into a temporary table first if there is one.
  FOREIGN KEY (object_type, object_id, previous) REFERENCES events (object_type, object_id, sequence)
) STRICT;
CREATE UNIQUE INDEX events_id ON events (id);
CREATE UNIQUE INDEX events_object ON events (object_type, object_id, sequence);
CREATE TRIGGER events_keep BEFORE UPDATE ON events
BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN SELECT raise(ABORT, 'events are append-only'); END;

CREATE TABLE claims (
  kind  TEXT    NOT NULL,
  scope TEXT    NOT NULL,
  name  TEXT    NOT NULL,
  owner TEXT    NOT NULL CHECK (owner <> ''),
  q     INTEGER NOT NULL,
  PRIMARY KEY (kind, scope, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  q               INTEGER PRIMARY KEY,
  at              INTEGER,
  client_id       TEXT    NOT NULL,
  merchant_id     TEXT    NOT NULL,
  operator        INTEGER NOT NULL CHECK (operator IN (0, 1)),
  request_id      TEXT    NOT NULL,
  idempotency_key TEXT    NOT NULL,
  address         TEXT    NOT NULL,
  company_id      INTEGER NOT NULL,
  object          TEXT    NOT NULL,
  command         TEXT    NOT NULL,
  payload         TEXT,
  seed            BLOB    NOT NULL CHECK (length(seed) = 16),
  result          TEXT    NOT NULL,
  body_hash       BLOB    NOT NULL CHECK (length(body_hash) = 32)
) STRICT;
CREATE TRIGGER audit_keep BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_stay BEFORE DELETE ON audit
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;

CREATE TABLE idempotency (
  client_id    TEXT    NOT NULL,
  key          TEXT    NOT NULL,
  request      BLOB    NOT NULL CHECK (length(request) = 32),
  status       INTEGER NOT NULL,
  body         BLOB    NOT NULL,
  content_type TEXT    NOT NULL,
  location     TEXT    NOT NULL,
  etag         TEXT    NOT NULL,
  q            INTEGER NOT NULL,
  at           INTEGER,
  company_id   INTEGER NOT NULL,
  PRIMARY KEY (client_id, key)
) STRICT;
CREATE TRIGGER idempotency_keep BEFORE UPDATE ON idempotency -- ID3
BEGIN SELECT raise(ABORT, 'the first answer under a key stays'); END;

CREATE TABLE clients (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  scopes      TEXT,
  per_minute  INTEGER NOT NULL,
  created_at  INTEGER,
  revoked_at  INTEGER
) STRICT;

CREATE TABLE tokens (
  hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
  client_id  TEXT    NOT NULL REFERENCES clients,
  scopes     TEXT,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE TRIGGER tokens_scopes BEFORE INSERT ON tokens -- AU3
WHEN EXISTS (SELECT value FROM json_each(NEW.scopes) EXCEPT
             SELECT s.value FROM clients c, json_each(c.scopes) s WHERE c.id = NEW.client_id)
BEGIN SELECT raise(ABORT, 'a token has no scope that its client has not'); END;

CREATE TABLE settings (
  name  TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;
