-- A token may hold a part of operator:write where its client holds that (AU3).
DROP TRIGGER tokens_scopes;

CREATE TRIGGER tokens_scopes BEFORE INSERT ON tokens -- AU3
WHEN EXISTS (SELECT value FROM json_each(NEW.scopes) EXCEPT
             SELECT s.value FROM clients c, json_each(c.scopes) s WHERE c.id = NEW.client_id EXCEPT
             SELECT p.value FROM clients c, json_each(c.scopes) s,
                    json_each('["companies:manage","money:manage","clients:manage","books:manage","settings:manage"]') p
             WHERE c.id = NEW.client_id AND s.value = 'operator:write')
BEGIN SELECT raise(ABORT, 'a token has no scope that its client has not'); END;

-- The audit log is read by who has done something, to what, and in which request.
CREATE INDEX audit_client ON audit (client_id, q);
CREATE INDEX audit_company ON audit (company_id, q) WHERE company_id <> 0;
CREATE INDEX audit_object ON audit (object, q) WHERE object <> '';
CREATE INDEX audit_request ON audit (request_id, q) WHERE request_id <> '';
