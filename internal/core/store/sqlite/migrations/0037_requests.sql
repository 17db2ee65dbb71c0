-- The request log: calls of the API, their bodies masked, for 30 days. It is no part of the
-- books: nothing refers to it, and its rows come and go.
CREATE TABLE requests (
  id            TEXT    NOT NULL PRIMARY KEY,
  request_id    TEXT    NOT NULL,
  at            INTEGER NOT NULL,
  took_us       INTEGER NOT NULL,
  node          TEXT    NOT NULL,
  operation     TEXT    NOT NULL,
  method        TEXT    NOT NULL,
  path          TEXT    NOT NULL,
  query         TEXT    NOT NULL,
  status        INTEGER NOT NULL,
  code          TEXT    NOT NULL,
  client_id     TEXT    NOT NULL,
  merchant_id   TEXT,
  key           TEXT,
  replayed      INTEGER NOT NULL,
  dry_run       INTEGER NOT NULL,
  commit_seq    INTEGER NOT NULL,
  request_type  TEXT    NOT NULL,
  request_size  INTEGER NOT NULL,
  request_body  TEXT,
  marks         TEXT,
  response_type TEXT    NOT NULL,
  response_size INTEGER NOT NULL,
  response_body TEXT
) STRICT;
CREATE INDEX requests_request ON requests (request_id, id);
CREATE INDEX requests_merchant ON requests (merchant_id, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX requests_key ON requests (client_id, key, id) WHERE key IS NOT NULL;
