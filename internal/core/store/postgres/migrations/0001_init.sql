-- The whole state of one book, as the file of the same number says it for SQLite: the
-- same tables, columns, keys, references and indexes. Text is compared byte by byte
-- (COLLATE "C"); nested members are JSON kept as text, because its bytes count.
--
-- Rules of what no command writes are triggers that are called once for a statement.
-- OFFSET 0 keeps a look-up by key what it is, even if the plan was made while the table
-- was empty.
--
-- Tables with long texts keep them in the row as long as it fits a page
-- (toast_tuple_target): else the server would compress each text of more than 2 kB,
-- which costs more than writing it. Tables whose rows change leave room in their pages
-- (fillfactor), so that a change needs no new entry in an index.

-- refuse stands behind what is never written again.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = TG_ARGV[0], TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;

-- demand ends a transaction on the server, in the middle of what was sent to it at once,
-- with a code that says what does not hold (postgres/errors.go).
CREATE FUNCTION demand(holds boolean, code text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF holds THEN
    RETURN true;
  END IF;
  RAISE EXCEPTION USING ERRCODE = code, MESSAGE = 'demanded and not so: ' || code;
END $$;


CREATE TABLE books (
  book          bigint PRIMARY KEY,
  q             bigint NOT NULL,
  hash          bytea NOT NULL,
  at            timestamptz,
  business_date date,
  epoch         bigint NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.02);

CREATE TRIGGER books_stay BEFORE DELETE OR TRUNCATE ON books EXECUTE FUNCTION refuse('a book is never deleted');

INSERT INTO books VALUES (1, 0, decode(repeat('00', 32), 'hex'), NULL, NULL, 1);

CREATE TABLE batches (
  id            bytea NOT NULL PRIMARY KEY,
  node          text COLLATE "C" NOT NULL,
  first_q       bigint NOT NULL,
  last_q        bigint NOT NULL,
  at            timestamptz,
  business_date date,
  rules         bigint NOT NULL,
  wire          text COLLATE "C" NOT NULL,
  digest        bytea NOT NULL,
  hash          bytea NOT NULL,
  tombstone     boolean NOT NULL
);

CREATE INDEX batches_at ON batches (at, last_q) WHERE NOT tombstone;

CREATE TRIGGER batches_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON batches EXECUTE FUNCTION refuse('batches are append-only');

CREATE TABLE merchants (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  name        text COLLATE "C" NOT NULL,
  account     text NOT NULL,
  created_at  timestamptz,
  updated_at  timestamptz,
  version     bigint NOT NULL,
  q           bigint NOT NULL,
  limits      text NOT NULL,
  shop        text NOT NULL,
  settled     text,
  owed_since  date,
  debit       text COLLATE "C" NOT NULL,
  written_off bigint NOT NULL,
  unscreened  boolean NOT NULL
);

CREATE INDEX merchants_unscreened ON merchants (id) WHERE unscreened;

CREATE TABLE programs (
  merchant_id    text COLLATE "C" NOT NULL REFERENCES merchants,
  version        bigint NOT NULL,
  effective_from date,
  settings       text NOT NULL,
  q              bigint NOT NULL,
  PRIMARY KEY (merchant_id, version)
);

CREATE TRIGGER programs_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON programs EXECUTE FUNCTION refuse('program versions are append-only');

CREATE TABLE companies (
  company_id       bigint PRIMARY KEY,
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
  joint_replay         boolean NOT NULL,
  servicing        text NOT NULL,
  created_at       timestamptz,
  updated_at       timestamptz,
  version          bigint NOT NULL,
  event_seq        bigint NOT NULL,
  q                bigint NOT NULL,
  paused           boolean NOT NULL,
  unscreened       boolean NOT NULL,
  email_key        text COLLATE "C"
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX companies_created ON companies (created_at, company_id);
CREATE INDEX companies_email ON companies (email_key, company_id) WHERE email_key IS NOT NULL;
CREATE INDEX companies_paused ON companies (created_at, company_id) WHERE paused;
CREATE INDEX companies_suspended ON companies (created_at, company_id) WHERE status = 'SUSPENDED';
CREATE INDEX companies_unscreened ON companies (created_at, company_id) WHERE unscreened;

CREATE TRIGGER companies_stay BEFORE DELETE OR TRUNCATE ON companies EXECUTE FUNCTION refuse('a company is never deleted');

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
  joint_replay         boolean NOT NULL,
  servicing        text NOT NULL,
  created_at       timestamptz,
  updated_at       timestamptz,
  version          bigint NOT NULL,
  event_seq        bigint NOT NULL,
  q                bigint NOT NULL,
  PRIMARY KEY (company_id, until_q)
);

CREATE TRIGGER company_history_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON company_history EXECUTE FUNCTION refuse('history is append-only');

CREATE TABLE company_merchants (
  company_id  bigint NOT NULL REFERENCES companies,
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants,
  created_at  timestamptz,
  PRIMARY KEY (company_id, merchant_id)
);

CREATE INDEX company_merchants_created ON company_merchants (merchant_id, created_at, company_id);

CREATE TABLE orders (
  order_key              text COLLATE "C" NOT NULL PRIMARY KEY,
  company_id             bigint NOT NULL REFERENCES companies,
  merchant_id            text COLLATE "C" NOT NULL REFERENCES merchants,
  merchant_order_id      text COLLATE "C",
  currency               text COLLATE "C" NOT NULL,
  amount                 bigint NOT NULL,
  status                 text COLLATE "C" NOT NULL,
  financing_status       text COLLATE "C" NOT NULL,
  installments           bigint NOT NULL,
  externally_managed     boolean NOT NULL,
  program              bigint NOT NULL,
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
  revision               bigint NOT NULL,
  next_at                timestamptz,
  servicing              text NOT NULL,
  created_at             timestamptz,
  updated_at             timestamptz,
  version                bigint NOT NULL,
  event_seq              bigint NOT NULL,
  q                      bigint NOT NULL,
  proposed               boolean NOT NULL,
  stopped                boolean NOT NULL
) WITH (toast_tuple_target = 8160, fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

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

CREATE TRIGGER orders_stay BEFORE DELETE OR TRUNCATE ON orders EXECUTE FUNCTION refuse('an order is never deleted');

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
  program              bigint NOT NULL,
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
  revision               bigint NOT NULL,
  next_at                timestamptz,
  servicing              text NOT NULL,
  created_at             timestamptz,
  updated_at             timestamptz,
  version                bigint NOT NULL,
  event_seq              bigint NOT NULL,
  q                      bigint NOT NULL,
  PRIMARY KEY (order_key, until_q)
) WITH (toast_tuple_target = 8160);

CREATE TRIGGER order_history_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON order_history EXECUTE FUNCTION refuse('history is append-only');

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
  charged_off   boolean NOT NULL,
  q             bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX loans_company ON loans (company_id, captured_at, order_key);

CREATE TRIGGER loans_stay BEFORE DELETE OR TRUNCATE ON loans EXECUTE FUNCTION refuse('a loan is never deleted');

CREATE TABLE installments (
  order_key           text COLLATE "C" NOT NULL REFERENCES loans,
  number              bigint NOT NULL,
  company_id          bigint NOT NULL,
  merchant_id         text COLLATE "C" NOT NULL,
  due_date            date,
  target              bigint NOT NULL,
  principal           bigint NOT NULL,
  finance_charge      bigint NOT NULL,
  paid_principal      bigint NOT NULL,
  paid_finance_charge bigint NOT NULL,
  recognised          bigint NOT NULL,
  paid_on             date,
  canceled            boolean NOT NULL,
  anchor              boolean NOT NULL,
  ahead               bigint NOT NULL,
  PRIMARY KEY (order_key, number)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX installments_due ON installments (due_date, order_key) WHERE NOT canceled AND principal + finance_charge > paid_principal + paid_finance_charge;
CREATE INDEX installments_open ON installments (company_id, due_date) WHERE NOT canceled AND principal + finance_charge > paid_principal + paid_finance_charge;

CREATE TABLE fees (
  order_key   text COLLATE "C" NOT NULL REFERENCES loans,
  n           bigint NOT NULL,
  company_id  bigint NOT NULL,
  id          text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL,
  installment bigint NOT NULL,
  assessed_on date,
  amount      bigint NOT NULL,
  paid        bigint NOT NULL,
  waived      bigint NOT NULL,
  PRIMARY KEY (order_key, n)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE payments (
  id                text COLLATE "C" NOT NULL PRIMARY KEY,
  company_id        bigint NOT NULL REFERENCES companies,
  merchant_id       text COLLATE "C" NOT NULL,
  order_merchant_id text COLLATE "C" NOT NULL,
  order_key         text COLLATE "C",
  invoice_id        text COLLATE "C",
  amount            bigint NOT NULL,
  currency          text COLLATE "C" NOT NULL,
  status            text COLLATE "C" NOT NULL,
  method            text COLLATE "C" NOT NULL,
  direction         text COLLATE "C" NOT NULL,
  scheduled_date    date,
  effective_date    date,
  reference         text COLLATE "C" NOT NULL,
  external_id       text COLLATE "C",
  memo              text COLLATE "C" NOT NULL,
  hold_excess       boolean NOT NULL,
  refunded          bigint NOT NULL,
  freed             bigint NOT NULL,
  held              bigint NOT NULL,
  unapplied         bigint NOT NULL,
  allocations       text,
  refunds           text,
  failure           text,
  attempt           bigint NOT NULL,
  from_merchant     boolean NOT NULL,
  payment_method_id text COLLATE "C",
  transfer_id       text COLLATE "C",
  original_id       text COLLATE "C",
  items             text,
  autopay           boolean NOT NULL,
  fee_assessed      boolean NOT NULL,
  on_hold           bigint NOT NULL,
  owed_since        timestamptz,
  created_at        timestamptz,
  updated_at        timestamptz,
  submitted_at      timestamptz,
  settled_at        timestamptz,
  version           bigint NOT NULL,
  event_seq         bigint NOT NULL,
  q                 bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX payments_company ON payments (company_id, created_at, id);
CREATE INDEX payments_created ON payments (created_at, id);
CREATE INDEX payments_invoice ON payments (invoice_id, created_at, id) WHERE invoice_id IS NOT NULL;
CREATE INDEX payments_merchant ON payments (merchant_id, created_at, id);
CREATE INDEX payments_order ON payments (order_key, created_at, id) WHERE order_key IS NOT NULL;
CREATE INDEX payments_order_merchant ON payments (order_merchant_id, created_at, id) WHERE order_merchant_id <> '' AND order_merchant_id <> merchant_id;
CREATE INDEX payments_owed ON payments (owed_since, id) WHERE owed_since IS NOT NULL;

CREATE TRIGGER payments_stay BEFORE DELETE OR TRUNCATE ON payments EXECUTE FUNCTION refuse('a payment is never deleted');

CREATE TABLE invoices (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  number      text COLLATE "C" NOT NULL,
  order_key   text COLLATE "C" NOT NULL,
  company_id  bigint NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  amount_due  bigint NOT NULL,
  paid        bigint NOT NULL,
  status      text COLLATE "C" NOT NULL,
  issued_at   timestamptz,
  due_date    date,
  lines       text,
  updated_at  timestamptz,
  version     bigint NOT NULL,
  event_seq   bigint NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX invoices_company ON invoices (company_id, issued_at, id);
CREATE INDEX invoices_created ON invoices (issued_at, id);
CREATE INDEX invoices_merchant ON invoices (merchant_id, issued_at, id);
CREATE INDEX invoices_order ON invoices (order_key, issued_at, id);

CREATE TRIGGER invoices_stay BEFORE DELETE OR TRUNCATE ON invoices EXECUTE FUNCTION refuse('an invoice is never deleted');

CREATE TABLE credits (
  company_id bigint NOT NULL REFERENCES companies,
  source     text COLLATE "C" NOT NULL,
  q          bigint NOT NULL,
  n          bigint NOT NULL,
  order_key  text COLLATE "C",
  opened_on  date,
  amount     bigint NOT NULL,
  hold       boolean NOT NULL,
  next_at    timestamptz,
  waits      text COLLATE "C" NOT NULL,
  PRIMARY KEY (company_id, source)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX credits_next ON credits (next_at, company_id, source) WHERE next_at IS NOT NULL;

CREATE TABLE money_events (
  id             text COLLATE "C" NOT NULL PRIMARY KEY,
  q              bigint NOT NULL,
  n              bigint NOT NULL,
  company_id     bigint NOT NULL REFERENCES companies,
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

CREATE TRIGGER money_events_stay BEFORE DELETE OR TRUNCATE ON money_events EXECUTE FUNCTION refuse('a money event is never deleted');

CREATE TABLE money_touches (
  order_key  text COLLATE "C" NOT NULL,
  event_id   text COLLATE "C" NOT NULL REFERENCES money_events,
  company_id bigint NOT NULL,
  PRIMARY KEY (order_key, event_id)
);

CREATE TABLE entries (
  q          bigint NOT NULL,
  n          bigint NOT NULL,
  id         text COLLATE "C" NOT NULL,
  company_id bigint NOT NULL,
  book_date  date NOT NULL,
  value_date date NOT NULL,
  event      text COLLATE "C" NOT NULL,
  cause      text COLLATE "C" NOT NULL,
  currency   text COLLATE "C" NOT NULL,
  reverses   text COLLATE "C",
  at         timestamptz,
  PRIMARY KEY (q, n)
);

CREATE INDEX entries_book ON entries (book_date, q, n);
CREATE UNIQUE INDEX entries_id ON entries (id);
CREATE UNIQUE INDEX entries_reverses ON entries (reverses) WHERE reverses IS NOT NULL;

CREATE TRIGGER entries_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON entries EXECUTE FUNCTION refuse('entries are append-only');

CREATE TABLE postings (
  q           bigint NOT NULL,
  n           bigint NOT NULL,
  line        bigint NOT NULL,
  account     bigint NOT NULL,
  amount      bigint NOT NULL,
  company_id  bigint NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  order_key   text COLLATE "C",
  payment_id  text COLLATE "C" NOT NULL,
  installment bigint NOT NULL,
  PRIMARY KEY (q, n, line),
  FOREIGN KEY (q, n) REFERENCES entries DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX postings_cash ON postings (q, n) WHERE account = 1000;
CREATE INDEX postings_company ON postings (company_id, q, n) WHERE order_key IS NULL AND company_id <> 0;
CREATE INDEX postings_order ON postings (order_key, q, n) WHERE order_key IS NOT NULL;
CREATE INDEX postings_owed ON postings (merchant_id, q, account, amount) WHERE account IN (1200, 1210);

CREATE TRIGGER postings_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON postings EXECUTE FUNCTION refuse('postings are append-only');

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
  sequence    bigint NOT NULL,
  company_id  bigint NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  at          timestamptz,
  payload     text,
  PRIMARY KEY (q, n)
) WITH (toast_tuple_target = 8160);

CREATE UNIQUE INDEX events_id ON events (id);
CREATE UNIQUE INDEX events_object ON events (object_type, object_id, sequence);

CREATE TRIGGER events_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON events EXECUTE FUNCTION refuse('events are append-only');

CREATE TABLE claims (
  kind  text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  name  text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
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
  seed            bytea NOT NULL,
  result          text COLLATE "C" NOT NULL,
  body_hash       bytea NOT NULL
) WITH (toast_tuple_target = 8160);

CREATE INDEX audit_access ON audit (object, q) WHERE command IN ('client.create', 'client.limit', 'client.roll', 'client.revoke', 'token.issue', 'token.revoke');
CREATE INDEX audit_client ON audit (client_id, q);
CREATE INDEX audit_company ON audit (company_id, q) WHERE company_id <> 0;
CREATE INDEX audit_object ON audit (object, q) WHERE object <> '';
CREATE INDEX audit_request ON audit (request_id, q) WHERE request_id <> '';

CREATE TRIGGER audit_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON audit EXECUTE FUNCTION refuse('the audit log is append-only');

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
  sealed       boolean NOT NULL,
  PRIMARY KEY (client_id, key)
) WITH (toast_tuple_target = 8160);

CREATE TRIGGER idempotency_keep BEFORE UPDATE OF client_id, key, request, status, content_type, location, etag, q, at, company_id ON idempotency EXECUTE FUNCTION refuse('the first answer under a key stays');
CREATE FUNCTION idempotency_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh WHERE NOT sealed OR length(body) = 0) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the body of an answer is only ever sealed';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER idempotency_sealed AFTER UPDATE ON idempotency REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION idempotency_sealed();

CREATE TABLE clients (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL,
  name        text COLLATE "C" NOT NULL,
  scopes      text,
  per_minute  bigint NOT NULL,
  burst       bigint NOT NULL,
  secrets     text,
  created_at  timestamptz,
  updated_at  timestamptz,
  revoked_at  timestamptz,
  version     bigint NOT NULL,
  q           bigint NOT NULL
);

CREATE INDEX clients_created ON clients (created_at, id);
CREATE INDEX clients_merchant ON clients (merchant_id, created_at, id);

CREATE TRIGGER clients_stay BEFORE DELETE OR TRUNCATE ON clients EXECUTE FUNCTION refuse('a client is never deleted');

CREATE TABLE tokens (
  hash       bytea NOT NULL PRIMARY KEY,
  client_id  text COLLATE "C" NOT NULL REFERENCES clients,
  scopes     text,
  expires_at timestamptz,
  revoked_at timestamptz,
  q          bigint NOT NULL
);

CREATE INDEX tokens_end ON tokens (least(expires_at, revoked_at), hash);

CREATE TABLE settings (
  name  text COLLATE "C" NOT NULL PRIMARY KEY,
  value bytea NOT NULL
);

CREATE TABLE event_readers (
  merchant_id text COLLATE "C" NOT NULL,
  q           bigint NOT NULL,
  n           bigint NOT NULL,
  PRIMARY KEY (merchant_id, q, n),
  FOREIGN KEY (q, n) REFERENCES events
);

CREATE TRIGGER event_readers_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON event_readers EXECUTE FUNCTION refuse('readers of events are append-only');

CREATE TABLE endpoints (
  id              text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id     text COLLATE "C" NOT NULL REFERENCES merchants,
  kind            text COLLATE "C" NOT NULL,
  url             text COLLATE "C" NOT NULL,
  description     text COLLATE "C" NOT NULL,
  event_types     text,
  enabled         boolean NOT NULL,
  disabled_reason text COLLATE "C" NOT NULL,
  secrets         text,
  created_at      timestamptz,
  updated_at      timestamptz,
  deleted_at      timestamptz,
  version         bigint NOT NULL,
  event_seq       bigint NOT NULL,
  q               bigint NOT NULL
);

CREATE INDEX endpoints_created ON endpoints (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX endpoints_merchant ON endpoints (merchant_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TRIGGER endpoints_stay BEFORE DELETE OR TRUNCATE ON endpoints EXECUTE FUNCTION refuse('the row of an endpoint is never deleted');

CREATE TABLE endpoint_history (
  id              text COLLATE "C" NOT NULL,
  until_q         bigint NOT NULL,
  merchant_id     text COLLATE "C" NOT NULL,
  kind            text COLLATE "C" NOT NULL,
  url             text COLLATE "C" NOT NULL,
  description     text COLLATE "C" NOT NULL,
  event_types     text,
  enabled         boolean NOT NULL,
  disabled_reason text COLLATE "C" NOT NULL,
  secrets         text,
  created_at      timestamptz,
  updated_at      timestamptz,
  deleted_at      timestamptz,
  version         bigint NOT NULL,
  event_seq       bigint NOT NULL,
  q               bigint NOT NULL,
  PRIMARY KEY (id, until_q)
);

CREATE TRIGGER endpoint_history_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON endpoint_history EXECUTE FUNCTION refuse('history is append-only');

CREATE TABLE resends (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  endpoint_id text COLLATE "C" NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  event_id    text COLLATE "C" NOT NULL,
  from_at     timestamptz,
  to_at       timestamptz,
  created_at  timestamptz,
  q           bigint NOT NULL
);

CREATE INDEX resends_q ON resends (q);

CREATE TRIGGER resends_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON resends EXECUTE FUNCTION refuse('resends are append-only');

CREATE TABLE deliveries (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  endpoint_id text COLLATE "C" NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  resend_id   text COLLATE "C" NOT NULL,
  event_id    text COLLATE "C" NOT NULL,
  type        text COLLATE "C" NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  object_id   text COLLATE "C" NOT NULL,
  sequence    bigint NOT NULL,
  event_q     bigint NOT NULL,
  event_n     bigint NOT NULL,
  url         text COLLATE "C" NOT NULL,
  state       text COLLATE "C" NOT NULL CHECK (state IN ('PENDING', 'SUCCEEDED', 'PARKED', 'CANCELED')),
  attempts    bigint NOT NULL CHECK (attempts >= 0),
  next_at     timestamptz CHECK (next_at IS NULL OR state = 'PENDING'),
  status      bigint NOT NULL,
  error       text COLLATE "C" NOT NULL,
  created_at  timestamptz CHECK (created_at IS NOT NULL),
  finished_at timestamptz CHECK ((finished_at IS NULL) = (state = 'PENDING'))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX deliveries_created ON deliveries (created_at, id);
CREATE INDEX deliveries_endpoint ON deliveries (endpoint_id, created_at, id);
CREATE INDEX deliveries_event ON deliveries (event_id, created_at, id);
CREATE INDEX deliveries_finished ON deliveries (finished_at, id) WHERE finished_at IS NOT NULL;
CREATE INDEX deliveries_merchant ON deliveries (merchant_id, created_at, id);
CREATE INDEX deliveries_pending ON deliveries (endpoint_id, event_q, event_n, id) WHERE state = 'PENDING';
CREATE INDEX deliveries_state ON deliveries (endpoint_id, state, created_at, id) WHERE state <> 'SUCCEEDED';

CREATE FUNCTION deliveries_cause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n
             WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.q = n.event_q AND e.n = n.event_n AND e.id = n.event_id
                               AND e.type = n.type AND e.object_type = n.object_type AND e.object_id = n.object_id
                               AND e.sequence = n.sequence OFFSET 0)
                OR NOT EXISTS (SELECT 1 FROM event_readers r WHERE r.merchant_id = n.merchant_id
                               AND r.q = n.event_q AND r.n = n.event_n OFFSET 0)
                OR n.resend_id <> '' AND NOT EXISTS (
                  SELECT 1 FROM resends s WHERE s.id = n.resend_id AND s.endpoint_id = n.endpoint_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a delivery is of an event that its merchant may read, and asked for again by name';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER deliveries_cause AFTER INSERT ON deliveries REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION deliveries_cause();
CREATE FUNCTION endpoint_exists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT endpoint_id, merchant_id FROM fresh) n
             WHERE NOT EXISTS (SELECT 1 FROM endpoints e WHERE e.id = n.endpoint_id AND e.merchant_id = n.merchant_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the merchant has no such endpoint';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER deliveries_endpoint AFTER INSERT ON deliveries REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION endpoint_exists();
CREATE TRIGGER deliveries_identity BEFORE UPDATE OF id, endpoint_id, merchant_id, resend_id, event_id, type, object_type, object_id, sequence, event_q, event_n, created_at ON deliveries EXECUTE FUNCTION refuse('what is delivered, and to whom, never changes');
CREATE FUNCTION deliveries_life() RETURNS trigger LANGUAGE plpgsql SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id WHERE o.state <> 'PENDING' OR n.attempts < o.attempts) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a delivery that is finished stays as it is, and attempts are not undone';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER deliveries_life AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION deliveries_life();
CREATE FUNCTION deliveries_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past WHERE state = 'PENDING') THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a delivery that is not finished is not deleted';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER deliveries_stay AFTER DELETE ON deliveries REFERENCING OLD TABLE AS past EXECUTE FUNCTION deliveries_stay();
CREATE TRIGGER deliveries_url BEFORE UPDATE OF url ON deliveries EXECUTE FUNCTION refuse('a delivery keeps its address');

CREATE TABLE attempts (
  delivery_id text COLLATE "C" NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  n           bigint NOT NULL CHECK (n > 0),
  at          timestamptz,
  took_us     bigint NOT NULL CHECK (took_us >= 0),
  status      bigint NOT NULL,
  error       text COLLATE "C" NOT NULL,
  answer      text COLLATE "C" NOT NULL,
  PRIMARY KEY (delivery_id, n)
) WITH (toast_tuple_target = 8160);

CREATE TRIGGER attempts_keep BEFORE UPDATE ON attempts EXECUTE FUNCTION refuse('an attempt that was made never changes');
CREATE FUNCTION attempts_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT delivery_id FROM past) o
             WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.id = o.delivery_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'attempts go with their delivery';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER attempts_stay AFTER DELETE ON attempts REFERENCING OLD TABLE AS past EXECUTE FUNCTION attempts_stay();

CREATE TABLE delivery_cursors (
  endpoint_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES endpoints,
  q           bigint NOT NULL,
  n           bigint NOT NULL,
  resend_q    bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

CREATE FUNCTION delivery_cursors_grow() RETURNS trigger LANGUAGE plpgsql SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.endpoint_id = o.endpoint_id
             WHERE (n.q, n.n) < (o.q, o.n) OR n.resend_q < o.resend_q) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a cursor never goes back';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER delivery_cursors_grow AFTER UPDATE ON delivery_cursors REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION delivery_cursors_grow();
CREATE TRIGGER delivery_cursors_identity BEFORE UPDATE OF endpoint_id ON delivery_cursors EXECUTE FUNCTION refuse('a cursor stays with its endpoint');

CREATE TABLE leases (
  name   text COLLATE "C" NOT NULL PRIMARY KEY,
  holder text COLLATE "C" NOT NULL,
  token  bigint NOT NULL CHECK (token > 0),
  until  timestamptz
) WITH (fillfactor = 10);

CREATE FUNCTION leases_grow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.name = o.name
             WHERE n.token < o.token OR n.token = o.token AND n.holder <> o.holder AND n.holder <> '') THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'each holder of a lease has a larger token than the one before';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER leases_grow AFTER UPDATE ON leases REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION leases_grow();
CREATE TRIGGER leases_identity BEFORE UPDATE OF name ON leases EXECUTE FUNCTION refuse('a lease keeps its name');
CREATE TRIGGER leases_stay BEFORE DELETE OR TRUNCATE ON leases EXECUTE FUNCTION refuse('a lease is given back, never deleted: its token would begin anew');

CREATE TABLE payment_methods (
  id                   text COLLATE "C" NOT NULL PRIMARY KEY,
  company_id           bigint NOT NULL REFERENCES companies,
  merchant_id          text COLLATE "C" NOT NULL,
  type                 text COLLATE "C" NOT NULL,
  status               text COLLATE "C" NOT NULL,
  disabled_reason      text COLLATE "C" NOT NULL,
  bank                 text,
  card                 text,
  debtor_authorization text NOT NULL,
  verification         text,
  standing             text,
  first_settled        date,
  created_at           timestamptz,
  updated_at           timestamptz,
  version              bigint NOT NULL,
  q                    bigint NOT NULL,
  fingerprint          text COLLATE "C"
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX payment_methods_account ON payment_methods (fingerprint, created_at, id, company_id) WHERE fingerprint IS NOT NULL;
CREATE INDEX payment_methods_added ON payment_methods (created_at, id) WHERE fingerprint IS NOT NULL;
CREATE INDEX payment_methods_company ON payment_methods (company_id, created_at, id);

CREATE TRIGGER payment_methods_stay BEFORE DELETE OR TRUNCATE ON payment_methods EXECUTE FUNCTION refuse('a payment method is never deleted');

CREATE TABLE transfers (
  id                text COLLATE "C" NOT NULL PRIMARY KEY,
  rail              text COLLATE "C" NOT NULL,
  kind              text COLLATE "C" NOT NULL,
  company_id        bigint NOT NULL,
  merchant_id       text COLLATE "C" NOT NULL,
  payment_id        text COLLATE "C",
  refund_id         text COLLATE "C",
  payout_id         text COLLATE "C",
  payment_method_id text COLLATE "C",
  amount            bigint NOT NULL,
  entry_description text COLLATE "C" NOT NULL,
  status            text COLLATE "C" NOT NULL,
  send_on           date,
  settles_on        date,
  release_on        date,
  next_at           timestamptz,
  return_code       text COLLATE "C" NOT NULL,
  reference         text COLLATE "C" NOT NULL,
  charge_id         text COLLATE "C",
  back              bigint NOT NULL,
  created_at        timestamptz,
  updated_at        timestamptz,
  sent_at           timestamptz,
  settled_at        timestamptz,
  version           bigint NOT NULL,
  filed             boolean NOT NULL,
  q                 bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

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
CREATE INDEX transfers_unfiled ON transfers (sent_at, id) WHERE NOT filed AND rail = 'ACH' AND status IN ('SENT', 'SETTLED');

CREATE TRIGGER transfers_stay BEFORE DELETE OR TRUNCATE ON transfers EXECUTE FUNCTION refuse('a transfer is never deleted');

CREATE TABLE payouts (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants,
  status      text COLLATE "C" NOT NULL,
  run_on      date,
  gross       bigint NOT NULL,
  discount    bigint NOT NULL,
  refunds     bigint NOT NULL,
  repaid      bigint NOT NULL,
  clawback    bigint NOT NULL,
  collected   bigint NOT NULL,
  net         bigint NOT NULL,
  transfer_id text COLLATE "C",
  failure     text,
  created_at  timestamptz,
  updated_at  timestamptz,
  sent_at     timestamptz,
  settled_at  timestamptz,
  version     bigint NOT NULL,
  event_seq   bigint NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX payouts_created ON payouts (created_at, id);
CREATE INDEX payouts_merchant ON payouts (merchant_id, created_at, id);
CREATE INDEX payouts_status ON payouts (status, created_at, id) WHERE status <> 'SETTLED';

CREATE TRIGGER payouts_stay BEFORE DELETE OR TRUNCATE ON payouts EXECUTE FUNCTION refuse('a payout is never deleted');

CREATE TABLE payout_lines (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants,
  kind        text COLLATE "C" NOT NULL,
  company_id  bigint NOT NULL,
  order_key   text COLLATE "C",
  of_key      text COLLATE "C" NOT NULL,
  source      text COLLATE "C" NOT NULL,
  gross       bigint NOT NULL,
  discount    bigint NOT NULL,
  refunds     bigint NOT NULL,
  amount      bigint NOT NULL,
  netted      bigint NOT NULL,
  due_on      date,
  payout_id   text COLLATE "C",
  next_at     timestamptz,
  at          timestamptz,
  version     bigint NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX payout_lines_next ON payout_lines (next_at, of_key) WHERE next_at IS NOT NULL;
CREATE INDEX payout_lines_of ON payout_lines (of_key, due_on, id);
CREATE INDEX payout_lines_owed ON payout_lines (merchant_id, kind, due_on, id) WHERE payout_id IS NULL AND kind IN ('CLAWBACK', 'COLLECTED');
CREATE INDEX payout_lines_payout ON payout_lines (payout_id, due_on, id) WHERE payout_id IS NOT NULL;
CREATE INDEX payout_lines_waiting ON payout_lines (merchant_id, due_on, id) WHERE payout_id IS NULL;

CREATE TRIGGER payout_lines_stay BEFORE DELETE OR TRUNCATE ON payout_lines EXECUTE FUNCTION refuse('a payout line is never deleted');

CREATE TABLE notices (
  id              text COLLATE "C" NOT NULL PRIMARY KEY,
  kind            text COLLATE "C" NOT NULL,
  asked_notice_id text COLLATE "C",
  company_id      bigint NOT NULL REFERENCES companies,
  action_at       timestamptz,
  clock_start     date,
  due_on          date,
  sent_at         timestamptz,
  channel         text COLLATE "C" NOT NULL,
  reasons         text,
  evidence        text COLLATE "C" NOT NULL,
  late            boolean NOT NULL,
  lender          text,
  erased_at       timestamptz,
  version         bigint NOT NULL,
  q               bigint NOT NULL
) WITH (fillfactor = 80);

CREATE INDEX notices_action ON notices (action_at, id);
CREATE INDEX notices_company ON notices (company_id, action_at, id);
CREATE INDEX notices_kept ON notices (action_at, id) WHERE sent_at IS NOT NULL AND erased_at IS NULL;
CREATE INDEX notices_late ON notices (action_at, id) WHERE late;
CREATE INDEX notices_waiting ON notices (action_at, id) WHERE sent_at IS NULL;

CREATE TRIGGER notices_stay BEFORE DELETE OR TRUNCATE ON notices EXECUTE FUNCTION refuse('a notice is never deleted');

CREATE TABLE periods (
  month     date PRIMARY KEY,
  closed_at timestamptz,
  debits    bigint NOT NULL,
  q         bigint NOT NULL
);

CREATE TRIGGER periods_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON periods EXECUTE FUNCTION refuse('closed months are append-only');

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

CREATE TRIGGER bank_files_identity BEFORE UPDATE OF id, cut_off, first_trace, entries, debits, credits, created_at ON bank_files EXECUTE FUNCTION refuse('a file to a bank keeps its content');
CREATE FUNCTION bank_files_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE o.state <> n.state AND NOT (o.state = 'BUILT' OR o.state = 'SENT' AND n.state <> 'BUILT')) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the state of a file only goes forward';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_files_life AFTER UPDATE ON bank_files REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION bank_files_life();
CREATE TRIGGER bank_files_stay BEFORE DELETE OR TRUNCATE ON bank_files EXECUTE FUNCTION refuse('a file to a bank is never deleted');

CREATE TABLE bank_entries (
  transfer_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES transfers,
  file_id     text COLLATE "C" NOT NULL REFERENCES bank_files,
  trace       bigint NOT NULL CHECK (trace BETWEEN 1 AND 9999999)
);

CREATE UNIQUE INDEX bank_entries_file ON bank_entries (file_id, trace);
CREATE INDEX bank_entries_trace ON bank_entries (trace);

CREATE TRIGGER bank_entries_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON bank_entries EXECUTE FUNCTION refuse('entries of files are append-only');
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
CREATE TRIGGER bank_entries_parent AFTER INSERT ON bank_entries REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION bank_entries_parent();

CREATE TABLE bank_notices (
  rail        text COLLATE "C" NOT NULL CHECK (rail IN ('ACH', 'CARD')),
  id          text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL,
  transfer_id text COLLATE "C" REFERENCES transfers,
  code        text COLLATE "C" NOT NULL,
  payload     text,
  at          timestamptz,
  closed_at   timestamptz,
  result      text COLLATE "C" NOT NULL,
  reviewed_at timestamptz,
  reviewed_by text COLLATE "C" NOT NULL,
  review_note text COLLATE "C" NOT NULL CHECK (CASE WHEN reviewed_at IS NULL THEN reviewed_by = '' AND review_note = '' ELSE closed_at IS NOT NULL AND reviewed_by <> '' AND review_note <> '' END),
  PRIMARY KEY (rail, id),
  CHECK (closed_at IS NOT NULL OR result = '')
) WITH (toast_tuple_target = 8160, fillfactor = 80);

CREATE INDEX bank_notices_code ON bank_notices (at, code) WHERE code <> '';
CREATE INDEX bank_notices_left ON bank_notices (at, rail, id) WHERE result <> '' AND result <> 'done' AND result <> 'ignored';
CREATE INDEX bank_notices_open ON bank_notices (at, rail, id) WHERE closed_at IS NULL;
CREATE INDEX bank_notices_waiting ON bank_notices (at, rail, id) WHERE result <> '' AND result <> 'done' AND result <> 'ignored' AND reviewed_at IS NULL;

CREATE TRIGGER bank_notices_identity BEFORE UPDATE OF rail, id, kind, transfer_id, code, at ON bank_notices EXECUTE FUNCTION refuse('what a bank has said never changes');
CREATE FUNCTION bank_notices_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.rail = o.rail AND n.id = o.id
             WHERE o.closed_at IS NOT NULL AND (o.closed_at, o.result) IS DISTINCT FROM (n.closed_at, n.result)
                OR o.reviewed_at IS NOT NULL AND (o.reviewed_at, o.reviewed_by, o.review_note) IS DISTINCT FROM (n.reviewed_at, n.reviewed_by, n.review_note)
                OR o.payload IS DISTINCT FROM n.payload AND (o.payload::jsonb - 'corrected') IS DISTINCT FROM (n.payload::jsonb - 'corrected')) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a notice says what it said; what was dealt with stays so, and what a person has said of it';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_notices_life AFTER UPDATE ON bank_notices REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION bank_notices_life();
CREATE TRIGGER bank_notices_stay BEFORE DELETE OR TRUNCATE ON bank_notices EXECUTE FUNCTION refuse('what a bank has said is never deleted');

CREATE TABLE bank_lines (
  id        text COLLATE "C" NOT NULL PRIMARY KEY,
  date      date CHECK (date IS NOT NULL),
  amount    bigint NOT NULL,
  reference text COLLATE "C" NOT NULL,
  match_id  text COLLATE "C",
  owner     text COLLATE "C" NOT NULL,
  note      text COLLATE "C" NOT NULL
);

CREATE INDEX bank_lines_date ON bank_lines (date, id);
CREATE INDEX bank_lines_open ON bank_lines (date, id) WHERE match_id IS NULL;

CREATE TRIGGER bank_lines_identity BEFORE UPDATE OF id, date, amount, reference ON bank_lines EXECUTE FUNCTION refuse('a line of the bank''s statement never changes');
CREATE FUNCTION in_match() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE n.match_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM bank_matches m WHERE m.id = n.match_id AND m.undone_at IS NULL OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such match that holds';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_lines_match AFTER INSERT ON bank_lines REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION in_match();
CREATE TRIGGER bank_lines_match_still AFTER UPDATE ON bank_lines REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION in_match();
CREATE TRIGGER bank_lines_stay BEFORE DELETE OR TRUNCATE ON bank_lines EXECUTE FUNCTION refuse('a line of the bank''s statement is never deleted');

CREATE TABLE bank_matches (
  id        text COLLATE "C" NOT NULL PRIMARY KEY,
  rule      text COLLATE "C" NOT NULL CHECK (rule IN ('REFERENCE', 'BATCH', 'AMOUNT', 'BY_HAND')),
  lines     text,
  entries   text,
  amount    bigint NOT NULL,
  note      text COLLATE "C" NOT NULL,
  made_at   timestamptz,
  made_by   text COLLATE "C" NOT NULL,
  undone_at timestamptz,
  undone_by text COLLATE "C" NOT NULL,
  CHECK (undone_at IS NOT NULL OR undone_by = '')
);

CREATE INDEX bank_matches_made ON bank_matches (made_at, id);
CREATE INDEX bank_matches_undone ON bank_matches (id) WHERE undone_at IS NOT NULL;

CREATE TRIGGER bank_matches_identity BEFORE UPDATE OF id, rule, lines, entries, amount, note, made_at, made_by ON bank_matches EXECUTE FUNCTION refuse('a match stays as it is, but for its end');
CREATE FUNCTION bank_matches_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE o.undone_at IS NOT NULL AND (o.undone_at, o.undone_by) IS DISTINCT FROM (n.undone_at, n.undone_by)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a match that was undone stays so';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bank_matches_life AFTER UPDATE ON bank_matches REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION bank_matches_life();
CREATE TRIGGER bank_matches_stay BEFORE DELETE OR TRUNCATE ON bank_matches EXECUTE FUNCTION refuse('a match is never deleted');

CREATE TABLE cash_items (
  entry_id text COLLATE "C" NOT NULL PRIMARY KEY,
  match_id text COLLATE "C",
  owner    text COLLATE "C" NOT NULL,
  note     text COLLATE "C" NOT NULL
);

CREATE FUNCTION cash_items_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE NOT EXISTS (SELECT 1 FROM entries e JOIN postings p ON p.q = e.q AND p.n = e.n
             WHERE e.id = n.entry_id AND p.account = 1000 OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such entry on 1000';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER cash_items_entry AFTER INSERT ON cash_items REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION cash_items_entry();
CREATE TRIGGER cash_items_identity BEFORE UPDATE OF entry_id ON cash_items EXECUTE FUNCTION refuse('what is known of an entry stays with it');
CREATE TRIGGER cash_items_match AFTER INSERT ON cash_items REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION in_match();
CREATE TRIGGER cash_items_match_still AFTER UPDATE ON cash_items REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION in_match();
CREATE TRIGGER cash_items_stay BEFORE DELETE OR TRUNCATE ON cash_items EXECUTE FUNCTION refuse('what is known of an entry is never deleted');

CREATE TABLE lenders (
  id             text COLLATE "C" NOT NULL PRIMARY KEY,
  allowance      bigint NOT NULL,
  provision_from date,
  provisioned_through    date,
  closed_to      date,
  moved          text,
  settings       text,
  updated_at     timestamptz,
  version        bigint NOT NULL,
  q              bigint NOT NULL
) WITH (fillfactor = 80);

CREATE TRIGGER lenders_stay BEFORE DELETE OR TRUNCATE ON lenders EXECUTE FUNCTION refuse('the lender is never deleted');

CREATE TABLE screenings (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  company_id  bigint NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  list        text COLLATE "C" NOT NULL,
  names       text,
  matches     text,
  status      text COLLATE "C" NOT NULL,
  opened_at   timestamptz,
  decided_at  timestamptz,
  reason      text COLLATE "C" NOT NULL,
  report_by   date,
  version     bigint NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80);

CREATE INDEX screenings_company ON screenings (company_id, opened_at, id);
CREATE INDEX screenings_merchant ON screenings (merchant_id, opened_at, id) WHERE merchant_id <> '';
CREATE INDEX screenings_opened ON screenings (opened_at, id);
CREATE INDEX screenings_status ON screenings (status, opened_at, id);

CREATE TRIGGER screenings_stay BEFORE DELETE OR TRUNCATE ON screenings EXECUTE FUNCTION refuse('a screening is never deleted');

CREATE TABLE receipts (
  id             text COLLATE "C" NOT NULL PRIMARY KEY,
  amount         bigint NOT NULL,
  method         text COLLATE "C" NOT NULL,
  received_on    date NOT NULL,
  reference      text COLLATE "C" NOT NULL,
  note           text COLLATE "C" NOT NULL,
  status         text COLLATE "C" NOT NULL,
  payment_id     text COLLATE "C",
  back_reference text COLLATE "C",
  created_at     timestamptz NOT NULL,
  ended_at       timestamptz,
  version        bigint NOT NULL,
  q              bigint NOT NULL
) WITH (fillfactor = 80);

CREATE INDEX receipts_created ON receipts (created_at, id);
CREATE INDEX receipts_status ON receipts (status, created_at, id);

CREATE TRIGGER receipts_stay BEFORE DELETE OR TRUNCATE ON receipts EXECUTE FUNCTION refuse('a receipt is never deleted');

CREATE TABLE merchant_positions (
  merchant_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES merchants,
  principal   bigint NOT NULL,
  clawback    bigint NOT NULL,
  collected   bigint NOT NULL,
  payable     bigint NOT NULL
);

CREATE TABLE heads (
  number        bigint PRIMARY KEY,
  book          bytea NOT NULL CHECK (length(book) = 16),
  epoch         bigint NOT NULL,
  commit_seq    bigint NOT NULL CHECK (commit_seq >= 0),
  hash          bytea NOT NULL CHECK (length(hash) = 32),
  at            timestamptz NOT NULL,
  previous      bytea NOT NULL CHECK (length(previous) = 32),
  key_id        text COLLATE "C" NOT NULL CHECK (key_id <> ''),
  public_key    bytea NOT NULL CHECK (length(public_key) = 32),
  signature     bytea NOT NULL CHECK (length(signature) = 64),
  old_signature bytea NOT NULL CHECK (length(old_signature) IN (0, 64))
);

CREATE TRIGGER heads_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON heads EXECUTE FUNCTION refuse('signed heads are append-only');
CREATE FUNCTION heads_true() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM heads WHERE number = NEW.number) AND
     (NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM heads) OR
      NOT EXISTS (SELECT 1 FROM books WHERE book = 1 AND epoch = NEW.epoch AND (q > NEW.commit_seq OR q = NEW.commit_seq AND hash = NEW.hash))) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a head has the next number, and the book stands where it says';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER heads_true BEFORE INSERT ON heads FOR EACH ROW EXECUTE FUNCTION heads_true();

CREATE TABLE people (
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

CREATE INDEX people_company ON people (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX people_created ON people (created_at, id);
CREATE INDEX people_merchant ON people (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX people_next ON people (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX people_of ON people (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE TRIGGER people_stay BEFORE DELETE OR TRUNCATE ON people EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE applications (
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

CREATE INDEX applications_company ON applications (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX applications_created ON applications (created_at, id);
CREATE INDEX applications_merchant ON applications (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX applications_next ON applications (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX applications_of ON applications (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE TRIGGER applications_stay BEFORE DELETE OR TRUNCATE ON applications EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE checkouts (
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

CREATE INDEX checkouts_company ON checkouts (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX checkouts_created ON checkouts (created_at, id);
CREATE INDEX checkouts_merchant ON checkouts (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX checkouts_next ON checkouts (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX checkouts_of ON checkouts (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE TRIGGER checkouts_stay BEFORE DELETE OR TRUNCATE ON checkouts EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE documents (
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

CREATE INDEX documents_company ON documents (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX documents_created ON documents (created_at, id);
CREATE INDEX documents_merchant ON documents (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX documents_next ON documents (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX documents_of ON documents (of_key, created_at, id) WHERE of_key IS NOT NULL;

CREATE TRIGGER documents_stay BEFORE DELETE OR TRUNCATE ON documents EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE mails (
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

CREATE INDEX mails_company ON mails (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX mails_created ON mails (created_at, id);
CREATE INDEX mails_merchant ON mails (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX mails_next ON mails (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX mails_of ON mails (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX mails_urgent ON mails (next_at, id) WHERE next_at IS NOT NULL AND kind = 'URGENT';

CREATE TRIGGER mails_stay BEFORE DELETE OR TRUNCATE ON mails EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE cases (
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

CREATE INDEX cases_company ON cases (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX cases_created ON cases (created_at, id);
CREATE INDEX cases_merchant ON cases (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX cases_next ON cases (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX cases_of ON cases (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX cases_status ON cases (status, created_at, id);

CREATE TRIGGER cases_stay BEFORE DELETE OR TRUNCATE ON cases EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE vault (
  id     text COLLATE "C" NOT NULL PRIMARY KEY,
  sealed bytea NOT NULL
);

CREATE TABLE scratch (
  name    text COLLATE "C" NOT NULL PRIMARY KEY,
  value   bytea NOT NULL,
  until   timestamptz NOT NULL,
  version bigint NOT NULL CHECK (version > 0)
);

CREATE INDEX scratch_until ON scratch (until, name);

CREATE TABLE requests (
  id            text COLLATE "C" NOT NULL PRIMARY KEY,
  request_id    text COLLATE "C" NOT NULL,
  at            timestamptz NOT NULL,
  took_us       bigint NOT NULL,
  node          text COLLATE "C" NOT NULL,
  operation     text COLLATE "C" NOT NULL,
  method        text COLLATE "C" NOT NULL,
  path          text COLLATE "C" NOT NULL,
  query         text COLLATE "C" NOT NULL,
  status        bigint NOT NULL,
  code          text COLLATE "C" NOT NULL,
  client_id     text COLLATE "C" NOT NULL,
  merchant_id   text COLLATE "C",
  key           text COLLATE "C",
  replayed      boolean NOT NULL,
  dry_run       boolean NOT NULL,
  commit_seq    bigint NOT NULL,
  request_type  text COLLATE "C" NOT NULL,
  request_size  bigint NOT NULL,
  request_body  text,
  marks         text,
  response_type text COLLATE "C" NOT NULL,
  response_size bigint NOT NULL,
  response_body text
);

CREATE INDEX requests_key ON requests (client_id, key, id) WHERE key IS NOT NULL;
CREATE INDEX requests_merchant ON requests (merchant_id, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX requests_request ON requests (request_id, id);
