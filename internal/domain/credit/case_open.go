package credit

// OpenCase opens a case: in the name of a person, from the pages, or of a merchant about an
// order of its own. Result is the *Case.
type OpenCase struct {
	Company int64      `json:"company_id"` // of a person; a merchant's is that of the order
	Person  string     `json:"person"`
	Kind    CaseKind   `json:"kind"`
	What    CaseMatter `json:"what"`
	Order   string     `json:"order"`   // what it is about: an order,
	Payment string     `json:"payment"` // a payment, or neither
	Text    string     `json:"text"`    // handle
	Secrets []Secret   `json:"-"`
}

func (OpenCase) Name() string { return "case.open" }

// company is whose case it becomes, 0 if that is not known.
func (c OpenCase) company(s *State) int64 {
	if c.Person != "" {
		return c.Company
	}
	if o := s.Orders[c.Order]; o != nil {
		return o.Company
	}
	return 0
}

// Keys asks for the company with the person, and for what the case is about.
func (c OpenCase) Keys(s *State, _ Env) Keys {
	k := Keys{}.ownersWord(c.Person)
	if c.Order != "" {
		k.Orders = []string{c.Order}
	}
	if c.Payment != "" {
		k.Payments = []string{c.Payment}
	}
	if id := c.company(s); id != 0 {
		k.Companies = []int64{id}
	}
	return k
}

func (c OpenCase) Admit(s *State, e Env) *Rejection {
	o, p := s.Orders[c.Order], s.Payments[c.Payment]
	if c.Person == "" {
		switch {
		case e.Actor.Merchant == "": // staff open none: they answer them
			return NotFound.Because("There is no such command.")
		case o == nil || o.Merchant != e.Actor.Merchant:
			return NotFound.Because("There is no such order.")
		}
		return nil
	}
	if r := admitPerson(s, e, c.Person, c.Company); r != nil {
		return r
	}
	switch {
	case s.Companies[c.Company] == nil:
		return NotFound.Because("There is no such company.")
	case c.Order != "" && (o == nil || o.Company != c.Company):
		return NotFound.Because("There is no such order.")
	case c.Payment != "" && (p == nil || p.Company != c.Company):
		return NotFound.Because("There is no such payment.")
	}
	return nil
}

// admitPerson asks that the pages pass on the word of somebody who acts for a company now.
func admitPerson(s *State, e Env, person string, company int64) *Rejection {
	if r := ownPages(e); r != nil {
		return r
	}
	p := s.Person(person)
	if p == nil || !p.Proved() {
		return NotFound.Because("There is no such person.")
	}
	if _, ok := p.RoleAt(company); !ok {
		return NotFound.Because("There is no such company.")
	}
	return nil
}

// mayDispute asks that a person may speak in a case of a kind: a VIEWER only asks.
func mayDispute(s *State, person string, company int64, k CaseKind) *Rejection {
	if person == "" || k == CaseQuestion {
		return nil
	}
	if r, _ := s.Person(person).RoleAt(company); r.Role != RoleOwner && r.Role != RoleBuyer {
		return OwnerRequired.Because("An owner or a buyer of the company must say so: a viewer can ask a question.")
	}
	return nil
}

func (c OpenCase) Decide(s *State, e Env) (Changes, *Rejection) {
	company := c.company(s)
	switch r := mayDispute(s, c.Person, company, c.Kind); {
	case r != nil:
		return Changes{}, r
	case c.Text == "":
		return Changes{}, ValidationFailed.Because("Say what the case is about.")
	case c.Order != "" && c.Payment != "" || c.Person == "" && c.Payment != "":
		return Changes{}, ValidationFailed.Because("A case is about one thing: a merchant's about its order.")
	}
	if r := s.Companies[company].Servicing.Cases.refuse(c.Kind, e.Actor.Merchant, e.Today()); r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	x := &Case{RecordHead: d.newRecord(prefixCase, CaseOpen), Kind: c.Kind, What: c.What, Person: c.Person, Text: c.Text, DueOn: e.Today().AddDays(caseDisputeDays)}
	if c.Kind == CaseQuestion {
		x.DueOn = e.Today().AddBankingDays(caseQuestionDays)
	}
	x.Company, x.Merchant, x.Of = company, e.Actor.Merchant, c.Order+c.Payment
	if why := x.sound(nil); why != "" {
		return Changes{}, ValidationFailed.Because("A case is a DISPUTE or a QUESTION about something that there is.")
	}
	AddRecord(d, x)
	d.Changes.Secrets = c.Secrets
	d.takePlace(x)
	d.caseMail("case_opened", x)
	return d.Done(x, true), nil
}

// caseMail writes to the person who has opened a case, as long as she acts for the company. A
// mail says that there is something to read, and nothing of what was said. A merchant reads its
// cases by the API.
func (d *Draft) caseMail(template string, x *Case) {
	p := PeekRecord[*Person](d, x.Person)
	if x.Person == "" || p == nil {
		return
	}
	if _, ok := p.RoleAt(x.Company); ok {
		d.Mail(template, p.addressee(), x.RecordHead, nil)
	}
}
