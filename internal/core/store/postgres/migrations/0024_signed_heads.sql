-- What the deployment has signed about its audit chain (AU8). Only copies that are kept
-- elsewhere prove anything against whoever can write this database.

CREATE TABLE heads (
  number        bigint PRIMARY KEY,
  book          bytea NOT NULL CHECK (length(book) = 16),
  epoch         bigint NOT NULL,
  commit_seq    bigint NOT NULL CHECK (commit_seq >= 0),
  hash          bytea NOT NULL CHECK (length(hash) = 32),
  at            timestamptz NOT NULL,
  previous      bytea NOT NULL CHECK (length(previous) = 32),
  key_id        text COLLATE "C" NOT NULL CHECK (key_id <> ''),
  public_key    bytea NOT NULL CHECK (length(public_key) = 32),
  signature     bytea NOT NULL CHECK (length(signature) = 64),
  old_signature bytea NOT NULL CHECK (length(old_signature) IN (0, 64))
);

-- A number that is taken is for the primary key to refuse.
CREATE FUNCTION heads_true() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM heads WHERE number = NEW.number) AND
     (NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM heads) OR
      NOT EXISTS (SELECT 1 FROM books WHERE book = 1 AND epoch = NEW.epoch AND (q > NEW.commit_seq OR q = NEW.commit_seq AND hash = NEW.hash))) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a head has the next number, and the book stands where it says';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER heads_true BEFORE INSERT ON heads -- AU8
  FOR EACH ROW EXECUTE FUNCTION heads_true();

CREATE TRIGGER heads_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON heads
  EXECUTE FUNCTION refuse('signed heads are append-only');
