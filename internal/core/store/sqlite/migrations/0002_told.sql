-- What a command told others, its events and the body of its answer, stands once: packed in
-- its row of the audit log. Its events had a row each, with the order in every payload and in
-- the stored answer. What finds them needs one narrow row for each merchant, and one for an
-- object that the audit log does not name.

DROP TRIGGER audit_keep;
ALTER TABLE audit ADD COLUMN told BLOB;

CREATE INDEX event_readers_event ON event_readers (q, n, merchant_id);
UPDATE audit SET told = (
  SELECT CAST(json_group_array(json(x.event)) AS BLOB) FROM (
    SELECT json_object('id', e.id, 'type', e.type, 'object_type', e.object_type, 'object_id', e.object_id,
      'sequence', e.sequence, 'company_id', e.company_id, 'merchant_id', e.merchant_id,
      'readers', json((SELECT json_group_array(m.merchant_id) FROM (
        SELECT r.merchant_id FROM event_readers r WHERE r.q = e.q AND r.n = e.n ORDER BY r.merchant_id) m)),
      'payload', e.payload) AS event
    FROM events e WHERE e.q = audit.q ORDER BY e.n) x)
WHERE q IN (SELECT q FROM events);

CREATE TRIGGER audit_keep BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;

CREATE TABLE event_objects (
  object_type TEXT    NOT NULL,
  object_id   TEXT    NOT NULL,
  q           INTEGER NOT NULL REFERENCES audit,
  PRIMARY KEY (object_type, object_id, q)
) STRICT, WITHOUT ROWID;

INSERT INTO event_objects
SELECT DISTINCT e.object_type, e.object_id, e.q FROM events e JOIN audit a ON a.q = e.q
WHERE e.object_id <> a.object AND NOT (e.object_type = 'company' AND a.company_id <> 0 AND e.object_id = CAST(a.company_id AS TEXT));

CREATE TRIGGER event_objects_keep BEFORE UPDATE ON event_objects
BEGIN SELECT raise(ABORT, 'objects of events are append-only'); END;
CREATE TRIGGER event_objects_stay BEFORE DELETE ON event_objects
BEGIN SELECT raise(ABORT, 'objects of events are append-only'); END;

DROP TRIGGER deliveries_cause;
DROP TRIGGER event_readers_keep;
DROP TRIGGER event_readers_stay;
CREATE TABLE told_readers (
  merchant_id TEXT    NOT NULL,
  q           INTEGER NOT NULL REFERENCES audit,
  PRIMARY KEY (merchant_id, q)
) STRICT, WITHOUT ROWID;
INSERT INTO told_readers SELECT DISTINCT merchant_id, q FROM event_readers;
DROP TABLE event_readers;
ALTER TABLE told_readers RENAME TO event_readers;
CREATE TRIGGER event_readers_keep BEFORE UPDATE ON event_readers
BEGIN SELECT raise(ABORT, 'readers of events are append-only'); END;
CREATE TRIGGER event_readers_stay BEFORE DELETE ON event_readers
BEGIN SELECT raise(ABORT, 'readers of events are append-only'); END;

DROP TRIGGER events_keep;
DROP TRIGGER events_stay;
DROP TABLE events;

-- The writer compares a delivery with its event; the schema sees to what it can.
CREATE TRIGGER deliveries_cause BEFORE INSERT ON deliveries -- EV6
WHEN NOT EXISTS (SELECT 1 FROM event_readers r WHERE r.merchant_id = NEW.merchant_id AND r.q = NEW.event_q) OR
     NOT EXISTS (SELECT 1 FROM endpoints x WHERE x.id = NEW.endpoint_id AND x.merchant_id = NEW.merchant_id) OR
     NEW.resend_id <> '' AND
     NOT EXISTS (SELECT 1 FROM resends s WHERE s.id = NEW.resend_id AND s.endpoint_id = NEW.endpoint_id)
BEGIN SELECT raise(ABORT, 'a delivery brings an event to an endpoint of a merchant that may read it'); END;

DROP TRIGGER idempotency_keep;
CREATE TABLE told_answers (
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
INSERT INTO told_answers SELECT * FROM idempotency;
DROP TABLE idempotency;
ALTER TABLE told_answers RENAME TO idempotency;
CREATE TRIGGER idempotency_keep BEFORE UPDATE ON idempotency -- ID3
WHEN NEW.sealed IS NOT 1 OR coalesce(length(NEW.body), 0) = 0 OR
     (OLD.client_id, OLD.key, OLD.request, OLD.status, OLD.content_type, OLD.location, OLD.etag, OLD.q, OLD.at, OLD.company_id) IS NOT
     (NEW.client_id, NEW.key, NEW.request, NEW.status, NEW.content_type, NEW.location, NEW.etag, NEW.q, NEW.at, NEW.company_id)
BEGIN SELECT raise(ABORT, 'the first answer under a key stays; its body may be sealed'); END;
