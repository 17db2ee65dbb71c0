package credit

import (
	"cmp"
	"slices"
	"strings"

	"tenor/internal/domain/calendar"
)

// Kind describes where values with one form of key are kept: by key in a State, as keys in
// Keys, and as new versions in Changes. Code that treats all of them alike (an empty state,
// applying a command, tracking loaded keys, every backend) iterates over the kinds instead of
// naming them.
type Kind[K comparable, V any] struct {
	Name    string                // singular: "payment method"
	State   func(*State) *map[K]V // absent: not loaded; a zero value: does not exist
	Keys    func(*Keys) *[]K      // nil: loaded along with something else
	Changes func(*Changes) *[]V   // nil: Apply assembles it
	Key     func(V) K             // key of a version; nil if Changes is nil
	Compare func(a, b K) int      // canonical order of keys, in which rows are locked (EN8)
}

// The kinds of records that a command replaces as a whole.
var (
	KindMerchant = Kind[string, *Merchant]{"merchant", func(s *State) *map[string]*Merchant { return &s.Merchants },
		func(k *Keys) *[]string { return &k.Merchants }, func(c *Changes) *[]*Merchant { return &c.Merchants },
		func(x *Merchant) string { return x.ID }, strings.Compare}
	KindCompany = Kind[int64, *Company]{"company", func(s *State) *map[int64]*Company { return &s.Companies },
		func(k *Keys) *[]int64 { return &k.Companies }, func(c *Changes) *[]*Company { return &c.Companies },
		func(x *Company) int64 { return x.ID }, cmp.Compare[int64]}
	KindOrder = Kind[string, *Order]{"order", func(s *State) *map[string]*Order { return &s.Orders },
		func(k *Keys) *[]string { return &k.Orders }, func(c *Changes) *[]*Order { return &c.Orders },
		func(x *Order) string { return x.Key }, strings.Compare}
	KindPayment = Kind[string, *Payment]{"payment", func(s *State) *map[string]*Payment { return &s.Payments },
		func(k *Keys) *[]string { return &k.Payments }, func(c *Changes) *[]*Payment { return &c.Payments },
		func(x *Payment) string { return x.ID }, strings.Compare}
	KindInvoice = Kind[string, *Invoice]{"invoice", func(s *State) *map[string]*Invoice { return &s.Invoices },
		func(k *Keys) *[]string { return &k.Invoices }, func(c *Changes) *[]*Invoice { return &c.Invoices },
		func(x *Invoice) string { return x.ID }, strings.Compare}
	KindClient = Kind[string, *Client]{"client", func(s *State) *map[string]*Client { return &s.Clients },
		func(k *Keys) *[]string { return &k.Clients }, func(c *Changes) *[]*Client { return &c.Clients },
		func(x *Client) string { return x.ID }, strings.Compare}
	KindToken = Kind[string, *Token]{"token", func(s *State) *map[string]*Token { return &s.Tokens },
		func(k *Keys) *[]string { return &k.Tokens }, func(c *Changes) *[]*Token { return &c.Tokens },
		(*Token).Key, strings.Compare}
	KindEndpoint = Kind[string, *Endpoint]{"endpoint", func(s *State) *map[string]*Endpoint { return &s.Endpoints },
		func(k *Keys) *[]string { return &k.Endpoints }, func(c *Changes) *[]*Endpoint { return &c.Endpoints },
		func(x *Endpoint) string { return x.ID }, strings.Compare}
	KindMethod = Kind[string, *PaymentMethod]{"payment method", func(s *State) *map[string]*PaymentMethod { return &s.Methods },
		func(k *Keys) *[]string { return &k.Methods }, func(c *Changes) *[]*PaymentMethod { return &c.Methods },
		func(x *PaymentMethod) string { return x.ID }, strings.Compare}
	KindTransfer = Kind[string, *Transfer]{"transfer", func(s *State) *map[string]*Transfer { return &s.Transfers },
		func(k *Keys) *[]string { return &k.Transfers }, func(c *Changes) *[]*Transfer { return &c.Transfers },
		func(x *Transfer) string { return x.ID }, strings.Compare}
	KindPayout = Kind[string, *Payout]{"payout", func(s *State) *map[string]*Payout { return &s.Payouts },
		func(k *Keys) *[]string { return &k.Payouts }, func(c *Changes) *[]*Payout { return &c.Payouts },
		func(x *Payout) string { return x.ID }, strings.Compare}
	// Payout lines are loaded by what they belong to: Keys.Lines, Waiting and Ended.
	KindPayoutLine = Kind[string, *PayoutLine]{"payout line", func(s *State) *map[string]*PayoutLine { return &s.Lines },
		nil, func(c *Changes) *[]*PayoutLine { return &c.Lines },
		func(x *PayoutLine) string { return x.ID }, strings.Compare}
	KindNotice = Kind[string, *Notice]{"notice", func(s *State) *map[string]*Notice { return &s.Notices },
		func(k *Keys) *[]string { return &k.Notices }, func(c *Changes) *[]*Notice { return &c.Notices },
		func(x *Notice) string { return x.ID }, strings.Compare}
	KindPeriod = Kind[calendar.Date, *Period]{"period", func(s *State) *map[calendar.Date]*Period { return &s.Periods },
		func(k *Keys) *[]calendar.Date { return &k.Periods }, func(c *Changes) *[]*Period { return &c.Periods },
		func(x *Period) calendar.Date { return x.Month }, cmp.Compare[calendar.Date]}
	KindLender = Kind[string, *Lender]{"lender", func(s *State) *map[string]*Lender { return &s.Lenders },
		func(k *Keys) *[]string { return &k.Lenders }, func(c *Changes) *[]*Lender { return &c.Lenders },
		func(x *Lender) string { return x.ID }, strings.Compare}
	KindScreening = Kind[string, *Screening]{"screening", func(s *State) *map[string]*Screening { return &s.Screenings },
		func(k *Keys) *[]string { return &k.Screenings }, func(c *Changes) *[]*Screening { return &c.Screenings },
		func(x *Screening) string { return x.ID }, strings.Compare}
	KindReceipt = Kind[string, *Receipt]{"receipt", func(s *State) *map[string]*Receipt { return &s.Receipts },
		func(k *Keys) *[]string { return &k.Receipts }, func(c *Changes) *[]*Receipt { return &c.Receipts },
		func(x *Receipt) string { return x.ID }, strings.Compare}
	// KindRecord covers the records of every noun of Nouns.
	KindRecord = Kind[RecordKey, Record]{"record", func(s *State) *map[RecordKey]Record { return &s.Records },
		func(k *Keys) *[]RecordKey { return &k.Records }, func(c *Changes) *[]Record { return &c.Records },
		KeyOf, RecordKey.compare}
)

// The kinds that Apply assembles: commands change only parts of them.
var (
	claimKind = Kind[Claim, string]{Name: "claim", State: func(s *State) *map[Claim]string { return &s.Claims },
		Keys: func(k *Keys) *[]Claim { return &k.Claims }, Compare: Claim.compare}
	historyKind = Kind[string, []MoneyEvent]{Name: "history", State: func(s *State) *map[string][]MoneyEvent { return &s.History },
		Keys: func(k *Keys) *[]string { return &k.History }, Compare: strings.Compare}
	accountKind = Kind[int64, []string]{Name: "account", State: func(s *State) *map[int64][]string { return &s.Accounts },
		Keys: func(k *Keys) *[]int64 { return &k.Accounts }, Compare: cmp.Compare[int64]}
	lineKind = Kind[string, []string]{Name: "lines", State: func(s *State) *map[string][]string { return &s.OrderLines },
		Keys: func(k *Keys) *[]string { return &k.Lines }, Compare: strings.Compare}
	waitingKind = Kind[string, []string]{Name: "waiting lines", State: func(s *State) *map[string][]string { return &s.Waiting },
		Keys: func(k *Keys) *[]string { return &k.Waiting }, Compare: strings.Compare}
	endedKind = Kind[string, []string]{Name: "ended lines", State: func(s *State) *map[string][]string { return &s.Ended },
		Keys: func(k *Keys) *[]string { return &k.Ended }, Compare: strings.Compare}
	positionKind = Kind[string, *Position]{Name: "position", State: func(s *State) *map[string]*Position { return &s.Positions },
		Keys: func(k *Keys) *[]string { return &k.Positions }, Compare: strings.Compare}
)

// kind is a Kind of any type parameters.
type kind interface {
	empty(*State)                              // creates its map
	count(*Changes) int                        // number of versions
	apply(*State, *Changes)                    // puts the versions into the state
	note(seen any, fresh, k *Keys) (any, bool) // see KeySet
	known(seen any, s *State, k *Keys) bool
	sort(*Keys)
}

// kinds lists all kinds, in the order in which a backend loads them.
var kinds = []kind{
	KindMerchant, KindCompany, KindOrder, KindPayment, KindInvoice, claimKind, historyKind, accountKind, KindClient, KindToken, KindEndpoint,
	KindMethod, KindTransfer, KindPayout, lineKind, positionKind, waitingKind, endedKind, KindPayoutLine, KindNotice, KindPeriod,
	KindLender, KindScreening, KindReceipt, KindRecord,
}

func (n Kind[K, V]) empty(s *State) { *n.State(s) = map[K]V{} }

func (n Kind[K, V]) count(c *Changes) int {
	if n.Changes == nil {
		return 0
	}
	return len(*n.Changes(c))
}

func (n Kind[K, V]) apply(s *State, c *Changes) {
	if n.Changes == nil {
		return
	}
	for _, x := range *n.Changes(c) {
		(*n.State(s))[n.Key(x)] = x
	}
}

func (n Kind[K, V]) sort(k *Keys) {
	if n.Keys != nil {
		slices.SortFunc(*n.Keys(k), n.Compare)
	}
}

// Missing marks the keys not yet in the state as loaded, and returns them.
func (n Kind[K, V]) Missing(s *State, keys []K) []K {
	have := *n.State(s)
	var out []K
	for _, key := range keys {
		if _, ok := have[key]; !ok {
			var none V
			have[key] = none
			out = append(out, key)
		}
	}
	return out
}

func (c Claim) compare(d Claim) int {
	return cmp.Or(strings.Compare(string(c.Kind), string(d.Kind)), strings.Compare(c.Scope, d.Scope), strings.Compare(c.Name, d.Name))
}

func (k RecordKey) compare(l RecordKey) int {
	return cmp.Or(strings.Compare(string(k.Noun), string(l.Noun)), strings.Compare(k.ID, l.ID))
}
