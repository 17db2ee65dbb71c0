package console

import (
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/schedule"
	"tenor/internal/ui/design"
)

// orderSubject is an order as its acts' pages name it.
func (v *visit) orderSubject(x *orderBook) *subject {
	o := x.order
	return &subject{
		section: "orders", path: "/orders/" + o.Key, name: number(o), lead: v.say("order.lead", v.company(x.book, o.Company), merchantName(x.book, o.Merchant)),
		version: o.Version, company: o.Company, order: o.Key, acts: append(v.orderActs(o), v.loanActs(o, x.loan)...),
	}
}

func findOrderSubject(v *visit) (*subject, error) {
	x, err := v.findOrder(v.r.PathValue("key"), "")
	if x == nil || err != nil {
		return nil, err
	}
	return v.orderSubject(x), nil
}

// orderActs are what can be done with the order itself.
func (v *visit) orderActs(o *credit.Order) []act {
	left := o.Captured.Sub(o.Refunded)
	authorized := o.Status == credit.OrderAuthorized
	return []act{
		act{name: "capture", main: true, permission: permit.CaptureOrders, command: func(g given) credit.Command {
			return lending.UpdateOrder{Order: o.Key, IfMatch: g.match, Status: credit.OrderCaptured}
		}}.possible(authorized, "uncapturable"),
		act{name: "refund", main: true, permission: permit.Refund, fields: []field{v.amountOf("amount", "orders.amount", left, v.say("act.amount.hint", v.language().Money(left)))}, command: func(g given) credit.Command {
			amount := g.amounts["amount"]
			return lending.RefundOrder{Order: o.Key, IfMatch: g.match, Amount: &amount, Reason: g.reason}
		}}.possible(left > 0, "unrefundable"),
		act{name: "cancel", permission: permit.CancelOrders, command: func(g given) credit.Command {
			return lending.UpdateOrder{Order: o.Key, IfMatch: g.match, Status: credit.OrderCanceled, Reason: g.reason}
		}}.possible(authorized || o.Status == credit.OrderCreated, "uncancelable"),
		act{name: "extend", permission: permit.CancelOrders, command: func(g given) credit.Command {
			return lending.ExtendOrder{Order: o.Key, IfMatch: g.match}
		}}.possible(authorized && !o.Extended, "unextendable"),
	}
}

// loanActs are what can be done with its repayment.
func (v *visit) loanActs(o *credit.Order, l *schedule.Loan) []act {
	running := l != nil && (o.Financing == credit.FinancingActive || o.Financing == credit.FinancingOverdue)
	rows, fees := v.openRows(l), v.openFees(l)
	return []act{
		act{name: "reschedule", permission: permit.Service, fields: []field{
			v.pick("installment", "act.installment", first(rows), rows...),
			{kind: dayField, Field: design.Field{Name: "day", Label: v.say("act.day")}},
		}, command: func(g given) credit.Command {
			n, _ := strconv.Atoi(g.texts["installment"]) // one of the list
			return lending.ReviseSchedule{Order: o.Key, IfMatch: g.match, Installment: n, Due: g.days["day"], Reason: g.reason}
		}}.possible(running && len(rows) > 0, "unscheduled"),
		act{name: "waive", permission: permit.Service, fields: []field{v.pick("fee", "act.fee", first(fees), fees...)}, command: func(g given) credit.Command {
			return lending.WaiveFee{Order: o.Key, IfMatch: g.match, Fee: g.texts["fee"], Reason: g.reason}
		}}.possible(len(fees) > 0, "unfeed"),
		act{name: "charge-off", permission: permit.ChargeOff, command: func(g given) credit.Command {
			return lending.ChargeOffOrder{Order: o.Key, IfMatch: g.match, Reason: g.reason}
		}}.possible(o.Financing == credit.FinancingOverdue, "not_late"),
	}
}

func first(list []design.Option) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].Value
}

// openRows are the installments that are not paid, with what is left of each.
func (v *visit) openRows(l *schedule.Loan) (out []design.Option) {
	if l == nil {
		return nil
	}
	for _, r := range l.Rows {
		if !r.Canceled && r.Unpaid() > 0 && r.DueDate > v.today() {
			out = append(out, design.Option{Value: strconv.Itoa(r.Number), Text: v.say("act.row", r.Number, v.language().Day(r.DueDate), v.language().Money(r.Unpaid()))})
		}
	}
	return out
}

// openFees are the fees that are not paid.
func (v *visit) openFees(l *schedule.Loan) (out []design.Option) {
	if l == nil {
		return nil
	}
	for _, f := range l.Fees {
		if f.Unpaid() > 0 {
			out = append(out, design.Option{Value: f.ID, Text: v.say("act.fee.of", worded(strings.ToLower(string(f.Kind))), v.dayOr(f.Date), v.language().Money(f.Unpaid()))})
		}
	}
	return out
}

// dayOr is a day in words, a dash if there is none.
func (v *visit) dayOr(d calendar.Date) string {
	if d == calendar.None {
		return "–"
	}
	return v.language().Day(d)
}
