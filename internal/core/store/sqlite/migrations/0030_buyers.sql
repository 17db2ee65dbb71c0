-- The buyer's side: people, applications, checkouts, documents and mails. Each is a record
-- with the same columns; what it says beside them is its body. What is personal stands in the
-- vault, which the log names by handles, and can be erased (A61). Scratch holds what is
-- short-lived and no decision: codes, sessions, unfinished answers.

CREATE TABLE people (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL CHECK (version > 0),
  event_seq   INTEGER NOT NULL CHECK (event_seq >= 0),
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL
) STRICT;
CREATE INDEX people_created ON people (created_at, id);
CREATE INDEX people_merchant ON people (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX people_company ON people (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX people_of ON people (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX people_next ON people (next_at, id) WHERE next_at IS NOT NULL;
CREATE TRIGGER people_identity BEFORE UPDATE ON people -- RC1
WHEN NEW.version < OLD.version OR (OLD.merchant_id, OLD.created_at) IS NOT (NEW.merchant_id, NEW.created_at)
BEGIN SELECT raise(ABORT, 'a record keeps whose it is'); END;
CREATE TRIGGER people_stay BEFORE DELETE ON people
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE applications (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL CHECK (version > 0),
  event_seq   INTEGER NOT NULL CHECK (event_seq >= 0),
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL
) STRICT;
CREATE INDEX applications_created ON applications (created_at, id);
CREATE INDEX applications_merchant ON applications (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX applications_company ON applications (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX applications_of ON applications (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX applications_next ON applications (next_at, id) WHERE next_at IS NOT NULL;
CREATE TRIGGER applications_identity BEFORE UPDATE ON applications -- RC1
WHEN NEW.version < OLD.version OR (OLD.merchant_id, OLD.created_at) IS NOT (NEW.merchant_id, NEW.created_at)
BEGIN SELECT raise(ABORT, 'a record keeps whose it is'); END;
CREATE TRIGGER applications_stay BEFORE DELETE ON applications
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE checkouts (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL CHECK (version > 0),
  event_seq   INTEGER NOT NULL CHECK (event_seq >= 0),
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL
) STRICT;
CREATE INDEX checkouts_created ON checkouts (created_at, id);
CREATE INDEX checkouts_merchant ON checkouts (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX checkouts_company ON checkouts (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX checkouts_of ON checkouts (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX checkouts_next ON checkouts (next_at, id) WHERE next_at IS NOT NULL;
CREATE TRIGGER checkouts_identity BEFORE UPDATE ON checkouts -- RC1
WHEN NEW.version < OLD.version OR (OLD.merchant_id, OLD.created_at) IS NOT (NEW.merchant_id, NEW.created_at)
BEGIN SELECT raise(ABORT, 'a record keeps whose it is'); END;
CREATE TRIGGER checkouts_stay BEFORE DELETE ON checkouts
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE documents (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL CHECK (version > 0),
  event_seq   INTEGER NOT NULL CHECK (event_seq >= 0),
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_created ON documents (created_at, id);
CREATE INDEX documents_merchant ON documents (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX documents_company ON documents (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX documents_of ON documents (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX documents_next ON documents (next_at, id) WHERE next_at IS NOT NULL;
CREATE TRIGGER documents_identity BEFORE UPDATE ON documents -- RC1
WHEN NEW.version < OLD.version OR (OLD.merchant_id, OLD.created_at) IS NOT (NEW.merchant_id, NEW.created_at)
BEGIN SELECT raise(ABORT, 'a record keeps whose it is'); END;
CREATE TRIGGER documents_stay BEFORE DELETE ON documents
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE mails (
  id          TEXT    NOT NULL PRIMARY KEY,
  merchant_id TEXT,
  company_id  INTEGER NOT NULL,
  of_key      TEXT,
  status      TEXT    NOT NULL,
  next_at     INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL CHECK (version > 0),
  event_seq   INTEGER NOT NULL CHECK (event_seq >= 0),
  body        TEXT    NOT NULL,
  q           INTEGER NOT NULL
) STRICT;
CREATE INDEX mails_created ON mails (created_at, id);
CREATE INDEX mails_merchant ON mails (merchant_id, created_at, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX mails_company ON mails (company_id, created_at, id) WHERE company_id <> 0;
CREATE INDEX mails_of ON mails (of_key, created_at, id) WHERE of_key IS NOT NULL;
CREATE INDEX mails_next ON mails (next_at, id) WHERE next_at IS NOT NULL;
CREATE TRIGGER mails_identity BEFORE UPDATE ON mails -- RC1
WHEN NEW.version < OLD.version OR (OLD.merchant_id, OLD.created_at) IS NOT (NEW.merchant_id, NEW.created_at)
BEGIN SELECT raise(ABORT, 'a record keeps whose it is'); END;
CREATE TRIGGER mails_stay BEFORE DELETE ON mails
BEGIN SELECT raise(ABORT, 'a record is never deleted'); END;

CREATE TABLE vault (
  id     TEXT NOT NULL PRIMARY KEY,
  sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE scratch (
  name    TEXT    NOT NULL PRIMARY KEY,
  value   BLOB    NOT NULL,
  until   INTEGER NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX scratch_until ON scratch (until, name);

-- Whoever proves the e-mail of a company's record is its first person.
CREATE INDEX companies_email ON companies (lower(email), company_id) WHERE email <> '';

-- Where a merchant sells: its checkouts lead nowhere else in live mode.
ALTER TABLE merchants ADD COLUMN shop TEXT NOT NULL DEFAULT '{}';
