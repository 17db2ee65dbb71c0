-- What a command told others, its events and the body of its answer, stands once: packed in
-- its row of the audit log. Its events had a row each, with the order in every payload and in
-- the stored answer. What finds them needs one narrow row for each merchant, and one for an
-- object that the audit log does not name.

ALTER TABLE audit ADD COLUMN told bytea;
ALTER TABLE audit ALTER COLUMN told SET STORAGE EXTERNAL;

DROP TRIGGER audit_keep ON audit;
UPDATE audit a SET told = x.told FROM (
  SELECT e.q, convert_to(json_agg(json_build_object('id', e.id, 'type', e.type, 'object_type', e.object_type, 'object_id', e.object_id,
    'sequence', e.sequence, 'company_id', e.company_id, 'merchant_id', e.merchant_id, 'readers', coalesce(r.merchants, '[]'),
    'payload', e.payload) ORDER BY e.n)::text, 'UTF8') AS told
  FROM events e LEFT JOIN (SELECT q, n, json_agg(merchant_id ORDER BY merchant_id) AS merchants FROM event_readers GROUP BY q, n) r
    ON r.q = e.q AND r.n = e.n GROUP BY e.q) x
WHERE a.q = x.q;
CREATE TRIGGER audit_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON audit EXECUTE FUNCTION refuse('the audit log is append-only');

CREATE TABLE event_objects (
  object_type text COLLATE "C" NOT NULL,
  object_id   text COLLATE "C" NOT NULL,
  q           bigint NOT NULL,
  PRIMARY KEY (object_type, object_id, q)
);
INSERT INTO event_objects
SELECT DISTINCT e.object_type, e.object_id, e.q FROM events e JOIN audit a ON a.q = e.q
WHERE e.object_id <> a.object AND NOT (e.object_type = 'company' AND a.company_id <> 0 AND e.object_id = a.company_id::text);
CREATE TRIGGER event_objects_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON event_objects EXECUTE FUNCTION refuse('objects of events are append-only');

CREATE TABLE told_readers (
  merchant_id text COLLATE "C" NOT NULL,
  q           bigint NOT NULL,
  PRIMARY KEY (merchant_id, q)
);
INSERT INTO told_readers SELECT DISTINCT merchant_id, q FROM event_readers;
DROP TABLE event_readers;
ALTER TABLE told_readers RENAME TO event_readers;
ALTER INDEX told_readers_pkey RENAME TO event_readers_pkey;
CREATE TRIGGER event_readers_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON event_readers EXECUTE FUNCTION refuse('readers of events are append-only');
DROP TABLE events;

-- The writer compares a delivery with its event; the schema sees to what it can.
CREATE OR REPLACE FUNCTION deliveries_cause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh n
             WHERE NOT EXISTS (SELECT 1 FROM event_readers r WHERE r.merchant_id = n.merchant_id AND r.q = n.event_q OFFSET 0)
                OR n.resend_id <> '' AND NOT EXISTS (
                  SELECT 1 FROM resends s WHERE s.id = n.resend_id AND s.endpoint_id = n.endpoint_id OFFSET 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a delivery is of an event that its merchant may read, and asked for again by name';
  END IF;
  RETURN NULL;
END $$;

ALTER TABLE idempotency
  ALTER COLUMN request DROP NOT NULL, ALTER COLUMN status DROP NOT NULL, ALTER COLUMN body DROP NOT NULL,
  ALTER COLUMN content_type DROP NOT NULL, ALTER COLUMN location DROP NOT NULL, ALTER COLUMN etag DROP NOT NULL,
  ALTER COLUMN company_id DROP NOT NULL, ALTER COLUMN sealed DROP NOT NULL,
  ADD CONSTRAINT idempotency_whole CHECK (
    num_nulls(request, status, content_type, location, etag, company_id, sealed) IN (0, 7) AND (request IS NOT NULL OR num_nonnulls(body, at) = 0));
CREATE OR REPLACE FUNCTION idempotency_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh WHERE sealed IS NOT TRUE OR coalesce(length(body), 0) = 0) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the body of an answer is only ever sealed';
  END IF;
  RETURN NULL;
END $$;
