-- What was waived of a fee, and what a notice of an adverse action has said.

ALTER TABLE fees ADD COLUMN waived INTEGER NOT NULL DEFAULT 0 CHECK (waived >= 0);
-- Waivers of the past have posted what they took off.
UPDATE fees SET waived = w.cents
FROM (SELECT part.value ->> '$.Order' AS order_key, part.value ->> '$.Fee' AS fee,
             sum(CAST(round((part.value ->> '$.Amount') * 100) AS INTEGER)) AS cents
      FROM money_events m, json_each(m.posted) x, json_each(x.value, '$.effect.Parts') part
      WHERE m.kind = 'WAIVER' GROUP BY 1, 2) w
WHERE fees.order_key = w.order_key AND fees.id = w.fee;

-- The lender's names and addresses and the version of the words, kept when a notice is
-- sent (F28). Of one that was sent before they are not known.
ALTER TABLE notices ADD COLUMN said TEXT CHECK (said IS NULL OR sent_at IS NOT NULL);
DROP TRIGGER notices_identity;
CREATE TRIGGER notices_identity BEFORE UPDATE ON notices -- F28
WHEN NEW.version < OLD.version OR OLD.sent_at IS NOT NULL AND (OLD.sent_at, OLD.said) IS NOT (NEW.sent_at, NEW.said) OR
     (OLD.kind, OLD.company_id, OLD.action_at, OLD.reasons) IS NOT (NEW.kind, NEW.company_id, NEW.action_at, NEW.reasons)
BEGIN SELECT raise(ABORT, 'a notice keeps its action and its reasons, and one that was sent stays sent and what it was'); END;
