package buyer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/people"
	"tenor/internal/office/letter"
	"tenor/internal/office/statement"
	"tenor/internal/ports/mailer"
	"tenor/internal/ui/design"
)

// Letter is a mail as its recipient gets it.
type Letter struct {
	Mail    *credit.Mail `json:"-"`
	To      string       `json:"to"`
	Name    string       `json:"name"`
	Subject string       `json:"subject"`
	Text    string       `json:"text"`
	HTML    string       `json:"html"`
	// Language is the one it is written in: the default one if there is no approved text in
	// the mail's language.
	Language string `json:"language"`

	files []mailer.Attachment
}

// mailboxLife is how long a sandbox's mailbox shows a mail.
const mailboxLife = 90 * 24 * time.Hour

func mailboxName(id string) string { return "mailbox/" + id }

// mailLease is the duty of sending mail: one process at a time.
const mailLease = "mail"

// maxTurn is the maximum number of mails per turn.
const maxTurn = 100

// mailTurn is how long one turn sends mails, and mailSlack how long the last of them may
// take beyond that: before another process may send, this one has stopped.
const (
	mailTurn  = time.Minute
	mailSlack = 2 * time.Minute
)

// SendMails sends what is due, and returns how many mails were sent. holder is this
// process.
func (d *Desk) SendMails(ctx context.Context, holder string) (sent int, err error) {
	if d.MayMail() != nil {
		return 0, nil
	}
	until := d.Wall().Add(mailTurn)
	lease, held, err := d.Store.Lease(ctx, mailLease, holder, d.Wall(), until.Add(mailSlack))
	if err != nil || !held {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Store.Release(ctx, lease)) }()
	tried := map[string]bool{}
	var failed error
	for len(tried) < maxTurn && !d.Wall().After(until) { // on a slow server, the next lease holder continues
		id, err := d.nextMail(ctx, tried)
		if err != nil || id == "" {
			return sent, errors.Join(failed, err)
		}
		tried[id] = true
		ok, err := d.send(ctx, id)
		failed = errors.Join(failed, err) // one that cannot be sent does not block the others
		if ok {
			sent++
		}
	}
	return sent, failed
}

// nextMail returns the next mail to send, "" if none is due that was not tried in this
// turn. It is called before each one, so that a code requested meanwhile comes next.
func (d *Desk) nextMail(ctx context.Context, tried map[string]bool) (id string, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		for limit := 1; id == ""; limit *= 4 { // skip what was tried, is still due and could not be recorded
			due, err := store.ListDueMails(v, d.Now(), limit)
			if err != nil {
				return err
			}
			if i := slices.IndexFunc(due, func(x store.Due) bool { return !tried[x.ID] }); i >= 0 {
				id = due[i].ID
			}
			if len(due) < limit {
				return nil
			}
		}
		return nil
	})
	return id, err
}

// send tries one mail and records the result.
func (d *Desk) send(ctx context.Context, id string) (sent bool, err error) {
	var l Letter
	var m *credit.Mail
	err = d.Store.View(ctx, func(v store.View) (err error) {
		if m, err = Load[*credit.Mail](v, id); err != nil || m == nil || m.Status != credit.MailQueued {
			m = nil
			return err
		}
		l, err = d.compose(v, m)
		return err
	})
	if m == nil {
		return false, err
	}
	c := people.RecordMail{Mail: id, Attempt: m.Attempts + 1}
	switch {
	case errors.Is(err, errMoot):
		c.Permanent, c.Error = true, people.MailMoot
	case err != nil:
		c.Error = "compose"
		if d.Log != nil {
			d.Log.Warn("cannot render a mail", "mail", id, "template", m.Template, "error", err.Error())
		}
	case d.Mail == nil: // a sandbox's mailbox
		_, err = d.WriteScratch(ctx, mailboxName(id), l, d.Wall().Add(mailboxLife), 0)
		c.Sent = err == nil
	default:
		err = d.Mail.Send(ctx, mailer.Message{ID: id, To: l.To, Subject: l.Subject, Text: l.Text, HTML: l.HTML, Language: l.Language, At: m.CreatedAt, Attachments: l.files})
		c.Sent = err == nil
		if code, permanent := mailer.Permanent(err); permanent {
			c.Permanent, c.Error = true, code
		} else if err != nil {
			c.Error = "unreachable"
		}
	}
	if _, err := d.do(ctx, c, ""); err != nil {
		return false, err
	}
	return c.Sent, nil
}

// Mailbox lists a sandbox's sent mails, newest first.
func (d *Desk) Mailbox(ctx context.Context, p store.Page) (out []Letter, err error) {
	var mails []credit.Record
	if err := d.Store.View(ctx, func(v store.View) (err error) {
		mails, err = store.ListRecords(v, credit.NounMail, store.RecordFilter{Status: credit.MailSent}, p)
		return err
	}); err != nil {
		return nil, err
	}
	for _, r := range mails {
		l := Letter{}
		_, found, err := d.ReadScratch(ctx, mailboxName(r.Head().ID), &l)
		if err != nil {
			return nil, err
		}
		if l.Mail = r.(*credit.Mail); found {
			out = append(out, l)
		}
	}
	return out, nil
}

// compose writes a mail.
func (d *Desk) compose(v store.View, m *credit.Mail) (Letter, error) {
	to, err := d.addressee(v, m)
	if err != nil {
		return Letter{}, fmt.Errorf("read the addressee: %w", err)
	}
	w, err := d.writerOf(v, m, to)
	if err != nil {
		return Letter{}, err
	}
	return w.write()
}

// writerOf returns the writer of a mail to an addressee, in the mail's language.
func (d *Desk) writerOf(v store.View, m *credit.Mail, to Contact) (writer, error) {
	lang := letter.In(letter.Template(m.Template), m.Text, m.Language)
	words, err := letter.Speak(lang)
	return writer{d: d, v: v, m: m, to: to, data: letter.Data{}, lang: design.Language(lang), words: words}, err
}

// write writes the mail to its addressee.
func (w *writer) write() (Letter, error) {
	m, to := w.m, w.to
	if err := w.gather(); err != nil {
		return Letter{}, err
	}
	if business, ok := w.data["business"].(string); ok && w.strange && !w.owner {
		w.data["business"] = plainName(business)
	}
	fields, ok := letter.Fields(letter.Template(m.Template), m.Text)
	if !ok {
		return Letter{}, fmt.Errorf("unknown version %d of template %s", m.Text, m.Template)
	}
	for name := range w.data {
		if !slices.ContainsFunc(fields, func(f letter.Field) bool { return f.Name == name }) {
			delete(w.data, name)
		}
	}
	lang := string(w.lang)
	r, err := letter.Render(letter.Template(m.Template), m.Text, lang, w.data)
	if err != nil {
		return Letter{}, err
	}
	if lang != m.Language {
		if r, err = w.noted(r); err != nil {
			return Letter{}, err
		}
	}
	return Letter{Mail: m, To: to.Email, Name: to.Name(), Subject: r.Subject, Text: r.Text, HTML: r.HTML, Language: lang, files: w.files}, nil
}

// writer collects the data of a letter: from the mail itself and from its subject.
type writer struct {
	d    *Desk
	v    store.View
	m    *credit.Mail
	to   Contact
	data letter.Data

	lang  design.Language // the letter's language
	words letter.Words    // in that language

	files   []mailer.Attachment
	owner   bool // addressed to the owner whose report was used, by post: staff read it first
	strange bool // nobody has proved the email address, and whoever named it also named the business
}

func (w *writer) gather() error {
	s := credit.NewState()
	k := credit.Keys{Lenders: []string{credit.TheLender}}
	if w.m.Merchant != "" {
		k.Merchants = []string{w.m.Merchant}
	}
	for _, n := range []credit.Noun{credit.NounCheckout, credit.NounApplication, credit.NounCase} {
		if x := (credit.RecordKey{Noun: n, ID: w.m.Of}); w.m.Of != "" {
			k.Records = append(k.Records, x)
		}
	}
	if w.m.Company != 0 {
		k.Companies = []int64{w.m.Company}
	}
	for _, id := range []string{w.m.Data["who"], w.m.Data["by"]} {
		if id != "" {
			k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: id})
		}
	}
	if err := w.v.Load(s, k); err != nil {
		return err
	}
	w.lender(s.TheLender().Settings)
	if x := s.Merchants[w.m.Merchant]; x != nil {
		w.data["merchant"] = x.Name
	}
	if x := s.Companies[w.m.Company]; x != nil {
		w.data["business"] = x.Name
	}
	w.data["person"] = w.to.Name()
	w.data["date"] = w.day(w.m.CreatedAt)
	if x := s.Checkout(w.m.Of); x != nil {
		if err := w.checkout(x); err != nil {
			return err
		}
	}
	if x := s.Application(w.m.Of); x != nil {
		if err := w.application(x); err != nil {
			return err
		}
	}
	if about, err := w.money(); about || err != nil {
		return err
	}
	if err := w.account(s); err != nil {
		return err
	}
	if x := s.Case(w.m.Of); x != nil {
		if err := w.inCase(x); err != nil {
			return err
		}
	}
	for name, value := range w.m.Data {
		if !slices.Contains([]string{"who", "by", "role", "sum", "checkout", "application", "limit", "due"}, name) {
			w.data[name] = value
		}
	}
	return w.secret()
}

// lender adds the sender. Before the lender has set its name, the program's name is used; a
// notice of an adverse action is not written without the lender's.
func (w *writer) lender(s credit.LenderSettings) {
	w.data["lender"] = "Tenor"
	if s.Creditor.Name != "" {
		w.data["lender"], w.data["creditor"], w.data["creditor_address"] = s.Creditor.Name, s.Creditor.Name, s.Creditor.Address
	}
	if s.Regulator.Name != "" {
		w.data["agency"], w.data["agency_address"] = s.Regulator.Name, s.Regulator.Address
	}
	if s.Contact != "" {
		w.data["contact"] = s.Contact
	}
}

func (w *writer) checkout(x *credit.Checkout) error {
	url, err := w.d.URL(w.v, x)
	if err != nil {
		return err
	}
	w.data["amount"], w.data["until"], w.data["link"] = w.dollars(x.Amount), w.day(x.ExpiresAt), url
	w.data["agreement"] = w.words.Say("agreement")
	linked := w.m.Template == string(letter.CheckoutLink) // to an address named by the merchant
	if x.RemoteID != "" && !(linked && couldBeMessage(x.RemoteID)) {
		w.data["order"] = x.RemoteID
	}
	a := x.Accepted
	if a == nil {
		return nil
	}
	t := a.Terms
	if w.m.Template == string(letter.AgreementCopy) {
		if err := w.accepted(a); err != nil {
			return err
		}
	}
	w.data["accepted"] = w.day(a.At)
	w.data["funded"], w.data["finance_charge"] = w.dollars(a.Amount), w.dollars(t.FinanceCharge)
	w.data["apr"] = fmt.Sprintf("%d.%02d %%", t.APR/100, t.APR%100)
	w.data["total"] = w.dollars(t.TotalOfPayments)
	w.data["payments"] = fmt.Sprintf("%d", a.Installments)
	day := w.d.Zone.Date(a.At)
	w.data["first_due"] = w.words.Say("first.month")
	if x, r := lending.Disclose(t, &credit.Settings{}, a.Amount, day); r == nil {
		w.data["payments"] = fmt.Sprintf("%d × %s", x.Count, w.dollars(x.Payment))
		w.data["first_due"] = w.words.Say("first.today", w.date(x.FirstDueDate))
	}
	return nil
}

// accepted adds who accepted, as typed, and the papers as filed.
func (w *writer) accepted(a *credit.BuyerAcceptance) error {
	var e Evidence
	if err := w.d.Read(w.v, a.Evidence, &e); err != nil {
		return fmt.Errorf("read the evidence: %w", err)
	}
	w.data["person"] = e.Name
	for _, id := range a.Documents {
		x, data, err := w.d.Document(w.v, id)
		if err != nil {
			return err
		}
		if x != nil && x.ContentType == "application/pdf" {
			w.files = append(w.files, mailer.Attachment{Name: strings.ReplaceAll(strings.ToLower(x.Kind), "_", "-") + ".pdf", Type: x.ContentType, Data: data})
		}
	}
	return nil
}

func (w *writer) application(x *credit.Application) error {
	proved, err := w.proved(x)
	if err != nil {
		return err
	}
	w.strange = !proved
	w.data["business"], w.data["applied"] = x.Business.LegalName, w.day(x.CreatedAt)
	w.data["requested"] = w.dollars(x.Requested)
	var wanted []string
	for _, r := range x.Requests {
		wanted = append(wanted, r.What)
		w.data["due"] = w.date(r.Due)
	}
	w.data["wanted"] = wanted
	d := x.Decision
	if d == nil {
		return nil
	}
	w.data["decided"], w.data["limit"] = w.day(d.At), w.dollars(d.Limit)
	var reasons []string
	for _, code := range d.Reasons {
		text, known := statement.ReasonText(code)
		if !known {
			text = code
		}
		reasons = append(reasons, text)
	}
	w.data["reasons"], w.data["action"] = reasons, "Credit was declined"
	if d.CounterOffer {
		w.data["action"] = "Credit was granted for less than was asked for"
	}
	if x.Report == "" || d.Approved && !d.CounterOffer {
		return nil
	}
	return w.report(x.Report)
}

// secret adds the vault data that is kept until the mail has been sent.
func (w *writer) secret() error {
	if w.m.Secret == "" {
		return nil
	}
	more := map[string]string{}
	if err := w.d.Read(w.v, w.m.Secret, &more); err != nil {
		return fmt.Errorf("read what is secret: %w", err)
	}
	for name, value := range more {
		w.data[name] = value
	}
	return nil
}

// Run does the recurring work until ctx ends: it decides applications that wait for their
// facts, sends mails, and sweeps expired scratch data. holder is this process.
func (d *Desk) Run(ctx context.Context, holder string, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ; n++ {
		if err := d.RunDue(ctx, holder); err != nil && ctx.Err() == nil && d.Log != nil {
			d.Log.Error("buyer jobs failed", "error", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// RunDue is one round of Run.
func (d *Desk) RunDue(ctx context.Context, holder string) error {
	var waiting []credit.Record
	err := d.Store.View(ctx, func(v store.View) (err error) {
		waiting, err = store.ListRecords(v, credit.NounApplication, store.RecordFilter{Status: credit.ApplicationSubmitted}, store.Page{Limit: 100})
		return err
	})
	for _, a := range waiting {
		if e := d.Decide(ctx, a.Head().ID); e != nil {
			err = errors.Join(err, e) // one that cannot be decided does not block the others
		}
	}
	_, e := d.SendMails(ctx, holder)
	_, swept := d.Store.SweepScratch(ctx, d.Wall(), 1000)
	return errors.Join(err, e, swept)
}
