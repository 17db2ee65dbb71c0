package credit

import (
	"cmp"
	"maps"
	"time"
)

// Mail is a message that was sent or is to be sent. Its content is its template filled with
// Data; personal or secret parts are in the vault, under To and Secret.
type Mail struct {
	RecordHead `json:"-"` // Of: what it is about
	Template   string     `json:"template"`
	Text       int        `json:"text"` // version of the template
	Language   string     `json:"language"`
	// To is the handle of the recipient: a JSON object with email and names.
	To string `json:"to"`
	// Person is the recipient, "" if not a known person yet.
	Person string `json:"person,omitzero"`
	// Own is true if only this mail uses To: it is erased once the mail is sent.
	Own bool `json:"own,omitzero"`
	// Secret is the handle of further data that is erased once the mail is sent, "" if there
	// is none or it is erased.
	Secret    string            `json:"secret,omitzero"`
	Data      map[string]string `json:"data,omitzero"`
	Attempts  int               `json:"attempts"`
	SentAt    time.Time         `json:"sent_at,omitzero"`
	LastError string            `json:"last_error,omitzero"` // of the last attempt, with no address in it
}

// Statuses of a mail: QUEUED → SENT or FAILED.
const (
	MailQueued = "QUEUED"
	MailSent   = "SENT"
	MailFailed = "FAILED"
)

// MailText is the current version of a template.
func MailText(template string) int {
	switch template {
	case "invitation", "bank_account_changed", "installment_due", "debit_tomorrow":
		return 2
	}
	return 1
}

// Urgent reports whether somebody is waiting at a page for this mail; it is sent before all
// others. Stores have an index for these, whose condition names the same templates.
func (m *Mail) Urgent() bool { return m.Template == "code" || m.Template == "sign_in_link" }

// Noun implements Record.
func (*Mail) Noun() Noun { return NounMail }

// Secrets implements Record.
func (m *Mail) Secrets() []string {
	if m.Own && m.Status == MailQueued { // else it is somebody else's, or erased
		return present(m.Secret, m.To)
	}
	return present(m.Secret)
}

// Sound describes the first problem with a mail; see Record.
func (m *Mail) Sound(old Record) string {
	switch {
	case m.Template == "" || m.Text < 1 || m.To == "":
		return "template or recipient is missing"
	case m.Language == "" || !Spoken(m.Language):
		return "language is not supported"
	case (m.Status == MailSent) != !m.SentAt.IsZero():
		return "status and sent_at do not match"
	case (m.Status == MailQueued) != !m.NextAt.IsZero():
		return "status and next_at do not match"
	case m.Status != MailQueued && m.Secret != "":
		return "keeps a secret after it was sent or failed"
	}
	if was, ok := old.(*Mail); ok && (was.Status != MailQueued && was.Status != m.Status || was.Template != m.Template || was.Language != m.Language || was.To != m.To) {
		return "changed after it was sent or failed"
	}
	return ""
}

// Mail queues a message in the recipient's language.
func (d *Draft) Mail(template string, to Addressee, about RecordHead, data map[string]string) *Mail {
	if to.Contact == "" {
		return nil
	}
	m := &Mail{
		RecordHead: d.NewRecord(NounMail), Template: template, Text: MailText(template), Language: cmp.Or(to.Language, MailLanguage),
		To: to.Contact, Person: to.Person, Data: maps.Clone(data),
	}
	m.Of, m.Merchant, m.Company, m.NextAt = about.ID, about.Merchant, about.Company, d.Env.Now
	return AddRecord(d, m)
}
