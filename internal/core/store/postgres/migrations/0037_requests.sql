-- The request log: calls of the API, their bodies masked, for 30 days. It is no part of the
-- books: nothing refers to it, and its rows come and go.
CREATE TABLE requests (
  id            text COLLATE "C" NOT NULL PRIMARY KEY,
  request_id    text COLLATE "C" NOT NULL,
  at            timestamptz NOT NULL,
  took_us       bigint NOT NULL,
  node          text COLLATE "C" NOT NULL,
  operation     text COLLATE "C" NOT NULL,
  method        text COLLATE "C" NOT NULL,
  path          text COLLATE "C" NOT NULL,
  query         text COLLATE "C" NOT NULL,
  status        bigint NOT NULL,
  code          text COLLATE "C" NOT NULL,
  client_id     text COLLATE "C" NOT NULL,
  merchant_id   text COLLATE "C",
  key           text COLLATE "C",
  replayed      boolean NOT NULL,
  dry_run       boolean NOT NULL,
  commit_seq    bigint NOT NULL,
  request_type  text COLLATE "C" NOT NULL,
  request_size  bigint NOT NULL,
  request_body  text,
  marks         text,
  response_type text COLLATE "C" NOT NULL,
  response_size bigint NOT NULL,
  response_body text
);
CREATE INDEX requests_request ON requests (request_id, id);
CREATE INDEX requests_merchant ON requests (merchant_id, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX requests_key ON requests (client_id, key, id) WHERE key IS NOT NULL;
