-- What waits for a person after debits that came back: companies whose autopay is paused,
-- and orders with items that autopay does not collect (F12, F23).

CREATE INDEX companies_paused ON companies (created_at, company_id) WHERE strpos(servicing, '"paused":"') > 0;
CREATE INDEX orders_stopped ON orders (created_at, order_key) WHERE strpos(servicing, '"stopped":[') > 0;
