-- A token may hold a part of operator:write where its client holds that (AU3).
DROP TRIGGER tokens_scopes;

CREATE TRIGGER tokens_scopes BEFORE INSERT ON tokens -- AU3
WHEN EXISTS (SELECT value FROM json_each(NEW.scopes) EXCEPT
             SELECT s.value FROM clients c, json_each(c.scopes) s WHERE c.id = NEW.client_id EXCEPT
             SELECT p.value FROM clients c, json_each(c.scopes) s,
                    json_each('["companies:manage","money:manage","clients:manage","books:manage","settings:manage"]') p
             WHERE c.id = NEW.client_id AND s.value = 'operator:write')
BEGIN SELECT raise(ABORT, 'a token has no scope that its client has not'); END;
