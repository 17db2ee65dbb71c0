-- Replaced versions are appended: their key begins with the commit that replaced them, and the
-- log finds them by the commits that changed a record. An index by record cost a page of its own
-- for each version. What the log does not name, event_objects does.

CREATE TABLE past_company (
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
INSERT INTO past_company (until_q, company_id, name, legal_name, tax_id_last4, status, status_code, status_message, phone, email, billing_address, tier, credit_limit, reserved, outstanding, on_hold, unapplied_credit, linked, money_seq, joint_replay, servicing, created_at, updated_at, version, event_seq, q)
SELECT until_q, company_id, name, legal_name, tax_id_last4, status, status_code, status_message, phone, email, billing_address, tier, credit_limit, reserved, outstanding, on_hold, unapplied_credit, linked, money_seq, joint_replay, servicing, created_at, updated_at, version, event_seq, q FROM company_history;
INSERT OR IGNORE INTO event_objects (object_type, object_id, q)
SELECT 'company', CAST(h.company_id AS TEXT), h.until_q FROM past_company h JOIN audit a ON a.q = h.until_q WHERE NOT (a.company_id = h.company_id OR a.object = CAST(h.company_id AS TEXT));
DROP TRIGGER company_history_keep;
DROP TRIGGER company_history_stay;
DROP TABLE company_history;
ALTER TABLE past_company RENAME TO company_history;
CREATE TRIGGER company_history_keep BEFORE UPDATE ON company_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;
CREATE TRIGGER company_history_stay BEFORE DELETE ON company_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;

CREATE TABLE past_order (
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
INSERT INTO past_order (until_q, order_key, company_id, merchant_id, merchant_order_id, currency, amount, status, financing_status, installments, externally_managed, program, terms, authorized_amount, reserved, captured, refunded, merchant_discount, merchant_discount_back, capture_date, captured_at, authorized_at, expires_at, extended, warned_for, canceled_at, cancel_reason, returned_at, merchant_status, cart, charges, shipping, billing, metadata, refunds, invoice_id, parent, checkout_id, revision, next_at, servicing, created_at, updated_at, version, event_seq, q)
SELECT until_q, order_key, company_id, merchant_id, merchant_order_id, currency, amount, status, financing_status, installments, externally_managed, program, terms, authorized_amount, reserved, captured, refunded, merchant_discount, merchant_discount_back, capture_date, captured_at, authorized_at, expires_at, extended, warned_for, canceled_at, cancel_reason, returned_at, merchant_status, cart, charges, shipping, billing, metadata, refunds, invoice_id, parent, checkout_id, revision, next_at, servicing, created_at, updated_at, version, event_seq, q FROM order_history;
INSERT OR IGNORE INTO event_objects (object_type, object_id, q)
SELECT 'order', h.order_key, h.until_q FROM past_order h JOIN audit a ON a.q = h.until_q WHERE NOT (a.object = h.order_key);
DROP TRIGGER order_history_keep;
DROP TRIGGER order_history_stay;
DROP TABLE order_history;
ALTER TABLE past_order RENAME TO order_history;
CREATE TRIGGER order_history_keep BEFORE UPDATE ON order_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;
CREATE TRIGGER order_history_stay BEFORE DELETE ON order_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;

CREATE TABLE past_endpoint (
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
INSERT INTO past_endpoint (until_q, id, merchant_id, kind, url, description, event_types, enabled, disabled_reason, secrets, created_at, updated_at, deleted_at, version, event_seq, q)
SELECT until_q, id, merchant_id, kind, url, description, event_types, enabled, disabled_reason, secrets, created_at, updated_at, deleted_at, version, event_seq, q FROM endpoint_history;
INSERT OR IGNORE INTO event_objects (object_type, object_id, q)
SELECT 'webhook', h.id, h.until_q FROM past_endpoint h JOIN audit a ON a.q = h.until_q WHERE NOT (a.object = h.id);
DROP TRIGGER endpoint_history_keep;
DROP TRIGGER endpoint_history_stay;
DROP TABLE endpoint_history;
ALTER TABLE past_endpoint RENAME TO endpoint_history;
CREATE TRIGGER endpoint_history_keep BEFORE UPDATE ON endpoint_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;
CREATE TRIGGER endpoint_history_stay BEFORE DELETE ON endpoint_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;
