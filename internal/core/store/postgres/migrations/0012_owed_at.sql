-- What a merchant owed after a payout is summed up of its own lines on 1200 and 1210, of
-- which there are few: the payout shows the same for ever.

CREATE INDEX postings_owed ON postings (merchant_id, q, account, amount) WHERE account IN (1200, 1210);
