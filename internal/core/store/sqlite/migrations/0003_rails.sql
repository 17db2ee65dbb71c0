-- Money in and out: payment methods, transfers, payouts with their lines, notices of
-- adverse actions, closed months, and the exchange with banks and processors.
--
-- New columns of old tables come last: no statement relies on the order of columns,
-- and nothing that is there has to be written again for them. What they hold until
-- now is what the program writes for nothing.

ALTER TABLE merchants ADD COLUMN account TEXT NOT NULL DEFAULT '{"bank":null,"debits":false}';
ALTER TABLE companies ADD COLUMN servicing TEXT NOT NULL DEFAULT '{"autopay":{"enabled":false,"payment_method_id":""}}';
ALTER TABLE company_history ADD COLUMN servicing TEXT NOT NULL DEFAULT '{"autopay":{"enabled":false,"payment_method_id":""}}';

-- A payout's lines say which orders are in it.
ALTER TABLE orders DROP COLUMN payout_id;
ALTER TABLE order_history DROP COLUMN payout_id;
ALTER TABLE orders ADD COLUMN next_at INTEGER;
ALTER TABLE orders ADD COLUMN servicing TEXT NOT NULL DEFAULT '{}';
ALTER TABLE order_history ADD COLUMN next_at INTEGER;
ALTER TABLE order_history ADD COLUMN servicing TEXT NOT NULL DEFAULT '{}';
-- Nobody has said yet when time changes an order that is open: it is looked at once.
UPDATE orders SET next_at = updated_at WHERE status = 'AUTHORIZED' OR financing_status IN ('ACTIVE', 'OVERDUE');
CREATE INDEX orders_next ON orders (next_at, order_key) WHERE next_at IS NOT NULL;

ALTER TABLE loans ADD COLUMN charged_off INTEGER NOT NULL DEFAULT 0 CHECK (charged_off IN (0, 1)); -- F17

ALTER TABLE payments ADD COLUMN payment_method_id TEXT;
ALTER TABLE payments ADD COLUMN transfer_id TEXT;
ALTER TABLE payments ADD COLUMN original_id TEXT;
ALTER TABLE payments ADD COLUMN items TEXT;
ALTER TABLE payments ADD COLUMN autopay INTEGER NOT NULL DEFAULT 0 CHECK (autopay IN (0, 1));
ALTER TABLE payments ADD COLUMN fee_assessed INTEGER NOT NULL DEFAULT 0 CHECK (fee_assessed IN (0, 1));
ALTER TABLE payments ADD COLUMN on_hold INTEGER NOT NULL DEFAULT 0 CHECK (on_hold BETWEEN 0 AND amount); -- F24

-- The trial balance at a day, and an account's lines that are of no order: the others
-- are found through the company's orders.
CREATE INDEX entries_book ON entries (book_date, q, n);
CREATE INDEX postings_company ON postings (company_id, q, n) WHERE order_key IS NULL AND company_id <> 0;

CREATE TABLE payment_methods (
  id                   TEXT    NOT NULL PRIMARY KEY,
  company_id           INTEGER NOT NULL REFERENCES companies,
  merchant_id          TEXT    NOT NULL,
  type                 TEXT    NOT NULL CHECK (type IN ('ACH', 'CARD')),
  status               TEXT    NOT NULL CHECK (status IN ('UNVERIFIED', 'ACTIVE', 'DISABLED')),
  disabled_reason      TEXT    NOT NULL,
  bank                 TEXT,
  card                 TEXT,
  debtor_authorization TEXT    NOT NULL,
  verification         TEXT,
  first_settled        INTEGER,
  created_at           INTEGER,
  updated_at           INTEGER,
  version              INTEGER NOT NULL CHECK (version > 0),
  q                    INTEGER NOT NULL,
  CHECK ((type = 'ACH') = (bank IS NOT NULL) AND (type = 'CARD') = (card IS NOT NULL)),
  CHECK ((status = 'DISABLED') = (disabled_reason <> ''))
) STRICT;
CREATE INDEX payment_methods_company ON payment_methods (company_id, created_at, id);
CREATE TRIGGER payment_methods_identity BEFORE UPDATE ON payment_methods
WHEN NEW.version < OLD.version OR
     (OLD.company_id, OLD.merchant_id, OLD.type) IS NOT (NEW.company_id, NEW.merchant_id, NEW.type)
BEGIN SELECT raise(ABORT, 'a payment method keeps its company and type'); END;
CREATE TRIGGER payment_methods_stay BEFORE DELETE ON payment_methods
BEGIN SELECT raise(ABORT, 'a payment method is never deleted'); END;

CREATE TRIGGER payments_method BEFORE INSERT ON payments -- AU1
WHEN NEW.payment_method_id IS NOT NULL AND
     NOT EXISTS (SELECT 1 FROM payment_methods m WHERE m.id = NEW.payment_method_id AND m.company_id = NEW.company_id)
BEGIN SELECT raise(ABORT, 'a payment is made with a payment method of its company'); END;

-- A card dispute that is won makes a payment what it was before: refunds of it too.
DROP TRIGGER payments_edges;
CREATE TRIGGER payments_edges BEFORE UPDATE OF status ON payments -- PA1
WHEN OLD.status <> NEW.status AND NOT (
  OLD.status = 'SCHEDULED' OR
  OLD.status = 'PENDING' AND NEW.status <> 'SCHEDULED' OR
  OLD.status = 'SUCCEEDED' AND NEW.status IN ('PARTIALLY_REFUNDED', 'REFUNDED', 'RETURNED') OR
  OLD.status = 'PARTIALLY_REFUNDED' AND NEW.status IN ('REFUNDED', 'RETURNED') OR
  OLD.status = 'REFUNDED' AND NEW.status = 'RETURNED' OR
  OLD.status = 'RETURNED' AND NEW.status = 'SUCCEEDED' OR
  OLD.status = 'RETURNED' AND NEW.status IN ('PARTIALLY_REFUNDED', 'REFUNDED') AND NEW.method = 'CARD')
BEGIN SELECT raise(ABORT, 'no such edge between statuses of a payment'); END;

CREATE TABLE payouts (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT    NOT NULL REFERENCES merchants,
  status      TEXT    NOT NULL CHECK (status IN ('PENDING', 'SENT', 'SETTLED', 'FAILED')),
  run_on      INTEGER CHECK (run_on IS NOT NULL),
  gross       INTEGER NOT NULL CHECK (gross >= 0),
  discount    INTEGER NOT NULL CHECK (discount >= 0),
  refunds     INTEGER NOT NULL CHECK (refunds >= 0),
  repaid      INTEGER NOT NULL CHECK (repaid >= 0),
  clawback    INTEGER NOT NULL CHECK (clawback >= 0),
  collected   INTEGER NOT NULL CHECK (collected >= 0),
  net         INTEGER NOT NULL CHECK (net >= 0), -- PO3
  transfer_id TEXT,
  failure     TEXT,
  created_at  INTEGER,
  updated_at  INTEGER,
  sent_at     INTEGER,
  settled_at  INTEGER,
  version     INTEGER NOT NULL CHECK (version > 0),
  event_seq   INTEGER NOT NULL,
  q           INTEGER NOT NULL,
  CHECK (net = gross - discount - refunds + repaid - clawback - collected) -- PO2
) STRICT;
CREATE INDEX payouts_created ON payouts (created_at, id);
CREATE INDEX payouts_merchant ON payouts (merchant_id, created_at, id);
CREATE INDEX payouts_status ON payouts (status, created_at, id) WHERE status <> 'SETTLED';
CREATE TRIGGER payouts_edges BEFORE UPDATE OF status ON payouts -- PO4; one that has settled may come back
WHEN OLD.status <> NEW.status AND NOT (
  OLD.status = 'PENDING' OR
  OLD.status = 'SENT' AND NEW.status IN ('SETTLED', 'FAILED') OR
  OLD.status = 'SETTLED' AND NEW.status = 'FAILED')
BEGIN SELECT raise(ABORT, 'no such edge between statuses of a payout'); END;
CREATE TRIGGER payouts_identity BEFORE UPDATE ON payouts
WHEN NEW.version < OLD.version OR NEW.event_seq < OLD.event_seq OR
     (OLD.merchant_id, OLD.run_on, OLD.gross, OLD.discount, OLD.refunds, OLD.repaid, OLD.clawback, OLD.collected, OLD.net) IS NOT
     (NEW.merchant_id, NEW.run_on, NEW.gross, NEW.discount, NEW.refunds, NEW.repaid, NEW.clawback, NEW.collected, NEW.net)
BEGIN SELECT raise(ABORT, 'merchant, day and amounts of a payout never change'); END;
CREATE TRIGGER payouts_stay BEFORE DELETE ON payouts
BEGIN SELECT raise(ABORT, 'a payout is never deleted'); END;

CREATE TABLE payout_lines (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT    NOT NULL REFERENCES merchants,
  kind        TEXT    NOT NULL CHECK (kind IN ('CAPTURE', 'CLAWBACK', 'COLLECTED', 'REPAID', 'CARRIED')),
  company_id  INTEGER NOT NULL,
  order_key   TEXT,
  of_key      TEXT    NOT NULL,
  source      TEXT    NOT NULL,
  gross       INTEGER NOT NULL CHECK (gross >= 0),
  discount    INTEGER NOT NULL CHECK (discount >= 0),
  refunds     INTEGER NOT NULL CHECK (refunds >= 0),
  amount      INTEGER NOT NULL CHECK (amount >= 0),
  netted      INTEGER NOT NULL CHECK (netted BETWEEN 0 AND amount),
  due_on      INTEGER CHECK (due_on IS NOT NULL),
  payout_id   TEXT,
  at          INTEGER,
  version     INTEGER NOT NULL CHECK (version > 0),
  q           INTEGER NOT NULL,
  CHECK (of_key = coalesce(order_key, CAST(company_id AS TEXT))),
  CHECK (kind <> 'CAPTURE' OR amount = gross - discount - refunds), -- PO2
  CHECK (kind IN ('CLAWBACK', 'COLLECTED') OR netted = 0)
) STRICT;
CREATE INDEX payout_lines_waiting ON payout_lines (merchant_id, due_on, id) WHERE payout_id IS NULL;
CREATE INDEX payout_lines_of ON payout_lines (of_key, due_on, id);
CREATE INDEX payout_lines_payout ON payout_lines (payout_id, due_on, id) WHERE payout_id IS NOT NULL;
CREATE TRIGGER payout_lines_parent BEFORE INSERT ON payout_lines -- AU1
WHEN NEW.order_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.order_key = NEW.order_key
     AND o.company_id = NEW.company_id AND o.merchant_id = NEW.merchant_id)
BEGIN SELECT raise(ABORT, 'a payout line belongs to the company and merchant of its order'); END;
-- What has ended a line is known: a payout of the same merchant, a transfer that debited
-- the merchant, an entry of the books that wrote it off or remitted it, or, if nothing
-- was left of it, what it came from. So lines are written after all of these.
CREATE TRIGGER payout_lines_end BEFORE INSERT ON payout_lines -- PO2
WHEN NEW.payout_id <> NEW.source AND
     NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = NEW.payout_id AND p.merchant_id = NEW.merchant_id) AND
     NOT EXISTS (SELECT 1 FROM transfers t WHERE t.id = NEW.payout_id AND t.merchant_id = NEW.merchant_id) AND
     NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = NEW.payout_id)
BEGIN SELECT raise(ABORT, 'the merchant has no payout, debit or entry that ends the line'); END;
CREATE TRIGGER payout_lines_end_later BEFORE UPDATE OF payout_id ON payout_lines -- PO2
WHEN NEW.payout_id <> NEW.source AND
     NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = NEW.payout_id AND p.merchant_id = NEW.merchant_id) AND
     NOT EXISTS (SELECT 1 FROM transfers t WHERE t.id = NEW.payout_id AND t.merchant_id = NEW.merchant_id) AND
     NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = NEW.payout_id)
BEGIN SELECT raise(ABORT, 'the merchant has no payout, debit or entry that ends the line'); END;
CREATE TRIGGER payout_lines_identity BEFORE UPDATE ON payout_lines -- PO2
WHEN NEW.version < OLD.version OR OLD.payout_id IS NOT NULL AND
     (OLD.payout_id, OLD.gross, OLD.discount, OLD.refunds, OLD.amount, OLD.netted) IS NOT
     (NEW.payout_id, NEW.gross, NEW.discount, NEW.refunds, NEW.amount, NEW.netted) OR
     (OLD.merchant_id, OLD.kind, OLD.company_id, OLD.order_key, OLD.of_key, OLD.source, OLD.due_on) IS NOT
     (NEW.merchant_id, NEW.kind, NEW.company_id, NEW.order_key, NEW.of_key, NEW.source, NEW.due_on)
BEGIN SELECT raise(ABORT, 'a payout line keeps what it is of and its day, and one that has ended stays as it is'); END;
CREATE TRIGGER payout_lines_stay BEFORE DELETE ON payout_lines
BEGIN SELECT raise(ABORT, 'a payout line is never deleted'); END;

-- Of many all but a few have settled: what is still to come, what went wrong and what
-- stands in no file have indexes of their own.
CREATE TABLE transfers (
  id                TEXT    NOT NULL PRIMARY KEY,
  rail              TEXT    NOT NULL CHECK (rail IN ('ACH', 'CARD')),
  kind              TEXT    NOT NULL
    CHECK (kind IN ('PAYMENT', 'REFUND', 'CREDIT', 'PAYOUT', 'CLAWBACK', 'PRENOTE', 'MICRO')),
  company_id        INTEGER NOT NULL,
  merchant_id       TEXT    NOT NULL,
  payment_id        TEXT,
  refund_id         TEXT,
  payout_id         TEXT,
  payment_method_id TEXT,
  amount            INTEGER NOT NULL CHECK (amount > 0 OR amount = 0 AND kind = 'PRENOTE'), -- MN2
  entry_description TEXT    NOT NULL,
  status            TEXT    NOT NULL
    CHECK (status IN ('QUEUED', 'SENT', 'SETTLED', 'FAILED', 'RETURNED', 'CANCELED')),
  send_on           INTEGER,
  settles_on        INTEGER,
  release_on        INTEGER,
  next_at           INTEGER,
  return_code       TEXT    NOT NULL,
  reference         TEXT    NOT NULL,
  created_at        INTEGER,
  updated_at        INTEGER,
  sent_at           INTEGER,
  settled_at        INTEGER,
  version           INTEGER NOT NULL CHECK (version > 0),
  filed             INTEGER NOT NULL CHECK (filed IN (0, 1)),
  q                 INTEGER NOT NULL,
  CHECK ((company_id = 0) = (kind IN ('PAYOUT', 'CLAWBACK')) AND (merchant_id <> '') = (kind IN ('PAYOUT', 'CLAWBACK'))),
  CHECK (sent_at IS NOT NULL OR status NOT IN ('SENT', 'SETTLED'))
) STRICT;
CREATE INDEX transfers_next ON transfers (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX transfers_created ON transfers (created_at, id);
CREATE INDEX transfers_company ON transfers (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX transfers_merchant ON transfers (merchant_id, created_at, id) WHERE merchant_id <> '';
CREATE INDEX transfers_payment ON transfers (payment_id, created_at, id) WHERE payment_id IS NOT NULL;
CREATE UNIQUE INDEX transfers_collects ON transfers (payment_id) WHERE kind = 'PAYMENT'; -- PA9: a retry is a payment of its own
CREATE UNIQUE INDEX transfers_payout ON transfers (payout_id) WHERE payout_id IS NOT NULL; -- PO4
CREATE INDEX transfers_status ON transfers (status, created_at, id) WHERE status <> 'SETTLED';
CREATE INDEX transfers_card ON transfers (created_at, id) WHERE rail = 'CARD';
CREATE INDEX transfers_unfiled ON transfers (sent_at, id)
  WHERE filed = 0 AND rail = 'ACH' AND status IN ('SENT', 'SETTLED');
CREATE TRIGGER transfers_parent BEFORE INSERT ON transfers -- AU1
WHEN NEW.company_id <> 0 AND NOT EXISTS (SELECT 1 FROM companies c WHERE c.company_id = NEW.company_id) OR
     NEW.merchant_id <> '' AND NOT EXISTS (SELECT 1 FROM merchants m WHERE m.id = NEW.merchant_id) OR
     NEW.payment_id IS NOT NULL AND
     NOT EXISTS (SELECT 1 FROM payments p WHERE p.id = NEW.payment_id AND p.company_id = NEW.company_id) OR
     NEW.payment_method_id IS NOT NULL AND
     NOT EXISTS (SELECT 1 FROM payment_methods m WHERE m.id = NEW.payment_method_id AND m.company_id = NEW.company_id) OR
     NEW.payout_id IS NOT NULL AND
     NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = NEW.payout_id AND p.merchant_id = NEW.merchant_id)
BEGIN SELECT raise(ABORT, 'a transfer is of a payment, payment method or payout of its company or merchant'); END;
CREATE TRIGGER transfers_edges BEFORE UPDATE OF status ON transfers
WHEN OLD.status <> NEW.status AND NOT (
  OLD.status = 'QUEUED' OR
  OLD.status = 'SENT' AND NEW.status IN ('SETTLED', 'FAILED', 'RETURNED') OR
  OLD.status = 'SETTLED' AND NEW.status = 'RETURNED' OR
  OLD.status = 'RETURNED' AND NEW.status IN ('SENT', 'SETTLED') AND NEW.rail = 'CARD') -- a dispute that was won
BEGIN SELECT raise(ABORT, 'no such edge between statuses of a transfer'); END;
CREATE TRIGGER transfers_identity BEFORE UPDATE ON transfers
WHEN NEW.version < OLD.version OR NEW.filed < OLD.filed OR
     (OLD.rail, OLD.kind, OLD.company_id, OLD.merchant_id, OLD.payment_id, OLD.refund_id, OLD.payout_id,
      OLD.payment_method_id, OLD.amount, OLD.entry_description) IS NOT
     (NEW.rail, NEW.kind, NEW.company_id, NEW.merchant_id, NEW.payment_id, NEW.refund_id, NEW.payout_id,
      NEW.payment_method_id, NEW.amount, NEW.entry_description)
BEGIN SELECT raise(ABORT, 'what a transfer moves, and for whom, never changes'); END;
CREATE TRIGGER transfers_stay BEFORE DELETE ON transfers
BEGIN SELECT raise(ABORT, 'a transfer is never deleted'); END;

CREATE TABLE notices (
  id          TEXT    NOT NULL PRIMARY KEY,
  kind        TEXT    NOT NULL CHECK (kind IN ('LINE_DECREASE', 'SUSPENSION', 'CLOSURE')),
  company_id  INTEGER NOT NULL REFERENCES companies,
  action_at   INTEGER,
  clock_start INTEGER,
  due_on      INTEGER,
  sent_at     INTEGER,
  channel     TEXT    NOT NULL,
  reasons     TEXT,
  evidence    TEXT    NOT NULL,
  version     INTEGER NOT NULL CHECK (version > 0),
  q           INTEGER NOT NULL
) STRICT;
CREATE INDEX notices_action ON notices (action_at, id);
CREATE INDEX notices_company ON notices (company_id, action_at, id);
CREATE TRIGGER notices_identity BEFORE UPDATE ON notices -- F28
WHEN NEW.version < OLD.version OR OLD.sent_at IS NOT NULL AND OLD.sent_at IS NOT NEW.sent_at OR
     (OLD.kind, OLD.company_id, OLD.action_at, OLD.reasons) IS NOT (NEW.kind, NEW.company_id, NEW.action_at, NEW.reasons)
BEGIN SELECT raise(ABORT, 'a notice keeps its action and its reasons, and one that was sent stays sent'); END;
CREATE TRIGGER notices_stay BEFORE DELETE ON notices
BEGIN SELECT raise(ABORT, 'a notice is never deleted'); END;

CREATE TABLE periods (
  month     INTEGER PRIMARY KEY CHECK (strftime('%d', month * 86400, 'unixepoch') = '01'),
  closed_at INTEGER,
  debits    INTEGER NOT NULL CHECK (debits >= 0),
  q         INTEGER NOT NULL
) STRICT;
CREATE TRIGGER periods_keep BEFORE UPDATE ON periods
BEGIN SELECT raise(ABORT, 'closed months are append-only'); END;
CREATE TRIGGER periods_stay BEFORE DELETE ON periods
BEGIN SELECT raise(ABORT, 'closed months are append-only'); END;
-- A closed month of which this day is one begins at most 30 days before it.
CREATE TRIGGER entries_open BEFORE INSERT ON entries -- LG7
WHEN EXISTS (SELECT 1 FROM periods p WHERE p.month BETWEEN NEW.book_date - 30 AND NEW.book_date
     AND strftime('%m', p.month * 86400, 'unixepoch') = strftime('%m', NEW.book_date * 86400, 'unixepoch'))
BEGIN SELECT raise(ABORT, 'nothing is booked in a closed month'); END;

-- What goes to banks and comes from them (R17). Trace numbers begin again after the
-- last one of seven digits.
CREATE TABLE bank_files (
  id          TEXT    NOT NULL PRIMARY KEY,
  cut_off     INTEGER,
  state       TEXT    NOT NULL CHECK (state IN ('BUILT', 'SENT', 'ACCEPTED', 'REFUSED')),
  first_trace INTEGER NOT NULL CHECK (first_trace BETWEEN 1 AND 9999999),
  entries     INTEGER NOT NULL CHECK (entries > 0),
  debits      INTEGER NOT NULL CHECK (debits >= 0),
  credits     INTEGER NOT NULL CHECK (credits >= 0),
  created_at  INTEGER,
  moved_at    INTEGER
) STRICT;
CREATE INDEX bank_files_state ON bank_files (state, created_at, id);
CREATE TRIGGER bank_files_edges BEFORE UPDATE OF state ON bank_files
WHEN OLD.state <> NEW.state AND NOT (OLD.state = 'BUILT' OR OLD.state = 'SENT' AND NEW.state IN ('ACCEPTED', 'REFUSED'))
BEGIN SELECT raise(ABORT, 'the state of a file never goes back'); END;
CREATE TRIGGER bank_files_identity BEFORE UPDATE ON bank_files
WHEN (OLD.id, OLD.cut_off, OLD.first_trace, OLD.entries, OLD.debits, OLD.credits, OLD.created_at) IS NOT
     (NEW.id, NEW.cut_off, NEW.first_trace, NEW.entries, NEW.debits, NEW.credits, NEW.created_at)
BEGIN SELECT raise(ABORT, 'a file keeps its entries and its time'); END;
CREATE TRIGGER bank_files_stay BEFORE DELETE ON bank_files
BEGIN SELECT raise(ABORT, 'a file is never deleted'); END;

CREATE TABLE bank_entries (
  transfer_id TEXT    NOT NULL PRIMARY KEY REFERENCES transfers,
  file_id     TEXT    NOT NULL REFERENCES bank_files,
  trace       INTEGER NOT NULL CHECK (trace BETWEEN 1 AND 9999999)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX bank_entries_file ON bank_entries (file_id, trace);
CREATE INDEX bank_entries_trace ON bank_entries (trace);
CREATE TRIGGER bank_entries_cause BEFORE INSERT ON bank_entries
WHEN NOT EXISTS (SELECT 1 FROM transfers t WHERE t.id = NEW.transfer_id AND t.rail = 'ACH' AND t.status IN ('SENT', 'SETTLED') AND t.filed = 1)
BEGIN SELECT raise(ABORT, 'an entry of a file is an ACH transfer that was sent, and is marked so'); END;
CREATE TRIGGER bank_entries_keep BEFORE UPDATE ON bank_entries
BEGIN SELECT raise(ABORT, 'entries of files are append-only'); END;
CREATE TRIGGER bank_entries_stay BEFORE DELETE ON bank_entries
BEGIN SELECT raise(ABORT, 'entries of files are append-only'); END;

CREATE TABLE bank_notices (
  rail        TEXT    NOT NULL CHECK (rail IN ('ACH', 'CARD')),
  id          TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  transfer_id TEXT REFERENCES transfers,
  code        TEXT    NOT NULL,
  payload     TEXT,
  at          INTEGER,
  closed_at   INTEGER,
  result      TEXT    NOT NULL,
  PRIMARY KEY (rail, id), -- PA2
  CHECK (closed_at IS NOT NULL OR result = '')
) STRICT;
CREATE INDEX bank_notices_open ON bank_notices (at, rail, id) WHERE closed_at IS NULL;
CREATE INDEX bank_notices_code ON bank_notices (at, code) WHERE code <> '';
CREATE TRIGGER bank_notices_identity BEFORE UPDATE ON bank_notices
WHEN OLD.closed_at IS NOT NULL OR
     (OLD.rail, OLD.id, OLD.kind, OLD.transfer_id, OLD.code, OLD.payload, OLD.at) IS NOT
     (NEW.rail, NEW.id, NEW.kind, NEW.transfer_id, NEW.code, NEW.payload, NEW.at)
BEGIN SELECT raise(ABORT, 'what a bank has said stays, and is dealt with once'); END;
CREATE TRIGGER bank_notices_stay BEFORE DELETE ON bank_notices
BEGIN SELECT raise(ABORT, 'what a bank has said is never deleted'); END;

CREATE TABLE bank_lines (
  id        TEXT    NOT NULL PRIMARY KEY,
  date      INTEGER CHECK (date IS NOT NULL),
  amount    INTEGER NOT NULL,
  reference TEXT    NOT NULL,
  entry_id  TEXT
) STRICT;
CREATE INDEX bank_lines_date ON bank_lines (date, id);
CREATE INDEX bank_lines_open ON bank_lines (date, id) WHERE entry_id IS NULL;
CREATE TRIGGER bank_lines_entry BEFORE INSERT ON bank_lines -- PO6
WHEN NEW.entry_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = NEW.entry_id)
BEGIN SELECT raise(ABORT, 'a line of the bank is matched with an entry of the books'); END;
CREATE TRIGGER bank_lines_match BEFORE UPDATE ON bank_lines -- PO6
WHEN (OLD.id, OLD.date, OLD.amount, OLD.reference) IS NOT (NEW.id, NEW.date, NEW.amount, NEW.reference) OR
     NEW.entry_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = NEW.entry_id)
BEGIN SELECT raise(ABORT, 'a line of the bank stays, and is matched with an entry of the books'); END;
CREATE TRIGGER bank_lines_stay BEFORE DELETE ON bank_lines
BEGIN SELECT raise(ABORT, 'a line of the bank is never deleted'); END;
