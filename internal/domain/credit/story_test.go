package credit_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

var rewrite = flag.Bool("rewrite", false, "write what the stories of testdata come to, to be reviewed like code")

// A story is a text of blocks: remarks that begin with #, one command per line, "----", and
// the results. testdata/README.md explains how to read one.
type story struct {
	*world
	names     map[string]string           // alias → identifier
	alias     map[string]string           // identifier → alias
	merchants map[string]*credit.Merchant // as last reported
	was       map[credit.RecordKey]string // statuses of the buyer's records, as last reported
	invited   int                         // invitations so far
	shown     map[string]string           // digests of what a checkout has shown, by its name and the number of payments
	out       strings.Builder
	seen      func(operation, []credit.Event) // called for every accepted command
}

// operation identifies what a command did, as the event table does.
type operation struct{ command, what string }

func newStory(t fails) *story {
	return &story{world: newWorld(t), names: map[string]string{}, alias: map[string]string{}, merchants: map[string]*credit.Merchant{}, was: map[credit.RecordKey]string{}, shown: map[string]string{}}
}

func TestStories(t *testing.T) {
	for _, path := range storyFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := newStory(t).tell(string(text))
			if *rewrite {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			compareText(t, string(text), got)
		})
	}
}

func storyFiles(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no stories", err)
	}
	return paths
}

func compareText(t *testing.T, want, got string) {
	t.Helper()
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "", ""
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			t.Fatalf("line %d\n is: %s\nnow: %s", i+1, x, y)
		}
	}
}

// tell runs the commands of a story and returns it with their results.
func (s *story) tell(text string) string {
	var story strings.Builder
	skipping := false
	for _, line := range strings.SplitAfter(text, "\n") {
		switch words := strings.TrimSpace(line); {
		case skipping:
			skipping = words != ""
			if !skipping {
				story.WriteString(line)
			}
		case words == "----":
			story.WriteString(line)
			story.WriteString(s.out.String())
			s.out.Reset()
			skipping = true
		default:
			story.WriteString(line)
			if words != "" && words[0] != '#' {
				s.run(words)
			}
		}
	}
	return story.String()
}

func (s *story) say(format string, args ...any) { fmt.Fprintf(&s.out, format+"\n", args...) }

// args are the words of a line: plain ones by place, key=value ones by key.
type args struct {
	words []string
	named map[string]string
}

func (s *story) run(line string) {
	s.t.Helper()
	a := args{named: map[string]string{}}
	for _, w := range strings.Fields(line) {
		if key, value, ok := strings.Cut(w, "="); ok {
			a.named[key] = value
		} else {
			a.words = append(a.words, w)
		}
	}
	switch a.words[0] {
	case "at":
		s.moveTo(a)
		return
	case "show":
		s.show(a)
		return
	case "bank":
		s.bank(a)
		return
	case "pass":
		s.pass(a)
		return
	case "repeat":
		s.repeat(a.number("times"), strings.Join(strings.Fields(line)[2:], " "))
		return
	}
	actor := operator
	switch a.words[0] {
	case "operator":
	case "buyer", "time":
		actor = system
	case "console":
		actor = credit.Actor{Client: access.Console, Operator: true}
	default:
		actor = s.actorOf(a.words[0])
	}
	s.decide(actor, a, s.command(a))
}

func (s *story) moveTo(a args) {
	hour, minute := 10, 0
	if len(a.words) > 2 {
		t, err := time.Parse("15:04", a.words[2])
		if err != nil {
			s.t.Fatal(err)
		}
		hour, minute = t.Hour(), t.Minute()
	}
	s.now = s.zone.At(calendar.MustParse(a.words[1]), hour, minute)
}

func (s *story) id(name string) string {
	if id, ok := s.names[name]; ok {
		return id
	}
	return name
}

func (s *story) company(name string) int64 {
	id, _ := strconv.ParseInt(s.id(name), 10, 64)
	return id
}

func (s *story) name(id, alias string) { s.names[alias], s.alias[id] = id, alias }

// short returns the story's name for an identifier.
func (s *story) short(id string) string {
	if a, ok := s.alias[id]; ok {
		return a
	}
	return id
}

func (a args) amount(key string) *money.Amount {
	if a.named[key] == "" {
		return nil
	}
	x := cents(a.named[key])
	return &x
}

func (a args) value(key string) money.Amount {
	if x := a.amount(key); x != nil {
		return *x
	}
	return 0
}

func (a args) number(key string) int {
	n, _ := strconv.Atoi(a.named[key])
	return n
}

func (a args) date(key string) calendar.Date {
	if a.named[key] == "" {
		return calendar.None
	}
	return calendar.MustParse(a.named[key])
}

func (a args) list(key string) []string {
	if a.named[key] == "" {
		return nil
	}
	return strings.Split(a.named[key], ",")
}

func (s *story) ids(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, s.id(n))
	}
	return out
}

// command builds the command of "<actor> <verb> <name> key=value …".
func (s *story) command(a args) credit.Command {
	name := ""
	if len(a.words) > 2 {
		name = a.words[2]
	}
	if c := s.buyer(a.words[1], a); c != nil {
		return c
	}
	switch verb := a.words[1]; verb {
	case "merchant":
		return merchants.CreateMerchant{Title: name, Settings: settings(a)}
	case "program":
		return merchants.AddProgram{Merchant: s.id(name), From: a.date("from"), Settings: settings(a)}
	case "company":
		c := lending.CreateCompany{Title: name, Email: "accounts@" + name, Status: credit.CompanyApproved, Tier: "A", Limit: a.value("limit"), Merchants: s.ids(a.list("links"))}
		if a.named["status"] != "" {
			c.Status = credit.CompanyStatus(a.named["status"])
		}
		if a.named["tier"] != "" {
			c.Tier = a.named["tier"]
		}
		c.BillingAddress.State = a.named["state"]
		return c
	case "update":
		c := lending.UpdateCompany{
			Company: s.company(name), Limit: a.amount("limit"), Tier: a.named["tier"], Status: credit.CompanyStatus(a.named["status"]),
			StatusCode: a.named["code"], Reasons: a.reasons(), Link: s.ids(a.list("link")), Unlink: s.ids(a.list("unlink")),
		}
		if state := a.named["state"]; state != "" {
			c.BillingAddress = &lending.MapPatch[string]{Members: map[string]*string{"state": &state}}
		}
		return c
	case "order":
		return lending.CreateOrder{
			Company: s.company(a.named["company"]), Amount: a.value("amount"), Installments: a.number("installments"),
			MerchantOrderID: a.named["number"], External: a.named["external"] == "yes", Authorize: a.named["status"] == "AUTHORIZED",
			Charges: charges(a),
		}
	case "pay":
		return s.record(a)
	default:
		return s.later(verb, s.id(name), a)
	}
}

func charges(a args) *credit.Charges {
	if total := a.amount("grand_total"); total != nil {
		return &credit.Charges{GrandTotal: *total}
	}
	return nil
}

func (s *story) record(a args) credit.Command {
	c := payments.RecordPayment{
		Order: s.id(a.named["order"]), Amount: a.value("amount"), Method: credit.Wire, EffectiveDate: a.date("on"), ScheduledDate: a.date("scheduled"),
		ExternalID: a.named["external_id"], PaymentMethod: s.id(a.named["method"]), HoldExcess: a.named["hold_excess"] == "yes", Person: s.id(a.named["person"]),
	}
	if a.named["company"] != "" {
		c.Company = s.company(a.named["company"])
	}
	if a.named["invoice"] != "" {
		c.Invoice = s.all.Orders[s.id(a.named["invoice"])].Invoice
	}
	if a.named["by"] != "" {
		c.Method = credit.Method(a.named["by"])
	}
	return c
}

// later builds the commands on existing objects.
func (s *story) later(verb, id string, a args) credit.Command {
	switch verb {
	case "authorize":
		return lending.UpdateOrder{Order: id, Status: credit.OrderAuthorized, Amount: a.amount("amount")}
	case "capture":
		return s.patch(id, credit.OrderCaptured, a)
	case "cancel":
		return lending.UpdateOrder{Order: id, Status: credit.OrderCanceled, Reason: a.named["reason"]}
	case "patch":
		return s.patch(id, credit.OrderStatus(a.named["status"]), a)
	case "partial":
		return lending.CapturePart{Order: id, Amount: a.value("amount"), MerchantOrderID: a.named["number"]}
	case "extend":
		return lending.ExtendOrder{Order: id}
	case "refund":
		return lending.RefundOrder{Order: id, Amount: a.amount("amount"), Reference: a.named["reference"]}
	case "run":
		return lending.ServiceOrder{Order: id}
	case "refund-payment":
		return payments.RefundPayment{Payment: id, Amount: a.amount("amount"), Records: a.number("records")}
	case "return-payment":
		return payments.ReturnPayment{Payment: id, Code: a.named["code"]}
	case "reverse-payment":
		return payments.ReversePayment{Payment: id, Reason: credit.ReversalReason(a.named["reason"]), Note: a.named["note"]}
	case "cancel-payment":
		return payments.CancelPayment{Payment: id, Person: s.id(a.named["person"])}
	}
	if c := s.lender(verb, id, a); c != nil {
		return c
	}
	if c := s.receipt(verb, id, a); c != nil {
		return c
	}
	if c := s.screening(verb, id, a); c != nil {
		return c
	}
	if c := s.rails(verb, id, a); c != nil {
		return c
	}
	return s.access(verb, id, a)
}

func (s *story) patch(id string, status credit.OrderStatus, a args) credit.Command {
	c := lending.UpdateOrder{Order: id, Status: status, Amount: a.amount("amount")}
	if n := a.number("installments"); n != 0 {
		c.Installments = &lending.Patch[int]{Value: n}
	}
	if v, ok := a.named["number"]; ok {
		c.MerchantOrderID = &lending.Patch[string]{Value: v, Null: v == ""}
	}
	if v, ok := a.named["merchant_status"]; ok {
		c.MerchantStatus = &lending.Patch[string]{Value: v}
	}
	if x := a.amount("grand_total"); x != nil {
		c.Charges = &lending.MapPatch[money.Amount]{Members: map[string]*money.Amount{"grand_total": x}}
	}
	return c
}

// settings are F30's defaults with the line's changes: terms=6:AMORTIZED:0.120000,3:ZERO.
func settings(a args) credit.Settings {
	s := lending.DefaultSettings()
	if terms := a.list("terms"); terms != nil {
		s.Terms = nil
		for _, text := range terms {
			s.Terms = append(s.Terms, term(strings.Split(text, ":")))
		}
	}
	if x := a.amount("min"); x != nil {
		s.MinOrder = *x
	}
	s.MaxOrder, s.DueDay = a.value("max"), a.number("due_day")
	late(&s, a)
	if v := a.named["external"]; v != "" {
		s.ExternalFunding = credit.ExternalFunding(v)
	}
	if v := a.named["accrual"]; v != "" {
		s.AccrualPosting = credit.AccrualPosting(v)
	}
	if v := a.named["acceptance"]; v != "" {
		s.Acceptance = credit.Acceptance(v)
	}
	if state, bound, ok := strings.Cut(a.named["max_apr"], ":"); ok {
		s.MaxAPR = map[string]money.Rate{state: money.MustParseRate(bound)}
	}
	s.StateFees = stateFees(a)
	return s
}

func term(f []string) credit.Term {
	n, _ := strconv.Atoi(f[0])
	t := credit.Term{Installments: n, Plan: schedule.Plan(f[1]), DiscountRate: money.MustParseRate("0.030000")}
	switch {
	case t.Plan == schedule.Amortized && f[2] == "TIER":
		t.ByTier = true
	case t.Plan == schedule.Amortized:
		t.AnnualRate = money.MustParseRate(f[2])
	case t.Plan == schedule.FlatFee:
		t.MonthlyFeeRate = money.MustParseRate(f[2])
	}
	return t
}

// decide runs a command and writes the result.
func (s *story) decide(actor credit.Actor, a args, c credit.Command) {
	before := s.statuses()
	ch, r := s.do(actor, c)
	if r != nil {
		s.say("refused: %d %s. %s%s", r.Status, r.Code, r.Detail, s.withAliases(members(r.Members)))
		return
	}
	if len(a.words) > 2 {
		s.baptize(a, ch)
	}
	s.nameFresh(ch)
	s.nameRecords(a, ch)
	s.nameDebits(ch)
	s.report(ch, before)
	if s.seen != nil && !ch.Empty() {
		s.seen(operationOf(c, ch, before), ch.Events)
	}
}

func members(m map[string]any) string {
	out := ""
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out += fmt.Sprintf(" [%s %v]", k, m[k])
	}
	return out
}

func (s *story) statuses() map[string]credit.OrderStatus {
	out := map[string]credit.OrderStatus{}
	for key, o := range s.all.Orders {
		out[key] = o.Status
	}
	return out
}

// baptize names what a command has created.
func (s *story) baptize(a args, ch credit.Changes) {
	name := a.words[2]
	if as := a.named["as"]; as != "" {
		name = as
	}
	if !ch.Created || a.words[1] == "send-credit" && a.named["as"] == "" {
		return
	}
	switch x := ch.Result.(type) {
	case *credit.Order:
		s.name(x.Key, name)
	case *credit.Payment:
		s.name(x.ID, name)
	case *credit.Merchant:
		s.name(x.ID, name)
	case *credit.Company:
		s.name(strconv.FormatInt(x.ID, 10), name)
	case *credit.PaymentMethod:
		s.name(x.ID, name)
	case *credit.Payout:
		s.name(x.ID, name)
	case *credit.Client:
		s.name(x.ID, name)
	case *credit.Endpoint:
		s.name(x.ID, name)
	case *credit.Receipt:
		s.name(x.ID, name)
	}
}
