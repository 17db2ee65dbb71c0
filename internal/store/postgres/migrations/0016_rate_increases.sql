-- Notices of a rate increase (F28).
ALTER TABLE notices DROP CONSTRAINT notices_kind_check,
  ADD CONSTRAINT notices_kind_check CHECK (kind IN ('LINE_DECREASE', 'SUSPENSION', 'CLOSURE', 'RATE_INCREASE'));
