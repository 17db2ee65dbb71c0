-- An endpoint has a kind: one of kind CHECKOUT has no address of its own, and each of its
-- deliveries goes to that of a checkout.
ALTER TABLE endpoints ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE endpoint_history ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN url TEXT NOT NULL DEFAULT '';

CREATE TRIGGER endpoints_kind BEFORE UPDATE ON endpoints -- EV6
WHEN OLD.kind <> NEW.kind
BEGIN SELECT raise(ABORT, 'an endpoint keeps its kind'); END;

CREATE TRIGGER deliveries_url BEFORE UPDATE ON deliveries -- EV6
WHEN OLD.url <> NEW.url
BEGIN SELECT raise(ABORT, 'a delivery keeps its address'); END;
