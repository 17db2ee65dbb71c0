-- What the deployment has signed about its audit chain (AU8). Only copies that are kept
-- elsewhere prove anything against whoever can write this file.

CREATE TABLE heads (
  number        INTEGER PRIMARY KEY,
  book          BLOB    NOT NULL CHECK (length(book) = 16),
  epoch         INTEGER NOT NULL,
  commit_seq    INTEGER NOT NULL CHECK (commit_seq >= 0),
  hash          BLOB    NOT NULL CHECK (length(hash) = 32),
  at            INTEGER NOT NULL,
  previous      BLOB    NOT NULL CHECK (length(previous) = 32),
  key_id        TEXT    NOT NULL CHECK (key_id <> ''),
  public_key    BLOB    NOT NULL CHECK (length(public_key) = 32),
  signature     BLOB    NOT NULL CHECK (length(signature) = 64),
  old_signature BLOB    NOT NULL CHECK (length(old_signature) IN (0, 64))
) STRICT;

-- A number that is taken is for the primary key to refuse.
CREATE TRIGGER heads_true BEFORE INSERT ON heads -- AU8
WHEN NOT EXISTS (SELECT 1 FROM heads WHERE number = NEW.number) AND
     (NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM heads) OR
      NOT EXISTS (SELECT 1 FROM books WHERE book = 1 AND epoch = NEW.epoch AND (q > NEW.commit_seq OR q = NEW.commit_seq AND hash = NEW.hash)))
BEGIN SELECT raise(ABORT, 'a head has the next number, and the book stands where it says'); END;

CREATE TRIGGER heads_keep BEFORE UPDATE ON heads
BEGIN SELECT raise(ABORT, 'signed heads are append-only'); END;

CREATE TRIGGER heads_stay BEFORE DELETE ON heads
BEGIN SELECT raise(ABORT, 'signed heads are append-only'); END;
