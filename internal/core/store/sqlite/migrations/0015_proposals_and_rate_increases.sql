-- Notices of a rate increase (F28).
DROP TRIGGER notices_identity;
DROP TRIGGER notices_stay;
DROP INDEX notices_action;
DROP INDEX notices_company;
DROP INDEX notices_waiting;
ALTER TABLE notices RENAME TO notices_before;
CREATE TABLE notices (
  id          TEXT    NOT NULL PRIMARY KEY,
  kind        TEXT    NOT NULL CHECK (kind IN ('LINE_DECREASE', 'SUSPENSION', 'CLOSURE', 'RATE_INCREASE')),
  company_id  INTEGER NOT NULL REFERENCES companies,
  action_at   INTEGER,
  clock_start INTEGER,
  due_on      INTEGER,
  sent_at     INTEGER,
  channel     TEXT    NOT NULL,
  reasons     TEXT,
  evidence    TEXT    NOT NULL,
  version     INTEGER NOT NULL CHECK (version > 0),
  q           INTEGER NOT NULL,
  said        TEXT    CHECK (said IS NULL OR sent_at IS NOT NULL)
) STRICT;
INSERT INTO notices (id, kind, company_id, action_at, clock_start, due_on, sent_at, channel, reasons, evidence, version, q, said)
SELECT id, kind, company_id, action_at, clock_start, due_on, sent_at, channel, reasons, evidence, version, q, said FROM notices_before;
DROP TABLE notices_before;
CREATE INDEX notices_action ON notices (action_at, id);
CREATE INDEX notices_company ON notices (company_id, action_at, id);
CREATE INDEX notices_waiting ON notices (action_at, id) WHERE sent_at IS NULL;
CREATE TRIGGER notices_identity BEFORE UPDATE ON notices -- F28
WHEN NEW.version < OLD.version OR OLD.sent_at IS NOT NULL AND (OLD.sent_at, OLD.said) IS NOT (NEW.sent_at, NEW.said) OR
     (OLD.kind, OLD.company_id, OLD.action_at, OLD.reasons) IS NOT (NEW.kind, NEW.company_id, NEW.action_at, NEW.reasons)
BEGIN SELECT raise(ABORT, 'a notice keeps its action and its reasons, and one that was sent stays sent and what it was'); END;
CREATE TRIGGER notices_stay BEFORE DELETE ON notices
BEGIN SELECT raise(ABORT, 'a notice is never deleted'); END;

-- Orders that are proposed to be charged off (F17).
CREATE INDEX orders_proposed ON orders (created_at, order_key) WHERE instr(servicing, '"proposed":true') > 0 AND instr(servicing, '"charged_off":') = 0;
