CREATE TABLE applications (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL,
  kind        TEXT
) STRICT;

CREATE INDEX applications_company ON applications (company_id, created_at, id) WHERE company_id <> 0;

CREATE INDEX applications_created ON applications (created_at, id);

CREATE INDEX applications_merchant ON applications (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;

CREATE INDEX applications_next ON applications (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX applications_of ON applications (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE TRIGGER applications_stay BEFORE DELETE ON applications
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE approvals (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL,
  kind        TEXT
) STRICT;

CREATE INDEX approvals_company ON approvals (company_id, created_at, id) WHERE company_id <> 0;

CREATE INDEX approvals_created ON approvals (created_at, id);

CREATE INDEX approvals_merchant ON approvals (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;

CREATE INDEX approvals_next ON approvals (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX approvals_of ON approvals (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE INDEX approvals_status ON approvals (status, created_at, id);

CREATE TRIGGER approvals_stay BEFORE DELETE ON approvals
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE attempts (
  delivery_id TEXT    NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  n           INTEGER NOT NULL CHECK (n > 0),
  at          INTEGER,
  took_us     INTEGER NOT NULL CHECK (took_us >= 0),
  status      INTEGER NOT NULL,
  error       TEXT    NOT NULL,
  answer      TEXT    NOT NULL,
  PRIMARY KEY (delivery_id, n)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER attempts_keep BEFORE UPDATE ON attempts
BEGIN SELECT raise(ABORT, 'attempts are append-only'); END;

CREATE TRIGGER attempts_stay BEFORE DELETE ON attempts
WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.id = OLD.delivery_id)
BEGIN SELECT raise(ABORT, 'attempts are append-only: they go with their delivery'); END;

CREATE TABLE audit (
  q               INTEGER PRIMARY KEY,
  at              INTEGER,
  client_id       TEXT    NOT NULL,
  merchant_id     TEXT    NOT NULL,
  operator        INTEGER NOT NULL,
  request_id      TEXT    NOT NULL,
  idempotency_key TEXT    NOT NULL,
  address         TEXT    NOT NULL,
  company_id      INTEGER NOT NULL,
  object          TEXT    NOT NULL,
  command         TEXT    NOT NULL,
  payload         TEXT,
  seed            BLOB    NOT NULL,
  result          TEXT    NOT NULL,
  body_hash       BLOB    NOT NULL
, told BLOB) STRICT;

CREATE INDEX audit_access ON audit (object, q) WHERE command IN ('client.create', 'client.limit', 'client.roll', 'client.revoke', 'token.issue', 'token.revoke');

CREATE INDEX audit_client ON audit (client_id, q);

CREATE INDEX audit_company ON audit (company_id, q) WHERE company_id <> 0;

CREATE INDEX audit_object ON audit (object, q) WHERE object <> '';

CREATE INDEX audit_request ON audit (request_id, q) WHERE request_id <> '';

CREATE TRIGGER audit_keep BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_stay BEFORE DELETE ON audit
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;

CREATE TABLE balances (
  order_key   TEXT    NOT NULL,
  company_id  INTEGER NOT NULL,
  account     INTEGER NOT NULL,
  merchant_id TEXT    NOT NULL,
  currency    TEXT    NOT NULL,
  amount      INTEGER NOT NULL,
  PRIMARY KEY (order_key, company_id, account, merchant_id, currency)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE bank_lines (
  id        TEXT    NOT NULL PRIMARY KEY,
  date      INTEGER CHECK (date IS NOT NULL),
  amount    INTEGER NOT NULL,
  reference TEXT    NOT NULL,
  match_id  TEXT,
  owner     TEXT    NOT NULL,
  note      TEXT    NOT NULL
) STRICT;

CREATE INDEX bank_lines_date ON bank_lines (date, id);

CREATE INDEX bank_lines_open ON bank_lines (date, id) WHERE match_id IS NULL;

CREATE TRIGGER bank_lines_entry BEFORE INSERT ON bank_lines -- PO6
WHEN NEW.match_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bank_matches m WHERE m.id = NEW.match_id AND m.undone_at IS NULL)
BEGIN SELECT raise(ABORT, 'a line of the bank is in a match that holds'); END;

CREATE TRIGGER bank_lines_match BEFORE UPDATE ON bank_lines -- PO6
WHEN (OLD.id, OLD.date, OLD.amount, OLD.reference) IS NOT (NEW.id, NEW.date, NEW.amount, NEW.reference) OR
     NEW.match_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bank_matches m WHERE m.id = NEW.match_id AND m.undone_at IS NULL)
BEGIN SELECT raise(ABORT, 'a line of the bank stays, and is in a match that holds'); END;

CREATE TRIGGER bank_lines_stay BEFORE DELETE ON bank_lines
BEGIN SELECT raise(ABORT, 'a line of the bank is never deleted'); END;

CREATE TABLE bank_matches (
  id        TEXT    NOT NULL PRIMARY KEY,
  rule      TEXT    NOT NULL CHECK (rule IN ('REFERENCE', 'BATCH', 'AMOUNT', 'BY_HAND')),
  lines     TEXT,
  entries   TEXT,
  amount    INTEGER NOT NULL,
  note      TEXT    NOT NULL,
  made_at   INTEGER,
  made_by   TEXT    NOT NULL,
  undone_at INTEGER,
  undone_by TEXT    NOT NULL,
  CHECK (undone_at IS NOT NULL OR undone_by = '')
) STRICT;

CREATE INDEX bank_matches_made ON bank_matches (made_at, id);

CREATE INDEX bank_matches_undone ON bank_matches (id) WHERE undone_at IS NOT NULL;

CREATE TRIGGER bank_matches_keep BEFORE UPDATE ON bank_matches
WHEN (OLD.id, OLD.rule, OLD.lines, OLD.entries, OLD.amount, OLD.note, OLD.made_at, OLD.made_by) IS NOT
     (NEW.id, NEW.rule, NEW.lines, NEW.entries, NEW.amount, NEW.note, NEW.made_at, NEW.made_by) OR
     OLD.undone_at IS NOT NULL AND (OLD.undone_at, OLD.undone_by) IS NOT (NEW.undone_at, NEW.undone_by)
BEGIN SELECT raise(ABORT, 'a match stays as it is, but for its end'); END;

CREATE TRIGGER bank_matches_stay BEFORE DELETE ON bank_matches
BEGIN SELECT raise(ABORT, 'a match is never deleted'); END;

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
  reviewed_at INTEGER,
  reviewed_by TEXT    NOT NULL,
  review_note TEXT    NOT NULL CHECK (CASE WHEN reviewed_at IS NULL THEN reviewed_by = '' AND review_note = '' ELSE closed_at IS NOT NULL AND reviewed_by <> '' AND review_note <> '' END),
  PRIMARY KEY (rail, id),
  CHECK (closed_at IS NOT NULL OR result = '')
) STRICT;

CREATE INDEX bank_notices_code ON bank_notices (at, code) WHERE code <> '';

CREATE INDEX bank_notices_left ON bank_notices (at, rail, id) WHERE result <> '' AND result <> 'done' AND result <> 'ignored';

CREATE INDEX bank_notices_open ON bank_notices (at, rail, id) WHERE closed_at IS NULL;

CREATE INDEX bank_notices_waiting ON bank_notices (at, rail, id) WHERE result <> '' AND result <> 'done' AND result <> 'ignored' AND reviewed_at IS NULL;

CREATE TRIGGER bank_notices_identity BEFORE UPDATE ON bank_notices
WHEN OLD.reviewed_at IS NOT NULL AND (OLD.reviewed_at, OLD.reviewed_by, OLD.review_note) IS NOT (NEW.reviewed_at, NEW.reviewed_by, NEW.review_note) OR
     OLD.closed_at IS NOT NULL AND (OLD.closed_at, OLD.result) IS NOT (NEW.closed_at, NEW.result) OR
     (OLD.rail, OLD.id, OLD.kind, OLD.transfer_id, OLD.code, OLD.at) IS NOT (NEW.rail, NEW.id, NEW.kind, NEW.transfer_id, NEW.code, NEW.at) OR
     OLD.payload IS NOT NEW.payload AND json_remove(OLD.payload, '$.corrected') IS NOT json_remove(NEW.payload, '$.corrected')
BEGIN SELECT raise(ABORT, 'what a bank has said stays, and is dealt with and reviewed once'); END;

CREATE TRIGGER bank_notices_stay BEFORE DELETE ON bank_notices
BEGIN SELECT raise(ABORT, 'what a bank has said is never deleted'); END;

CREATE TABLE batches (
  id            BLOB    NOT NULL PRIMARY KEY,
  node          TEXT    NOT NULL,
  first_q       INTEGER NOT NULL,
  last_q        INTEGER NOT NULL,
  at            INTEGER,
  business_date INTEGER,
  rules         INTEGER NOT NULL,
  wire          TEXT    NOT NULL,
  digest        BLOB    NOT NULL,
  hash          BLOB    NOT NULL,
  tombstone     INTEGER NOT NULL
) STRICT;

CREATE INDEX batches_at ON batches (at, last_q) WHERE tombstone = 0;

CREATE TRIGGER batches_keep BEFORE UPDATE ON batches
BEGIN SELECT raise(ABORT, 'batches are append-only'); END;

CREATE TRIGGER batches_stay BEFORE DELETE ON batches
BEGIN SELECT raise(ABORT, 'batches are append-only'); END;

CREATE TABLE books (
  book          INTEGER PRIMARY KEY,
  q             INTEGER NOT NULL,
  hash          BLOB    NOT NULL,
  at            INTEGER,
  business_date INTEGER,
  epoch         INTEGER NOT NULL
) STRICT;

CREATE TRIGGER books_stay BEFORE DELETE ON books
BEGIN SELECT raise(ABORT, 'a book is never deleted'); END;

CREATE TABLE cases (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL,
  kind        TEXT
) STRICT;

CREATE INDEX cases_company ON cases (company_id, created_at, id) WHERE company_id <> 0;

CREATE INDEX cases_created ON cases (created_at, id);

CREATE INDEX cases_merchant ON cases (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;

CREATE INDEX cases_next ON cases (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX cases_of ON cases (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE INDEX cases_status ON cases (status, created_at, id);

CREATE TRIGGER cases_stay BEFORE DELETE ON cases
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE cash_items (
  entry_id TEXT    NOT NULL PRIMARY KEY,
  match_id TEXT,
  owner    TEXT    NOT NULL,
  note     TEXT    NOT NULL
) STRICT;

CREATE TRIGGER cash_items_entry BEFORE INSERT ON cash_items -- PO6
WHEN NOT EXISTS (SELECT 1 FROM entries e CROSS JOIN postings p ON p.q = e.q AND p.n = e.n WHERE e.id = NEW.entry_id AND p.account = 1000) OR
     NEW.match_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bank_matches m WHERE m.id = NEW.match_id AND m.undone_at IS NULL)
BEGIN SELECT raise(ABORT, 'what is matched is an entry on 1000, in a match that holds'); END;

CREATE TRIGGER cash_items_match BEFORE UPDATE ON cash_items -- PO6
WHEN OLD.entry_id <> NEW.entry_id OR
     NEW.match_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bank_matches m WHERE m.id = NEW.match_id AND m.undone_at IS NULL)
BEGIN SELECT raise(ABORT, 'what is matched stays, and is in a match that holds'); END;

CREATE TRIGGER cash_items_stay BEFORE DELETE ON cash_items
BEGIN SELECT raise(ABORT, 'what is known of an entry is never deleted'); END;

CREATE TABLE checkouts (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL,
  kind        TEXT
) STRICT;

CREATE INDEX checkouts_company ON checkouts (company_id, created_at, id) WHERE company_id <> 0;

CREATE INDEX checkouts_created ON checkouts (created_at, id);

CREATE INDEX checkouts_merchant ON checkouts (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;

CREATE INDEX checkouts_next ON checkouts (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX checkouts_of ON checkouts (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE TRIGGER checkouts_stay BEFORE DELETE ON checkouts
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE claims (
  kind  TEXT    NOT NULL,
  scope TEXT    NOT NULL,
  name  TEXT    NOT NULL,
  owner TEXT    NOT NULL,
  q     INTEGER NOT NULL,
  PRIMARY KEY (kind, scope, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE clients (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  scopes      TEXT,
  per_minute  INTEGER NOT NULL,
  burst       INTEGER NOT NULL,
  secrets     TEXT,
  created_at  INTEGER,
  updated_at  INTEGER,
  revoked_at  INTEGER,
  version     INTEGER NOT NULL,
  q           INTEGER NOT NULL
) STRICT;

CREATE INDEX clients_created ON clients (created_at, id);

CREATE INDEX clients_merchant ON clients (merchant_id, created_at, id);

CREATE TRIGGER clients_stay BEFORE DELETE ON clients
BEGIN SELECT raise(ABORT, 'a client is never deleted'); END;

CREATE TABLE companies (
  company_id       INTEGER PRIMARY KEY,
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
  joint_replay         INTEGER NOT NULL,
  servicing        TEXT    NOT NULL,
  created_at       INTEGER,
  updated_at       INTEGER,
  version          INTEGER NOT NULL,
  event_seq        INTEGER NOT NULL,
  q                INTEGER NOT NULL,
  paused           INTEGER NOT NULL,
  unscreened       INTEGER NOT NULL,
  email_key        TEXT
) STRICT;

CREATE INDEX companies_created ON companies (created_at, company_id);

CREATE INDEX companies_email ON companies (email_key, company_id) WHERE email_key IS NOT NULL;

CREATE INDEX companies_limit ON companies (status, credit_limit);

CREATE INDEX companies_paused ON companies (created_at, company_id) WHERE paused;

CREATE INDEX companies_suspended ON companies (created_at, company_id) WHERE status = 'SUSPENDED';

CREATE INDEX companies_unscreened ON companies (created_at, company_id) WHERE unscreened;

CREATE TRIGGER companies_stay BEFORE DELETE ON companies
BEGIN SELECT raise(ABORT, 'a company is never deleted'); END;

CREATE TABLE "company_history" (
  until_q          INTEGER NOT NULL,
  company_id       INTEGER NOT NULL,
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
  joint_replay         INTEGER NOT NULL,
  servicing        TEXT    NOT NULL,
  created_at       INTEGER,
  updated_at       INTEGER,
  version          INTEGER NOT NULL,
  event_seq        INTEGER NOT NULL,
  q                INTEGER NOT NULL,
  PRIMARY KEY (until_q, company_id)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE credits (
  company_id INTEGER NOT NULL REFERENCES companies,
  source     TEXT    NOT NULL,
  q          INTEGER NOT NULL,
  n          INTEGER NOT NULL,
  order_key  TEXT,
  opened_on  INTEGER,
  amount     INTEGER NOT NULL,
  hold       INTEGER NOT NULL,
  next_at    INTEGER,
  waits      TEXT    NOT NULL,
  PRIMARY KEY (company_id, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX credits_next ON credits (next_at, company_id, source) WHERE next_at IS NOT NULL;

CREATE TABLE day_totals (
  book_date INTEGER NOT NULL,
  account   INTEGER NOT NULL,
  event     TEXT    NOT NULL,
  currency  TEXT    NOT NULL,
  debits    INTEGER NOT NULL,
  credits   INTEGER NOT NULL,
  postings  INTEGER NOT NULL,
  PRIMARY KEY (book_date, account, event, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  id          TEXT    NOT NULL PRIMARY KEY,
  endpoint_id TEXT    NOT NULL,
  merchant_id TEXT    NOT NULL,
  resend_id   TEXT    NOT NULL,
  event_id    TEXT    NOT NULL,
  type        TEXT    NOT NULL,
  object_type TEXT    NOT NULL,
  object_id   TEXT    NOT NULL,
  sequence    INTEGER NOT NULL,
  event_q     INTEGER NOT NULL,
  event_n     INTEGER NOT NULL,
  url         TEXT    NOT NULL,
  state       TEXT    NOT NULL CHECK (state IN ('PENDING', 'SUCCEEDED', 'PARKED', 'CANCELED')),
  attempts    INTEGER NOT NULL CHECK (attempts >= 0),
  next_at     INTEGER CHECK (next_at IS NULL OR state = 'PENDING'),
  status      INTEGER NOT NULL,
  error       TEXT    NOT NULL,
  created_at  INTEGER CHECK (created_at IS NOT NULL),
  finished_at INTEGER CHECK ((finished_at IS NULL) = (state = 'PENDING'))
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_created ON deliveries (created_at, id);

CREATE INDEX deliveries_endpoint ON deliveries (endpoint_id, created_at, id);

CREATE INDEX deliveries_event ON deliveries (event_id, created_at, id);

CREATE INDEX deliveries_finished ON deliveries (finished_at, id) WHERE finished_at IS NOT NULL;

CREATE INDEX deliveries_merchant ON deliveries (merchant_id, created_at, id);

CREATE INDEX deliveries_pending ON deliveries (endpoint_id, event_q, event_n, id) WHERE state = 'PENDING';

CREATE INDEX deliveries_state ON deliveries (endpoint_id, state, created_at, id) WHERE state <> 'SUCCEEDED';

CREATE TRIGGER deliveries_again BEFORE INSERT ON deliveries -- EV4
WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.id = NEW.id AND
             (d.endpoint_id, d.event_id, d.resend_id) IS NOT (NEW.endpoint_id, NEW.event_id, NEW.resend_id))
BEGIN SELECT raise(ABORT, 'a delivery is of one event to one endpoint'); END;

CREATE TRIGGER deliveries_cause BEFORE INSERT ON deliveries -- EV6
WHEN NOT EXISTS (SELECT 1 FROM event_readers r WHERE r.merchant_id = NEW.merchant_id AND r.q = NEW.event_q) OR
     NOT EXISTS (SELECT 1 FROM endpoints x WHERE x.id = NEW.endpoint_id AND x.merchant_id = NEW.merchant_id) OR
     NEW.resend_id <> '' AND
     NOT EXISTS (SELECT 1 FROM resends s WHERE s.id = NEW.resend_id AND s.endpoint_id = NEW.endpoint_id)
BEGIN SELECT raise(ABORT, 'a delivery brings an event to an endpoint of a merchant that may read it'); END;

CREATE TRIGGER deliveries_identity BEFORE UPDATE ON deliveries
WHEN OLD.state <> 'PENDING' OR NEW.attempts < OLD.attempts OR
     (OLD.endpoint_id, OLD.merchant_id, OLD.resend_id, OLD.event_id, OLD.event_q, OLD.event_n, OLD.created_at) IS NOT
     (NEW.endpoint_id, NEW.merchant_id, NEW.resend_id, NEW.event_id, NEW.event_q, NEW.event_n, NEW.created_at)
BEGIN SELECT raise(ABORT, 'a delivery keeps its event and endpoint, and a finished one stays'); END;

CREATE TRIGGER deliveries_stay BEFORE DELETE ON deliveries -- EV2
WHEN OLD.state = 'PENDING'
BEGIN SELECT raise(ABORT, 'a delivery that is not finished is not deleted'); END;

CREATE TRIGGER deliveries_url BEFORE UPDATE ON deliveries -- EV6
WHEN OLD.url <> NEW.url
BEGIN SELECT raise(ABORT, 'a delivery keeps its address'); END;

CREATE TABLE delivery_cursors (
  endpoint_id TEXT    NOT NULL PRIMARY KEY REFERENCES endpoints,
  q           INTEGER NOT NULL,
  n           INTEGER NOT NULL,
  resend_q    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER delivery_cursors_grow BEFORE UPDATE ON delivery_cursors -- EV2
WHEN (NEW.q, NEW.n) < (OLD.q, OLD.n) OR NEW.resend_q < OLD.resend_q
BEGIN SELECT raise(ABORT, 'a cursor never goes back'); END;

CREATE TABLE documents (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL,
  kind        TEXT
) STRICT;

CREATE INDEX documents_company ON documents (company_id, created_at, id) WHERE company_id <> 0;

CREATE INDEX documents_created ON documents (created_at, id);

CREATE INDEX documents_merchant ON documents (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;

CREATE INDEX documents_next ON documents (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX documents_of ON documents (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE TRIGGER documents_stay BEFORE DELETE ON documents
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE due_totals (
  book_date    INTEGER NOT NULL,
  due_date     INTEGER NOT NULL,
  held_from    INTEGER NOT NULL,
  held_days    INTEGER NOT NULL,
  currency     TEXT    NOT NULL,
  scheduled    INTEGER NOT NULL,
  principal    INTEGER NOT NULL,
  charge       INTEGER NOT NULL,
  installments INTEGER NOT NULL,
  orders       INTEGER NOT NULL,
  exposure     INTEGER NOT NULL,
  PRIMARY KEY (book_date, due_date, held_from, held_days, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE "endpoint_history" (
  until_q         INTEGER NOT NULL,
  id              TEXT    NOT NULL,
  merchant_id     TEXT    NOT NULL,
  kind            TEXT    NOT NULL,
  url             TEXT    NOT NULL,
  description     TEXT    NOT NULL,
  event_types     TEXT,
  enabled         INTEGER NOT NULL,
  disabled_reason TEXT    NOT NULL,
  secrets         TEXT,
  created_at      INTEGER,
  updated_at      INTEGER,
  deleted_at      INTEGER,
  version         INTEGER NOT NULL,
  event_seq       INTEGER NOT NULL,
  q               INTEGER NOT NULL,
  PRIMARY KEY (until_q, id)
) STRICT;

CREATE TRIGGER endpoint_history_keep BEFORE UPDATE ON endpoint_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;

CREATE TRIGGER endpoint_history_stay BEFORE DELETE ON endpoint_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;

CREATE TABLE endpoints (
  id              TEXT    NOT NULL PRIMARY KEY,
  merchant_id     TEXT    NOT NULL REFERENCES merchants,
  kind            TEXT    NOT NULL,
  url             TEXT    NOT NULL,
  description     TEXT    NOT NULL,
  event_types     TEXT,
  enabled         INTEGER NOT NULL,
  disabled_reason TEXT    NOT NULL,
  secrets         TEXT,
  created_at      INTEGER,
  updated_at      INTEGER,
  deleted_at      INTEGER,
  version         INTEGER NOT NULL,
  event_seq       INTEGER NOT NULL,
  q               INTEGER NOT NULL
) STRICT;

CREATE INDEX endpoints_created ON endpoints (created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX endpoints_merchant ON endpoints (merchant_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TRIGGER endpoints_stay BEFORE DELETE ON endpoints
BEGIN SELECT raise(ABORT, 'the row of an endpoint is never deleted'); END;

CREATE TABLE entries (
  q          INTEGER NOT NULL,
  n          INTEGER NOT NULL,
  id         TEXT    NOT NULL,
  company_id INTEGER NOT NULL,
  book_date  INTEGER NOT NULL,
  value_date INTEGER NOT NULL,
  event      TEXT    NOT NULL,
  cause      TEXT    NOT NULL,
  currency   TEXT    NOT NULL,
  reverses   TEXT,
  at         INTEGER,
  PRIMARY KEY (q, n)
) STRICT, WITHOUT ROWID;

CREATE INDEX entries_book ON entries (book_date, q, n);

CREATE UNIQUE INDEX entries_id ON entries (id);

CREATE UNIQUE INDEX entries_reverses ON entries (reverses) WHERE reverses IS NOT NULL;

CREATE TRIGGER entries_keep BEFORE UPDATE ON entries
BEGIN SELECT raise(ABORT, 'entries are append-only'); END;

CREATE TRIGGER entries_stay BEFORE DELETE ON entries
BEGIN SELECT raise(ABORT, 'entries are append-only'); END;

CREATE TABLE event_objects (
  object_type TEXT    NOT NULL,
  object_id   TEXT    NOT NULL,
  q           INTEGER NOT NULL REFERENCES audit,
  PRIMARY KEY (object_type, object_id, q)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER event_objects_keep BEFORE UPDATE ON event_objects
BEGIN SELECT raise(ABORT, 'objects of events are append-only'); END;

CREATE TRIGGER event_objects_stay BEFORE DELETE ON event_objects
BEGIN SELECT raise(ABORT, 'objects of events are append-only'); END;

CREATE TABLE "event_readers" (
  merchant_id TEXT    NOT NULL,
  q           INTEGER NOT NULL REFERENCES audit,
  PRIMARY KEY (merchant_id, q)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER event_readers_keep BEFORE UPDATE ON event_readers
BEGIN SELECT raise(ABORT, 'readers of events are append-only'); END;

CREATE TRIGGER event_readers_stay BEFORE DELETE ON event_readers
BEGIN SELECT raise(ABORT, 'readers of events are append-only'); END;

CREATE TABLE fees (
  order_key   TEXT    NOT NULL REFERENCES loans,
  n           INTEGER NOT NULL,
  company_id  INTEGER NOT NULL,
  id          TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  installment INTEGER NOT NULL,
  assessed_on INTEGER,
  amount      INTEGER NOT NULL,
  paid        INTEGER NOT NULL,
  waived      INTEGER NOT NULL,
  PRIMARY KEY (order_key, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE heads (
  number        INTEGER PRIMARY KEY,
  book          BLOB    NOT NULL CHECK (length(book) = 16),
  epoch         INTEGER NOT NULL,
  commit_seq    INTEGER NOT NULL CHECK (commit_seq >= 0),
  hash          BLOB    NOT NULL CHECK (length(hash) = 32),
  at            INTEGER NOT NULL,
  previous      BLOB    NOT NULL CHECK (length(previous) = 32),
  key_id        TEXT    NOT NULL CHECK (key_id <> ''),
  public_key    BLOB    NOT NULL CHECK (length(public_key) = 32),
  signature     BLOB    NOT NULL CHECK (length(signature) = 64),
  old_signature BLOB    NOT NULL CHECK (length(old_signature) IN (0, 64))
) STRICT;

CREATE TRIGGER heads_keep BEFORE UPDATE ON heads
BEGIN SELECT raise(ABORT, 'signed heads are append-only'); END;

CREATE TRIGGER heads_stay BEFORE DELETE ON heads
BEGIN SELECT raise(ABORT, 'signed heads are append-only'); END;

CREATE TRIGGER heads_true BEFORE INSERT ON heads -- AU8
WHEN NOT EXISTS (SELECT 1 FROM heads WHERE number = NEW.number) AND
     (NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM heads) OR
      NOT EXISTS (SELECT 1 FROM books WHERE book = 1 AND epoch = NEW.epoch AND (q > NEW.commit_seq OR q = NEW.commit_seq AND hash = NEW.hash)))
BEGIN SELECT raise(ABORT, 'a head has the next number, and the book stands where it says'); END;

CREATE TABLE "idempotency" (
  client_id    TEXT    NOT NULL,
  key          TEXT    NOT NULL,
  request      BLOB    CHECK (length(request) = 32),
  status       INTEGER,
  body         BLOB,
  content_type TEXT,
  location     TEXT,
  etag         TEXT,
  q            INTEGER NOT NULL,
  at           INTEGER,
  company_id   INTEGER,
  sealed       INTEGER CHECK (sealed IN (0, 1)),
  PRIMARY KEY (client_id, key),
  CHECK ((request IS NULL) + (status IS NULL) + (content_type IS NULL) + (location IS NULL) + (etag IS NULL) +
    (company_id IS NULL) + (sealed IS NULL) IN (0, 7) AND (request IS NOT NULL OR body IS NULL AND at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER idempotency_keep BEFORE UPDATE ON idempotency -- ID3
WHEN NEW.sealed IS NOT 1 OR coalesce(length(NEW.body), 0) = 0 OR
     (OLD.client_id, OLD.key, OLD.request, OLD.status, OLD.content_type, OLD.location, OLD.etag, OLD.q, OLD.at, OLD.company_id) IS NOT
     (NEW.client_id, NEW.key, NEW.request, NEW.status, NEW.content_type, NEW.location, NEW.etag, NEW.q, NEW.at, NEW.company_id)
BEGIN SELECT raise(ABORT, 'the first answer under a key stays; its body may be sealed'); END;

CREATE TABLE installments (
  order_key           TEXT    NOT NULL REFERENCES loans,
  number              INTEGER NOT NULL,
  company_id          INTEGER NOT NULL,
  merchant_id         TEXT    NOT NULL,
  due_date            INTEGER,
  target              INTEGER NOT NULL,
  principal           INTEGER NOT NULL,
  finance_charge      INTEGER NOT NULL,
  paid_principal      INTEGER NOT NULL,
  paid_finance_charge INTEGER NOT NULL,
  recognised          INTEGER NOT NULL,
  paid_on             INTEGER,
  canceled            INTEGER NOT NULL,
  anchor              INTEGER NOT NULL,
  ahead               INTEGER NOT NULL,
  PRIMARY KEY (order_key, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX installments_due ON installments (due_date, order_key) WHERE canceled = 0 AND principal + finance_charge > paid_principal + paid_finance_charge;

CREATE INDEX installments_open ON installments (company_id, due_date) WHERE canceled = 0 AND principal + finance_charge > paid_principal + paid_finance_charge;

CREATE TABLE invoices (
  id          TEXT    NOT NULL PRIMARY KEY,
  number      TEXT    NOT NULL,
  order_key   TEXT    NOT NULL,
  company_id  INTEGER NOT NULL,
  merchant_id TEXT    NOT NULL,
  amount_due  INTEGER NOT NULL,
  paid        INTEGER NOT NULL,
  status      TEXT    NOT NULL,
  issued_at   INTEGER,
  due_date    INTEGER,
  lines       TEXT,
  updated_at  INTEGER,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  q           INTEGER NOT NULL
) STRICT;

CREATE INDEX invoices_company ON invoices (company_id, issued_at, id);

CREATE INDEX invoices_created ON invoices (issued_at, id);

CREATE INDEX invoices_merchant ON invoices (merchant_id, issued_at, id);

CREATE INDEX invoices_order ON invoices (order_key, issued_at, id);

CREATE TRIGGER invoices_stay BEFORE DELETE ON invoices
BEGIN SELECT raise(ABORT, 'an invoice is never deleted'); END;

CREATE TABLE leases (
  name   TEXT    NOT NULL PRIMARY KEY,
  holder TEXT    NOT NULL,
  token  INTEGER NOT NULL CHECK (token > 0),
  until  INTEGER
) STRICT, WITHOUT ROWID;

CREATE TRIGGER leases_stay BEFORE DELETE ON leases
BEGIN SELECT raise(ABORT, 'a lease keeps its token for ever'); END;

CREATE TRIGGER leases_token BEFORE UPDATE ON leases -- R16
WHEN NEW.token < OLD.token OR NEW.token = OLD.token AND NEW.holder NOT IN (OLD.holder, '')
BEGIN SELECT raise(ABORT, 'a new holder has a greater token'); END;

CREATE TABLE lenders (
  id             TEXT    NOT NULL PRIMARY KEY,
  allowance      INTEGER NOT NULL,
  provision_from INTEGER,
  provisioned_through    INTEGER,
  closed_to      INTEGER,
  moved          TEXT,
  settings       TEXT,
  updated_at     INTEGER,
  version        INTEGER NOT NULL,
  q              INTEGER NOT NULL
) STRICT;

CREATE TRIGGER lenders_stay BEFORE DELETE ON lenders
BEGIN SELECT raise(ABORT, 'the lender is never deleted'); END;

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
  charged_off   INTEGER NOT NULL,
  q             INTEGER NOT NULL
) STRICT;

CREATE INDEX loans_company ON loans (company_id, captured_at, order_key);

CREATE TRIGGER loans_stay BEFORE DELETE ON loans
BEGIN SELECT raise(ABORT, 'a loan is never deleted'); END;

CREATE TABLE mails (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL,
  kind        TEXT
) STRICT;

CREATE INDEX mails_company ON mails (company_id, created_at, id) WHERE company_id <> 0;

CREATE INDEX mails_created ON mails (created_at, id);

CREATE INDEX mails_merchant ON mails (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;

CREATE INDEX mails_next ON mails (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX mails_of ON mails (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE INDEX mails_urgent ON mails (next_at, id) WHERE next_at IS NOT NULL AND kind = 'URGENT';

CREATE TRIGGER mails_stay BEFORE DELETE ON mails
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE merchant_positions (
  merchant_id TEXT    NOT NULL PRIMARY KEY REFERENCES merchants,
  principal   INTEGER NOT NULL,
  clawback    INTEGER NOT NULL,
  collected   INTEGER NOT NULL,
  payable     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE merchants (
  id          TEXT    NOT NULL PRIMARY KEY,
  name        TEXT    NOT NULL,
  account     TEXT    NOT NULL,
  created_at  INTEGER,
  updated_at  INTEGER,
  version     INTEGER NOT NULL,
  q           INTEGER NOT NULL,
  limits      TEXT    NOT NULL,
  shop        TEXT    NOT NULL,
  settled     TEXT,
  owed_since  INTEGER,
  debit       TEXT    NOT NULL,
  written_off INTEGER NOT NULL,
  unscreened  INTEGER NOT NULL
) STRICT;

CREATE INDEX merchants_unscreened ON merchants (id) WHERE unscreened;

CREATE TABLE migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL) STRICT;

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
  returned       INTEGER NOT NULL,
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

CREATE TABLE notes (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL,
  kind        TEXT
) STRICT;

CREATE INDEX notes_company ON notes (company_id, created_at, id) WHERE company_id <> 0;

CREATE INDEX notes_created ON notes (created_at, id);

CREATE INDEX notes_merchant ON notes (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;

CREATE INDEX notes_next ON notes (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX notes_of ON notes (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE INDEX notes_status ON notes (status, created_at, id);

CREATE TRIGGER notes_stay BEFORE DELETE ON notes
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE notices (
  id              TEXT    NOT NULL PRIMARY KEY,
  kind            TEXT    NOT NULL,
  asked_notice_id TEXT,
  company_id      INTEGER NOT NULL REFERENCES companies,
  action_at       INTEGER,
  clock_start     INTEGER,
  due_on          INTEGER,
  sent_at         INTEGER,
  channel         TEXT    NOT NULL,
  reasons         TEXT,
  evidence        TEXT    NOT NULL,
  late            INTEGER NOT NULL,
  lender          TEXT,
  erased_at       INTEGER,
  version         INTEGER NOT NULL,
  q               INTEGER NOT NULL
) STRICT;

CREATE INDEX notices_action ON notices (action_at, id);

CREATE INDEX notices_company ON notices (company_id, action_at, id);

CREATE INDEX notices_kept ON notices (action_at, id) WHERE sent_at IS NOT NULL AND erased_at IS NULL;

CREATE INDEX notices_late ON notices (action_at, id) WHERE late;

CREATE INDEX notices_waiting ON notices (action_at, id) WHERE sent_at IS NULL;

CREATE TRIGGER notices_stay BEFORE DELETE ON notices
BEGIN SELECT raise(ABORT, 'a notice is never deleted'); END;

CREATE TABLE "order_history" (
  until_q                INTEGER NOT NULL,
  order_key              TEXT    NOT NULL,
  company_id             INTEGER NOT NULL,
  merchant_id            TEXT    NOT NULL,
  merchant_order_id      TEXT,
  currency               TEXT    NOT NULL,
  amount                 INTEGER NOT NULL,
  status                 TEXT    NOT NULL,
  financing_status       TEXT    NOT NULL,
  installments           INTEGER NOT NULL,
  externally_managed     INTEGER NOT NULL,
  program              INTEGER NOT NULL,
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
  revision               INTEGER NOT NULL,
  next_at                INTEGER,
  servicing              TEXT    NOT NULL,
  created_at             INTEGER,
  updated_at             INTEGER,
  version                INTEGER NOT NULL,
  event_seq              INTEGER NOT NULL,
  q                      INTEGER NOT NULL,
  PRIMARY KEY (until_q, order_key)
) STRICT;

CREATE TRIGGER order_history_keep BEFORE UPDATE ON order_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;

CREATE TRIGGER order_history_stay BEFORE DELETE ON order_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;

CREATE TABLE orders (
  order_key              TEXT    NOT NULL PRIMARY KEY,
  company_id             INTEGER NOT NULL REFERENCES companies,
  merchant_id            TEXT    NOT NULL REFERENCES merchants,
  merchant_order_id      TEXT,
  currency               TEXT    NOT NULL,
  amount                 INTEGER NOT NULL,
  status                 TEXT    NOT NULL,
  financing_status       TEXT    NOT NULL,
  installments           INTEGER NOT NULL,
  externally_managed     INTEGER NOT NULL,
  program              INTEGER NOT NULL,
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
  revision               INTEGER NOT NULL,
  next_at                INTEGER,
  servicing              TEXT    NOT NULL,
  created_at             INTEGER,
  updated_at             INTEGER,
  version                INTEGER NOT NULL,
  event_seq              INTEGER NOT NULL,
  q                      INTEGER NOT NULL,
  proposed               INTEGER NOT NULL,
  stopped                INTEGER NOT NULL
) STRICT;

CREATE INDEX orders_captured ON orders (merchant_id, capture_date, created_at, order_key) WHERE capture_date IS NOT NULL;

CREATE INDEX orders_company ON orders (company_id, created_at, order_key);

CREATE INDEX orders_created ON orders (created_at, order_key);

CREATE INDEX orders_financing ON orders (merchant_id, financing_status, created_at, order_key) WHERE financing_status <> 'NONE';

CREATE INDEX orders_merchant ON orders (merchant_id, created_at, order_key);

CREATE INDEX orders_merchant_order ON orders (merchant_order_id) WHERE merchant_order_id IS NOT NULL;

CREATE INDEX orders_next ON orders (next_at, order_key) WHERE next_at IS NOT NULL;

CREATE INDEX orders_proposed ON orders (created_at, order_key) WHERE proposed;

CREATE INDEX orders_status ON orders (merchant_id, status, created_at, order_key);

CREATE INDEX orders_stopped ON orders (created_at, order_key) WHERE stopped;

CREATE INDEX orders_updated ON orders (merchant_id, updated_at, created_at, order_key);

CREATE TRIGGER orders_stay BEFORE DELETE ON orders
BEGIN SELECT raise(ABORT, 'an order is never deleted'); END;

CREATE TABLE payment_methods (
  id                   TEXT    NOT NULL PRIMARY KEY,
  company_id           INTEGER NOT NULL REFERENCES companies,
  merchant_id          TEXT    NOT NULL,
  type                 TEXT    NOT NULL,
  status               TEXT    NOT NULL,
  disabled_reason      TEXT    NOT NULL,
  bank                 TEXT,
  card                 TEXT,
  debtor_authorization TEXT    NOT NULL,
  verification         TEXT,
  standing             TEXT,
  first_settled        INTEGER,
  created_at           INTEGER,
  updated_at           INTEGER,
  version              INTEGER NOT NULL,
  q                    INTEGER NOT NULL,
  fingerprint          TEXT
) STRICT;

CREATE INDEX payment_methods_account ON payment_methods (fingerprint, created_at, id, company_id) WHERE fingerprint IS NOT NULL;

CREATE INDEX payment_methods_added ON payment_methods (created_at, id) WHERE fingerprint IS NOT NULL;

CREATE INDEX payment_methods_company ON payment_methods (company_id, created_at, id);

CREATE TRIGGER payment_methods_stay BEFORE DELETE ON payment_methods
BEGIN SELECT raise(ABORT, 'a payment method is never deleted'); END;

CREATE TABLE payments (
  id                TEXT    NOT NULL PRIMARY KEY,
  company_id        INTEGER NOT NULL REFERENCES companies,
  merchant_id       TEXT    NOT NULL,
  order_merchant_id TEXT    NOT NULL,
  order_key         TEXT,
  invoice_id        TEXT,
  amount            INTEGER NOT NULL,
  currency          TEXT    NOT NULL,
  status            TEXT    NOT NULL,
  method            TEXT    NOT NULL,
  direction         TEXT    NOT NULL,
  scheduled_date    INTEGER,
  effective_date    INTEGER,
  reference         TEXT    NOT NULL,
  external_id       TEXT,
  memo              TEXT    NOT NULL,
  hold_excess       INTEGER NOT NULL,
  refunded          INTEGER NOT NULL,
  freed             INTEGER NOT NULL,
  held              INTEGER NOT NULL,
  unapplied         INTEGER NOT NULL,
  allocations       TEXT,
  refunds           TEXT,
  failure           TEXT,
  attempt           INTEGER NOT NULL,
  from_merchant     INTEGER NOT NULL,
  payment_method_id TEXT,
  transfer_id       TEXT,
  original_id       TEXT,
  items             TEXT,
  autopay           INTEGER NOT NULL,
  fee_assessed      INTEGER NOT NULL,
  on_hold           INTEGER NOT NULL,
  owed_since        INTEGER,
  created_at        INTEGER,
  updated_at        INTEGER,
  submitted_at      INTEGER,
  settled_at        INTEGER,
  version           INTEGER NOT NULL,
  event_seq         INTEGER NOT NULL,
  q                 INTEGER NOT NULL
) STRICT;

CREATE INDEX payments_company ON payments (company_id, created_at, id);

CREATE INDEX payments_created ON payments (created_at, id);

CREATE INDEX payments_invoice ON payments (invoice_id, created_at, id) WHERE invoice_id IS NOT NULL;

CREATE INDEX payments_merchant ON payments (merchant_id, created_at, id);

CREATE INDEX payments_order ON payments (order_key, created_at, id) WHERE order_key IS NOT NULL;

CREATE INDEX payments_order_merchant ON payments (order_merchant_id, created_at, id) WHERE order_merchant_id <> '' AND order_merchant_id <> merchant_id;

CREATE INDEX payments_owed ON payments (owed_since, id) WHERE owed_since IS NOT NULL;

CREATE TRIGGER payments_stay BEFORE DELETE ON payments
BEGIN SELECT raise(ABORT, 'a payment is never deleted'); END;

CREATE TABLE payout_lines (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT    NOT NULL REFERENCES merchants,
  kind        TEXT    NOT NULL,
  company_id  INTEGER NOT NULL,
  order_key   TEXT,
  of_key      TEXT    NOT NULL,
  source      TEXT    NOT NULL,
  gross       INTEGER NOT NULL,
  discount    INTEGER NOT NULL,
  refunds     INTEGER NOT NULL,
  amount      INTEGER NOT NULL,
  netted      INTEGER NOT NULL,
  due_on      INTEGER,
  payout_id   TEXT,
  next_at     INTEGER,
  at          INTEGER,
  version     INTEGER NOT NULL,
  q           INTEGER NOT NULL
) STRICT;

CREATE INDEX payout_lines_next ON payout_lines (next_at, of_key) WHERE next_at IS NOT NULL;

CREATE INDEX payout_lines_of ON payout_lines (of_key, due_on, id);

CREATE INDEX payout_lines_owed ON payout_lines (merchant_id, kind, due_on, id) WHERE payout_id IS NULL AND kind IN ('CLAWBACK', 'COLLECTED');

CREATE INDEX payout_lines_payout ON payout_lines (payout_id, due_on, id) WHERE payout_id IS NOT NULL;

CREATE INDEX payout_lines_waiting ON payout_lines (merchant_id, due_on, id) WHERE payout_id IS NULL;

CREATE TRIGGER payout_lines_stay BEFORE DELETE ON payout_lines
BEGIN SELECT raise(ABORT, 'a payout line is never deleted'); END;

CREATE TABLE payouts (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT    NOT NULL REFERENCES merchants,
  status      TEXT    NOT NULL,
  run_on      INTEGER,
  gross       INTEGER NOT NULL,
  discount    INTEGER NOT NULL,
  refunds     INTEGER NOT NULL,
  repaid      INTEGER NOT NULL,
  clawback    INTEGER NOT NULL,
  collected   INTEGER NOT NULL,
  net         INTEGER NOT NULL,
  transfer_id TEXT,
  failure     TEXT,
  created_at  INTEGER,
  updated_at  INTEGER,
  sent_at     INTEGER,
  settled_at  INTEGER,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  q           INTEGER NOT NULL
) STRICT;

CREATE INDEX payouts_created ON payouts (created_at, id);

CREATE INDEX payouts_merchant ON payouts (merchant_id, created_at, id);

CREATE INDEX payouts_status ON payouts (status, created_at, id) WHERE status <> 'SETTLED';

CREATE TRIGGER payouts_stay BEFORE DELETE ON payouts
BEGIN SELECT raise(ABORT, 'a payout is never deleted'); END;

CREATE TABLE people (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL,
  kind        TEXT
) STRICT;

CREATE INDEX people_company ON people (company_id, created_at, id) WHERE company_id <> 0;

CREATE INDEX people_created ON people (created_at, id);

CREATE INDEX people_merchant ON people (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;

CREATE INDEX people_next ON people (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX people_of ON people (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE TRIGGER people_stay BEFORE DELETE ON people
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE periods (
  month     INTEGER PRIMARY KEY,
  closed_at INTEGER,
  debits    INTEGER NOT NULL,
  q         INTEGER NOT NULL
) STRICT;

CREATE TRIGGER periods_keep BEFORE UPDATE ON periods
BEGIN SELECT raise(ABORT, 'closed months are append-only'); END;

CREATE TRIGGER periods_stay BEFORE DELETE ON periods
BEGIN SELECT raise(ABORT, 'closed months are append-only'); END;

CREATE TABLE postings (
  q           INTEGER NOT NULL,
  n           INTEGER NOT NULL,
  line        INTEGER NOT NULL,
  account     INTEGER NOT NULL,
  amount      INTEGER NOT NULL,
  company_id  INTEGER NOT NULL,
  merchant_id TEXT    NOT NULL,
  order_key   TEXT,
  payment_id  TEXT    NOT NULL,
  installment INTEGER NOT NULL,
  PRIMARY KEY (q, n, line),
  FOREIGN KEY (q, n) REFERENCES entries DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

CREATE INDEX postings_cash ON postings (q, n) WHERE account = 1000;

CREATE INDEX postings_company ON postings (company_id, q, n) WHERE order_key IS NULL AND company_id <> 0;

CREATE INDEX postings_order ON postings (order_key, q, n) WHERE order_key IS NOT NULL;

CREATE INDEX postings_owed ON postings (merchant_id, q, account, amount) WHERE account IN (1200, 1210);

CREATE TRIGGER postings_keep BEFORE UPDATE ON postings
BEGIN SELECT raise(ABORT, 'postings are append-only'); END;

CREATE TRIGGER postings_stay BEFORE DELETE ON postings
BEGIN SELECT raise(ABORT, 'postings are append-only'); END;

CREATE TABLE programs (
  merchant_id    TEXT    NOT NULL REFERENCES merchants,
  version        INTEGER NOT NULL,
  effective_from INTEGER,
  settings       TEXT    NOT NULL,
  q              INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, version)
) STRICT;

CREATE TRIGGER programs_keep BEFORE UPDATE ON programs
BEGIN SELECT raise(ABORT, 'program versions are append-only'); END;

CREATE TRIGGER programs_stay BEFORE DELETE ON programs
BEGIN SELECT raise(ABORT, 'program versions are append-only'); END;

CREATE TABLE receipts (
  id             TEXT    NOT NULL PRIMARY KEY,
  amount         INTEGER NOT NULL,
  method         TEXT    NOT NULL,
  received_on    INTEGER NOT NULL,
  reference      TEXT    NOT NULL,
  note           TEXT    NOT NULL,
  status         TEXT    NOT NULL,
  payment_id     TEXT,
  back_reference TEXT,
  created_at     INTEGER NOT NULL,
  ended_at       INTEGER,
  version        INTEGER NOT NULL,
  q              INTEGER NOT NULL
) STRICT;

CREATE INDEX receipts_created ON receipts (created_at, id);

CREATE INDEX receipts_status ON receipts (status, created_at, id);

CREATE TRIGGER receipts_stay BEFORE DELETE ON receipts
BEGIN SELECT raise(ABORT, 'a receipt is never deleted'); END;

CREATE TABLE requests (
  id            TEXT    NOT NULL PRIMARY KEY,
  request_id    TEXT    NOT NULL,
  at            INTEGER NOT NULL,
  took_us       INTEGER NOT NULL,
  node          TEXT    NOT NULL,
  operation     TEXT    NOT NULL,
  method        TEXT    NOT NULL,
  path          TEXT    NOT NULL,
  query         TEXT    NOT NULL,
  status        INTEGER NOT NULL,
  code          TEXT    NOT NULL,
  client_id     TEXT    NOT NULL,
  merchant_id   TEXT,
  key           TEXT,
  replayed      INTEGER NOT NULL,
  dry_run       INTEGER NOT NULL,
  commit_seq    INTEGER NOT NULL,
  request_type  TEXT    NOT NULL,
  request_size  INTEGER NOT NULL,
  request_body  TEXT,
  marks         TEXT,
  response_type TEXT    NOT NULL,
  response_size INTEGER NOT NULL,
  response_body TEXT
) STRICT;

CREATE INDEX requests_key ON requests (client_id, key, id) WHERE key IS NOT NULL;

CREATE INDEX requests_merchant ON requests (merchant_id, id) WHERE merchant_id IS NOT NULL;

CREATE INDEX requests_request ON requests (request_id, id);

CREATE TABLE resends (
  id          TEXT    NOT NULL PRIMARY KEY,
  endpoint_id TEXT    NOT NULL,
  merchant_id TEXT    NOT NULL,
  event_id    TEXT    NOT NULL,
  from_at     INTEGER,
  to_at       INTEGER,
  created_at  INTEGER,
  q           INTEGER NOT NULL
) STRICT;

CREATE INDEX resends_q ON resends (q);

CREATE TRIGGER resends_keep BEFORE UPDATE ON resends
BEGIN SELECT raise(ABORT, 'resends are append-only'); END;

CREATE TRIGGER resends_stay BEFORE DELETE ON resends
BEGIN SELECT raise(ABORT, 'resends are append-only'); END;

CREATE TABLE scratch (
  name    TEXT    NOT NULL PRIMARY KEY,
  value   BLOB    NOT NULL,
  until   INTEGER NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX scratch_until ON scratch (until, name);

CREATE TABLE screenings (
  id          TEXT    NOT NULL PRIMARY KEY,
  company_id  INTEGER NOT NULL,
  merchant_id TEXT    NOT NULL,
  list        TEXT    NOT NULL,
  names       TEXT,
  matches     TEXT,
  status      TEXT    NOT NULL,
  opened_at   INTEGER,
  decided_at  INTEGER,
  reason      TEXT    NOT NULL,
  report_by   INTEGER,
  version     INTEGER NOT NULL,
  q           INTEGER NOT NULL
) STRICT;

CREATE INDEX screenings_company ON screenings (company_id, opened_at, id);

CREATE INDEX screenings_merchant ON screenings (merchant_id, opened_at, id) WHERE merchant_id <> '';

CREATE INDEX screenings_opened ON screenings (opened_at, id);

CREATE INDEX screenings_status ON screenings (status, opened_at, id);

CREATE TRIGGER screenings_stay BEFORE DELETE ON screenings
BEGIN SELECT raise(ABORT, 'a screening is never deleted'); END;

CREATE TABLE settings (
  name  TEXT    NOT NULL PRIMARY KEY,
  value BLOB    NOT NULL
) STRICT;

CREATE TABLE staff_members (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  event_seq   INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL,
  kind        TEXT
) STRICT;

CREATE INDEX staff_members_company ON staff_members (company_id, created_at, id) WHERE company_id <> 0;

CREATE INDEX staff_members_created ON staff_members (created_at, id);

CREATE INDEX staff_members_merchant ON staff_members (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;

CREATE INDEX staff_members_next ON staff_members (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX staff_members_of ON staff_members (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE INDEX staff_members_status ON staff_members (status, created_at, id);

CREATE TRIGGER staff_members_stay BEFORE DELETE ON staff_members
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE tokens (
  hash       BLOB    NOT NULL PRIMARY KEY,
  client_id  TEXT    NOT NULL REFERENCES clients,
  scopes     TEXT,
  expires_at INTEGER,
  revoked_at INTEGER,
  q          INTEGER NOT NULL
) STRICT;

CREATE INDEX tokens_end ON tokens (coalesce(min(expires_at, revoked_at), expires_at, revoked_at), hash);

CREATE TABLE transfers (
  id                TEXT    NOT NULL PRIMARY KEY,
  rail              TEXT    NOT NULL,
  kind              TEXT    NOT NULL,
  company_id        INTEGER NOT NULL,
  merchant_id       TEXT    NOT NULL,
  payment_id        TEXT,
  refund_id         TEXT,
  payout_id         TEXT,
  payment_method_id TEXT,
  amount            INTEGER NOT NULL,
  entry_description TEXT    NOT NULL,
  status            TEXT    NOT NULL,
  send_on           INTEGER,
  settles_on        INTEGER,
  release_on        INTEGER,
  next_at           INTEGER,
  return_code       TEXT    NOT NULL,
  reference         TEXT    NOT NULL,
  charge_id         TEXT,
  back              INTEGER NOT NULL,
  created_at        INTEGER,
  updated_at        INTEGER,
  sent_at           INTEGER,
  settled_at        INTEGER,
  version           INTEGER NOT NULL,
  filed             INTEGER NOT NULL,
  q                 INTEGER NOT NULL
) STRICT;

CREATE INDEX transfers_card ON transfers (created_at, id) WHERE rail = 'CARD';

CREATE UNIQUE INDEX transfers_collects ON transfers (payment_id) WHERE kind = 'PAYMENT';

CREATE INDEX transfers_company ON transfers (company_id, created_at, id) WHERE company_id <> 0;

CREATE INDEX transfers_created ON transfers (created_at, id);

CREATE INDEX transfers_debited ON transfers (sent_at) WHERE rail = 'ACH' AND kind IN ('PAYMENT', 'CLAWBACK') AND sent_at IS NOT NULL;

CREATE INDEX transfers_merchant ON transfers (merchant_id, created_at, id) WHERE merchant_id <> '';

CREATE INDEX transfers_next ON transfers (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX transfers_payment ON transfers (payment_id, created_at, id) WHERE payment_id IS NOT NULL;

CREATE UNIQUE INDEX transfers_payout ON transfers (payout_id) WHERE payout_id IS NOT NULL;

CREATE INDEX transfers_status ON transfers (status, created_at, id) WHERE status <> 'SETTLED';

CREATE INDEX transfers_unanswered ON transfers (created_at, id) WHERE rail = 'CARD' AND status = 'SENT' AND (kind = 'PAYMENT' AND reference = '' OR kind <> 'PAYMENT' AND settled_at IS NULL);

CREATE INDEX transfers_unfiled ON transfers (sent_at, id) WHERE filed = 0 AND rail = 'ACH' AND status IN ('SENT', 'SETTLED');

CREATE TRIGGER transfers_stay BEFORE DELETE ON transfers
BEGIN SELECT raise(ABORT, 'a transfer is never deleted'); END;

CREATE TABLE vault (
  id     TEXT    NOT NULL PRIMARY KEY,
  sealed BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

