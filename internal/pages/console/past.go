package console

import (
	"slices"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
	"tenor/internal/ui/design"
)

const (
	// shownEvents is how many events, acts, mails and payments of an object a page shows.
	shownEvents = 100
	// traced is for how many of the events a page shows what became of their webhooks.
	traced = 40
)

// past is what happened to an object.
type past struct {
	events     []store.EventRow
	deliveries map[string][]store.Delivery // by event
	acts       []store.AuditRow
	approvals  []*credit.Approval
	mails      []*credit.Mail
	notes      []note
}

// readPast reads what happened to an object: its events and their webhooks, the API calls and acts
// of staff that changed it, notes, what takes two people, and the mails that a filter names.
func (v *visit) readPast(w store.View, kind, id string, mails store.RecordFilter) (x past, err error) {
	if x.events, err = w.Events(store.EventFilter{Object: credit.ObjectRef{Type: kind, ID: id}, Limit: shownEvents}); err != nil {
		return x, err
	}
	x.deliveries = map[string][]store.Delivery{}
	for _, e := range x.events[:min(len(x.events), traced)] {
		if x.deliveries[e.ID], err = store.ListDeliveries(w, store.DeliveryFilter{Event: e.ID}, store.Page{Limit: 10}); err != nil {
			return x, err
		}
	}
	if x.acts, err = store.ListAudits(w, store.AuditFilter{Object: id}, store.Latest, shownEvents); err != nil {
		return x, err
	}
	found, err := store.ListRecords(w, credit.NounApproval, store.RecordFilter{Of: kind + "/" + id}, store.Page{Limit: shownEvents})
	if err != nil {
		return x, err
	}
	for _, r := range found {
		x.approvals = append(x.approvals, r.(*credit.Approval))
	}
	found, err = store.ListRecords(w, credit.NounMail, mails, store.Page{Limit: shownEvents})
	for _, r := range found {
		x.mails = append(x.mails, r.(*credit.Mail))
	}
	if err != nil {
		return x, err
	}
	x.notes, err = v.readNotes(w, kind, id)
	return x, err
}

// moments are the entries of a time line, each with its instant.
type moments struct {
	*visit
	all []moment
}

type moment struct {
	at time.Time
	design.Entry
}

func (m *moments) add(at time.Time, e design.Entry) {
	e.Time, e.Instant = m.moment(at), at.UTC().Format(time.RFC3339)
	m.all = append(m.all, moment{at, e})
}

// timeline is what happened to an object, newest first, with its postings.
func (v *visit) timeline(x past, entries []store.EntryRow) (*design.Timeline, error) {
	m := &moments{visit: v}
	for _, e := range x.events {
		m.add(e.At, design.Entry{Icon: "circle-check", Tone: design.Good, Text: worded(string(e.Type)), Detail: e.ID})
		for _, d := range x.deliveries[e.ID] {
			m.add(e.At, v.delivery(d))
		}
	}
	for _, e := range entries {
		m.add(e.At, design.Entry{Icon: "book-open", Text: worded(strings.ToLower(e.Event)), Detail: v.posted(e.Postings)})
	}
	if err := m.acts(x.acts); err != nil {
		return nil, err
	}
	for _, a := range x.approvals {
		why := a.Reason
		if permit.Masked(v.visitor.Staff.Roles) {
			why = ""
		}
		m.add(a.UpdatedAt, design.Entry{Icon: "users", Text: v.say("approval.of", v.say("status."+a.Status), worded(a.Act)), Detail: why, Href: Prefix + "/approvals/" + a.ID})
	}
	for _, a := range x.mails {
		m.add(a.CreatedAt, v.mail(a))
	}
	if err := m.notes(x.notes); err != nil {
		return nil, err
	}
	return m.newest(), nil
}

// newest is the time line, newest first.
func (m *moments) newest() *design.Timeline {
	slices.Reverse(m.all) // of one instant, what was last comes first
	slices.SortStableFunc(m.all, func(a, b moment) int { return b.at.Compare(a.at) })
	t := &design.Timeline{}
	for _, e := range m.all {
		t.Entries = append(t.Entries, e.Entry)
	}
	return t
}

// notes adds what staff wrote.
func (m *moments) notes(list []note) error {
	for _, n := range list {
		who, err := m.who(n.By)
		if err != nil {
			return err
		}
		m.add(n.CreatedAt, design.Entry{Icon: "pencil", Text: m.say("past.note", who), Detail: n.text})
	}
	return nil
}

// acts adds the API calls and what staff did: what the clock did shows in its events.
func (m *moments) acts(list []store.AuditRow) error {
	for _, a := range list {
		switch {
		case a.Command == staff.AddNote{}.Name(): // it is there with its text
		case a.Actor.Staff():
			who, err := m.who(a.Actor.Client)
			if err != nil {
				return err
			}
			why := ""
			if _, told, err := journal.SplitAct(a.Payload); err == nil && !permit.Masked(m.visitor.Staff.Roles) {
				why = told.Reason
			}
			m.add(a.At, design.Entry{Icon: "user", Text: m.say("past.act", worded(a.Command), who), Detail: why})
		case a.Actor.RequestID != "":
			m.add(a.At, design.Entry{Icon: "square-terminal", Text: m.say("past.call", worded(a.Command)), Detail: a.Actor.Client + ", " + a.Actor.RequestID})
		}
	}
	return nil
}

// delivery is what has become of a webhook.
func (v *visit) delivery(d store.Delivery) design.Entry {
	e := design.Entry{Icon: "webhook", Text: v.say("past.hook." + string(d.State)), Detail: d.Endpoint}
	switch d.State {
	case store.DeliverySucceeded:
		e.Tone = design.Good
	case store.DeliveryParked:
		e.Tone, e.Detail = design.Bad, strings.TrimSpace(d.Endpoint+" "+d.Error)
	}
	return e
}

// mail is a message to the business; its text and address are personal data and stay where they
// are.
func (v *visit) mail(a *credit.Mail) design.Entry {
	e := design.Entry{Icon: "mail", Text: v.say("past.mail", worded(a.Template)), Detail: worded(strings.ToLower(a.Status))}
	if a.Status == credit.MailFailed {
		e.Tone = design.Bad
	}
	return e
}
