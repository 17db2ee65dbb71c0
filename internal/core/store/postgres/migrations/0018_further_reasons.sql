-- Further reasons that were asked for, and notices that were sent after their last day (F28).
-- The default is for nodes of the version before.
ALTER TABLE notices DROP CONSTRAINT notices_kind_check,
  ADD COLUMN asked_notice_id text COLLATE "C",
  ADD COLUMN late boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT notices_kind_check CHECK (kind IN ('LINE_DECREASE', 'SUSPENSION', 'CLOSURE', 'RATE_INCREASE', 'FURTHER_REASONS')),
  ADD CONSTRAINT notices_asked_check CHECK ((kind = 'FURTHER_REASONS') = (asked_notice_id IS NOT NULL));
UPDATE notices SET late = true WHERE (sent_at AT TIME ZONE 'America/New_York')::date > due_on;
ALTER TABLE notices ADD CONSTRAINT notices_late_check CHECK (NOT late OR sent_at IS NOT NULL);
CREATE INDEX notices_late ON notices (action_at, id) WHERE late;

CREATE OR REPLACE FUNCTION notices_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE n.version < o.version OR o.sent_at IS NOT NULL AND (o.sent_at, o.said, o.late) IS DISTINCT FROM (n.sent_at, n.said, n.late)
               OR (o.kind, o.asked_notice_id, o.company_id, o.action_at, o.reasons) IS DISTINCT FROM (n.kind, n.asked_notice_id, n.company_id, n.action_at, n.reasons)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a notice keeps its action and its reasons, and one that was sent stays sent and what it was'; -- F28
  END IF;
  RETURN NULL;
END $$;
