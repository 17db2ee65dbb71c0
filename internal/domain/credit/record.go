package credit

import (
	"slices"
	"time"
)

// Records are the nouns of the buyer's side, people, applications, checkouts, documents, mails
// and cases, and the lender's staff with their approvals and notes. All of them are loaded, changed,
// checked, stored and walked in one way, which is written once: a noun is its type, a line in
// RecordKinds and a migration.

// Noun is a kind of record.
type Noun string

// The kinds of records.
const (
	NounPerson      Noun = "person"
	NounApplication Noun = "application"
	NounCheckout    Noun = "checkout"
	NounDocument    Noun = "document"
	NounMail        Noun = "mail"
	NounCase        Noun = "case"
	NounStaffMember Noun = "staff_member"
	NounApproval    Noun = "approval"
	NounNote        Noun = "note"
)

// RecordKind is what is known of all records of a noun.
type RecordKind struct {
	Noun   Noun
	Table  string // its name, the plural of the noun
	Prefix string // of its identifiers
	New    func() Record
	First  []string            // the statuses that a new record may have, the usual one first
	Moves  map[string][]string // to what one command may take each status; what is not here ends there
}

// RecordKinds lists the kinds in the order in which they are loaded and written.
var RecordKinds = []RecordKind{
	{NounPerson, "people", PrefixPerson, func() Record { return &Person{} }, []string{PersonActive}, nil},
	{NounApplication, "applications", PrefixApplication, func() Record { return &Application{} }, []string{ApplicationSubmitted, ApplicationEstimated, ApplicationDeclined}, applicationMoves},
	{NounCheckout, "checkouts", PrefixCheckout, func() Record { return &Checkout{} }, []string{CheckoutOpen}, checkoutMoves},
	{NounDocument, "documents", prefixDocument, func() Record { return &Document{} }, []string{DocumentKept}, map[string][]string{DocumentKept: {DocumentErased}}},
	{NounMail, "mails", prefixMail, func() Record { return &Mail{} }, []string{MailQueued}, map[string][]string{MailQueued: {MailSent, MailFailed}}},
	{NounCase, "cases", PrefixCase, func() Record { return &Case{} }, []string{CaseOpen}, map[string][]string{CaseOpen: {CaseWaiting, CaseResolved}, CaseWaiting: {CaseOpen, CaseResolved}}},
	{NounStaffMember, "staff_members", PrefixStaffMember, func() Record { return &StaffMember{} }, []string{StaffInvited}, staffMoves},
	{NounApproval, "approvals", PrefixApproval, func() Record { return &Approval{} }, []string{ApprovalWaiting}, map[string][]string{ApprovalWaiting: {ApprovalApproved, ApprovalDeclined, ApprovalWithdrawn, ApprovalExpired}}},
	{NounNote, "notes", prefixNote, func() Record { return &Note{} }, []string{NoteKept}, nil},
}

var (
	applicationEnds  = []string{ApplicationApproved, ApplicationDeclined, ApplicationWithdrawn}
	applicationMoves = map[string][]string{
		ApplicationSubmitted: append([]string{ApplicationInReview, ApplicationRequested}, applicationEnds...), // a sandbox asks at once
		ApplicationInReview:  append([]string{ApplicationRequested}, applicationEnds...),
		ApplicationRequested: append([]string{ApplicationInReview, ApplicationExpired}, applicationEnds...),
	}
	checkoutMoves = map[string][]string{
		CheckoutOpen:     {CheckoutPending, CheckoutAccepted, CheckoutCanceled, CheckoutDeclined, CheckoutExpired},
		CheckoutPending:  {CheckoutOpen, CheckoutCanceled, CheckoutDeclined, CheckoutExpired},
		CheckoutAccepted: {CheckoutCompleted, CheckoutCanceled, CheckoutExpired},
	}
)

// KindOf is the kind of a noun, which must be one of RecordKinds.
func KindOf(n Noun) *RecordKind {
	return &RecordKinds[slices.IndexFunc(RecordKinds, func(k RecordKind) bool { return k.Noun == n })]
}

// Record is one of the buyer's nouns.
type Record interface {
	// Noun says of which kind the record is, also of a nil record.
	Noun() Noun
	// Head is what the record has in common with all others.
	Head() *RecordHead
	// Sound names what of the record, which replaces old (nil if it is new), must not be.
	Sound(old Record) string
	// Claims are the names that the record holds, or may hold: of several checkouts for the
	// same thing the last one does. Who has a tax number follows from no record alone.
	Claims() []Claim
	// Secrets are the handles of what stands in the vault for the record.
	Secrets() []string
}

// NewRecordProblem names what of a new record must not be, "" if nothing.
func NewRecordProblem(r Record) string { return r.Sound(nil) }

// RecordHead is what every record has. Its members are columns: what lists and the clock
// find records by.
type RecordHead struct {
	ID       string
	Merchant string // whose it is, "" if it is no merchant's
	Company  int64  // 0 if there is none
	// Of is what the record belongs to, such as the order of an agreement; "" if to nothing.
	Of        string
	Status    string
	NextAt    time.Time // when time alone next changes it; zero if never
	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int
	EventSeq  int64
}

// Head implements Record.
func (h *RecordHead) Head() *RecordHead { return h }

// Claims implements Record: most records hold no name.
func (h *RecordHead) Claims() []Claim { return nil }

// RecordKey names a record.
type RecordKey struct {
	Noun Noun
	ID   string
}

// KeyOf is the key of a record.
func KeyOf(r Record) RecordKey { return RecordKey{r.Noun(), r.Head().ID} }

// Secret is a sealed value that belongs to a record and is no part of it: what is personal.
// The record and the audit log hold its handle, ID, alone, so that erasing the value erases
// what it says of a person and nothing else (A61). A command carries its secrets beside
// what the log keeps of it.
type Secret struct {
	ID     string
	Sealed []byte
}

// SecretPlace is what a secret is sealed about: none opens in another's place.
func SecretPlace(id string) string { return "vault/" + id }

// recordIn is a record as it was loaded, nil if there is none.
func recordIn[P interface {
	*T
	Record
}, T any](s *State, id string) P {
	var none P
	p, _ := s.Records[RecordKey{none.Noun(), id}].(P)
	return p
}

// Checkout is a loaded checkout, nil if there is none. Person, Application, Document and
// Mail are the same for their kinds.
func (s *State) Checkout(id string) *Checkout { return recordIn[*Checkout](s, id) }

// Person is a loaded person, nil if there is none.
func (s *State) Person(id string) *Person { return recordIn[*Person](s, id) }

// Application is a loaded application, nil if there is none.
func (s *State) Application(id string) *Application { return recordIn[*Application](s, id) }

// Document is a loaded document, nil if there is none.
func (s *State) Document(id string) *Document { return recordIn[*Document](s, id) }

// Mail is a loaded mail, nil if there is none.
func (s *State) Mail(id string) *Mail { return recordIn[*Mail](s, id) }

// PeekRecord is a record as it stands in the draft, not to be changed; nil if there is none.
func PeekRecord[P interface {
	*T
	Record
}, T any](d *Draft, id string) P {
	var none P
	if r, ok := d.records[RecordKey{none.Noun(), id}]; ok {
		return r.(P)
	}
	return recordIn[P](d.State, id)
}

// EditRecord is the draft's copy of a record, to be changed.
func EditRecord[P interface {
	*T
	Record
}, T any](d *Draft, id string) P {
	var none P
	if r, ok := d.records[RecordKey{none.Noun(), id}]; ok {
		return r.(P)
	}
	next := *recordIn[P](d.State, id)
	return AddRecord(d, P(&next))
}

// AddRecord puts a record into the changes. One that is new has its first version.
func AddRecord[P Record](d *Draft, r P) P {
	if d.records == nil {
		d.records = map[RecordKey]Record{}
	}
	d.records[KeyOf(r)] = r
	d.Changes.Records = append(d.Changes.Records, r)
	return r
}

// NewRecord is the head of a record that the command makes, in the first status of its kind.
func (d *Draft) NewRecord(n Noun) RecordHead {
	k := KindOf(n)
	return RecordHead{ID: d.IDs.Next(k.Prefix), Status: k.First[0], CreatedAt: d.Env.Now, UpdatedAt: d.Env.Now, Version: 1}
}

// RecordEvent tells of a record.
func (d *Draft) RecordEvent(kind EventType, r Record) {
	d.facts = append(d.facts, fact{kind: kind, object: ObjectRef{string(r.Noun()), r.Head().ID}})
}

// sealRecords gives records that changed their next version.
func (d *Draft) sealRecords(before map[ObjectRef]Previous) {
	for _, r := range d.Changes.Records {
		h := r.Head()
		was := d.State.Records[KeyOf(r)]
		if was == nil {
			continue
		}
		h.Version, h.UpdatedAt = was.Head().Version+1, d.Env.Now
		p := Previous{}
		Differs(p, "status", was.Head().Status, h.Status)
		p["updated_at"] = was.Head().UpdatedAt
		before[ObjectRef{string(r.Noun()), h.ID}] = p
	}
}

// RecordFlaw names what of a stored record must not be, "" if nothing (RC2).
func RecordFlaw(r Record) string {
	if !KindOf(r.Noun()).has(r.Head().Status) {
		return "is " + r.Head().Status + ", which is not a status of a " + string(r.Noun())
	}
	return r.Sound(nil)
}

// present are the handles that are set.
func present(handles ...string) []string {
	return slices.DeleteFunc(handles, func(id string) bool { return id == "" })
}

// has reports that a record of the kind may have a status.
func (k *RecordKind) has(status string) bool {
	if slices.Contains(k.First, status) {
		return true
	}
	for _, next := range k.Moves { // unordered: any will do
		if slices.Contains(next, status) {
			return true
		}
	}
	return false
}
