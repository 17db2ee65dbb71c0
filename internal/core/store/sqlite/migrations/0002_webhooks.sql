-- Clients that commands make, endpoints and their versions, who may read which
-- event, and what becomes of events on their way.

-- The columns stand in the order of every backend, so the table is made anew, and
-- with it the tokens, which name its rows. Until now all clients were made beside
-- the engine.
CREATE TABLE tokens_before AS SELECT * FROM tokens;
DROP TABLE tokens;
ALTER TABLE clients RENAME TO clients_before;
CREATE TABLE clients (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  scopes      TEXT,
  per_minute  INTEGER NOT NULL,
  burst       INTEGER NOT NULL,
  secrets     TEXT, -- hashes (AU3)
  created_at  INTEGER,
  updated_at  INTEGER,
  revoked_at  INTEGER,
  version     INTEGER NOT NULL CHECK (version >= 0),
  q           INTEGER NOT NULL,
  CHECK ((version = 0) = (q = 0)) -- no commit made it
) STRICT;
INSERT INTO clients SELECT id, merchant_id, name, scopes, per_minute, 100, NULL, created_at, created_at, revoked_at, 0, 0
  FROM clients_before;
DROP TABLE clients_before;
CREATE INDEX clients_created ON clients (created_at, id);
CREATE INDEX clients_merchant ON clients (merchant_id, created_at, id);
CREATE TRIGGER clients_version BEFORE UPDATE ON clients
WHEN NEW.version < OLD.version OR (NEW.version = 0) <> (OLD.version = 0) OR
     OLD.version > 0 AND OLD.merchant_id <> NEW.merchant_id
BEGIN SELECT raise(ABORT, 'a client is changed by commands alone, or by none'); END;
CREATE TRIGGER clients_stay BEFORE DELETE ON clients
BEGIN SELECT raise(ABORT, 'a client is never deleted'); END;

CREATE TABLE tokens (
  hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
  client_id  TEXT    NOT NULL REFERENCES clients,
  scopes     TEXT,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
INSERT INTO tokens SELECT hash, client_id, scopes, expires_at, revoked_at FROM tokens_before;
DROP TABLE tokens_before;
-- When a token ends, for the purge.
CREATE INDEX tokens_end ON tokens (coalesce(min(expires_at, revoked_at), expires_at, revoked_at), hash);
CREATE TRIGGER tokens_scopes BEFORE INSERT ON tokens -- AU3
WHEN EXISTS (SELECT value FROM json_each(NEW.scopes) EXCEPT
             SELECT s.value FROM clients c, json_each(c.scopes) s WHERE c.id = NEW.client_id)
BEGIN SELECT raise(ABORT, 'a token has no scope that its client has not'); END;

ALTER TABLE idempotency ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1));

-- A merchant's stream of events, in order of commit.
CREATE TABLE event_readers (
  merchant_id TEXT    NOT NULL CHECK (merchant_id NOT IN ('', '-')),
  q           INTEGER NOT NULL,
  n           INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, q, n),
  FOREIGN KEY (q, n) REFERENCES events
) STRICT, WITHOUT ROWID;
CREATE TRIGGER event_readers_keep BEFORE UPDATE ON event_readers
BEGIN SELECT raise(ABORT, 'readers of events are append-only'); END;
CREATE TRIGGER event_readers_stay BEFORE DELETE ON event_readers
BEGIN SELECT raise(ABORT, 'readers of events are append-only'); END;

-- What was written before: an event of a company was read by those that the company
-- was linked to when the batch of the event had written it.
CREATE TABLE links_before (
  company_id INTEGER NOT NULL,
  q          INTEGER NOT NULL,
  linked     TEXT,
  PRIMARY KEY (company_id, q)
) STRICT, WITHOUT ROWID;
INSERT INTO links_before
  SELECT company_id, q, linked FROM company_history UNION ALL SELECT company_id, q, linked FROM companies;
INSERT INTO event_readers SELECT merchant_id, q, n FROM events WHERE merchant_id NOT IN ('', '-');
INSERT INTO event_readers SELECT l.value, e.q, e.n FROM events e, json_each((
    SELECT b.linked FROM links_before b WHERE b.company_id = e.company_id AND b.q >= e.q ORDER BY b.q LIMIT 1)) l
  WHERE e.merchant_id = '';
DROP TABLE links_before;

CREATE TABLE endpoints (
  id              TEXT    NOT NULL PRIMARY KEY,
  merchant_id     TEXT    NOT NULL REFERENCES merchants,
  url             TEXT    NOT NULL,
  description     TEXT    NOT NULL,
  event_types     TEXT,
  enabled         INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  disabled_reason TEXT    NOT NULL,
  secrets         TEXT, -- sealed with the deployment's key
  created_at      INTEGER,
  updated_at      INTEGER,
  deleted_at      INTEGER,
  version         INTEGER NOT NULL CHECK (version > 0),
  event_seq       INTEGER NOT NULL,
  q               INTEGER NOT NULL
) STRICT;
CREATE INDEX endpoints_created ON endpoints (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX endpoints_merchant ON endpoints (merchant_id, created_at, id) WHERE deleted_at IS NULL;
CREATE TRIGGER endpoints_version BEFORE UPDATE ON endpoints
WHEN NEW.version < OLD.version OR NEW.event_seq < OLD.event_seq
BEGIN SELECT raise(ABORT, 'the version of an endpoint never goes back'); END;
CREATE TRIGGER endpoints_identity BEFORE UPDATE ON endpoints
WHEN OLD.merchant_id <> NEW.merchant_id OR OLD.deleted_at IS NOT NULL AND OLD.deleted_at IS NOT NEW.deleted_at
BEGIN SELECT raise(ABORT, 'an endpoint keeps its merchant, and a deleted one does not come back'); END;
CREATE TRIGGER endpoints_stay BEFORE DELETE ON endpoints
BEGIN SELECT raise(ABORT, 'the row of an endpoint is never deleted'); END;

CREATE TABLE endpoint_history (
  id              TEXT    NOT NULL,
  until_q         INTEGER NOT NULL,
  merchant_id     TEXT    NOT NULL,
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
  PRIMARY KEY (id, until_q)
) STRICT;
CREATE TRIGGER endpoint_history_keep BEFORE UPDATE ON endpoint_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;
CREATE TRIGGER endpoint_history_stay BEFORE DELETE ON endpoint_history
BEGIN SELECT raise(ABORT, 'history is append-only'); END;

CREATE TABLE resends (
  id          TEXT    NOT NULL PRIMARY KEY,
  endpoint_id TEXT    NOT NULL,
  merchant_id TEXT    NOT NULL,
  event_id    TEXT    NOT NULL,
  from_at     INTEGER,
  to_at       INTEGER,
  created_at  INTEGER,
  q           INTEGER NOT NULL,
  CHECK (event_id <> '' OR coalesce(from_at < to_at, 0))
) STRICT;
CREATE INDEX resends_q ON resends (q);
CREATE TRIGGER resends_parent BEFORE INSERT ON resends -- EV6
WHEN NOT EXISTS (SELECT 1 FROM endpoints x WHERE x.id = NEW.endpoint_id AND x.merchant_id = NEW.merchant_id)
BEGIN SELECT raise(ABORT, 'what is sent again has an endpoint of its merchant'); END;
CREATE TRIGGER resends_keep BEFORE UPDATE ON resends
BEGIN SELECT raise(ABORT, 'resends are append-only'); END;
CREATE TRIGGER resends_stay BEFORE DELETE ON resends
BEGIN SELECT raise(ABORT, 'resends are append-only'); END;

-- Of many millions all but a few have succeeded: lists of the others, and what is
-- still to be sent, have indexes of their own.
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
  state       TEXT    NOT NULL CHECK (state IN ('PENDING', 'SUCCEEDED', 'PARKED', 'CANCELED')),
  attempts    INTEGER NOT NULL CHECK (attempts >= 0),
  next_at     INTEGER CHECK (next_at IS NULL OR state = 'PENDING'),
  status      INTEGER NOT NULL,
  error       TEXT    NOT NULL,
  created_at  INTEGER CHECK (created_at IS NOT NULL),
  finished_at INTEGER CHECK ((finished_at IS NULL) = (state = 'PENDING')) -- EV2
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_created ON deliveries (created_at, id);
CREATE INDEX deliveries_merchant ON deliveries (merchant_id, created_at, id);
CREATE INDEX deliveries_endpoint ON deliveries (endpoint_id, created_at, id);
CREATE INDEX deliveries_event ON deliveries (event_id, created_at, id);
CREATE INDEX deliveries_state ON deliveries (endpoint_id, state, created_at, id) WHERE state <> 'SUCCEEDED';
CREATE INDEX deliveries_pending ON deliveries (endpoint_id, event_q, event_n, id) WHERE state = 'PENDING';
CREATE INDEX deliveries_finished ON deliveries (finished_at, id) WHERE finished_at IS NOT NULL;
CREATE TRIGGER deliveries_cause BEFORE INSERT ON deliveries -- EV6
WHEN NOT EXISTS (SELECT 1 FROM events e WHERE e.q = NEW.event_q AND e.n = NEW.event_n AND e.id = NEW.event_id
                 AND e.type = NEW.type AND e.object_type = NEW.object_type AND e.object_id = NEW.object_id
                 AND e.sequence = NEW.sequence) OR
     NOT EXISTS (SELECT 1 FROM event_readers r WHERE r.merchant_id = NEW.merchant_id AND r.q = NEW.event_q AND r.n = NEW.event_n) OR
     NOT EXISTS (SELECT 1 FROM endpoints x WHERE x.id = NEW.endpoint_id AND x.merchant_id = NEW.merchant_id) OR
     NEW.resend_id <> '' AND
     NOT EXISTS (SELECT 1 FROM resends s WHERE s.id = NEW.resend_id AND s.endpoint_id = NEW.endpoint_id)
BEGIN SELECT raise(ABORT, 'a delivery brings an event to an endpoint of a merchant that may read it'); END;
CREATE TRIGGER deliveries_again BEFORE INSERT ON deliveries -- EV4
WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.id = NEW.id AND
             (d.endpoint_id, d.event_id, d.resend_id) IS NOT (NEW.endpoint_id, NEW.event_id, NEW.resend_id))
BEGIN SELECT raise(ABORT, 'a delivery is of one event to one endpoint'); END;
CREATE TRIGGER deliveries_identity BEFORE UPDATE ON deliveries
WHEN OLD.state <> 'PENDING' OR NEW.attempts < OLD.attempts OR
     (OLD.endpoint_id, OLD.merchant_id, OLD.resend_id, OLD.event_id, OLD.event_q, OLD.event_n, OLD.created_at) IS NOT
     (NEW.endpoint_id, NEW.merchant_id, NEW.resend_id, NEW.event_id, NEW.event_q, NEW.event_n, NEW.created_at)
BEGIN SELECT raise(ABORT, 'a delivery keeps its event and endpoint, and a finished one stays'); END;
CREATE TRIGGER deliveries_stay BEFORE DELETE ON deliveries -- EV2
WHEN OLD.state = 'PENDING'
BEGIN SELECT raise(ABORT, 'a delivery that is not finished is not deleted'); END;

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

CREATE TABLE delivery_cursors (
  endpoint_id TEXT    NOT NULL PRIMARY KEY REFERENCES endpoints,
  q           INTEGER NOT NULL,
  n           INTEGER NOT NULL,
  resend_q    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER delivery_cursors_grow BEFORE UPDATE ON delivery_cursors -- EV2
WHEN (NEW.q, NEW.n) < (OLD.q, OLD.n) OR NEW.resend_q < OLD.resend_q
BEGIN SELECT raise(ABORT, 'a cursor never goes back'); END;

-- A lease that was given back keeps its row: the next holder's token is greater.
CREATE TABLE leases (
  name   TEXT    NOT NULL PRIMARY KEY,
  holder TEXT    NOT NULL,
  token  INTEGER NOT NULL CHECK (token > 0),
  until  INTEGER
) STRICT, WITHOUT ROWID;
CREATE TRIGGER leases_token BEFORE UPDATE ON leases -- R16
WHEN NEW.token < OLD.token OR NEW.token = OLD.token AND NEW.holder NOT IN (OLD.holder, '')
BEGIN SELECT raise(ABORT, 'a new holder has a greater token'); END;
CREATE TRIGGER leases_stay BEFORE DELETE ON leases
BEGIN SELECT raise(ABORT, 'a lease keeps its token for ever'); END;
