package people

import (
	"strings"
	"time"

	"tenor/internal/domain/credit"
)

// MailMoot is the error of a mail that FAILED because there was nothing left to say when its
// turn came, such as an overdue amount that has been paid. Nobody misses it.
const MailMoot = "moot"

// mailPatience is how long a mail is retried before it fails.
const mailPatience = 24 * time.Hour

// QueueMail queues a message that the pages send on their own, such as a code. Result is the
// *Mail.
type QueueMail struct {
	Template string            `json:"template"`
	Language string            `json:"language"`
	To       string            `json:"to"` // handle
	Person   string            `json:"person,omitzero"`
	Own      bool              `json:"own,omitzero"` // To is used by this mail alone
	Secret   string            `json:"secret"`       // handle, "" for none
	Of       string            `json:"of"`
	Merchant string            `json:"merchant"`
	Company  int64             `json:"company_id"`
	Data     map[string]string `json:"data"`
	Secrets  []credit.Secret   `json:"-"`
}

func (QueueMail) Name() string { return "mail.queue" }

// Keys requests nothing.
func (QueueMail) Keys(*credit.State, credit.Env) credit.Keys { return credit.Keys{} }

func (QueueMail) Admit(_ *credit.State, e credit.Env) *credit.Rejection { return credit.OwnPages(e) }

func (c QueueMail) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if c.Template == "" || c.To == "" {
		return credit.Changes{}, credit.ValidationFailed.Because("A message needs a template and a recipient.")
	}
	if !credit.Spoken(c.Language) {
		return credit.Changes{}, Unspoken()
	}
	d := credit.NewDraft(s, e)
	m := d.Mail(c.Template, credit.Addressee{Contact: c.To, Language: c.Language, Person: c.Person}, credit.RecordHead{ID: c.Of, Merchant: c.Merchant, Company: c.Company}, c.Data)
	m.Secret, m.Own = c.Secret, c.Own
	d.Changes.Secrets = c.Secrets
	return d.Done(m, true), nil
}

// RecordMail records the outcome of an attempt to send a mail: it was sent, will be retried,
// or has failed for good. It is idempotent. Result is the *Mail.
type RecordMail struct {
	Mail      string `json:"mail"`
	Attempt   int    `json:"attempt"` // the attempt it is the result of, from 1
	Sent      bool   `json:"sent"`
	Permanent bool   `json:"permanent"` // the recipient's server will never accept it
	Error     string `json:"error"`     // a code, without an address
}

func (RecordMail) Name() string { return "mail.record" }

// Keys requests the mail, and the application whose notice it is.
func (c RecordMail) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounMail, ID: c.Mail}}}
	if m := s.Mail(c.Mail); m != nil && strings.HasPrefix(m.Of, credit.PrefixApplication) {
		k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounApplication, ID: m.Of})
	}
	return k
}

func (c RecordMail) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	if s.Mail(c.Mail) == nil {
		return credit.NotFound.Because("There is no such mail.")
	}
	return nil
}

func (c RecordMail) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Mail(c.Mail)
	if old.Status != credit.MailQueued || c.Attempt != old.Attempts+1 {
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	m := credit.EditRecord[*credit.Mail](d, c.Mail)
	m.Attempts, m.LastError = c.Attempt, c.Error
	next := e.Now.Add(mailWait(m.Attempts))
	switch {
	case c.Sent:
		m.Status, m.SentAt, m.NextAt, m.LastError = credit.MailSent, e.Now, time.Time{}, ""
		noticed(d, m)
	case c.Permanent || next.Sub(m.CreatedAt) > mailPatience:
		m.Status, m.NextAt = credit.MailFailed, time.Time{}
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

// noticed records that an application's notice was sent by mail (F28).
func noticed(d *credit.Draft, m *credit.Mail) {
	a := d.State.Application(m.Of)
	if a == nil || a.Duty == nil || a.Duty.Mail != m.ID || !a.Duty.SentAt.IsZero() {
		return
	}
	a = credit.EditRecord[*credit.Application](d, m.Of)
	duty := *a.Duty
	duty.SentAt, duty.Channel, duty.Evidence = d.Env.Now, "EMAIL", m.ID
	a.Duty = &duty
}

// mailWait is the backoff after a number of attempts: half a minute, doubled each time, at
// most an hour.
func mailWait(attempts int) time.Duration {
	wait := 30 * time.Second
	for range attempts - 1 {
		if wait = 2 * wait; wait > time.Hour {
			return time.Hour
		}
	}
	return wait
}
