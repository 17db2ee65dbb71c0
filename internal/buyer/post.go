package buyer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/internal/credit"
	"tenor/internal/letter"
	"tenor/internal/mailer"
	"tenor/internal/statement"
	"tenor/internal/store"
)

// Letter is a mail as somebody gets it.
type Letter struct {
	Mail    *credit.Mail `json:"-"`
	To      string       `json:"to"`
	Name    string       `json:"name"`
	Subject string       `json:"subject"`
	Text    string       `json:"text"`
	HTML    string       `json:"html"`

	files []mailer.Attachment
	lang  string // in which it is written
}

// mailboxLife is how long a sandbox's mailbox shows a mail.
const mailboxLife = 90 * 24 * time.Hour

func mailboxName(id string) string { return "mailbox/" + id }

// mailLease names who sends mail: one process at a time.
const mailLease = "mail"

// mailTurn is for how long one turn sends mails, and mailSlack how long the last of it may take
// beyond that: before another process may send, this one has stopped.
const (
	mailTurn  = time.Minute
	mailSlack = 2 * time.Minute
)

// SendMails sends what is due, and reports how many mails have left. holder is this process.
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
	var due []store.Due
	if err := d.Store.View(ctx, func(v store.View) (err error) {
		due, err = v.DueRecords(credit.NounMail, d.Now(), store.Page{Limit: 100})
		return err
	}); err != nil {
		return 0, err
	}
	var failed error
	for _, x := range due {
		if d.Wall().After(until) { // a slow server: whoever has the lease by now goes on
			break
		}
		ok, err := d.send(ctx, x.ID)
		failed = errors.Join(failed, err) // one that cannot be sent keeps no other waiting
		if ok {
			sent++
		}
	}
	return sent, failed
}

// send tries one mail and records what came of it.
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
	c := credit.RecordMail{Mail: id, Attempt: m.Attempts + 1}
	switch {
	case errors.Is(err, errMoot):
		c.Permanent, c.Error = true, credit.MailMoot
	case err != nil:
		c.Error = "compose"
		if d.Log != nil {
			d.Log.Warn("a mail cannot be written", "mail", id, "template", m.Template, "error", err.Error())
		}
	case d.Mail == nil: // a sandbox's mailbox
		_, err = d.scratch(ctx, mailboxName(id), l, d.Wall().Add(mailboxLife), 0)
		c.Sent = err == nil
	default:
		err = d.Mail.Send(ctx, mailer.Message{ID: id, To: l.To, Subject: l.Subject, Text: l.Text, HTML: l.HTML, Language: l.lang, At: m.CreatedAt, Attachments: l.files})
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

// Mailbox lists the mails of a sandbox that have left, newest first.
func (d *Desk) Mailbox(ctx context.Context, p store.Page) (out []Letter, err error) {
	var mails []credit.Record
	if err := d.Store.View(ctx, func(v store.View) (err error) {
		mails, err = v.Records(credit.NounMail, store.RecordFilter{Status: credit.MailSent}, p)
		return err
	}); err != nil {
		return nil, err
	}
	for _, r := range mails {
		l := Letter{}
		_, found, err := d.scratched(ctx, mailboxName(r.Head().ID), &l)
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
	w := writer{d: d, v: v, m: m, to: to, data: letter.Data{}}
	return w.write()
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
		return Letter{}, fmt.Errorf("there is no version %d of the template %s", m.Text, m.Template)
	}
	for name := range w.data {
		if !slices.ContainsFunc(fields, func(f letter.Field) bool { return f.Name == name }) {
			delete(w.data, name)
		}
	}
	lang := letter.In(letter.Template(m.Template), m.Text, m.Language)
	r, err := letter.Render(letter.Template(m.Template), m.Text, lang, w.data)
	if err != nil {
		return Letter{}, err
	}
	return Letter{Mail: m, To: to.Email, Name: to.Name(), Subject: r.Subject, Text: r.Text, HTML: r.HTML, files: w.files, lang: lang}, nil
}

// writer gathers what a letter says: from the mail itself and from what it is about.
type writer struct {
	d    *Desk
	v    store.View
	m    *credit.Mail
	to   Contact
	data letter.Data

	files   []mailer.Attachment
	owner   bool // it goes to the owner whose report was used, by post: staff read it first
	strange bool // nobody has proved the e-mail, and whoever has named it has named the business, too
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

// lender says who writes. Before the lender has set its name, the program's stands there;
// a notice of an adverse action is not written without.
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
	w.data["amount"], w.data["until"], w.data["link"] = statement.Dollars(x.Amount), w.day(x.ExpiresAt), url
	w.data["agreement"] = "Financing agreement"
	linked := w.m.Template == string(letter.CheckoutLink) // to an address that the merchant has named
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
	w.data["funded"], w.data["finance_charge"] = statement.Dollars(a.Amount), statement.Dollars(t.FinanceCharge)
	w.data["apr"] = fmt.Sprintf("%d.%02d %%", t.APR/100, t.APR%100)
	w.data["total"] = statement.Dollars(t.TotalOfPayments)
	w.data["payments"] = fmt.Sprintf("%d", a.Installments)
	day := w.d.Zone.Date(a.At)
	w.data["first_due"] = "in a month"
	if x, r := credit.Disclose(t, &credit.Settings{}, a.Amount, day); r == nil {
		w.data["payments"] = fmt.Sprintf("%d × %s", x.Count, statement.Dollars(x.Payment))
		w.data["first_due"] = statement.Day(x.FirstDueDate) + " if the order ships today"
	}
	return nil
}

// accepted is who accepted, as typed, and the papers as they were filed.
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
	w.data["requested"] = statement.Dollars(x.Requested)
	var wanted []string
	for _, r := range x.Requests {
		wanted = append(wanted, r.What)
		w.data["due"] = statement.Day(r.Due)
	}
	w.data["wanted"] = wanted
	d := x.Decision
	if d == nil {
		return nil
	}
	w.data["decided"], w.data["limit"] = w.day(d.At), statement.Dollars(d.Limit)
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

// secret adds what stands in the vault until the mail has left.
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

func (w *writer) day(at time.Time) string { return statement.Day(w.d.Zone.Date(at)) }

// Run does what is to be done all the time until ctx ends: applications that wait for their
// facts are decided, mails are sent, and what has ended in the scratch is swept. holder is
// this process.
func (d *Desk) Run(ctx context.Context, holder string, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ; n++ {
		if err := d.Turn(ctx, holder); err != nil && ctx.Err() == nil && d.Log != nil {
			d.Log.Error("the buyer's side could not do all that was due", "error", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Turn is one round of Run.
func (d *Desk) Turn(ctx context.Context, holder string) error {
	var waiting []credit.Record
	err := d.Store.View(ctx, func(v store.View) (err error) {
		waiting, err = v.Records(credit.NounApplication, store.RecordFilter{Status: credit.ApplicationSubmitted}, store.Page{Limit: 100})
		return err
	})
	for _, a := range waiting {
		if e := d.Decide(ctx, a.Head().ID); e != nil {
			err = errors.Join(err, e) // one that cannot be decided keeps no other waiting
		}
	}
	_, e := d.SendMails(ctx, holder)
	_, swept := d.Store.SweepScratch(ctx, d.Wall(), 1000)
	return errors.Join(err, e, swept)
}
