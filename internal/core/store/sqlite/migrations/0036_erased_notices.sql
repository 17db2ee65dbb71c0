-- What a notice of an adverse action has said is erased when its time is over (F28): its
-- reasons, its evidence and the lender as it named it. That it was sent, and when, stays.
ALTER TABLE notices ADD COLUMN erased_at INTEGER
  CHECK (erased_at IS NULL OR sent_at IS NOT NULL);
CREATE INDEX notices_kept ON notices (action_at, id) WHERE sent_at IS NOT NULL AND erased_at IS NULL;
DROP TRIGGER notices_identity;
CREATE TRIGGER notices_identity BEFORE UPDATE ON notices -- F28
WHEN NEW.version < OLD.version OR
     OLD.erased_at IS NOT NULL AND (OLD.erased_at, OLD.reasons, OLD.said, OLD.evidence) IS NOT (NEW.erased_at, NEW.reasons, NEW.said, NEW.evidence) OR
     OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL AND (NEW.reasons, NEW.said, NEW.evidence) IS NOT (NULL, NULL, '') OR
     OLD.sent_at IS NOT NULL AND (OLD.sent_at, OLD.late) IS NOT (NEW.sent_at, NEW.late) OR
     NEW.erased_at IS NULL AND (OLD.reasons IS NOT NEW.reasons OR OLD.sent_at IS NOT NULL AND OLD.said IS NOT NEW.said) OR
     (OLD.kind, OLD.asked_notice_id, OLD.company_id, OLD.action_at) IS NOT (NEW.kind, NEW.asked_notice_id, NEW.company_id, NEW.action_at)
BEGIN SELECT raise(ABORT, 'a notice keeps its action and its reasons until it is erased, and one that was sent stays sent and what it was'); END;
