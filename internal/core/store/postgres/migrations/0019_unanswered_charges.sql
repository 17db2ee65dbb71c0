-- Card transfers that were sent and to which the processor has not answered.
CREATE INDEX transfers_unanswered ON transfers (created_at, id)
  WHERE rail = 'CARD' AND status = 'SENT' AND (kind = 'PAYMENT' AND reference = '' OR kind <> 'PAYMENT' AND settled_at IS NULL);
