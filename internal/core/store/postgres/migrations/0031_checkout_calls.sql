-- An endpoint has a kind: one of kind CHECKOUT has no address of its own, and each of its
-- deliveries goes to that of a checkout.
ALTER TABLE endpoints ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE endpoint_history ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN url text COLLATE "C" NOT NULL DEFAULT '';

CREATE TRIGGER endpoints_kind BEFORE UPDATE OF kind ON endpoints -- EV6
  EXECUTE FUNCTION refuse('an endpoint keeps its kind');
CREATE TRIGGER deliveries_url BEFORE UPDATE OF url ON deliveries -- EV6
  EXECUTE FUNCTION refuse('a delivery keeps its address');
