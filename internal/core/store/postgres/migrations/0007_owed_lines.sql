-- What a merchant owes us is found without passing what waits for it: a merchant may have
-- sold a hundred thousand times since it was paid last.

CREATE INDEX payout_lines_owed ON payout_lines (merchant_id, kind, due_on, id) WHERE payout_id IS NULL AND kind IN ('CLAWBACK', 'COLLECTED');
