-- Clients that commands keep, endpoints of webhooks, who may read which event, and
-- what becomes of an event on its way out. The rules are kept as 0001 says.

-- Columns come in the order of the table's description, so the table is made anew. What
-- is there was made with the database in hand: version 0, and no commit.
ALTER TABLE tokens DROP CONSTRAINT tokens_client_id_fkey;
ALTER TABLE clients RENAME TO clients_before;
ALTER INDEX clients_pkey RENAME TO clients_before_pkey;
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
  version     bigint NOT NULL CHECK (version >= 0),
  q           bigint NOT NULL,
  CHECK ((version = 0) = (q = 0))
);
INSERT INTO clients SELECT id, merchant_id, name, scopes, per_minute, 100, NULL, created_at, created_at,
  revoked_at, 0, 0 FROM clients_before;
DROP TABLE clients_before;
ALTER TABLE tokens ADD CONSTRAINT tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients;
CREATE INDEX clients_created ON clients (created_at, id);
CREATE INDEX clients_merchant ON clients (merchant_id, created_at, id);
CREATE INDEX tokens_end ON tokens (least(expires_at, revoked_at), hash);

CREATE FUNCTION clients_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE n.version < o.version OR (n.version = 0) <> (o.version = 0)
               OR o.version > 0 AND n.merchant_id <> o.merchant_id) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the version of a client never goes back, and its maker and merchant stay';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER clients_version AFTER UPDATE ON clients
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION clients_version();
CREATE TRIGGER clients_identity BEFORE UPDATE OF id ON clients
  EXECUTE FUNCTION refuse('a client keeps its identifier');
CREATE TRIGGER clients_stay AFTER DELETE ON clients
  EXECUTE FUNCTION refuse('a client is never deleted');

ALTER TABLE idempotency ADD COLUMN sealed boolean NOT NULL DEFAULT false;
ALTER TABLE idempotency ALTER COLUMN sealed DROP DEFAULT;

-- A merchant's stream of events, in order of commit. It is written with them, so that
-- what a merchant may read of the past does not change when its links do.
CREATE TABLE event_readers (
  merchant_id text COLLATE "C" NOT NULL CHECK (merchant_id NOT IN ('', '-')),
  q           bigint NOT NULL,
  n           bigint NOT NULL,
  PRIMARY KEY (merchant_id, q, n)
);
INSERT INTO event_readers SELECT merchant_id, q, n FROM events WHERE merchant_id NOT IN ('', '-')
  ORDER BY merchant_id, q, n;
-- Events of a company are for the merchants that were linked to it then. The event's
-- own commit wrote the company, so the first version that is not older says which.
INSERT INTO event_readers SELECT l.merchant_id, e.q, e.n
  FROM events e CROSS JOIN LATERAL (
    SELECT v.linked FROM (
      (SELECT h.q, h.linked FROM company_history h WHERE h.company_id = e.company_id AND h.until_q > e.q
       ORDER BY h.until_q LIMIT 2)
      UNION ALL SELECT c.q, c.linked FROM companies c WHERE c.company_id = e.company_id) v
    ORDER BY v.q < e.q, v.q LIMIT 1) v
  CROSS JOIN LATERAL jsonb_array_elements_text(coalesce(v.linked, '[]')::jsonb) l(merchant_id)
  WHERE e.merchant_id = '' AND e.company_id <> 0;
CREATE FUNCTION event_readers_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.q = n.q AND e.n = n.n OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such event';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER event_readers_event AFTER INSERT ON event_readers
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION event_readers_event();
CREATE TRIGGER event_readers_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON event_readers
  EXECUTE FUNCTION refuse('who may read an event never changes');

CREATE TABLE endpoints (
  id              text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id     text COLLATE "C" NOT NULL,
  url             text COLLATE "C" NOT NULL,
  description     text COLLATE "C" NOT NULL,
  event_types     text,
  enabled         boolean NOT NULL,
  disabled_reason text COLLATE "C" NOT NULL,
  secrets         text,
  created_at      timestamptz,
  updated_at      timestamptz,
  deleted_at      timestamptz,
  version         bigint NOT NULL CHECK (version > 0),
  event_seq       bigint NOT NULL,
  q               bigint NOT NULL
);
CREATE INDEX endpoints_created ON endpoints (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX endpoints_merchant ON endpoints (merchant_id, created_at, id) WHERE deleted_at IS NULL;

CREATE FUNCTION endpoints_version() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE n.version < o.version OR n.event_seq < o.event_seq
               OR o.deleted_at IS NOT NULL AND o.deleted_at IS DISTINCT FROM n.deleted_at) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the version of an endpoint never goes back, and a deleted one does not come back';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER endpoints_version AFTER UPDATE ON endpoints
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION endpoints_version();
CREATE TRIGGER endpoints_merchant AFTER INSERT ON endpoints
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION merchant_exists();
CREATE TRIGGER endpoints_identity BEFORE UPDATE OF id, merchant_id ON endpoints -- EV6
  EXECUTE FUNCTION refuse('an endpoint stays with its merchant');
CREATE TRIGGER endpoints_stay BEFORE DELETE OR TRUNCATE ON endpoints
  EXECUTE FUNCTION refuse('the row of an endpoint is never deleted');

CREATE TABLE endpoint_history (
  id              text COLLATE "C" NOT NULL,
  until_q         bigint NOT NULL,
  merchant_id     text COLLATE "C" NOT NULL,
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
CREATE TRIGGER endpoint_history_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON endpoint_history
  EXECUTE FUNCTION refuse('history is append-only');

-- endpoint_exists stands for a foreign key to endpoints: of the same merchant, because
-- an event is sent to no other's (EV6).
CREATE FUNCTION endpoint_exists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT endpoint_id, merchant_id FROM fresh) n
             WHERE NOT EXISTS (SELECT 1 FROM endpoints e WHERE e.id = n.endpoint_id AND e.merchant_id = n.merchant_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the merchant has no such endpoint';
  END IF;
  RETURN NULL;
END $$;

CREATE TABLE resends (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  endpoint_id text COLLATE "C" NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  event_id    text COLLATE "C" NOT NULL,
  from_at     timestamptz,
  to_at       timestamptz,
  created_at  timestamptz,
  q           bigint NOT NULL,
  CHECK (event_id <> '' OR coalesce(from_at < to_at, false))
);
CREATE INDEX resends_q ON resends (q);
CREATE TRIGGER resends_endpoint AFTER INSERT ON resends -- EV6
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION endpoint_exists();
CREATE TRIGGER resends_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON resends
  EXECUTE FUNCTION refuse('resends are append-only');

-- Deliveries and what hangs on them are no decisions: their sender writes them under
-- its lease, and deletes them when they have lain long enough.
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
  state       text COLLATE "C" NOT NULL CHECK (state IN ('PENDING', 'SUCCEEDED', 'PARKED', 'CANCELED')), -- EV2
  attempts    bigint NOT NULL CHECK (attempts >= 0),
  next_at     timestamptz,
  status      bigint NOT NULL,
  error       text COLLATE "C" NOT NULL,
  created_at  timestamptz CHECK (created_at IS NOT NULL),
  finished_at timestamptz,
  CHECK ((state = 'PENDING') = (finished_at IS NULL)),
  CHECK (state = 'PENDING' OR next_at IS NULL)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX deliveries_created ON deliveries (created_at, id);
CREATE INDEX deliveries_merchant ON deliveries (merchant_id, created_at, id);
CREATE INDEX deliveries_endpoint ON deliveries (endpoint_id, created_at, id);
CREATE INDEX deliveries_event ON deliveries (event_id, created_at, id);
CREATE INDEX deliveries_state ON deliveries (endpoint_id, state, created_at, id) WHERE state <> 'SUCCEEDED';
CREATE INDEX deliveries_pending ON deliveries (endpoint_id, event_q, event_n, id) WHERE state = 'PENDING';
CREATE INDEX deliveries_finished ON deliveries (finished_at, id) WHERE finished_at IS NOT NULL;

CREATE TRIGGER deliveries_endpoint AFTER INSERT ON deliveries -- EV6
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION endpoint_exists();

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
CREATE TRIGGER deliveries_cause AFTER INSERT ON deliveries -- EV4, EV6
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION deliveries_cause();
CREATE TRIGGER deliveries_identity BEFORE UPDATE OF id, endpoint_id, merchant_id, resend_id, event_id, type,
  object_type, object_id, sequence, event_q, event_n, created_at ON deliveries
  EXECUTE FUNCTION refuse('what is delivered, and to whom, never changes');

CREATE FUNCTION deliveries_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id WHERE o.state <> 'PENDING' OR n.attempts < o.attempts) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a delivery that is finished stays as it is, and attempts are not undone';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER deliveries_life AFTER UPDATE ON deliveries -- EV2
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION deliveries_life();

CREATE FUNCTION deliveries_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past WHERE state = 'PENDING') THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a delivery that is not finished is not deleted';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER deliveries_stay AFTER DELETE ON deliveries -- EV2
  REFERENCING OLD TABLE AS past EXECUTE FUNCTION deliveries_stay();

CREATE TABLE attempts (
  delivery_id text COLLATE "C" NOT NULL,
  n           bigint NOT NULL CHECK (n > 0),
  at          timestamptz,
  took_us     bigint NOT NULL CHECK (took_us >= 0),
  status      bigint NOT NULL,
  error       text COLLATE "C" NOT NULL,
  answer      text COLLATE "C" NOT NULL,
  PRIMARY KEY (delivery_id, n)
) WITH (toast_tuple_target = 8160);

CREATE FUNCTION delivery_exists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT delivery_id FROM fresh) n
             WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = n.delivery_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such delivery';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER attempts_delivery AFTER INSERT ON attempts
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION delivery_exists();
CREATE TRIGGER attempts_keep BEFORE UPDATE ON attempts
  EXECUTE FUNCTION refuse('an attempt that was made never changes');

CREATE FUNCTION attempts_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT delivery_id FROM past) o
             WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.id = o.delivery_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'attempts go with their delivery';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER attempts_stay AFTER DELETE ON attempts
  REFERENCING OLD TABLE AS past EXECUTE FUNCTION attempts_stay();

CREATE TABLE delivery_cursors (
  endpoint_id text COLLATE "C" NOT NULL PRIMARY KEY,
  q           bigint NOT NULL,
  n           bigint NOT NULL,
  resend_q    bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

CREATE FUNCTION delivery_cursors_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n WHERE NOT EXISTS (SELECT 1 FROM endpoints e WHERE e.id = n.endpoint_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'there is no such endpoint';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER delivery_cursors_endpoint AFTER INSERT ON delivery_cursors
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION delivery_cursors_endpoint();

CREATE FUNCTION delivery_cursors_grow() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.endpoint_id = o.endpoint_id
             WHERE (n.q, n.n) < (o.q, o.n) OR n.resend_q < o.resend_q) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a cursor never goes back';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER delivery_cursors_grow AFTER UPDATE ON delivery_cursors -- EV2
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION delivery_cursors_grow();
CREATE TRIGGER delivery_cursors_identity BEFORE UPDATE OF endpoint_id ON delivery_cursors
  EXECUTE FUNCTION refuse('a cursor stays with its endpoint');

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
CREATE TRIGGER leases_grow AFTER UPDATE ON leases -- R16
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION leases_grow();
CREATE TRIGGER leases_identity BEFORE UPDATE OF name ON leases
  EXECUTE FUNCTION refuse('a lease keeps its name');
CREATE TRIGGER leases_stay BEFORE DELETE OR TRUNCATE ON leases
  EXECUTE FUNCTION refuse('a lease is given back, never deleted: its token would begin anew');
