package credit

import (
	"cmp"
	"maps"
	"strings"
	"time"
)

// Mail is one message that was, or is to be, sent. What it says is its template with Data;
// what is personal or secret of it stands in the vault, under To and Secret.
type Mail struct {
	RecordHead `json:"-"` // Of: what it is about
	Template   string     `json:"template"`
	Text       int        `json:"text"` // version of the template
	Language   string     `json:"language"`
	// To is the handle of who it goes to: a JSON object with email and names.
	To string `json:"to"`
	// Person is who it goes to, "" if that is nobody whom we know as a person yet.
	Person string `json:"person,omitzero"`
	// Own says that To is this mail's alone: it is erased once the mail has left.
	Own bool `json:"own,omitzero"`
	// Secret is the handle of further data that is erased once the mail has left, "" if
	// there are none or they are erased.
	Secret    string            `json:"secret,omitzero"`
	Data      map[string]string `json:"data,omitzero"`
	Attempts  int               `json:"attempts"`
	SentAt    time.Time         `json:"sent_at,omitzero"`
	LastError string            `json:"last_error,omitzero"` // of the last attempt, without an address
}

// Statuses of a mail: QUEUED → SENT or FAILED.
const (
	MailQueued = "QUEUED"
	MailSent   = "SENT"
	MailFailed = "FAILED"
)

// MailMoot is the error of a mail that FAILED because it had nothing to tell any more when it
// was its turn, such as what is late that has been paid: nobody misses it.
const MailMoot = "moot"

// MailText is the version of a template in which mails are made now.
func MailText(template string) int {
	switch template {
	case "invitation", "bank_account_changed", "installment_due", "debit_tomorrow":
		return 2
	}
	return 1
}

// mailPatience is how long a mail is tried before it has failed.
const mailPatience = 24 * time.Hour

// Urgent reports that somebody waits for a mail before a page: it goes before all others. Stores
// have an index of these, whose condition names the same templates.
func (m *Mail) Urgent() bool { return m.Template == "code" || m.Template == "sign_in_link" }

// Noun implements Record.
func (*Mail) Noun() Noun { return NounMail }

func (m *Mail) sound(old Record) string {
	switch {
	case m.Template == "" || m.Text < 1 || m.To == "":
		return "it has no template, or goes to nobody"
	case m.Language == "" || !spoken(m.Language):
		return "it is in a language that nobody is written to in"
	case (m.Status == MailSent) != !m.SentAt.IsZero():
		return "it is SENT without an instant, or the reverse"
	case (m.Status == MailQueued) != !m.NextAt.IsZero():
		return "it waits without an instant, or the reverse"
	case m.Status != MailQueued && m.Secret != "":
		return "it keeps a secret after it has left"
	}
	if was, ok := old.(*Mail); ok && (was.Status != MailQueued && was.Status != m.Status || was.Template != m.Template || was.Language != m.Language || was.To != m.To) {
		return "it changes after it has left"
	}
	return ""
}

// Mail queues a message to somebody, in her language.
func (d *Draft) Mail(template string, to addressee, about RecordHead, data map[string]string) *Mail {
	if to.contact == "" {
		return nil
	}
	m := &Mail{
		RecordHead: d.NewRecord(prefixMail, MailQueued), Template: template, Text: MailText(template), Language: cmp.Or(to.language, MailLanguage),
		To: to.contact, Person: to.person, Data: maps.Clone(data),
	}
	m.Of, m.Merchant, m.Company, m.NextAt = about.ID, about.Merchant, about.Company, d.Env.Now
	return AddRecord(d, m)
}

// QueueMail queues a message that the pages send by themselves, such as a code. Result is
// the *Mail.
type QueueMail struct {
	Template string            `json:"template"`
	Language string            `json:"language"`
	To       string            `json:"to"` // handle
	Person   string            `json:"person,omitzero"`
	Own      bool              `json:"own,omitzero"` // To is this mail's alone
	Secret   string            `json:"secret"`       // handle, "" for none
	Of       string            `json:"of"`
	Merchant string            `json:"merchant"`
	Company  int64             `json:"company_id"`
	Data     map[string]string `json:"data"`
	Secrets  []Secret          `json:"-"`
}

func (QueueMail) Name() string { return "mail.queue" }

// Keys asks for nothing.
func (QueueMail) Keys(*State, Env) Keys { return Keys{} }

func (QueueMail) Admit(_ *State, e Env) *Rejection { return OwnPages(e) }

func (c QueueMail) Decide(s *State, e Env) (Changes, *Rejection) {
	if c.Template == "" || c.To == "" {
		return Changes{}, ValidationFailed.Because("A message needs a template and a recipient.")
	}
	if !spoken(c.Language) {
		return Changes{}, unspoken()
	}
	d := NewDraft(s, e)
	m := d.Mail(c.Template, addressee{c.To, c.Language, c.Person}, RecordHead{ID: c.Of, Merchant: c.Merchant, Company: c.Company}, c.Data)
	m.Secret, m.Own = c.Secret, c.Own
	d.Changes.Secrets = c.Secrets
	return d.Done(m, true), nil
}

// RecordMail records what became of an attempt to send a mail: it has left, will be tried
// again, or has failed for good. The same twice changes nothing. Result is the *Mail.
type RecordMail struct {
	Mail      string `json:"mail"`
	Attempt   int    `json:"attempt"` // of which it is the result, from 1
	Sent      bool   `json:"sent"`
	Permanent bool   `json:"permanent"` // the recipient's server will never take it
	Error     string `json:"error"`     // a code, without an address
}

func (RecordMail) Name() string { return "mail.record" }

// Keys asks for the mail, and for the application whose notice it is.
func (c RecordMail) Keys(s *State, _ Env) Keys {
	k := Keys{Records: []RecordKey{{NounMail, c.Mail}}}
	if m := s.Mail(c.Mail); m != nil && strings.HasPrefix(m.Of, prefixApplication) {
		k.Records = append(k.Records, RecordKey{NounApplication, m.Of})
	}
	return k
}

func (c RecordMail) Admit(s *State, e Env) *Rejection {
	if r := OwnPages(e); r != nil {
		return r
	}
	if s.Mail(c.Mail) == nil {
		return NotFound.Because("There is no such mail.")
	}
	return nil
}

func (c RecordMail) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Mail(c.Mail)
	if old.Status != MailQueued || c.Attempt != old.Attempts+1 {
		return Changes{Result: old}, nil
	}
	d := NewDraft(s, e)
	m := EditRecord[*Mail](d, c.Mail)
	m.Attempts, m.LastError = c.Attempt, c.Error
	next := e.Now.Add(mailWait(m.Attempts))
	switch {
	case c.Sent:
		m.Status, m.SentAt, m.NextAt, m.LastError = MailSent, e.Now, time.Time{}, ""
		d.noticed(m)
	case c.Permanent || next.Sub(m.CreatedAt) > mailPatience:
		m.Status, m.NextAt = MailFailed, time.Time{}
	default:
		m.NextAt = next
		return d.Done(m, false), nil
	}
	if m.Own {
		d.Changes.Erased = append(d.Changes.Erased, m.To)
	}
	if m.Secret != "" {
		d.Changes.Erased, m.Secret = append(d.Changes.Erased, m.Secret), ""
	}
	return d.Done(m, false), nil
}

// noticed notes that the notice of an application has left by mail (F28).
func (d *Draft) noticed(m *Mail) {
	a := d.State.Application(m.Of)
	if a == nil || a.Duty == nil || a.Duty.Mail != m.ID || !a.Duty.SentAt.IsZero() {
		return
	}
	a = EditRecord[*Application](d, m.Of)
	duty := *a.Duty
	duty.SentAt, duty.Channel, duty.Evidence = d.Env.Now, "EMAIL", m.ID
	a.Duty = &duty
}

// mailWait is how long a mail waits after so many attempts: half a minute, doubled each
// time, an hour at most.
func mailWait(attempts int) time.Duration {
	wait := 30 * time.Second
	for range attempts - 1 {
		if wait = 2 * wait; wait > time.Hour {
			return time.Hour
		}
	}
	return wait
}
