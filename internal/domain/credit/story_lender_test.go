package credit_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
)

// lender builds the commands on merchants' money, fees, delinquency and the books.
func (s *story) lender(verb, id string, a args) credit.Command {
	switch verb {
	case "account":
		c := merchants.SetMerchantAccount{Merchant: id, Debits: a.named["debits"] == "yes"}
		if last4 := a.named["bank"]; last4 != "" {
			c.Bank = testBank(last4)
			c.Bank.Routing, c.Bank.HolderName = "011000015", "Merchant"
			if v := a.named["routing"]; v != "" {
				c.Bank.Routing = v
			}
			if a.named["wait"] != "" {
				c.CoolingOff, c.Second = credit.CoolingOffDays, a.named["wait"] == "second"
			}
			if contact, given := a.named["contact"]; given {
				c.Contact = &contact
			}
		}
		return c
	case "confirm-account":
		return merchants.ConfirmMerchantAccount{Merchant: id, ByTime: a.named["by"] == "time"}
	case "cancel-account":
		return merchants.CancelMerchantAccount{Merchant: id, Reason: a.named["reason"]}
	case "hold-payouts":
		return merchants.HoldPayouts{Merchant: id, Reason: a.named["reason"]}
	case "limits":
		l := credit.Limits{}
		if a.named["exposure"] != "" {
			l.Exposure = a.value("exposure")
		}
		if a.named["due"] != "" {
			l.Due = a.value("due")
		}
		return merchants.SetMerchantLimits{Merchant: id, Limits: l, Reason: a.named["reason"]}
	case "shop":
		return merchants.SetMerchantShop{Merchant: id, Shop: credit.Shop{Origins: strings.Fields(strings.ReplaceAll(a.named["origins"], "+", " "))}, Reason: a.named["reason"]}
	case "payout":
		return merchants.PayMerchant{Merchant: id}
	case "age":
		return merchants.AgeClawbacks{Merchant: id}
	case "remit":
		return merchants.RemitCollected{Merchant: id, Amount: a.value("amount"), Reference: a.named["reference"]}
	case "pay-clawback":
		return merchants.PayClawback{Merchant: id, Amount: a.value("amount"), Reference: a.named["reference"]}
	case "waive":
		return lending.WaiveFee{Order: id, Fee: s.feeOf(id, a.number("installment")), Reason: a.named["reason"]}
	case "resume":
		c := lending.ResumeCollection{Order: id}
		if a.named["amount"] != "" {
			amount := a.value("amount")
			c.Amount = &amount
		}
		if on := a.named["on"]; on != "" {
			c.On = calendar.MustParse(on)
		}
		return c
	case "hold":
		return lending.HoldOrder{Order: id, Days: a.number("days"), Reason: a.named["reason"]}
	case "reschedule":
		return lending.ReviseSchedule{Order: id, Installment: a.number("installment"), Due: a.date("due"), Reason: a.named["reason"]}
	case "reamortize":
		return lending.ReviseSchedule{Order: id, Reamortize: true, Due: calendar.None, Reason: a.named["reason"]}
	case "charge-off":
		return lending.ChargeOffOrder{Order: id, Reason: a.named["reason"]}
	case "reverse-charge-off":
		return lending.ReverseChargeOff{Order: id, Reason: a.named["reason"]}
	case "fund":
		return compliance.MoveFunding{Amount: a.value("amount"), Reference: a.named["reference"]}
	case "close":
		return compliance.ClosePeriod{Month: calendar.MustParse(a.words[2] + "-01"), Debits: a.value("debits"), First: a.date("first")}
	case "lender":
		return a.lender()
	case "provide":
		return compliance.Provision{On: calendar.MustParse(a.words[2]), Principal: a.buckets()}
	case "ask":
		return compliance.RequestReasons{Notice: id, Received: a.date("received"), Reasons: a.reasons()}
	case "notify":
		return compliance.SendNotice{Notice: id, Channel: a.named["channel"], Evidence: a.named["evidence"]}
	}
	return nil
}

// reasons are codes, or texts after a ':' with underscores for spaces.
func (a args) reasons() []string {
	list := a.list("reasons")
	for i, r := range list {
		if words, own := strings.CutPrefix(r, ":"); own {
			list[i] = strings.ReplaceAll(words, "_", " ")
		}
	}
	return list
}

// feeOf is the first unpaid fee of an installment.
func (s *story) feeOf(order string, installment int) string {
	for _, f := range s.all.Loans[order].Fees {
		if f.Installment == installment && f.Unpaid() != 0 {
			return f.ID
		}
	}
	return "fee_none"
}

// nameFresh names what commands create on their own, in order: transfers t1, t2 …, notices n1,
// n2 ….
func (s *story) nameFresh(ch credit.Changes) {
	for _, t := range ch.Transfers {
		if s.alias[t.ID] == "" {
			n := 1
			for s.names[fmt.Sprintf("t%d", n)] != "" {
				n++
			}
			s.name(t.ID, fmt.Sprintf("t%d", n))
		}
	}
	for _, n := range ch.Notices {
		if s.alias[n.ID] == "" {
			s.name(n.ID, fmt.Sprintf("n%d", len(s.all.Notices)))
		}
	}
}

func (s *story) reportLender(ch credit.Changes) {
	for _, m := range ch.Merchants {
		was := s.merchants[m.ID]
		s.merchants[m.ID] = m
		if m.Version > 1 && len(ch.Programs) == 0 && !sameTerms(was, m) {
			s.say("merchant %s: %s%s", s.short(m.ID), s.accountOf(m), limitsOf(was, m))
		}
		if was != nil && was.WrittenOff != m.WrittenOff {
			s.say("merchant %s: %s of its clawbacks written off", s.short(m.ID), m.WrittenOff)
		}
		if was != nil && len(m.Account.Told) > 0 && !slices.Equal(was.Account.Told, m.Account.Told) {
			x := m.Account.Told[len(m.Account.Told)-1]
			s.say("merchant %s: %q is told of …%s instead of …%s from %s", s.short(m.ID), x.To, x.Becomes, x.Was, x.From)
		}
		if was != nil && !slices.Equal(was.Account.Withdrawn, m.Account.Withdrawn) {
			s.say("merchant %s: %d reports taken back in 30 days", s.short(m.ID), len(m.Account.Withdrawn))
		}
		if was != nil && was.OwedSince != m.OwedSince {
			s.say("merchant %s: %s", s.short(m.ID), owesSince(m))
		}
	}
	for _, p := range ch.Payouts {
		s.say("payout %s: %s, %s", s.short(p.ID), p.Status, payoutFigures(p))
	}
	for _, t := range ch.Transfers {
		if t.Merchant != "" {
			s.say("transfer %s: %s %s, %s, sent on %s, settles on %s", s.short(t.ID), t.Kind, t.Amount, t.Status, t.SendOn, t.SettlesOn)
		}
	}
	for _, n := range ch.Notices {
		text := fmt.Sprintf("notice %s: %s, due on %s, %s", s.short(n.ID), n.Kind, n.DueOn, strings.Join(n.Reasons, " "))
		if n.Asked != "" {
			text += ", asked for on " + s.short(n.Asked)
		}
		if !n.SentAt.IsZero() {
			text += ", sent by " + n.Channel
		}
		if n.Late {
			text += " too late"
		}
		if x := n.Lender; x != nil {
			text += fmt.Sprintf(", said %s of %s, %s, %s of %s in words %d", x.Creditor.Name, x.Creditor.Address, x.Contact, x.Regulator.Name, x.Regulator.Address, x.Text)
		}
		s.say("%s", text)
	}
	for _, x := range ch.Lenders {
		moved := ""
		for _, m := range x.Moved {
			moved += fmt.Sprintf(", %s of it moved in the month to %s", m.Amount, m.Month)
		}
		set := ""
		if x.Settings.Policy() != credit.VerifyAlways {
			set += ", accounts verified " + string(x.Settings.Policy())
		}
		if x.Settings.CoolingOffDays() != credit.CoolingOffDays {
			set += fmt.Sprintf(", cooling off %d days", x.Settings.CoolingOffDays())
		}
		if kept := x.Settings.Kept(); kept != credit.UsualRetention() {
			set += fmt.Sprintf(", drafts kept %d days, documents %d months, applications %d, prequalifications %d, owners %d", kept.Drafts, kept.Documents, kept.Applications, kept.Prequalifications, kept.Owners)
		}
		s.say("lender: allowance %s%s%s%s%s%s", x.Allowance, moved, set, sinceWhen(", rates since ", x.ProvisionFrom), sinceWhen(", provided to ", x.ProvisionedThrough), sinceWhen(", closed to ", x.ClosedTo))
	}
	for _, p := range ch.Periods {
		s.say("closed: %s, debits %s", p.Month.String()[:7], p.Debits)
	}
}

// sinceWhen is a date with words before it, or nothing if there is none.
func sinceWhen(words string, d calendar.Date) string {
	if d == calendar.None {
		return ""
	}
	return words + d.String()
}

// lender reads the lender's settings: rates by bucket, and the parties named in notices.
func (a args) lender() compliance.SetLender {
	var c compliance.SetLender
	rates := map[credit.Bucket]money.Rate{}
	for _, b := range credit.Buckets() {
		if v := a.named[string(b)]; v != "" {
			rates[b] = money.MustParseRate(v)
		}
	}
	if len(rates) > 0 {
		c.ProvisionRates = rates
	}
	if v := a.named["creditor"]; v != "" {
		c.Creditor = &credit.Party{Name: v, Address: a.named["address"]}
	}
	if v := a.named["contact"]; v != "" {
		c.Contact = &v
	}
	if v := credit.VerifyPolicy(a.named["verify_accounts"]); v != "" {
		c.VerifyAccounts = &v
	}
	if _, given := a.named["cooling_off"]; given {
		days := a.number("cooling_off")
		c.CoolingOff = &days
	}
	var kept credit.Retention
	for name, to := range map[string]*int{"drafts": &kept.Drafts, "documents": &kept.Documents, "applications": &kept.Applications, "prequalifications": &kept.Prequalifications, "owners": &kept.Owners} { // unordered: each its own
		if _, given := a.named[name]; given {
			*to = a.number(name)
			c.Retention = &kept
		}
	}
	if v := a.named["regulator"]; v != "" {
		c.Regulator = &credit.Party{Name: v, Address: a.named["office"]}
	}
	return c
}

// buckets reads principal by bucket.
func (a args) buckets() map[credit.Bucket]money.Amount {
	out := map[credit.Bucket]money.Amount{}
	for _, b := range credit.Buckets() {
		if a.named[string(b)] != "" {
			out[b] = a.value(string(b))
		}
	}
	return out
}

func (s *story) accountOf(m *credit.Merchant) string {
	text := "no bank account"
	if b := m.Account.Bank; b != nil {
		text = "paid to account …" + b.Last4
	}
	if m.Account.Debits {
		text += ", may be debited"
	}
	if p := m.Account.Pending; p != nil {
		text += fmt.Sprintf(", to …%s from %s", p.Bank.Last4, p.From)
		if p.Contact != m.Account.Contact {
			text += fmt.Sprintf(" with contact %q", p.Contact)
		}
	}
	if m.Account.Contact != "" {
		text += ", contact " + m.Account.Contact
	}
	if m.Account.HeldReason != "" {
		text += ", payouts held: " + m.Account.HeldReason
	}
	return text
}

// sameTerms reports whether a merchant has changed only in what it has settled, and since when
// it owes.
func sameTerms(was, m *credit.Merchant) bool {
	if was == nil {
		return false
	}
	x := *m
	x.Debit, x.WrittenOff = was.Debit, was.WrittenOff
	x.Account.Withdrawn, x.Account.Told = was.Account.Withdrawn, was.Account.Told
	x.Settled, x.OwedSince, x.Version, x.UpdatedAt = was.Settled, was.OwedSince, was.Version, was.UpdatedAt
	return reflect.DeepEqual(&x, was)
}

func owesSince(m *credit.Merchant) string {
	if m.OwedSince == calendar.None {
		return "owes nothing"
	}
	return "owes since " + m.OwedSince.String()
}

func limitsOf(was, m *credit.Merchant) string {
	if was != nil && !slices.Equal(was.Shop.Origins, m.Shop.Origins) {
		return ", sells at " + strings.Join(m.Shop.Origins, " and ")
	}
	if was == nil || was.Limits == m.Limits {
		return ""
	}
	return fmt.Sprintf(", limits: exposure %s, due %s", m.Limits.Exposure, m.Limits.Due)
}

func payoutFigures(p *credit.Payout) string {
	return fmt.Sprintf("gross %s − discount %s − refunds %s + repaid %s − clawback %s − collected %s = net %s", p.Gross, p.Discount, p.Refunds,
		p.Repaid, p.Clawback, p.Collected, p.Net)
}

// showLines lists a merchant's waiting lines, or a payout's lines.
func (s *story) showLines(id string) {
	ids := slices.SortedFunc(maps.Keys(s.all.Lines), func(a, b string) int { return strings.Compare(a, b) })
	none := true
	for _, key := range ids {
		l := s.all.Lines[key]
		if l.Merchant == id && l.Payout == "" || l.Payout == id {
			none = false
			s.say("%-9s %9s of %s, from %s", l.Kind, l.Amount, s.short(l.Order), l.Due)
		}
	}
	if none {
		s.say("no lines")
	}
}

// late sets a program's settings on lateness, and its other days.
func late(s *credit.Settings, a args) {
	if x := a.amount("late_cap"); x != nil {
		s.LateFeeCap = *x
	}
	for _, days := range []struct {
		name string
		to   *int
	}{
		{"grace", &s.LateFeeGraceDays}, {"suspend", &s.SuspendDPD}, {"nonaccrual", &s.NonaccrualDPD}, {"charge_off", &s.ChargeOffDPD},
		{"good_funds", &s.GoodFundsDays}, {"first_good_funds", &s.FirstGoodFundsDays}, {"refund_window", &s.RefundWindowDays},
		{"payout_delay", &s.PayoutDelayDays}, {"clawback_debit", &s.ClawbackDebitDays}, {"clawback_write_off", &s.ClawbackWriteOff},
	} {
		if a.named[days.name] != "" {
			*days.to = a.number(days.name)
		}
	}
}

// stateFees reads a state's fees: its name, the rate, cap and grace days of late fees, and the
// returned payment fee; "" for the program's value.
func stateFees(a args) map[string]credit.StateFees {
	if a.named["state_fees"] == "" {
		return nil
	}
	f, of := strings.Split(a.named["state_fees"], ":"), credit.StateFees{}
	if f[1] != "" {
		rate := money.MustParseRate(f[1])
		of.LateFeeRate = &rate
	}
	if f[2] != "" {
		bound := cents(f[2])
		of.LateFeeCap = &bound
	}
	if f[3] != "" {
		days, _ := strconv.Atoi(f[3])
		of.LateFeeGraceDays = &days
	}
	if f[4] != "" {
		fee := cents(f[4])
		of.ReturnedPaymentFee = &fee
	}
	return map[string]credit.StateFees{f[0]: of}
}

// showServicing writes how late an order is, and its servicing state.
func (s *story) showServicing(key string) {
	o, l := s.all.Orders[key], s.all.Loans[key]
	dpd := o.DPD(l, s.today())
	text := fmt.Sprintf("%s: %d days past due, %s", s.short(key), dpd, lending.BucketOf(dpd))
	if o.Servicing.Nonaccrual {
		text += ", not accruing"
	}
	if since := o.Servicing.CurrentSince; o.Servicing.Nonaccrual && since != 0 {
		text += " but current since " + since.String()
	}
	if o.Servicing.Proposed {
		text += ", charge-off proposed"
		if o.Servicing.ProposedFor != "" {
			text += " for " + string(o.Servicing.ProposedFor)
		}
	}
	if l.ChargedOff {
		text += ", charged off on " + o.Servicing.ChargedOff.String()
	}
	for _, ref := range o.Servicing.Stopped {
		what := fmt.Sprintf("row %d", ref.Installment)
		if ref.Fee != "" {
			what = "a fee"
		}
		text += fmt.Sprintf(", %s left for review", what)
	}
	for _, h := range o.Servicing.Holds {
		text += fmt.Sprintf(", held from %s to %s", h.From, h.To)
	}
	s.say("%s", text)
}
