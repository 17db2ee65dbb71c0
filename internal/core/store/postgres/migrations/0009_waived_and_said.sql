-- What was waived of a fee, and what a notice of an adverse action has said.

ALTER TABLE fees ADD COLUMN waived bigint NOT NULL DEFAULT 0 CHECK (waived >= 0);
-- Waivers of the past have posted what they took off.
UPDATE fees f SET waived = w.cents
FROM (SELECT part ->> 'Order' AS order_key, part ->> 'Fee' AS fee, sum((part ->> 'Amount')::numeric * 100)::bigint AS cents
      FROM money_events m, jsonb_path_query(m.posted::jsonb, '$[*].effect.Parts[*]') part
      WHERE m.kind = 'WAIVER' GROUP BY 1, 2) w
WHERE f.order_key = w.order_key AND f.id = w.fee;

-- The lender's names and addresses and the version of the words, kept when a notice is
-- sent (F28). Of one that was sent before they are not known.
ALTER TABLE notices ADD COLUMN said text, ADD CONSTRAINT notices_said_check CHECK (said IS NULL OR sent_at IS NOT NULL);

CREATE OR REPLACE FUNCTION notices_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE n.version < o.version OR o.sent_at IS NOT NULL AND (o.sent_at, o.said) IS DISTINCT FROM (n.sent_at, n.said)
               OR (o.kind, o.company_id, o.action_at, o.reasons) IS DISTINCT FROM (n.kind, n.company_id, n.action_at, n.reasons)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a notice keeps its action and its reasons, and one that was sent stays sent and what it was'; -- F28
  END IF;
  RETURN NULL;
END $$;
