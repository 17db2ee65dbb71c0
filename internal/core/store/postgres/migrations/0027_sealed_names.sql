-- What is sealed can be sealed anew, under another key or because more of it is to be
-- (A62): the body of a stored answer and what a bank says of an account. Everything else of
-- those rows stays. Rows with routing numbers and holders' names in the clear are sealed by
-- the first process that has the key, because SQL has none.

DROP TRIGGER idempotency_keep ON idempotency;
CREATE TRIGGER idempotency_keep BEFORE UPDATE OF client_id, key, request, status, content_type, location, etag, q, at, company_id ON idempotency -- ID3
  EXECUTE FUNCTION refuse('the first answer under a key stays');
CREATE FUNCTION idempotency_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh WHERE NOT sealed OR length(body) = 0) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'the body of an answer is only ever sealed';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER idempotency_sealed AFTER UPDATE ON idempotency -- ID3
  REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION idempotency_sealed();

DROP TRIGGER bank_notices_identity ON bank_notices;
CREATE TRIGGER bank_notices_identity BEFORE UPDATE OF rail, id, kind, transfer_id, code, at ON bank_notices
  EXECUTE FUNCTION refuse('what a bank has said never changes');
CREATE OR REPLACE FUNCTION bank_notices_life() RETURNS trigger LANGUAGE plpgsql AS $$
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
