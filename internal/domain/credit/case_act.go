package credit

import (
	"slices"
	"time"
)

// caseKeys asks for a case, its company, who has opened it, and who speaks in it now.
func caseKeys(s *State, id, person string) Keys {
	k := Keys{Records: []RecordKey{{NounCase, id}}}.ownersWord(person)
	x := s.Case(id)
	if x == nil {
		return k
	}
	k.Companies = []int64{x.Company}
	return k.ownersWord(x.Person)
}

// ownCase asks that whoever speaks may see a case: the company's people their own, a merchant
// its own, staff all.
func ownCase(s *State, e Env, id, person string) *Rejection {
	x := s.Case(id)
	switch {
	case x == nil, !e.Actor.Operator && (e.Actor.Merchant == "" || x.Merchant != e.Actor.Merchant), person != "" && x.Merchant != "":
		return NotFound.Because("There is no such case.")
	case person != "" && admitPerson(s, e, person, x.Company) != nil:
		return NotFound.Because("There is no such case.")
	}
	return nil
}

// speaker is which side a command speaks for, and who does.
func speaker(e Env, person string) (CaseSide, string) {
	switch {
	case person != "":
		return SideBuyer, person
	case e.Actor.Operator:
		return SideLender, e.Actor.Client
	}
	return SideMerchant, e.Actor.Client
}

// over refuses what would change a case after its end.
func (x *Case) over(to string) *Rejection {
	if x.Status != CaseResolved {
		return nil
	}
	return InvalidTransition.With("The case is resolved. Open a new one.", map[string]any{"from": CaseResolved, "to": to})
}

// turn is the status after one side has said something: it is the other one's turn.
func turn(by CaseSide) string {
	if by == SideLender {
		return CaseWaiting
	}
	return CaseOpen
}

// AddCaseNote adds what one of the sides says to a case. Result is the *Case.
type AddCaseNote struct {
	Case    string   `json:"case"`
	Person  string   `json:"person"` // from the pages; "": a merchant or staff
	Text    string   `json:"text"`   // handle
	Secrets []Secret `json:"-"`
}

func (AddCaseNote) Name() string { return "case.note" }

// Keys asks for the case and who has opened it.
func (c AddCaseNote) Keys(s *State, _ Env) Keys { return caseKeys(s, c.Case, c.Person) }

func (c AddCaseNote) Admit(s *State, e Env) *Rejection { return ownCase(s, e, c.Case, c.Person) }

func (c AddCaseNote) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Case(c.Case)
	by, who := speaker(e, c.Person)
	if r := old.over(turn(by)); r != nil {
		return Changes{}, r
	}
	switch r := mayDispute(s, c.Person, old.Company, old.Kind); {
	case r != nil:
		return Changes{}, r
	case old.said(by) >= maxCaseNotes:
		return Changes{}, LimitExceeded.With("A case takes fifty notes of each side.", map[string]any{"limit": "notes", "maximum": maxCaseNotes})
	case c.Text == "":
		return Changes{}, ValidationFailed.Because("A note says something.")
	}
	d := NewDraft(s, e)
	x := EditRecord[*Case](d, c.Case)
	x.Status = turn(by)
	x.Notes = append(slices.Clone(x.Notes), CaseNote{At: e.Now, By: by, Who: who, Text: c.Text})
	d.Changes.Secrets = c.Secrets
	if by == SideLender {
		d.caseMail("case_answered", x)
	}
	return d.Done(x, false), nil
}

// AttachCaseDocument adds a file to a case, by those whose case it is. Result is the *Document.
type AttachCaseDocument struct {
	Case    string   `json:"case"`
	Person  string   `json:"person"`
	Paper   Paper    `json:"paper"`
	Secrets []Secret `json:"-"`
}

func (AttachCaseDocument) Name() string { return "case.document" }

// Keys asks for the case and its company.
func (c AttachCaseDocument) Keys(s *State, _ Env) Keys { return caseKeys(s, c.Case, c.Person) }

func (c AttachCaseDocument) Admit(s *State, e Env) *Rejection {
	if by, _ := speaker(e, c.Person); by == SideLender {
		return NotFound.Because("There is no such command.")
	}
	return ownCase(s, e, c.Case, c.Person)
}

func (c AttachCaseDocument) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Case(c.Case)
	if r := old.over(CaseOpen); r != nil {
		return Changes{}, r
	}
	day := s.Companies[old.Company].Servicing.Cases.day(e.Today(), old.Merchant)
	switch r := mayDispute(s, c.Person, old.Company, old.Kind); {
	case r != nil:
		return Changes{}, r
	case len(old.Documents) >= maxCaseDocuments:
		return Changes{}, LimitExceeded.With("A case takes ten documents.", map[string]any{"limit": "documents", "maximum": maxCaseDocuments})
	case old.Kind == CaseQuestion && day.AskedWith >= maxAskFilesDay:
		return Changes{}, LimitExceeded.With("Ten documents were added to questions today. Add the next one tomorrow.", map[string]any{"limit": "question_documents_a_day", "maximum": maxAskFilesDay})
	case day.Files >= maxCaseFilesDay:
		return Changes{}, LimitExceeded.With("Twenty documents were added to cases today. Add the next one tomorrow.", map[string]any{"limit": "documents_a_day", "maximum": maxCaseFilesDay})
	}
	d := NewDraft(s, e)
	x := EditRecord[*Case](d, c.Case)
	paper := c.Paper
	paper.Kind = DocumentUpload
	doc := d.file(paper, x.RecordHead)
	d.Changes.Secrets = c.Secrets
	x.Status, x.Documents = CaseOpen, append(slices.Clone(x.Documents), doc.ID)
	if day.Files++; old.Kind == CaseQuestion {
		day.AskedWith++
	}
	u := &d.Companies.Edit(x.Company).Servicing.Cases
	*u = u.with(day)
	return d.Done(doc, true), nil
}

// ResolveCase ends a case: staff decide it, or those whose case it is withdraw it, which at a
// company are who has opened it and its owners. Result is the *Case.
type ResolveCase struct {
	Case    string      `json:"case"`
	IfMatch []string    `json:"if_match"`
	Person  string      `json:"person"`
	Outcome CaseOutcome `json:"outcome"`
	Text    string      `json:"text"` // handle: why; "" of one that is withdrawn
	Secrets []Secret    `json:"-"`
}

func (ResolveCase) Name() string { return "case.resolve" }

// Keys asks for the case and its company.
func (c ResolveCase) Keys(s *State, _ Env) Keys { return caseKeys(s, c.Case, c.Person) }

func (c ResolveCase) Admit(s *State, e Env) *Rejection { return ownCase(s, e, c.Case, c.Person) }

func (c ResolveCase) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Case(c.Case)
	by, who := speaker(e, c.Person)
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if old.Status == CaseResolved && c.Outcome == CaseWithdrawn && old.Resolution.Outcome == CaseWithdrawn {
		return Changes{Result: old}, nil
	}
	if r := old.over(CaseResolved); r != nil {
		return Changes{}, r
	}
	withdraws := c.Outcome == CaseWithdrawn
	switch {
	case c.Person != "" && c.Person != old.Person && admitOwner(s, e, c.Person, old.Company) != nil:
		return Changes{}, OwnerRequired.Because("Who has opened a case withdraws it, or an owner of the company.")
	case withdraws == (by == SideLender):
		return Changes{}, ValidationFailed.Because("Staff decide a case, and whose it is withdraws it.")
	case !outcomeOf(old.Kind, c.Outcome):
		return Changes{}, ValidationFailed.Because("A dispute is UPHELD or REJECTED, and a question ANSWERED.")
	case withdraws != (c.Text == ""):
		return Changes{}, ValidationFailed.Because("Say why it is decided so, as its sender reads it.")
	}
	d := NewDraft(s, e)
	x := EditRecord[*Case](d, c.Case)
	x.Status, x.Resolution = CaseResolved, &CaseResolution{At: e.Now, By: by, Who: who, Outcome: c.Outcome, Text: c.Text}
	x.NextAt = e.Zone.Start(e.Today().AddMonths(caseMonths))
	d.Changes.Secrets = c.Secrets
	d.freePlace(x)
	if c.Person == "" || c.Person != x.Person { // she knows what she has done
		d.caseMail("case_resolved", x)
	}
	return d.Done(x, false), nil
}

// ServiceCase erases what people have typed and sent in a case that has long ended. Result is
// the *Case.
type ServiceCase struct {
	Case string `json:"case"`
}

func (ServiceCase) Name() string { return "case.service" }

// Keys asks for the case and its documents.
func (c ServiceCase) Keys(s *State, _ Env) Keys {
	k := Keys{Records: []RecordKey{{NounCase, c.Case}}}
	if x := s.Case(c.Case); x != nil {
		for _, id := range x.Documents {
			k.Records = append(k.Records, RecordKey{NounDocument, id})
		}
	}
	return k
}

func (c ServiceCase) Admit(s *State, e Env) *Rejection {
	if r := ownPages(e); r != nil {
		return r
	}
	return ownCase(s, e, c.Case, "")
}

func (c ServiceCase) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Case(c.Case)
	if old.NextAt.IsZero() || old.NextAt.After(e.Now) {
		return Changes{Result: old}, nil
	}
	d := NewDraft(s, e)
	x := EditRecord[*Case](d, c.Case)
	d.Changes.Erased = append(d.Changes.Erased, RecordSecrets(old)...)
	for _, id := range x.Documents {
		d.eraseDocument(id)
	}
	x.NextAt, x.Text, x.Notes = time.Time{}, "", slices.Clone(x.Notes)
	for i := range x.Notes {
		x.Notes[i].Text = ""
	}
	end := *x.Resolution
	end.Text, x.Resolution = "", &end
	return d.Done(x, false), nil
}
