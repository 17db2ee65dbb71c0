-- Clients and tokens come by commands alone, and their rows name the commit (AU9). Whoever
-- is asked for access finds all commands on a client or a token by its name.
ALTER TABLE tokens ADD COLUMN q bigint NOT NULL DEFAULT 0;

CREATE INDEX audit_access ON audit (object, q)
  WHERE command IN ('client.create', 'client.limit', 'client.roll', 'client.revoke', 'token.issue', 'token.revoke');

-- What was made by no command opens nothing any more.
DELETE FROM tokens;
UPDATE clients SET revoked_at = now() WHERE version = 0 AND revoked_at IS NULL;
