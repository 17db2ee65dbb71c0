-- What is sealed can be sealed anew, under another key or because more of it is to be
-- (A62): the body of a stored answer and what a bank says of an account. Everything else of
-- those rows stays. Rows with routing numbers and holders' names in the clear are sealed by
-- the first process that has the key, because SQL has none.

DROP TRIGGER idempotency_keep;
CREATE TRIGGER idempotency_keep BEFORE UPDATE ON idempotency -- ID3
WHEN NEW.sealed = 0 OR length(NEW.body) = 0 OR
     (OLD.client_id, OLD.key, OLD.request, OLD.status, OLD.content_type, OLD.location, OLD.etag, OLD.q, OLD.at, OLD.company_id) IS NOT
     (NEW.client_id, NEW.key, NEW.request, NEW.status, NEW.content_type, NEW.location, NEW.etag, NEW.q, NEW.at, NEW.company_id)
BEGIN SELECT raise(ABORT, 'the first answer under a key stays; its body may be sealed'); END;

DROP TRIGGER bank_notices_identity;
CREATE TRIGGER bank_notices_identity BEFORE UPDATE ON bank_notices
WHEN OLD.reviewed_at IS NOT NULL AND (OLD.reviewed_at, OLD.reviewed_by, OLD.review_note) IS NOT (NEW.reviewed_at, NEW.reviewed_by, NEW.review_note) OR
     OLD.closed_at IS NOT NULL AND (OLD.closed_at, OLD.result) IS NOT (NEW.closed_at, NEW.result) OR
     (OLD.rail, OLD.id, OLD.kind, OLD.transfer_id, OLD.code, OLD.at) IS NOT (NEW.rail, NEW.id, NEW.kind, NEW.transfer_id, NEW.code, NEW.at) OR
     OLD.payload IS NOT NEW.payload AND json_remove(OLD.payload, '$.corrected') IS NOT json_remove(NEW.payload, '$.corrected')
BEGIN SELECT raise(ABORT, 'what a bank has said stays, and is dealt with and reviewed once'); END;
