-- Notices that are still to be sent, in the order of their list: it has been read from
-- newest to oldest, past all that were sent. What was found about a merchant, without a
-- look at everybody else.

DROP INDEX notices_unsent;
CREATE INDEX notices_waiting ON notices (action_at, id) WHERE sent_at IS NULL;
CREATE INDEX screenings_merchant ON screenings (merchant_id, opened_at, id) WHERE merchant_id <> '';
