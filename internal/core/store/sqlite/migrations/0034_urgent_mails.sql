-- A mail for which somebody waits before a page, such as a code, goes before all others.
CREATE INDEX mails_urgent ON mails (next_at, id) WHERE next_at IS NOT NULL AND json_extract(body, '$.template') IN ('code', 'sign_in_link');
