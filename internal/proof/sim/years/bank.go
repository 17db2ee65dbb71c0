package years

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
	"tenor/internal/ports/rails/fake"
	"tenor/internal/proof/sim"
)

// bankSide is the actual bank and processor, at the far end of the connections. It plays them
// with package fake, decides what comes back and when, and keeps its own accounts of what it was
// told to do and what it did: it reads the files as columns of text, without package ach.
type bankSide struct {
	y       *Years
	fake    *fake.Bank
	names   map[string]string  // bytes of each file it has taken, by name
	moved   map[string]*banked // entries it has taken, by the last digits of the transfer's id
	coming  []fate
	outbox  []*outgoing // files waiting for the lender
	charges map[string]*charged
	news    []*told
	account account
	unheard map[string]int64 // what the processor has done but whose answer was lost, by key
	asked   int              // how often the bank and the processor were told to move money
	taken   []outgoing       // files that the lender has removed from the list; from is when
	heard   []told           // likewise news
}

// banked is one entry of a file, as the bank sees it.
type banked struct {
	id             string // of the transfer, its last 15 characters
	trace          int64
	account        string
	debit, prenote bool
	amount         int64
	settles        calendar.Date
	rejected       bool
	returned       bool
}

// cash is the entry's effect on the lender's account, including what the bank charges for a
// return.
func (b *banked) cash() int64 {
	sum := b.amount
	if !b.debit {
		sum = -sum
	}
	if b.prenote || b.rejected || b.returned {
		sum = 0
	}
	if b.returned {
		sum -= int64(fake.ReturnCost)
	}
	return sum
}

// fate is what will be reported about an entry.
type fate struct {
	at    time.Time
	trace int64
	code  string
}

// outgoing is a file that the bank leaves: from an instant on, for a number of times, at first
// cut off.
type outgoing struct {
	name    string
	content []byte
	from    time.Time
	again   int
	whole   time.Time // until then a part is missing; zero: it is whole
	renamed bool
}

func newBankSide(y *Years, b *fake.Bank) *bankSide {
	return &bankSide{y: y, fake: b, names: map[string]string{}, moved: map[string]*banked{}, charges: map[string]*charged{}, unheard: map[string]int64{}}
}

// take handles an arriving file.
func (b *bankSide) take(ctx context.Context, name string, content []byte) error {
	if old, ok := b.names[name]; ok {
		if old != string(content) {
			b.y.never("PO5: file %s has come with other bytes", name)
		}
		b.y.Situations.Reached(sim.FileSentTwice)
		return nil
	}
	b.names[name] = string(content)
	b.asked++
	if b.y.struck(b.y.Mix.Refused, "file refused") {
		b.y.Situations.Reached(sim.FileRefused)
		b.leave("refused_"+name+".txt", ach.Acknowledgement{File: name, Code: "format", Message: "The file cannot be read."}.Text())
		return nil
	}
	if err := b.fake.Send(ctx, name, content); err != nil {
		return fmt.Errorf("send %s: %w", name, err)
	}
	var settles calendar.Date
	retries := false
	for line := range strings.Lines(string(content)) {
		switch line[0] {
		case '5':
			settles, retries = dateOf(line[69:75]), line[53:63] == "RETRY PYMT"
		case '6':
			if err := b.entry(line, settles, retries); err != nil {
				return err
			}
		}
	}
	return nil
}

func dateOf(yymmdd string) calendar.Date {
	year, _ := strconv.Atoi("20" + yymmdd[:2])
	month, _ := strconv.Atoi(yymmdd[2:4])
	day, _ := strconv.Atoi(yymmdd[4:6])
	return calendar.Of(year, time.Month(month), day)
}

// entry takes one entry and decides its fate.
func (b *bankSide) entry(line string, settles calendar.Date, retry bool) error {
	amount, err := strconv.ParseInt(line[29:39], 10, 64)
	trace, err2 := strconv.ParseInt(line[87:94], 10, 64)
	if err := errors.Join(err, err2); err != nil {
		return fmt.Errorf("the bank cannot read %q: %w", line, err)
	}
	x := &banked{
		id: strings.TrimSpace(line[39:54]), trace: trace, account: strings.TrimSpace(line[12:29]), debit: line[2] == '7' || line[2] == '8',
		prenote: line[2] == '3' || line[2] == '8', amount: amount, settles: settles,
	}
	if b.moved[x.id] != nil {
		b.y.never("PO5: the bank is told twice to move the money of %s", x.id)
	}
	b.moved[x.id] = x
	return b.draw(x, retry)
}

// draw decides the fate of an entry. An account that had no money a few days ago often has none
// now.
func (b *bankSide) draw(x *banked, retry bool) error {
	now, m, settles, trace := b.y.Clock.Now(), b.y.Mix, x.settles, x.trace
	if retry {
		m.Returned = max(m.Returned, 400)
	}
	later := func(days int, code string) {
		b.coming = append(b.coming, fate{b.y.zone.At(max(settles, b.y.zone.Date(now)).AddDays(days), 8, 30), trace, code})
	}
	switch {
	case b.y.struck(m.Rejected, "entry rejected"):
		x.rejected = true
		b.y.Situations.Reached(sim.EntryRejected)
		return b.fake.RejectNow(trace, sim.Pick(b.y.Source, []string{"R13", "R19", "R03", "R04", "R17", "R28"}))
	case x.debit && b.y.struck(m.Returned, "no funds"):
		later(2+b.y.Source.Intn(4), sim.Pick(b.y.Source, []string{"R01", "R01", "R09"}))
	case x.debit && b.y.struck(m.Unauthorized, "unauthorized, late"):
		later(50+b.y.Source.Intn(12), sim.Pick(b.y.Source, []string{"R10", "R05", "R11", "R07", "R51"}))
	case x.debit && b.y.struck(m.Questioned, "stopped or not as agreed"):
		later(1+b.y.Source.Intn(10), sim.Pick(b.y.Source, []string{"R08", "R11", "R11", "R24", "R25"}))
	case !x.debit && b.y.struck(m.Questioned, "credit refused"):
		later(1+b.y.Source.Intn(3), sim.Pick(b.y.Source, []string{"R23", "R23", "R03", "R17", "R34"}))
	case b.y.struck(m.Broken, "account broken"):
		later(1+b.y.Source.Intn(3), sim.Pick(b.y.Source, []string{"R02", "R03", "R16", "R20", "R29", "R12", "R14", "R15", "R06", "R31"}))
	case b.y.struck(m.Change, "notice of change"):
		return b.fake.Notice(x.account, sim.Pick(b.y.Source, []string{"C01", "C02", "C03", "C04", "C05", "C06", "C07", "C09"}))
	}
	return nil
}

// passing brings the bank up to now: what is due comes back, and its files go into the lender's
// box.
func (b *bankSide) passing() {
	now := b.y.Clock.Now()
	for _, f := range b.coming {
		if f.at.After(now) {
			continue
		}
		if err := b.fake.ReturnNow(f.trace, f.code); err != nil && !errors.Is(err, fake.ErrState) && !errors.Is(err, fake.ErrUnknown) {
			b.y.never("the bank cannot return %d: %w", f.trace, err)
		}
	}
	b.coming = slices.DeleteFunc(b.coming, func(f fate) bool { return !f.at.After(now) })
	files, err := b.fake.Fetch(context.Background())
	if err != nil {
		b.y.never("%w", err)
	}
	for _, f := range files {
		b.returns(f.Content)
		b.leave(f.Name, f.Content)
		if err := b.fake.Done(context.Background(), f.Name); err != nil {
			b.y.never("%w", err)
		}
	}
	b.hear()
	b.book()
}

// returns records a file of returns in the bank's own accounts.
func (b *bankSide) returns(content []byte) {
	id := ""
	for line := range strings.Lines(string(content)) {
		switch {
		case len(line) < 94:
		case line[0] == '6':
			id = strings.TrimSpace(line[39:54])
		case strings.HasPrefix(line, "799R") && b.moved[id] != nil:
			x := b.moved[id]
			if x.returned {
				b.y.never("the bank has returned %s twice", id)
			}
			x.returned = true
			b.y.reach(line[3:6] == "R01", sim.ReturnedForFunds)
			b.y.reach(x.settles.DaysUntil(b.y.zone.Date(b.y.Clock.Now())) >= 50, sim.ReturnedAfterWeeks)
			b.y.reach(!x.debit && !x.prenote, sim.CreditReturned)
		}
	}
}

// leave puts a file into the lender's box: late, cut short at first, more than once, or also
// under another name.
func (b *bankSide) leave(name string, content []byte) {
	f := &outgoing{name: name, content: content, from: b.y.Clock.Now()}
	m := b.y.Mix
	if b.y.struck(m.Late, "file late") {
		f.from = f.from.Add(time.Duration(1+b.y.Source.Intn(72)) * time.Hour)
	}
	if b.y.struck(m.Cut, "file cut short") && strings.HasSuffix(name, ".ach") {
		f.whole = f.from.Add(time.Duration(1+b.y.Source.Intn(20)) * time.Hour)
	}
	if b.y.struck(m.Twice, "file left twice") {
		f.again = 1 + b.y.Source.Intn(2)
	}
	f.renamed = b.y.struck(m.Renamed, "file under two names")
	b.outbox = append(b.outbox, f)
}

// bankLine is one node's connection to the bank.
type bankLine struct {
	b *bankSide
	n *node
}

// Send implements rails.Bank.
func (l bankLine) Send(ctx context.Context, name string, content []byte) error {
	return l.n.call(func() error {
		if l.b.y.struck(l.b.y.Mix.LineDown, "line down") {
			return errLost
		}
		if err := l.b.take(ctx, name, content); err != nil {
			l.b.y.never("%w", err)
			return err
		}
		if l.b.y.struck(l.b.y.Mix.Unheard, "the bank's answer lost") {
			return errLost
		}
		return nil
	})
}

// Fetch implements rails.Bank: it returns what is in the box, in no order.
func (l bankLine) Fetch(context.Context) (list []rails.Incoming, err error) {
	err = l.n.call(func() error {
		if l.b.y.struck(l.b.y.Mix.LineDown, "line down") {
			return errLost
		}
		now := l.b.y.Clock.Now()
		for _, f := range l.b.outbox {
			if f.from.After(now) {
				continue
			}
			content := slices.Clone(f.content)
			if f.whole.After(now) {
				content = content[:94+l.b.y.Source.Intn(len(content)-200)]
			}
			list = append(list, rails.Incoming{Name: f.name, Content: content})
		}
		if !l.b.y.healed && len(list) > 1 && sim.Chance(l.b.y.Source, 40) {
			slices.Reverse(list)
		}
		return nil
	})
	return list, err
}

// Done implements rails.Bank. A file that was removed while a part of it was missing comes again
// whole, as when a person asks the bank to resend it; so does a file that is left twice.
func (l bankLine) Done(_ context.Context, name string) error {
	return l.n.call(func() error {
		b, now := l.b, l.b.y.Clock.Now()
		i := slices.IndexFunc(b.outbox, func(f *outgoing) bool { return f.name == name && !f.from.After(now) })
		if i < 0 {
			return nil
		}
		f := b.outbox[i]
		switch {
		case f.whole.After(now):
			b.y.Situations.Reached(sim.FileCutShort)
			f.from, f.whole = f.whole, time.Time{}
		case f.again > 0:
			b.y.Situations.Reached(sim.FileLeftTwice)
			f.again--
			f.from = now.Add(time.Duration(1+b.y.Source.Intn(30)) * time.Hour)
		case f.renamed:
			b.y.Situations.Reached(sim.FileUnderTwoNames)
			f.renamed = false
			f.name, f.from = "again_"+f.name, now.Add(time.Duration(1+b.y.Source.Intn(90))*time.Hour)
		default:
			b.outbox = slices.Delete(b.outbox, i, i+1)
		}
		b.taken = append(b.taken, outgoing{name: name, content: f.content, from: now})
		return nil
	})
}

// again leaves once more what the lender has taken since an instant, as the bank and the
// processor do on request.
func (b *bankSide) again(since time.Time) {
	for _, f := range b.taken {
		there := slices.ContainsFunc(b.outbox, func(x *outgoing) bool { return x.name == f.name })
		if !there && !f.from.Before(since) {
			b.outbox = append(b.outbox, &outgoing{name: f.name, content: f.content, from: since})
		}
	}
	for _, n := range b.heard {
		there := slices.ContainsFunc(b.news, func(x *told) bool { return x.ID == n.ID })
		if !there && !n.from.Before(since) {
			b.news = append(b.news, &told{CardNews: n.CardNews, from: since})
		}
	}
}

// quiet reports whether the bank and the processor have nothing more to report.
func (b *bankSide) quiet() bool { return len(b.coming) == 0 && len(b.outbox) == 0 && len(b.news) == 0 }
