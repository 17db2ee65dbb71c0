package cases

import (
	"slices"
	"time"

	"tenor/internal/domain/credit"
)

// caseKeys requests a case, its company, who opened it, and who speaks in it now.
func caseKeys(s *credit.State, id, person string) credit.Keys {
	k := credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounCase, ID: id}}}.OwnersWord(person)
	x := s.Case(id)
	if x == nil {
		return k
	}
	k.Companies = []int64{x.Company}
	return k.OwnersWord(x.Person)
}

// ownCase requires that the speaker may see a case: the company's people their own, a merchant
// its own, staff all.
func ownCase(s *credit.State, e credit.Env, id, person string) *credit.Rejection {
	x := s.Case(id)
	switch {
	case x == nil, !e.Actor.Operator && (e.Actor.Merchant == "" || x.Merchant != e.Actor.Merchant), person != "" && x.Merchant != "":
		return credit.NotFound.Because("There is no such case.")
	case person != "" && admitPerson(s, e, person, x.Company) != nil:
		return credit.NotFound.Because("There is no such case.")
	}
	return nil
}

// speaker is the side that a command speaks for, and who speaks.
func speaker(e credit.Env, person string) (credit.CaseSide, string) {
	switch {
	case person != "":
		return credit.SideBuyer, person
	case e.Actor.Operator:
		return credit.SideLender, e.Actor.Client
	}
	return credit.SideMerchant, e.Actor.Client
}

// over rejects changes to a resolved case.
func over(x *credit.Case, to string) *credit.Rejection {
	if x.Status != credit.CaseResolved {
		return nil
	}
	return credit.InvalidTransition.With("The case is resolved. Open a new one.", map[string]any{"from": credit.CaseResolved, "to": to})
}

// turn is the status after one side has spoken: it is the other one's turn.
func turn(by credit.CaseSide) string {
	if by == credit.SideLender {
		return credit.CaseWaiting
	}
	return credit.CaseOpen
}

// AddCaseNote adds a note by one of the sides to a case. Result is the *Case.
type AddCaseNote struct {
	Case    string          `json:"case"`
	Person  string          `json:"person"` // from the pages; "": a merchant or staff
	Text    string          `json:"text"`   // handle
	Secrets []credit.Secret `json:"-"`
}

func (AddCaseNote) Name() string { return "case.note" }

// Keys requests the case and who opened it.
func (c AddCaseNote) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return caseKeys(s, c.Case, c.Person)
}

func (c AddCaseNote) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return ownCase(s, e, c.Case, c.Person)
}

func (c AddCaseNote) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Case(c.Case)
	by, who := speaker(e, c.Person)
	if r := over(old, turn(by)); r != nil {
		return credit.Changes{}, r
	}
	switch r := mayDispute(s, c.Person, old.Company, old.Kind); {
	case r != nil:
		return credit.Changes{}, r
	case old.Said(by) >= credit.MaxCaseNotes:
		return credit.Changes{}, credit.LimitExceeded.With("Each side can add at most 50 notes to a case.", map[string]any{"limit": "notes", "maximum": credit.MaxCaseNotes})
	case c.Text == "":
		return credit.Changes{}, credit.ValidationFailed.Because("A note must not be empty.")
	}
	d := credit.NewDraft(s, e)
	x := credit.EditRecord[*credit.Case](d, c.Case)
	x.Status = turn(by)
	x.Notes = append(slices.Clone(x.Notes), credit.CaseNote{At: e.Now, By: by, Who: who, Text: c.Text})
	d.Changes.Secrets = c.Secrets
	if by == credit.SideLender {
		caseMail(d, "case_answered", x)
	}
	return d.Done(x, false), nil
}

// AttachCaseDocument adds a file to a case, by the side that opened it. Result is the
// *Document.
type AttachCaseDocument struct {
	Case    string          `json:"case"`
	Person  string          `json:"person"`
	Paper   credit.Paper    `json:"paper"`
	Secrets []credit.Secret `json:"-"`
}

func (AttachCaseDocument) Name() string { return "case.document" }

// Keys requests the case and its company.
func (c AttachCaseDocument) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return caseKeys(s, c.Case, c.Person)
}

func (c AttachCaseDocument) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if by, _ := speaker(e, c.Person); by == credit.SideLender {
		return credit.NotFound.Because("There is no such command.")
	}
	return ownCase(s, e, c.Case, c.Person)
}

func (c AttachCaseDocument) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Case(c.Case)
	if r := over(old, credit.CaseOpen); r != nil {
		return credit.Changes{}, r
	}
	day := day(&s.Companies[old.Company].Servicing.Cases, e.Today(), old.Merchant)
	switch r := mayDispute(s, c.Person, old.Company, old.Kind); {
	case r != nil:
		return credit.Changes{}, r
	case len(old.Documents) >= credit.MaxCaseDocuments:
		return credit.Changes{}, credit.LimitExceeded.With("A case can have at most 10 documents.", map[string]any{"limit": "documents", "maximum": credit.MaxCaseDocuments})
	case old.Kind == credit.CaseQuestion && day.AskedWith >= maxAskFilesDay:
		return credit.Changes{}, credit.LimitExceeded.With("Ten documents were added to questions today. Add the next one tomorrow.", map[string]any{"limit": "question_documents_a_day", "maximum": maxAskFilesDay})
	case day.Files >= maxCaseFilesDay:
		return credit.Changes{}, credit.LimitExceeded.With("Twenty documents were added to cases today. Add the next one tomorrow.", map[string]any{"limit": "documents_a_day", "maximum": maxCaseFilesDay})
	}
	d := credit.NewDraft(s, e)
	x := credit.EditRecord[*credit.Case](d, c.Case)
	paper := c.Paper
	paper.Kind = credit.DocumentUpload
	doc := d.File(paper, x.RecordHead)
	d.Changes.Secrets = c.Secrets
	x.Status, x.Documents = credit.CaseOpen, append(slices.Clone(x.Documents), doc.ID)
	if day.Files++; old.Kind == credit.CaseQuestion {
		day.AskedWith++
	}
	u := &d.Companies.Edit(x.Company).Servicing.Cases
	*u = with(*u, day)
	return d.Done(doc, true), nil
}

// ResolveCase ends a case: staff decide it, or the side that opened it withdraws it, which at
// a company means whoever opened it or an owner. Result is the *Case.
type ResolveCase struct {
	Case    string             `json:"case"`
	IfMatch []string           `json:"if_match"`
	Person  string             `json:"person"`
	Outcome credit.CaseOutcome `json:"outcome"`
	Text    string             `json:"text"` // handle: why; "" if withdrawn
	Secrets []credit.Secret    `json:"-"`
}

func (ResolveCase) Name() string { return "case.resolve" }

// Keys requests the case and its company.
func (c ResolveCase) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return caseKeys(s, c.Case, c.Person)
}

func (c ResolveCase) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return ownCase(s, e, c.Case, c.Person)
}

func (c ResolveCase) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Case(c.Case)
	by, who := speaker(e, c.Person)
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	if old.Status == credit.CaseResolved && c.Outcome == credit.CaseWithdrawn && old.Resolution.Outcome == credit.CaseWithdrawn {
		return credit.Changes{Result: old}, nil
	}
	if r := over(old, credit.CaseResolved); r != nil {
		return credit.Changes{}, r
	}
	withdraws := c.Outcome == credit.CaseWithdrawn
	switch {
	case c.Person != "" && c.Person != old.Person && credit.AdmitOwner(s, e, c.Person, old.Company) != nil:
		return credit.Changes{}, credit.OwnerRequired.Because("Only whoever opened a case, or an owner of the company, can withdraw it.")
	case withdraws == (by == credit.SideLender):
		return credit.Changes{}, credit.ValidationFailed.Because("Only the lender can decide a case, and only whoever opened it can withdraw it.")
	case !credit.OutcomeOf(old.Kind, c.Outcome):
		return credit.Changes{}, credit.ValidationFailed.Because("The outcome must be UPHELD or REJECTED for a dispute, and ANSWERED for a question.")
	case withdraws != (c.Text == ""):
		return credit.Changes{}, credit.ValidationFailed.Because("Give the reason for the decision; whoever opened the case reads it.")
	}
	d := credit.NewDraft(s, e)
	x := credit.EditRecord[*credit.Case](d, c.Case)
	x.Status, x.Resolution = credit.CaseResolved, &credit.CaseResolution{At: e.Now, By: by, Who: who, Outcome: c.Outcome, Text: c.Text}
	x.NextAt = e.Zone.Start(e.Today().AddMonths(caseMonths))
	d.Changes.Secrets = c.Secrets
	freePlace(d, x)
	if c.Person == "" || c.Person != x.Person { // she knows what she has done
		caseMail(d, "case_resolved", x)
	}
	return d.Done(x, false), nil
}

// ServiceCase erases what people typed and sent in a case that ended long ago. Result is the
// *Case.
type ServiceCase struct {
	Case string `json:"case"`
}

func (ServiceCase) Name() string { return "case.service" }

// Keys requests the case and its documents.
func (c ServiceCase) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounCase, ID: c.Case}}}
	if x := s.Case(c.Case); x != nil {
		for _, id := range x.Documents {
			k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounDocument, ID: id})
		}
	}
	return k
}

func (c ServiceCase) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	return ownCase(s, e, c.Case, "")
}

func (c ServiceCase) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Case(c.Case)
	if old.NextAt.IsZero() || old.NextAt.After(e.Now) {
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	x := credit.EditRecord[*credit.Case](d, c.Case)
	d.Changes.Erased = append(d.Changes.Erased, old.Secrets()...)
	for _, id := range x.Documents {
		d.EraseDocument(id)
	}
	x.NextAt, x.Text, x.Notes = time.Time{}, "", slices.Clone(x.Notes)
	for i := range x.Notes {
		x.Notes[i].Text = ""
	}
	end := *x.Resolution
	end.Text, x.Resolution = "", &end
	return d.Done(x, false), nil
}

// caseMonths is how long texts and documents are kept after the end, as for applications.
const caseMonths = 25
