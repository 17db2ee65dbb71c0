package credit_test

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	_ "time/tzdata"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// fails is what the harness needs from a test, of testing or of rapid.
type fails interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// world is a whole deployment in memory. Each command sees only what its Keys name, as it
// would from a database.
type world struct {
	t       fails
	all     *credit.State
	zone    calendar.Zone
	now     time.Time
	seed    uint64
	entries []ledger.Entry
	events  []credit.Event
	resends []credit.Resend
	vault   map[string]string                    // sealed values by handle
	tamper  func(*credit.Changes)                // before Check, in tests of the invariants
	watch   func(credit.Command, credit.Changes) // called for accepted commands, before they are applied
	digests digester
}

func newWorld(t fails) *world {
	l, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, vault: map[string]string{}, all: credit.NewState(), zone: calendar.NewZone(l), now: time.Date(2026, 1, 10, 15, 0, 0, 0, time.UTC), digests: digester{maphash.MakeSeed()}}
}

// at moves the clock to ten in the morning of a business date.
func (w *world) at(date string) { w.now = w.zone.At(calendar.MustParse(date), 10, 0) }

func (w *world) today() calendar.Date { return w.zone.Date(w.now) }

// load copies what the keys name into a state, and reports whether any of it was new.
func (w *world) load(s *credit.State, k credit.Keys) bool {
	fresh := false
	for _, id := range k.Merchants {
		fresh = copyTo(s.Merchants, w.all.Merchants, id) || fresh
	}
	for _, id := range k.Positions {
		fresh = copyTo(s.Positions, w.all.Positions, id) || fresh
	}
	for _, id := range k.Companies {
		fresh = copyTo(s.Companies, w.all.Companies, id) || fresh
		copyTo(s.Credits, w.all.Credits, id)
	}
	for _, c := range k.Claims {
		fresh = copyTo(s.Claims, w.all.Claims, c) || fresh
	}
	for _, id := range k.Payments {
		fresh = copyTo(s.Payments, w.all.Payments, id) || fresh
	}
	for _, id := range k.Invoices {
		fresh = copyTo(s.Invoices, w.all.Invoices, id) || fresh
	}
	fresh = w.loadMoney(s, k) || fresh
	for _, key := range k.Records {
		fresh = copyTo(s.Records, w.all.Records, key) || fresh
	}
	for _, id := range k.Clients {
		fresh = copyTo(s.Clients, w.all.Clients, id) || fresh
	}
	for _, id := range k.Endpoints {
		fresh = copyTo(s.Endpoints, w.all.Endpoints, id) || fresh
	}
	for _, key := range k.Orders {
		fresh = w.loadOrder(s, key) || fresh
	}
	for _, key := range k.History {
		fresh = w.loadHistory(s, key) || fresh
	}
	for _, id := range k.Accounts {
		if _, ok := s.Accounts[id]; !ok {
			fresh = true
			w.loadAccount(s, id)
		}
	}
	return fresh
}

// loadMoney loads what belongs to rails, payouts and the books.
func (w *world) loadMoney(s *credit.State, k credit.Keys) bool {
	fresh := false
	for _, id := range k.Methods {
		fresh = copyTo(s.Methods, w.all.Methods, id) || fresh
	}
	for _, id := range k.Transfers {
		fresh = copyTo(s.Transfers, w.all.Transfers, id) || fresh
	}
	for _, id := range k.Payouts {
		fresh = copyTo(s.Payouts, w.all.Payouts, id) || fresh
	}
	for _, id := range k.Notices {
		fresh = copyTo(s.Notices, w.all.Notices, id) || fresh
	}
	for _, id := range k.Lenders {
		fresh = copyTo(s.Lenders, w.all.Lenders, id) || fresh
	}
	for _, id := range k.Screenings {
		fresh = copyTo(s.Screenings, w.all.Screenings, id) || fresh
	}
	for _, id := range k.Receipts {
		fresh = copyTo(s.Receipts, w.all.Receipts, id) || fresh
	}
	for _, m := range k.Periods {
		fresh = copyTo(s.Periods, w.all.Periods, m) || fresh
	}
	for _, key := range k.Lines {
		fresh = w.loadLines(s, s.OrderLines, key, func(l *credit.PayoutLine) bool { return l.Of() == key }) || fresh
	}
	for _, id := range k.Waiting {
		fresh = w.loadLines(s, s.Waiting, id, func(l *credit.PayoutLine) bool { return l.Merchant == id && l.Payout == "" }) || fresh
	}
	for _, id := range k.Ended {
		fresh = w.loadLines(s, s.Ended, id, func(l *credit.PayoutLine) bool { return l.Payout == id }) || fresh
	}
	return fresh
}

// loadLines loads payout lines by (Due, ID), at most MaxLines of each side.
func (w *world) loadLines(s *credit.State, to map[string][]string, key string, of func(*credit.PayoutLine) bool) bool {
	if _, ok := to[key]; ok {
		return false
	}
	ids := []string{}
	for id, l := range w.all.Lines {
		if of(l) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(w.all.Lines[a].Due, w.all.Lines[b].Due), cmp.Compare(a, b))
	})
	lines := make([]*credit.PayoutLine, len(ids))
	for i, id := range ids {
		lines[i] = w.all.Lines[id]
	}
	to[key] = ids[:0]
	for _, l := range lending.FirstLines(lines) {
		s.Lines[l.ID] = l
		to[key] = append(to[key], l.ID)
	}
	return true
}

func copyTo[K comparable, V any](to, from map[K]V, key K) bool {
	if _, ok := to[key]; ok {
		return false
	}
	to[key] = from[key]
	return true
}

func (w *world) loadOrder(s *credit.State, key string) bool {
	fresh := copyTo(s.Orders, w.all.Orders, key)
	copyTo(s.Loans, w.all.Loans, key)
	if o := s.Orders[key]; o != nil && o.Invoice != "" {
		copyTo(s.Invoices, w.all.Invoices, o.Invoice)
	}
	return fresh
}

func (w *world) loadHistory(s *credit.State, key string) bool {
	fresh := copyTo(s.History, w.all.History, key)
	for _, e := range w.all.History[key] {
		if id := lending.PaymentOf(e.Event); id != "" {
			copyTo(s.Payments, w.all.Payments, id)
		}
	}
	return fresh
}

// loadAccount loads captured orders in capture order.
func (w *world) loadAccount(s *credit.State, id int64) {
	keys := []string{}
	for _, key := range slices.Sorted(maps.Keys(w.all.Orders)) {
		if o := w.all.Orders[key]; o.Company == id && o.Captured > 0 {
			keys = append(keys, key)
			w.loadOrder(s, key)
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int {
		return cmp.Or(w.all.Orders[a].CapturedAt.Compare(w.all.Orders[b].CapturedAt), cmp.Compare(a, b))
	})
	s.Accounts[id] = keys
}

// env is the environment for deciding the next command.
func (w *world) env(a credit.Actor) credit.Env {
	e := credit.Env{Now: w.now, Zone: w.zone, Actor: a}
	copy(e.Seed[:], fmt.Sprintf("%016d", w.seed))
	return e
}

// state loads what a command names. After the first load its keys may lead to more at most
// three times.
func (w *world) state(e credit.Env, c credit.Command) *credit.State {
	s := credit.NewState()
	for round := 0; w.load(s, credit.KeysOf(c, s, e)); round++ {
		if round > 3 {
			w.t.Fatalf("%s names new keys after %d loads", c.Name(), round)
		}
	}
	return s
}

// do decides a command as the actor and applies the result.
func (w *world) do(a credit.Actor, c credit.Command) (credit.Changes, *credit.Rejection) {
	w.t.Helper()
	w.seed++
	e := w.env(a)
	s := w.state(e, c)
	if r := credit.Admit(s, e, c); r != nil {
		return credit.Changes{}, r
	}
	found := w.digest(s)
	ch, r := credit.Decide(s, e, c)
	if w.tamper == nil {
		w.decidesBesideOthers(e, c, ch, r)
	}
	if w.digest(s) != found {
		w.t.Fatalf("%s has changed the state that it was decided on, which is now:\n%s", c.Name(), dump(s))
	}
	if r != nil {
		return credit.Changes{}, r
	}
	if w.tamper != nil {
		w.tamper(&ch)
	}
	if err := invariant.Check(ch, s); err != nil {
		w.t.Fatalf("%s %+v: %v", c.Name(), c, err)
	}
	if err := invariant.CheckAsked(ch, s, e.Actor); err != nil {
		w.t.Fatalf("%s %+v: %v", c.Name(), c, err)
	}
	w.decidesAgain(s, e, c, ch)
	if w.watch != nil {
		w.watch(c, ch)
	}
	w.apply(ch)
	return ch, nil
}

// decidesAgain requires that deciding a command again from the audit log gives the same
// result.
func (w *world) decidesAgain(s *credit.State, e credit.Env, c credit.Command, want credit.Changes) {
	w.t.Helper()
	told, err := journal.Tell(s, "", want)
	if err != nil {
		w.t.Fatal(err)
	}
	payload, err := journal.EncodeAct(c, told)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, x := range want.Secrets {
		if text := string(payload); strings.Contains(text, string(x.Sealed)) || strings.Contains(text, base64.StdEncoding.EncodeToString(x.Sealed)) {
			w.t.Fatalf("%s keeps in the log what is sealed: %s", c.Name(), payload)
		}
	}
	again, _, err := journal.DecodeAct(c.Name(), payload)
	if err != nil {
		w.t.Fatalf("%s: %v", payload, err)
	}
	got, r := credit.Decide(s, e, again)
	if w.tamper == nil && (r != nil || !reflect.DeepEqual(got.Entries, want.Entries) || !reflect.DeepEqual(got.Money, want.Money) ||
		!reflect.DeepEqual(got.Orders, want.Orders) || !reflect.DeepEqual(got.Payments, want.Payments) ||
		!reflect.DeepEqual(got.Clients, want.Clients) || !reflect.DeepEqual(got.Endpoints, want.Endpoints) ||
		!reflect.DeepEqual(got.Resends, want.Resends) || !reflect.DeepEqual(got.Transfers, want.Transfers) ||
		!reflect.DeepEqual(got.Payouts, want.Payouts) || !reflect.DeepEqual(got.Lines, want.Lines) || !reflect.DeepEqual(got.Lenders, want.Lenders) ||
		!reflect.DeepEqual(got.Screenings, want.Screenings) || !reflect.DeepEqual(got.Receipts, want.Receipts) ||
		!reflect.DeepEqual(got.Records, want.Records) || !reflect.DeepEqual(got.Claims, want.Claims) || !reflect.DeepEqual(got.Erased, want.Erased) || !reflect.DeepEqual(got.Events, want.Events)) {
		w.t.Fatalf("%s is decided otherwise from its journal: %v", payload, r)
	}
}

// decidesBesideOthers requires that a command's decision depends only on what it names,
// whatever else is loaded: a batch has loaded what others named, and a replay has not.
func (w *world) decidesBesideOthers(e credit.Env, c credit.Command, want credit.Changes, refused *credit.Rejection) {
	w.t.Helper()
	s := w.state(e, c)
	everything := credit.Keys{
		Merchants: slices.Collect(maps.Keys(w.all.Merchants)), Companies: slices.Collect(maps.Keys(w.all.Companies)),
		Orders: slices.Collect(maps.Keys(w.all.Orders)), History: slices.Collect(maps.Keys(w.all.History)),
		Payments: slices.Collect(maps.Keys(w.all.Payments)), Methods: slices.Collect(maps.Keys(w.all.Methods)),
		Records: slices.Collect(maps.Keys(w.all.Records)), Transfers: slices.Collect(maps.Keys(w.all.Transfers)), Accounts: slices.Collect(maps.Keys(w.all.Companies)),
	}
	for _, l := range w.all.Lines {
		everything.Lines = append(everything.Lines, l.Of())
	}
	w.load(s, everything)
	if got, r := credit.Decide(s, e, c); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(r, refused) {
		w.t.Fatalf("%s %+v is decided otherwise beside other commands:\n%+v %v\n%+v %v", c.Name(), c, want, refused, got, r)
	}
}

func (w *world) apply(ch credit.Changes) {
	for _, x := range ch.Companies { // a database knows every account
		if _, ok := w.all.Accounts[x.ID]; !ok {
			w.all.Accounts[x.ID] = nil
		}
	}
	for _, e := range ch.Money { // and every history
		for _, key := range e.Touches {
			if _, ok := w.all.History[key]; !ok {
				w.all.History[key] = nil
			}
		}
	}
	w.all.Apply(ch)
	w.entries = append(w.entries, ch.Entries...)
	w.events = append(w.events, ch.Events...)
	w.resends = append(w.resends, ch.Resends...)
	for _, x := range ch.Secrets {
		if _, ok := w.vault[x.ID]; ok {
			w.t.Fatalf("secret %s is there already", x.ID)
		}
		w.vault[x.ID] = string(x.Sealed)
	}
	for _, id := range ch.Erased {
		if _, ok := w.vault[id]; !ok {
			w.t.Fatalf("secret %s is erased, and there is none", id)
		}
		delete(w.vault, id)
	}
}

func (w *world) must(a credit.Actor, c credit.Command) any {
	w.t.Helper()
	ch, r := w.do(a, c)
	if r != nil {
		w.t.Fatalf("%s: %v", c.Name(), r)
	}
	return ch.Result
}

// dump writes a state for comparison.
func dump(s *credit.State) string {
	var b strings.Builder
	write := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	for _, k := range slices.SortedFunc(maps.Keys(s.Claims), func(a, b credit.Claim) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		write(k)
		write(s.Claims[k])
	}
	for _, k := range slices.SortedFunc(maps.Keys(s.Records), func(a, b credit.RecordKey) int { return cmp.Or(cmp.Compare(a.Noun, b.Noun), cmp.Compare(a.ID, b.ID)) }) {
		if r := s.Records[k]; r != nil {
			write([]any{k, r, *r.Head()})
		}
	}
	write([]any{s.Merchants, s.Companies, s.Orders, s.Loans, s.Payments, s.Invoices, s.Credits, s.History, s.Accounts, s.Clients, s.Endpoints})
	write([]any{s.Methods, s.Transfers, s.Payouts, s.Lines, s.OrderLines, s.Waiting, s.Ended, s.Notices, s.Periods, s.Lenders, s.Screenings, s.Receipts})
	return b.String()
}

var operator = credit.Actor{Client: "ops", Operator: true}

func cents(text string) money.Amount { return money.MustParse(text) }

// shop makes a merchant with the settings.
func (w *world) shop(name string, s credit.Settings) credit.Actor {
	w.t.Helper()
	m := w.must(operator, merchants.CreateMerchant{Title: name, Settings: s}).(*credit.Merchant)
	return credit.Actor{Client: name, Merchant: m.ID}
}

// buyer makes an approved company that is linked to the shops.
func (w *world) buyer(name, limit string, shops ...credit.Actor) *credit.Company {
	w.t.Helper()
	c := lending.CreateCompany{Title: name, Email: "accounts@" + name, Status: credit.CompanyApproved, Tier: "A", Limit: cents(limit)}
	for _, s := range shops {
		c.Merchants = append(c.Merchants, s.Merchant)
	}
	return w.must(operator, c).(*credit.Company)
}

func payment(order, amount string) payments.RecordPayment {
	return payments.RecordPayment{Order: order, Amount: cents(amount), Method: credit.Wire, EffectiveDate: calendar.None, ScheduledDate: calendar.None}
}

// testBank is a bank account whose number ends in these digits.
func testBank(last4 string) *credit.BankAccount {
	return &credit.BankAccount{
		Last4: last4, AccountType: "CHECKING", HolderType: "BUSINESS",
		Sealed: []byte{1, 2, 3}, Fingerprint: "fp_" + last4,
	}
}
