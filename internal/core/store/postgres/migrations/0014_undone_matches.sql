-- Matches that somebody has undone, which are not made again by themselves.
CREATE INDEX bank_matches_undone ON bank_matches (id) WHERE undone_at IS NOT NULL;
