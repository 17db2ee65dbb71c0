package credit_test

import (
	"fmt"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
)

// onApprovals builds the commands on what waits for a second person.
func (s *story) onApprovals(verb, name string, a args) credit.Command {
	id := s.id(name)
	switch verb {
	case "agrees":
		x := *s.all.Approval(id)
		if other := a.named["to"]; other != "" {
			x.Payload = strings.Replace(x.Payload, a.named["from"], other, 1)
		}
		c, err := journal.Approve(&x)
		if err != nil {
			s.t.Fatal(err)
		}
		return c
	case "notes":
		kind, id := a.named["on"], s.id(name)
		if kind == "" {
			kind = "order"
		}
		c := staff.AddNote{Type: kind, ID: id, Text: a.sentence("text")}
		c.Secrets = sealed(c.Text)
		return c
	case "ends":
		return staff.EndApproval{Approval: id}
	case "lapse":
		return staff.ServiceApproval{Approval: id}
	case "policy":
		required := name == "required"
		c := staff.SetPolicy{Required: &required}
		for _, x := range a.list("limits") {
			p, amount, _ := strings.Cut(x, "=")
			if c.Limits == nil {
				c.Limits = map[permit.Permission]money.Amount{}
			}
			c.Limits[permit.Permission(p)] = cents(amount)
		}
		return c
	}
	return nil
}

// actorOf is a member of the staff by name, an API client of the operator (cli_…), or a merchant.
func (s *story) actorOf(name string) credit.Actor {
	id := s.id(name)
	if strings.HasPrefix(id, credit.PrefixStaffMember) || strings.HasPrefix(id, credit.PrefixClient) {
		return credit.Actor{Client: id, Operator: true}
	}
	return credit.Actor{Client: name, Merchant: id}
}

func (s *story) reportApproval(x *credit.Approval, was string) {
	text := fmt.Sprintf("approval %s: %s%s, %s of %s", s.short(x.ID), was, x.Status, x.Act, s.short(x.Maker))
	if kind, id, ok := strings.Cut(x.Of, "/"); ok {
		text += fmt.Sprintf(" on %s %s", kind, s.short(id))
	}
	text += fmt.Sprintf(", %s %s", x.Permission, x.Amount)
	if x.Status == credit.ApprovalWaiting {
		text += ", until " + minute(x.NextAt)
	}
	if x.Checker != "" {
		text += " by " + s.short(x.Checker)
	}
	s.say("%s", text)
}

func operationOf(c credit.Command, ch credit.Changes, before map[string]credit.OrderStatus) operation {
	if _, asked := ch.Result.(*credit.Approval); asked {
		return operation{staff.EndApproval{}.Name(), ""} // no request for approval emits anything, whatever it is about
	}
	if x, ok := c.(staff.Approve); ok {
		c = x.Command()
	}
	u, ok := c.(lending.UpdateOrder)
	if !ok {
		return operation{c.Name(), ""}
	}
	for _, o := range ch.Orders {
		if o.Key == u.Order && o.Status != before[o.Key] {
			return operation{c.Name(), map[credit.OrderStatus]string{
				credit.OrderAuthorized: "authorize", credit.OrderCaptured: "capture", credit.OrderCanceled: "cancel",
			}[o.Status]}
		}
	}
	return operation{c.Name(), "change fields"}
}
