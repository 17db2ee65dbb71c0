-- Notices of a rate increase (F28).
ALTER TABLE notices DROP CONSTRAINT notices_kind_check,
  ADD CONSTRAINT notices_kind_check CHECK (kind IN ('LINE_DECREASE', 'SUSPENSION', 'CLOSURE', 'RATE_INCREASE'));

-- Orders that are proposed to be charged off (F17).
CREATE INDEX orders_proposed ON orders (created_at, order_key) WHERE strpos(servicing, '"proposed":true') > 0 AND strpos(servicing, '"charged_off":') = 0;
