-- Rows from which a re-schedule counts the due dates, and what was paid of a row when its
-- loan was re-amortized (F4, F9).
ALTER TABLE installments ADD COLUMN anchor boolean NOT NULL DEFAULT false;
ALTER TABLE installments ADD COLUMN ahead bigint NOT NULL DEFAULT 0 CHECK (ahead >= 0);
