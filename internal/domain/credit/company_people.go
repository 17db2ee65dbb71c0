package credit

import "cmp"

// TellOwners writes to the owners of a company, whose people are loaded, what was changed in
// its name (buyer, mails): whoever has somebody's mailbox is not alone with what she does.
func (d *Draft) TellOwners(company int64, template string, data map[string]string) {
	d.WriteOwners(company, template, RecordHead{Company: company}, data)
}

// WriteOwners is tellOwners about a record; about none, it is about who it goes to.
func (d *Draft) WriteOwners(company int64, template string, about RecordHead, data map[string]string) {
	x := d.Companies.Peek(company)
	if x == nil {
		return
	}
	for _, id := range x.Servicing.People {
		p := PeekRecord[*Person](d, id)
		if p == nil {
			continue
		}
		if r, _ := p.RoleAt(company); r.Role == RoleOwner {
			d.Mail(template, p.Addressee(), RecordHead{ID: cmp.Or(about.ID, p.ID), Company: company}, data)
		}
	}
}
