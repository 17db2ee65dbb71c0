-- What waits for a person, or for the sanctions list: as long as the lists are, and no
-- longer.

CREATE INDEX companies_suspended ON companies (created_at, company_id) WHERE status = 'SUSPENDED';
CREATE INDEX companies_unscreened ON companies (created_at, company_id) WHERE instr(servicing, '"unscreened":true') > 0;
CREATE INDEX merchants_unscreened ON merchants (id) WHERE instr(account, '"unscreened":true') > 0;
