-- A token may hold a part of operator:write where its client holds that (AU3).
CREATE OR REPLACE FUNCTION tokens_scopes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM clients c WHERE c.id = NEW.client_id
                 AND coalesce(c.scopes, '[]')::jsonb
                     || CASE WHEN coalesce(c.scopes, '[]')::jsonb ? 'operator:write'
                        THEN '["companies:manage","money:manage","clients:manage","books:manage","settings:manage"]' ELSE '[]' END::jsonb
                     @> coalesce(NEW.scopes, '[]')::jsonb) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
      MESSAGE = 'a token has no scope that its client has not';
  END IF;
  RETURN NEW;
END $$;

-- The audit log is read by who has done something, to what, and in which request.
CREATE INDEX audit_client ON audit (client_id, q);
CREATE INDEX audit_company ON audit (company_id, q) WHERE company_id <> 0;
CREATE INDEX audit_object ON audit (object, q) WHERE object <> '';
CREATE INDEX audit_request ON audit (request_id, q) WHERE request_id <> '';
