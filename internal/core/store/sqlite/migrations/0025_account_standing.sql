-- How an account came to be verified, and whether its company has consented to it (F41.1,
-- F41.8). NULL of what was added before: nothing is known of it.
ALTER TABLE payment_methods ADD COLUMN standing TEXT;
