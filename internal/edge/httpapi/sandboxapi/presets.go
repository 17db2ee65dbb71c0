package sandboxapi

import (
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type presetBody struct {
	Preset string `json:"preset" required:"true" enum:"approved,small_line,pending,declined,on_hold,suspended,suspends_later,closed" doc:"Outcome. suspends_later: approved, then suspended once the clock advances 30 days." example:"approved"`
}

// suspendsAfter is when a ready company of the preset suspends_later is suspended.
const suspendsAfter = 30 * 24 * time.Hour

// presets returns the ready companies, by their fate.
func presets(name string) lending.CreateCompany {
	c := lending.CreateCompany{Title: "Sandbox Kitchens", LegalName: "Sandbox Kitchens LLC", Tier: "A", Status: credit.CompanyApproved, Limit: money.Amount(25_000_00)}
	switch name {
	case "small_line":
		c.Limit = money.Amount(250_00)
	case "pending":
		c.Status = credit.CompanyPending
	case "declined":
		c.Status, c.StatusCode, c.StatusMessage = credit.CompanyDeclined, "insufficient_time_in_business", "The business is too young."
	case "on_hold":
		c.Status, c.StatusCode, c.StatusMessage = credit.CompanyOnHold, "manual_hold", "Put on hold by hand."
	case "suspended":
		c.Status, c.StatusCode, c.StatusMessage = credit.CompanySuspended, "days_past_due", "An installment is 30 days late."
	case "closed":
		c.Status, c.StatusCode, c.StatusMessage = credit.CompanyClosed, credit.ClosedByRequest, "Closed at the company's request."
	}
	return c
}

func (s API) makeSandboxCompany(c *rest.Call, _ *rest.None, b *presetBody) (rest.Answer, error) {
	cmd := presets(b.Preset)
	cmd.Merchants = []string{c.Principal.Tenant}
	made := int64(0)
	a, err := s.Do(c, cmd, func(ch credit.Changes) serve.Success {
		made = ch.Result.(*credit.Company).ID
		return serve.CompanyAnswer(resource.Lateness{}, c.Principal)(ch)
	})
	fresh := err == nil && made != 0 && a.Status < 300 && !a.Replayed && !c.DryRun
	if fresh && b.Preset == "suspends_later" && s.SuspendLater != nil {
		err = s.SuspendLater(c.Context(), made, s.Now().Add(suspendsAfter))
	}
	return a, err
}
