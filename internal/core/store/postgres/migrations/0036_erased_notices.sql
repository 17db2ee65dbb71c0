-- What a notice of an adverse action has said is erased when its time is over (F28): its
-- reasons, its evidence and the lender as it named it. That it was sent, and when, stays.
ALTER TABLE notices ADD COLUMN erased_at timestamptz,
  ADD CONSTRAINT notices_erased_check CHECK (erased_at IS NULL OR sent_at IS NOT NULL);
CREATE INDEX notices_kept ON notices (action_at, id) WHERE sent_at IS NOT NULL AND erased_at IS NULL;

CREATE OR REPLACE FUNCTION notices_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE n.version < o.version
               OR o.erased_at IS NOT NULL AND (o.erased_at, o.reasons, o.said, o.evidence) IS DISTINCT FROM (n.erased_at, n.reasons, n.said, n.evidence)
               OR o.erased_at IS NULL AND n.erased_at IS NOT NULL AND (n.reasons IS NOT NULL OR n.said IS NOT NULL OR n.evidence <> '')
               OR o.sent_at IS NOT NULL AND (o.sent_at, o.late) IS DISTINCT FROM (n.sent_at, n.late)
               OR n.erased_at IS NULL AND (o.reasons IS DISTINCT FROM n.reasons OR o.sent_at IS NOT NULL AND o.said IS DISTINCT FROM n.said)
               OR (o.kind, o.asked_notice_id, o.company_id, o.action_at) IS DISTINCT FROM (n.kind, n.asked_notice_id, n.company_id, n.action_at)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a notice keeps its action and its reasons until it is erased, and one that was sent stays sent and what it was'; -- F28
  END IF;
  RETURN NULL;
END $$;
