-- What a payout does about clawbacks that are debited or were written off (F41.9): which
-- transfer debits a merchant, and what was written off of its clawbacks.
ALTER TABLE merchants ADD COLUMN debit text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE merchants ADD COLUMN written_off bigint NOT NULL DEFAULT 0;

UPDATE merchants SET debit = coalesce((SELECT max(t.id) FROM transfers t
    WHERE t.merchant_id = merchants.id AND t.kind = 'CLAWBACK' AND t.status IN ('QUEUED', 'SENT')), ''),
  written_off = coalesce((SELECT -sum(p.amount) FROM postings p JOIN entries e ON e.q = p.q AND e.n = p.n
    WHERE p.merchant_id = merchants.id AND p.account = 1200 AND e.event = 'CLAWBACK_WRITTEN_OFF'), 0);
