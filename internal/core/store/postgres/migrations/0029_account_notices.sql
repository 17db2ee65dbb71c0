-- Bank accounts by their fingerprint, and by when they were added: an account that a merchant
-- adds at a second company is told (F41.1).
CREATE INDEX payment_methods_account ON payment_methods ((bank::jsonb ->> 'fingerprint'), created_at, id, company_id);
CREATE INDEX payment_methods_added ON payment_methods (created_at, id) WHERE bank IS NOT NULL;
