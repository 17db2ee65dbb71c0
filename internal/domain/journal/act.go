package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/staff"
	"tenor/internal/domain/underwriting"
)

// Told is what an audit row records besides its command: the reason, and how the command
// changed who may do what and on which terms. Records are named like "company 4711"; each
// lists the members that differ, null if removed. Money movements are not repeated here: the
// entries have them.
type Told struct {
	Reason string
	Was    map[string]Members
	// Is holds all members of an API client, so that its row can be checked against it; and
	// the decision of a prequalification, whose figures are in no log.
	Is map[string]Members
	// Alone means that a staff member did alone what takes two where approvals are required.
	Alone bool
	// Approval is the approval as which the command was given, by a second person; "": none.
	Approval string
}

// Members are members of a record by name, as JSON.
type Members map[string]json.RawMessage

// act is the form of an audit row's payload that contains more than the command. No command
// has a member named act, so the two forms cannot be confused.
type act struct {
	Act    json.RawMessage    `json:"act"`
	Reason string             `json:"reason,omitempty"`
	Was    map[string]Members `json:"was,omitempty"`
	Is     map[string]Members `json:"is,omitempty"`
	Alone  bool               `json:"alone,omitempty"`
	// Approval is what the command was approved as, by the row's actor.
	Approval string `json:"approval,omitempty"`
}

const actMark = `{"act":`

// Empty reports whether there is nothing to record.
func (t Told) Empty() bool {
	return t.Reason == "" && len(t.Was)+len(t.Is) == 0 && !t.Alone && t.Approval == ""
}

// Equal reports whether both record the same.
func (t Told) Equal(u Told) bool {
	value := func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }
	same := func(a, b Members) bool { return maps.EqualFunc(a, b, value) }
	return t.Reason == u.Reason && t.Alone == u.Alone && t.Approval == u.Approval && maps.EqualFunc(t.Was, u.Was, same) && maps.EqualFunc(t.Is, u.Is, same)
}

// EncodeAct writes the audit log's form of a command: the command alone if there is nothing
// else to record.
func EncodeAct(c credit.Command, t Told) ([]byte, error) {
	if a, ok := c.(staff.Approve); ok { // the row is the act's: whoever looks for it finds it
		c, t.Approval = a.Command(), a.Approval
	}
	b, err := EncodeCommand(c)
	if err != nil || t.Empty() {
		return b, err
	}
	if b, err = json.Marshal(act{b, t.Reason, t.Was, t.Is, t.Alone, t.Approval}); err != nil {
		return nil, fmt.Errorf("encode act %s: %w", c.Name(), err)
	}
	return b, nil
}

// DecodeAct reads what EncodeAct wrote, including a command alone, which is all that earlier
// programs stored.
func DecodeAct(name string, payload []byte) (credit.Command, Told, error) {
	command, told, err := SplitAct(payload)
	if err != nil {
		return nil, Told{}, fmt.Errorf("decode act %s: %w", name, err)
	}
	c, err := decodeCommand(name, command)
	if p, ok := c.(onboarding.Prequalify); ok && err == nil {
		c, err = remembered(p, told)
	}
	if told.Approval != "" && err == nil {
		c = staff.Approve{Approval: told.Approval, Act: name, Payload: string(command)}.With(c)
	}
	return c, told, err
}

// Approve is the command that approves what waits.
func Approve(x *credit.Approval) (staff.Approve, error) {
	command, err := decodeCommand(x.Act, []byte(x.Payload))
	return staff.Approve{Approval: x.ID, Act: x.Act, Payload: x.Payload}.With(command), err
}

// remembered adds the logged decision to a prequalification.
func remembered(c onboarding.Prequalify, told Told) (credit.Command, error) {
	for record, members := range told.Is { // unordered: there is one
		if !strings.HasPrefix(record, toldApplication) {
			continue
		}
		text, err := json.Marshal(members)
		if err != nil {
			return nil, err
		}
		var x credit.Estimated
		if err := strictly(text, &x); err != nil {
			return nil, err
		}
		c = c.Decided(x)
	}
	return c, nil
}

// SplitAct is DecodeAct for callers that only need the command's text.
func SplitAct(payload []byte) (json.RawMessage, Told, error) {
	if !bytes.HasPrefix(payload, []byte(actMark)) {
		return payload, Told{}, nil
	}
	var a act
	if err := strictly(payload, &a); err != nil {
		return nil, Told{}, err
	}
	told := Told{a.Reason, a.Was, a.Is, a.Alone, a.Approval}
	if told.Empty() {
		return nil, Told{}, errEmptyAct
	}
	return a.Act, told, nil
}

var errEmptyAct = errors.New("it has no changes")

// DecodeCommand is DecodeAct for callers that only need the command.
func DecodeCommand(name string, payload []byte) (credit.Command, error) {
	c, _, err := DecodeAct(name, payload)
	return c, err
}

// Tell returns what a command's changes do to the records of the state, to which they have not
// been applied yet.
func Tell(s *credit.State, reason string, c credit.Changes) (Told, error) {
	t := teller{told: Told{Reason: reason, Alone: c.Alone}}
	for _, x := range c.Clients {
		t.client(s.Clients[x.ID], x)
	}
	for _, x := range c.Companies {
		if was := s.Companies[x.ID]; was != nil {
			t.differ("company "+strconv.FormatInt(x.ID, 10), companyTold(was), companyTold(x))
		}
	}
	for _, x := range c.Merchants {
		if was := s.Merchants[x.ID]; was != nil {
			t.differ("merchant "+x.ID, merchantTold(was), merchantTold(x))
		}
	}
	for _, x := range c.Programs {
		if was := s.Merchants[x.Merchant]; was != nil && len(was.Programs) > 0 {
			t.differ("program "+x.Merchant, programTold(was.Programs[len(was.Programs)-1]), programTold(x))
		}
	}
	for _, x := range c.Lenders {
		was := s.Lenders[x.ID]
		if was == nil {
			was = &credit.Lender{}
		}
		t.differ("lender", was.Settings, x.Settings)
	}
	for _, r := range c.Records {
		if x, ok := r.(*credit.Application); ok && x.Kind == underwriting.Estimate && s.Records[credit.KeyOf(x)] == nil {
			t.say(&t.told.Is, toldApplication+x.ID, t.members(x.Estimated()))
		}
	}
	return t.told, t.err
}

// toldApplication is the prefix of an application's name.
const toldApplication = "application "

// teller collects differences.
type teller struct {
	told Told
	err  error
}

// differ records what differs between two values of the same type.
func (t *teller) differ(record string, was, is any) {
	if reflect.DeepEqual(was, is) {
		return
	}
	before, after := t.members(was), t.members(is)
	gone, come := Members{}, Members{}
	for name, value := range before { // unordered: into maps
		if now, ok := after[name]; !ok || !bytes.Equal(now, value) {
			gone[name], come[name] = value, now // nil is written as null
		}
	}
	for name, value := range after { // unordered: into maps
		if _, ok := before[name]; !ok {
			gone[name], come[name] = nil, value
		}
	}
	if len(come) == 0 {
		return
	}
	t.say(&t.told.Was, record, gone)
	t.say(&t.told.Is, record, come)
}

// client records the whole client.
func (t *teller) client(was, is *credit.Client) {
	record := "client " + is.ID
	if was != nil {
		t.differ(record, tellClient(was), tellClient(is))
	}
	t.say(&t.told.Is, record, t.members(tellClient(is)))
}

func (t *teller) say(to *map[string]Members, record string, m Members) {
	if *to == nil {
		*to = map[string]Members{}
	}
	for name, value := range m { // unordered: each by itself
		if value == nil {
			m[name] = json.RawMessage("null")
		}
	}
	(*to)[record] = m
}

func (t *teller) members(x any) (m Members) {
	b, err := json.Marshal(x)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("tell: %w", err)
	}
	return m
}

// clientTold is a client in the form of audit rows, with all members of Client. Like the other
// forms here it is compared with rows of earlier programs: an added member must be omitted
// while it is empty.
type clientTold struct {
	ID        string       `json:"id"`
	Merchant  string       `json:"merchant,omitempty"`
	Name      string       `json:"name"`
	Scopes    []string     `json:"scopes,omitempty"`
	PerMinute int          `json:"per_minute"`
	Burst     int          `json:"burst"`
	Secrets   []secretTold `json:"secrets,omitempty"`
	CreatedAt time.Time    `json:"created_at,omitzero"`
	UpdatedAt time.Time    `json:"updated_at,omitzero"`
	RevokedAt time.Time    `json:"revoked_at,omitzero"`
	Version   int          `json:"version"`
}

type secretTold struct {
	Hash  string    `json:"hash"`
	Until time.Time `json:"until,omitzero"`
}

func tellClient(x *credit.Client) clientTold {
	t := clientTold{
		ID: x.ID, Merchant: x.Merchant, Name: x.Name, Scopes: x.Scopes, PerMinute: x.PerMinute, Burst: x.Burst,
		CreatedAt: x.CreatedAt.UTC(), UpdatedAt: x.UpdatedAt.UTC(), RevokedAt: x.RevokedAt.UTC(), Version: x.Version,
	}
	for _, s := range x.Secrets {
		t.Secrets = append(t.Secrets, secretTold{s.Hash, s.Until.UTC()})
	}
	return t
}

// toldCompany is what people decide about a company, or what is decided in their place.
type toldCompany struct {
	Name           string                 `json:"name"`
	LegalName      string                 `json:"legal_name,omitempty"`
	TaxIDLast4     string                 `json:"tax_id_last4,omitempty"`
	Status         credit.CompanyStatus   `json:"status"`
	StatusCode     string                 `json:"status_reason,omitempty"`
	StatusMessage  string                 `json:"status_message,omitempty"`
	Phone          string                 `json:"phone,omitempty"`
	Email          string                 `json:"email,omitempty"`
	BillingAddress credit.CompanyAddress  `json:"billing_address,omitzero"`
	Tier           string                 `json:"tier"`
	Limit          money.Amount           `json:"limit"`
	Linked         []string               `json:"linked,omitempty"`
	Autopay        credit.Autopay         `json:"autopay,omitzero"`
	Mandates       []credit.Mandate       `json:"mandates,omitempty"`
	CreditUse      credit.CreditUse       `json:"credit_use,omitzero"`
	Frozen         string                 `json:"frozen,omitempty"`
	Review         string                 `json:"review,omitempty"`
	Stopped        bool                   `json:"stopped,omitempty"`
	Cleared        []string               `json:"cleared,omitempty"`
	Reports        []credit.CompanyReport `json:"reports,omitempty"`
}

func companyTold(x *credit.Company) toldCompany {
	v := &x.Servicing
	return toldCompany{
		Name: x.Name, LegalName: x.LegalName, TaxIDLast4: x.TaxIDLast4, Status: x.Status, StatusCode: x.StatusCode, StatusMessage: x.StatusMessage,
		Phone: x.Phone, Email: x.Email, BillingAddress: x.BillingAddress, Tier: x.Tier, Limit: x.Limit, Linked: x.Linked,
		Autopay: v.Autopay, Mandates: v.Mandates, CreditUse: v.CreditUse, Frozen: v.Frozen,
		Review: v.Screened.Review, Stopped: v.Screened.Stopped, Cleared: v.Screened.Cleared, Reports: v.Reports,
	}
}

// toldMerchant is a merchant without what results only from its business.
type toldMerchant struct {
	Name       string                 `json:"name"`
	Bank       *credit.BankAccount    `json:"bank,omitempty"`
	Debits     bool                   `json:"debits,omitempty"`
	Pending    *credit.PendingAccount `json:"pending,omitempty"`
	HeldReason string                 `json:"held_reason,omitempty"`
	NoDebits   bool                   `json:"no_debits,omitempty"`
	NoDebitsOf int64                  `json:"no_debits_of,omitempty"`
	Review     string                 `json:"review,omitempty"`
	Stopped    bool                   `json:"stopped,omitempty"`
	Cleared    []string               `json:"cleared,omitempty"`
	Limits     credit.Limits          `json:"limits,omitzero"`
}

func merchantTold(x *credit.Merchant) toldMerchant {
	a := &x.Account
	return toldMerchant{
		Name: x.Name, Bank: a.Bank, Debits: a.Debits, Pending: a.Pending, HeldReason: a.HeldReason, NoDebits: a.NoDebits, NoDebitsOf: a.NoDebitsOf,
		Review: a.Screened.Review, Stopped: a.Screened.Stopped, Cleared: a.Screened.Cleared, Limits: x.Limits,
	}
}

// toldProgram is a version of a merchant's terms.
type toldProgram struct {
	Version int    `json:"version"`
	From    string `json:"from"`
	credit.Settings
}

func programTold(p credit.Program) toldProgram {
	return toldProgram{p.Version, p.From.String(), p.Settings}
}
