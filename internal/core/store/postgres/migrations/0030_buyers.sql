-- The buyer's side: people, applications, checkouts, documents and mails. Each is a record
-- with the same columns; what it says beside them is its body. What is personal stands in the
-- vault, which the log names by handles, and can be erased (A61). Scratch holds what is
-- short-lived and no decision: codes, sessions, unfinished answers.

CREATE FUNCTION records_life() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = on SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM past o JOIN fresh n ON n.id = o.id
             WHERE n.version < o.version OR n.event_seq < o.event_seq
             OR (n.merchant_id, n.created_at) IS DISTINCT FROM (o.merchant_id, o.created_at)) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a record keeps whose it is, and its version never goes back';
  END IF;
  RETURN NULL;
END $$;

CREATE TABLE people (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C",
  company_id  bigint NOT NULL,
  of_key      text COLLATE "C",
  status      text COLLATE "C" NOT NULL,
  next_at     timestamptz,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  version     bigint NOT NULL CHECK (version > 0),
  event_seq   bigint NOT NULL CHECK (event_seq >= 0),
  body        text NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX people_created ON people (created_at, id);
CREATE INDEX people_merchant ON people (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX people_company ON people (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX people_of ON people (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX people_next ON people (next_at, id) WHERE next_at IS NOT NULL;
CREATE TRIGGER people_identity BEFORE UPDATE OF id ON people
  EXECUTE FUNCTION refuse('a record keeps its identifier');
CREATE TRIGGER people_life AFTER UPDATE ON people -- RC1
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION records_life();
CREATE TRIGGER people_stay BEFORE DELETE OR TRUNCATE ON people
  EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE applications (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C",
  company_id  bigint NOT NULL,
  of_key      text COLLATE "C",
  status      text COLLATE "C" NOT NULL,
  next_at     timestamptz,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  version     bigint NOT NULL CHECK (version > 0),
  event_seq   bigint NOT NULL CHECK (event_seq >= 0),
  body        text NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX applications_created ON applications (created_at, id);
CREATE INDEX applications_merchant ON applications (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX applications_company ON applications (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX applications_of ON applications (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX applications_next ON applications (next_at, id) WHERE next_at IS NOT NULL;
CREATE TRIGGER applications_identity BEFORE UPDATE OF id ON applications
  EXECUTE FUNCTION refuse('a record keeps its identifier');
CREATE TRIGGER applications_life AFTER UPDATE ON applications -- RC1
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION records_life();
CREATE TRIGGER applications_stay BEFORE DELETE OR TRUNCATE ON applications
  EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE checkouts (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C",
  company_id  bigint NOT NULL,
  of_key      text COLLATE "C",
  status      text COLLATE "C" NOT NULL,
  next_at     timestamptz,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  version     bigint NOT NULL CHECK (version > 0),
  event_seq   bigint NOT NULL CHECK (event_seq >= 0),
  body        text NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX checkouts_created ON checkouts (created_at, id);
CREATE INDEX checkouts_merchant ON checkouts (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX checkouts_company ON checkouts (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX checkouts_of ON checkouts (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX checkouts_next ON checkouts (next_at, id) WHERE next_at IS NOT NULL;
CREATE TRIGGER checkouts_identity BEFORE UPDATE OF id ON checkouts
  EXECUTE FUNCTION refuse('a record keeps its identifier');
CREATE TRIGGER checkouts_life AFTER UPDATE ON checkouts -- RC1
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION records_life();
CREATE TRIGGER checkouts_stay BEFORE DELETE OR TRUNCATE ON checkouts
  EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE documents (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C",
  company_id  bigint NOT NULL,
  of_key      text COLLATE "C",
  status      text COLLATE "C" NOT NULL,
  next_at     timestamptz,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  version     bigint NOT NULL CHECK (version > 0),
  event_seq   bigint NOT NULL CHECK (event_seq >= 0),
  body        text NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX documents_created ON documents (created_at, id);
CREATE INDEX documents_merchant ON documents (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX documents_company ON documents (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX documents_of ON documents (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX documents_next ON documents (next_at, id) WHERE next_at IS NOT NULL;
CREATE TRIGGER documents_identity BEFORE UPDATE OF id ON documents
  EXECUTE FUNCTION refuse('a record keeps its identifier');
CREATE TRIGGER documents_life AFTER UPDATE ON documents -- RC1
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION records_life();
CREATE TRIGGER documents_stay BEFORE DELETE OR TRUNCATE ON documents
  EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE mails (
  id          text COLLATE "C" NOT NULL PRIMARY KEY,
  merchant_id text COLLATE "C",
  company_id  bigint NOT NULL,
  of_key      text COLLATE "C",
  status      text COLLATE "C" NOT NULL,
  next_at     timestamptz,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  version     bigint NOT NULL CHECK (version > 0),
  event_seq   bigint NOT NULL CHECK (event_seq >= 0),
  body        text NOT NULL,
  q           bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX mails_created ON mails (created_at, id);
CREATE INDEX mails_merchant ON mails (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX mails_company ON mails (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX mails_of ON mails (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX mails_next ON mails (next_at, id) WHERE next_at IS NOT NULL;
CREATE TRIGGER mails_identity BEFORE UPDATE OF id ON mails
  EXECUTE FUNCTION refuse('a record keeps its identifier');
CREATE TRIGGER mails_life AFTER UPDATE ON mails -- RC1
  REFERENCING OLD TABLE AS past NEW TABLE AS fresh EXECUTE FUNCTION records_life();
CREATE TRIGGER mails_stay BEFORE DELETE OR TRUNCATE ON mails
  EXECUTE FUNCTION refuse('a record is never deleted');

CREATE TABLE vault (
  id     text COLLATE "C" NOT NULL PRIMARY KEY,
  sealed bytea NOT NULL
);

CREATE TABLE scratch (
  name    text COLLATE "C" NOT NULL PRIMARY KEY,
  value   bytea NOT NULL,
  until   timestamptz NOT NULL,
  version bigint NOT NULL CHECK (version > 0)
);
CREATE INDEX scratch_until ON scratch (until, name);

-- Whoever proves the e-mail of a company's record is its first person.
CREATE INDEX companies_email ON companies (lower(email), company_id) WHERE email <> '';

-- Where a merchant sells: its checkouts lead nowhere else in live mode.
ALTER TABLE merchants ADD COLUMN shop text NOT NULL DEFAULT '{}';
