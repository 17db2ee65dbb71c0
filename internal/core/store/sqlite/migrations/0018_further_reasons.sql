-- Further reasons that were asked for, and notices that were sent after their last day (F28).
-- New York is five hours behind UTC, and four from the second Sunday of March to the first
-- of November.
DROP TRIGGER notices_identity;
DROP TRIGGER notices_stay;
DROP INDEX notices_action;
DROP INDEX notices_company;
DROP INDEX notices_waiting;
ALTER TABLE notices RENAME TO notices_before;
CREATE TABLE notices (
  id              TEXT    NOT NULL PRIMARY KEY,
  kind            TEXT    NOT NULL CHECK (kind IN ('LINE_DECREASE', 'SUSPENSION', 'CLOSURE', 'RATE_INCREASE', 'FURTHER_REASONS')),
  asked_notice_id TEXT    CHECK ((kind = 'FURTHER_REASONS') = (asked_notice_id IS NOT NULL)),
  company_id      INTEGER NOT NULL REFERENCES companies,
  action_at       INTEGER,
  clock_start     INTEGER,
  due_on          INTEGER,
  sent_at         INTEGER,
  channel         TEXT    NOT NULL,
  reasons         TEXT,
  evidence        TEXT    NOT NULL,
  late            INTEGER NOT NULL DEFAULT 0 CHECK (late IN (0, 1) AND (late = 0 OR sent_at IS NOT NULL)),
  version         INTEGER NOT NULL CHECK (version > 0),
  q               INTEGER NOT NULL,
  said            TEXT    CHECK (said IS NULL OR sent_at IS NOT NULL)
) STRICT;
INSERT INTO notices (id, kind, company_id, action_at, clock_start, due_on, sent_at, channel, reasons, evidence, version, q, said, late)
SELECT id, kind, company_id, action_at, clock_start, due_on, sent_at, channel, reasons, evidence, version, q, said, sent_at IS NOT NULL AND sent_at >= (due_on + 1) * 86400000000 + 3600000000 *
  iif(date((due_on + 1) * 86400, 'unixepoch') > date((due_on + 1) * 86400, 'unixepoch', 'start of year', '+2 months', 'weekday 0', '+7 days')
  AND date((due_on + 1) * 86400, 'unixepoch') <= date((due_on + 1) * 86400, 'unixepoch', 'start of year', '+10 months', 'weekday 0'), 4, 5)
FROM notices_before;
DROP TABLE notices_before;
CREATE INDEX notices_action ON notices (action_at, id);
CREATE INDEX notices_company ON notices (company_id, action_at, id);
CREATE INDEX notices_waiting ON notices (action_at, id) WHERE sent_at IS NULL;
CREATE INDEX notices_late ON notices (action_at, id) WHERE late;
CREATE TRIGGER notices_identity BEFORE UPDATE ON notices -- F28
WHEN NEW.version < OLD.version OR OLD.sent_at IS NOT NULL AND (OLD.sent_at, OLD.said, OLD.late) IS NOT (NEW.sent_at, NEW.said, NEW.late) OR
     (OLD.kind, OLD.asked_notice_id, OLD.company_id, OLD.action_at, OLD.reasons) IS NOT (NEW.kind, NEW.asked_notice_id, NEW.company_id, NEW.action_at, NEW.reasons)
BEGIN SELECT raise(ABORT, 'a notice keeps its action and its reasons, and one that was sent stays sent and what it was'); END;
CREATE TRIGGER notices_stay BEFORE DELETE ON notices
BEGIN SELECT raise(ABORT, 'a notice is never deleted'); END;
