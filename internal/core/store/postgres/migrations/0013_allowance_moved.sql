-- What has moved the allowance in months after the next one to be provided for: a
-- provision that comes late leaves it out (F17). Of what was booked before, nothing is
-- known.
ALTER TABLE lenders ADD COLUMN moved text;
