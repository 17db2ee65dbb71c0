-- Rows from which a re-schedule counts the due dates, and what was paid of a row when its
-- loan was re-amortized (F4, F9).
ALTER TABLE installments ADD COLUMN anchor INTEGER NOT NULL DEFAULT 0 CHECK (anchor IN (0, 1));
ALTER TABLE installments ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0 CHECK (ahead >= 0);
