package explain

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// standing lists the entries that were not reversed.
func (x *explainer) standing() []string {
	var ids []string
	for _, e := range x.Evidence.Entries {
		if !x.undo[e.ID] {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// picked lists lines of entries. Entries of other orders only are skipped.
func (x *explainer) picked(entries []string, pick func(*ledger.Entry, *ledger.Posting) bool) []PostingRef {
	var out []PostingRef
	for _, id := range entries {
		at, ok := x.at[id]
		if !ok {
			continue
		}
		e := &x.Evidence.Entries[at]
		for n := range e.Postings {
			if pick(e, &e.Postings[n]) {
				out = append(out, PostingRef{id, n})
			}
		}
	}
	return out
}

func (x *explainer) own(p *ledger.Posting) bool { return p.Order == x.o.Key }

// lines are the order's lines on accounts in the standing entries of an event.
func (x *explainer) lines(event string, accounts ...ledger.Account) []PostingRef {
	return x.picked(x.standing(), func(e *ledger.Entry, p *ledger.Posting) bool {
		return e.Event == event && x.own(p) && slices.Contains(accounts, p.Account)
	})
}

// balance returns all standing lines of the order on accounts.
func (x *explainer) balance(accounts ...ledger.Account) []PostingRef {
	return x.picked(x.standing(), func(_ *ledger.Entry, p *ledger.Posting) bool { return x.own(p) && slices.Contains(accounts, p.Account) })
}

func (x *explainer) unfunded() bool { return x.o.Terms != nil && x.o.Terms.Unfunded }

// principalAccount is the account of the order's principal.
func (x *explainer) principalAccount() ledger.Account {
	if x.unfunded() {
		return ledger.UnfundedExternal
	}
	return ledger.LoanPrincipal
}

// items are the accounts on which the order's items are owed, including the memo that holds
// charge in nonaccrual, and everything after a charge-off.
func (x *explainer) items() []ledger.Account {
	if x.unfunded() {
		return []ledger.Account{ledger.UnfundedExternal}
	}
	return []ledger.Account{
		ledger.LoanPrincipal, ledger.ChargeReceivable, ledger.FeesReceivable, ledger.OtherReceivable, ledger.NonaccrualCharge, ledger.ChargedOff,
	}
}

// recovered reports whether an effect came after the order's charge-off (F17).
func (x *explainer) recovered(e *credit.MoneyEvent, f *schedule.Effect) bool {
	off := x.o.Servicing
	return off.ChargedOff != 0 && (f.Date > off.ChargedOff || f.Date == off.ChargedOff && e.Seq > off.ChargedOffSeq)
}

// principalOn is the account on which an effect moves principal.
func (x *explainer) principalOn(e *credit.MoneyEvent, f *schedule.Effect) ledger.Account {
	if x.recovered(e, f) {
		return ledger.Allowance
	}
	return x.principalAccount()
}

// restOn are the accounts on which an effect moves charge and fees.
func (x *explainer) restOn(e *credit.MoneyEvent, f *schedule.Effect) []ledger.Account {
	if x.recovered(e, f) {
		return []ledger.Account{ledger.ChargeIncome, ledger.LateFeeIncome, ledger.ReturnedFeeIncome, ledger.ProvisionAndLosses}
	}
	return []ledger.Account{ledger.ChargeReceivable, ledger.FeesReceivable, ledger.OtherReceivable, ledger.NonaccrualCharge}
}

// effects calls fn for each effect of the order's history that counts. A returned payment's
// effects have been taken back, and are left out together with its return.
func (x *explainer) effects(fn func(e *credit.MoneyEvent, p *credit.Posted)) {
	for i := range x.History {
		e := &x.History[i]
		if e.Returned || e.Kind == schedule.EventReturn {
			continue
		}
		for n := range e.Posted {
			fn(e, &e.Posted[n])
		}
	}
}

// refundSide is the side on which refundLines sum to the refund.
func (x *explainer) refundSide() money.Amount {
	if x.unfunded() {
		return credits
	}
	return debits
}

// refundEffects are the effects of a refund.
func (x *explainer) refundEffects(r credit.Refund, kind schedule.EffectKind) []refundEffect {
	var out []refundEffect
	x.effects(func(e *credit.MoneyEvent, p *credit.Posted) {
		if e.ID == r.ID && p.Effect.Kind == kind {
			out = append(out, refundEffect{e, p})
		}
	})
	return out
}

// refundEffect is an effect of a refund, with the refund's event.
type refundEffect struct {
	event *credit.MoneyEvent
	*credit.Posted
}

// refundLines are the lines of a whole refund: what the merchant gives, and the discount that
// it gets back. For an order that the lender did not fund, the books only have the principal.
func (x *explainer) refundLines(r credit.Refund) []PostingRef {
	var out []PostingRef
	for _, p := range x.refundEffects(r, schedule.EffectRefunded) {
		if x.unfunded() {
			if schedule.Total(schedule.PrincipalOf(p.Effect.Parts)) == r.Amount {
				out = append(out, x.picked(p.Entries, x.on(ledger.UnfundedExternal))...)
			}
			continue
		}
		out = append(out, x.picked(p.Entries, func(_ *ledger.Entry, l *ledger.Posting) bool {
			return x.own(l) && l.Amount > 0 && fromMerchant(l.Account)
		})...)
	}
	return out
}

// fromMerchant reports whether a refund is debited on an account.
func fromMerchant(a ledger.Account) bool {
	return a == ledger.MerchantPayable || a == ledger.ClawbackReceivable || a == ledger.MerchantDiscount
}

// on selects the order's lines on accounts.
func (x *explainer) on(accounts ...ledger.Account) func(*ledger.Entry, *ledger.Posting) bool {
	return func(_ *ledger.Entry, l *ledger.Posting) bool { return x.own(l) && slices.Contains(accounts, l.Account) }
}

// refundAmounts are the amounts of one refund: its amount, what it gave back, and where it
// went (F13).
func (x *explainer) refundAmounts(r credit.Refund) {
	name := func(member string) string { return "refunds[" + r.ID + "]." + member }
	x.carry(x.add(name("amount"), r.Amount, "F13", Input{"asked for by the merchant", r.Amount.String()}), x.refundSide(), x.refundLines(r))
	if !x.unfunded() {
		x.refundShares(r, name)
	}
	for _, p := range x.refundEffects(r, schedule.EffectRefunded) {
		f := p.Effect
		principal := schedule.Total(schedule.PrincipalOf(f.Parts))
		rest := schedule.Total(f.Parts).Sub(principal)
		e := x.add(name("principal"), principal, "F13", of("refund", r.Amount))
		x.carry(e, credits, x.picked(p.Entries, x.on(x.principalOn(p.event, &f))))
		e = x.add(name("charge_and_fees"), rest, "F13", of("refund", r.Amount), of("principal", principal))
		if rest != 0 && !x.unfunded() {
			x.carry(e, credits, x.picked(p.Entries, x.on(x.restOn(p.event, &f)...)))
		}
		e = x.add(name("credit"), f.Credit, "F13", of("refund", r.Amount), of("principal", principal), of("charge_and_fees", rest))
		if f.Credit != 0 && !x.unfunded() {
			through := x.o.External || slices.ContainsFunc(f.Shares, func(s schedule.Share) bool { return s.Held })
			x.carry(e, credits, x.picked(p.Entries, func(_ *ledger.Entry, l *ledger.Posting) bool {
				merchants := l.Account == ledger.DueFromMerchant || l.Account == ledger.MerchantPayable
				return l.Account == ledger.BorrowerCredit || through && merchants && l.Amount < 0 && (x.own(l) || l.Order == "")
			}))
		}
	}
	x.refundGifts(r, name)
}

// refundGifts are the fee and charge that a refund ends along with the principal.
func (x *explainer) refundGifts(r credit.Refund, name func(string) string) {
	for _, gift := range []struct {
		member string
		kind   schedule.EffectKind
		from   ledger.Account
	}{
		{"rebate", schedule.EffectRebated, ledger.UnearnedCharge},
		{"charge_waived", schedule.EffectWaived, ledger.Concessions},
	} {
		effects := x.refundEffects(r, gift.kind)
		if len(effects) == 0 {
			continue
		}
		sum := money.Amount(0)
		var lines []PostingRef
		for _, p := range effects {
			f := p.Effect
			if sum = sum.Add(f.Amount).Add(f.Credit); f.Kind == schedule.EffectWaived {
				sum = sum.Add(schedule.Total(f.Parts))
			}
			lines = append(lines, x.picked(p.Entries, x.on(gift.from))...)
		}
		x.carry(x.add(name(gift.member), sum, "F13", dated("earned to", effects[0].Effect.Date)), debits, lines)
	}
}

// refundShares are the merchant's side of a refund.
func (x *explainer) refundShares(r credit.Refund, name func(string) string) {
	refunded := money.Amount(0)
	for _, other := range x.o.Refunds {
		refunded = refunded.Add(other.Amount)
		if other.ID == r.ID {
			break
		}
	}
	var entries []string
	for _, p := range x.refundEffects(r, schedule.EffectRefunded) {
		entries = append(entries, p.Entries...)
	}
	e := x.add(name("discount_returned"), r.Discount, "F13", of("merchant.discount", x.o.Discount), of("refunded so far", refunded), of("captured_amount", x.o.Captured))
	x.carry(e, debits, x.picked(entries, x.on(ledger.MerchantDiscount)))
	member, account := "taken_from_payable", ledger.MerchantPayable
	if r.Clawback {
		member, account = "clawback", ledger.ClawbackReceivable
	}
	e = x.add(name(member), r.Amount.Sub(r.Discount), "F13", of("refund", r.Amount), of("discount_returned", r.Discount))
	x.carry(e, debits, x.picked(entries, func(_ *ledger.Entry, l *ledger.Posting) bool { return x.own(l) && l.Account == account && l.Amount > 0 }))
}

// feeLines are the lines of a fee: its assessment, less what was waived. Money of a returned
// payment is booked together with other lines of its return, so no line carries it alone, and
// its waiver's lines alone would be incomplete.
func (x *explainer) feeLines(f schedule.Fee) []PostingRef {
	if f.Kind == schedule.OtherReceivable {
		return nil
	}
	var out []PostingRef
	x.effects(func(_ *credit.MoneyEvent, p *credit.Posted) {
		k := p.Effect.Kind
		if (k == schedule.EffectFee || k == schedule.EffectWaived) && slices.ContainsFunc(p.Effect.Parts, func(part schedule.Part) bool { return part.Fee == f.ID }) {
			out = append(out, x.picked(p.Entries, x.on(ledger.FeesReceivable, ledger.OtherReceivable))...)
		}
	})
	return out
}

func (x *explainer) feeAmount(f schedule.Fee) {
	e := x.add("fees["+f.ID+"].amount", f.Amount, feeRule(f.Kind), Input{"kind", string(f.Kind)}, dated("assessed", f.Date), counted("installment", f.Installment))
	x.carry(e, debits, x.feeLines(f))
}
