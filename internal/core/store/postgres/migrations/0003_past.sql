-- Replaced versions are appended: their key begins with the commit that replaced them, and the
-- log finds them by the commits that changed a record. An index by record cost a page of its own
-- for each version. What the log does not name, event_objects does.

ALTER TABLE company_history DROP CONSTRAINT company_history_pkey;
ALTER TABLE company_history ADD PRIMARY KEY (until_q, company_id);
INSERT INTO event_objects (object_type, object_id, q)
SELECT 'company', h.company_id::text, h.until_q FROM company_history h JOIN audit a ON a.q = h.until_q WHERE NOT (a.company_id = h.company_id OR a.object = h.company_id::text)
ON CONFLICT DO NOTHING;

ALTER TABLE order_history DROP CONSTRAINT order_history_pkey;
ALTER TABLE order_history ADD PRIMARY KEY (until_q, order_key);
INSERT INTO event_objects (object_type, object_id, q)
SELECT 'order', h.order_key, h.until_q FROM order_history h JOIN audit a ON a.q = h.until_q WHERE NOT (a.object = h.order_key)
ON CONFLICT DO NOTHING;

ALTER TABLE endpoint_history DROP CONSTRAINT endpoint_history_pkey;
ALTER TABLE endpoint_history ADD PRIMARY KEY (until_q, id);
INSERT INTO event_objects (object_type, object_id, q)
SELECT 'webhook', h.id, h.until_q FROM endpoint_history h JOIN audit a ON a.q = h.until_q WHERE NOT (a.object = h.id)
ON CONFLICT DO NOTHING;
