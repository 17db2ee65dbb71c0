package console

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/underwriting"
	"tenor/internal/office/buyer"
	"tenor/internal/office/signin"
	"tenor/internal/ports/facts"
	"tenor/internal/ui/design"
)

// review is an application as somebody decides it: what was stated, what was checked, and the
// decision.
type review struct {
	Why      *design.Notice
	Said     said
	Checked  checked
	Decision decision
	Past     *design.Timeline
}

// said is what the applicant has stated, about the business and its owners.
type said struct {
	Lead     string
	Facts    []design.Fact
	Share    string   // what is known about the owners without revealing them
	Owners   []person // once revealed
	Reveal   string   // the address that reveals them, "" if they are, or nobody may
	Key      string
	Consents string
}

// person is an owner, revealed.
type person struct{ Initials, Name, Part, Contact, Home string }

// checked is what the sources have answered.
type checked struct {
	Lead   string
	Checks []check
}

// check is one thing that was compared or asked, with its result.
type check struct {
	Title string
	Badge design.Badge
	Text  string
	Pairs []design.Fact // what was stated and what a source has
	Foot  string        // who answered, and how long ago
}

// decision is what the policy makes of an application, and what a person can decide.
type decision struct {
	Lead, Total, Of, Tier string
	Points                []point
	Facts                 []design.Fact
	Form                  *deciding
}

// point is a factor of the scorecard.
type point struct {
	Factor, Value string
	Points, Max   int
}

// Share is how much of its points a factor has, in percent.
func (p point) Share() int { return p.Points * 100 / max(p.Max, 1) }

// deciding is the form of a decision: it leads to the page that previews it.
type deciding struct {
	Approve, Decline string // addresses
	Fields           []design.Field
	Causes           []cause
	Lead             string
	Due              string
}

// cause is a reason that a notice would give.
type cause struct {
	Name, Code, Text string
	Lost             int // points
	Ticked           bool
}

// reviewOf is an application as its page shows it; owners are those that were just revealed.
func (v *visit) reviewOf(x *applicationBook, owners []buyer.Owner) (r *review, err error) {
	a := x.app
	r = &review{Said: v.said(a, owners), Checked: v.checked(a)}
	if o := a.Outcome; o != nil && a.Status == credit.ApplicationInReview && !permit.Masked(v.visitor.Staff.Roles) {
		r.Why = &design.Notice{Icon: "triangle-alert", Tone: design.Warn, Title: v.say("review.why"), Text: strings.TrimSpace(o.Why + " " + v.alone(a))}
	}
	if r.Past, err = v.timeline(x.past, nil); err != nil {
		return nil, err
	}
	r.Decision, err = v.decision(a)
	return r, err
}

// alone says what the points alone would have decided.
func (v *visit) alone(a *credit.Application) string {
	if a.Outcome.Decision != underwriting.InReview || len(a.Outcome.Points) == 0 {
		return ""
	}
	switch o := proposal(a); {
	case o.Decision == underwriting.Declined:
		return v.say("review.alone.declined", o.Total)
	case o.Decision != underwriting.Approved:
		return ""
	case o.CounterOffer:
		return v.say("review.alone.less", o.Total, o.Tier, v.language().Money(o.Limit))
	default:
		return v.say("review.alone.approved", o.Total, o.Tier)
	}
}

// proposal is what the policy decided, or what it would have decided by the points alone.
func proposal(a *credit.Application) underwriting.Outcome {
	o := a.Outcome
	switch {
	case o == nil:
		return underwriting.Outcome{}
	case o.Decision != underwriting.InReview || len(o.Points) == 0 || a.Inputs == nil || a.Kind == underwriting.LineIncrease && a.Inputs.Line == nil:
		return *o
	}
	p, known := underwriting.Version(o.Policy)
	if !known {
		return *o
	}
	return p.ByPoints(*o, *a.Inputs)
}

// said is what the applicant has stated.
func (v *visit) said(a *credit.Application, owners []buyer.Owner) said {
	b := a.Business
	s := said{Lead: v.moment(a.CreatedAt), Facts: []design.Fact{{Label: v.say("application.requested"), Text: v.language().Money(a.Requested)}}}
	if permit.Masked(v.visitor.Staff.Roles) {
		return s
	}
	formed := strings.Trim(v.dayOr(b.FormedOn)+" · "+b.StateOfFormation, "– ·")
	for _, f := range [][2]string{
		{"company.legal", b.LegalName}, {"application.trading", b.TradingName}, {"application.form", legalForm(string(b.EntityType))}, {"review.ein", "••-•••" + b.EINLast4},
		{"application.formed", formed}, {"company.address", addressLine(b.Address)}, {"company.phone", b.Phone}, {"application.industry", b.Industry}, {"application.website", b.Website},
	} {
		if f[1] != "" && f[1] != "••-•••" {
			s.Facts = append(s.Facts, design.Fact{Label: v.say(f[0]), Text: f[1]})
		}
	}
	s.Facts = append(s.Facts, design.Fact{Label: v.say("application.revenue"), Text: v.say("review.yearly", v.language().Money(b.AnnualRevenue))})
	s.Share = v.say("review.share", a.LargestOwner.Percent(0))
	if a.ControlPerson {
		s.Share = v.say("review.share.control", a.LargestOwner.Percent(0))
	}
	if s.Owners = v.owners(owners); owners != nil && len(owners) == 0 {
		s.Share = v.say("review.erased")
	}
	if owners == nil && a.Form != "" && v.visitor.May(permit.Reveal) > permit.None {
		s.Reveal, s.Key = Prefix+"/applications/"+a.ID+"/reveal", v.key()
	}
	if c := a.Consents; c.CreditCheck && c.ElectronicRecords {
		s.Consents = v.say("review.consents", v.moment(c.AcceptedAt))
	}
	return s
}

func (v *visit) owners(list []buyer.Owner) (out []person) {
	for _, o := range list {
		p := person{Name: o.FirstName + " " + o.LastName, Part: v.say("review.part", o.Percent), Home: addressLine(o.Address)}
		p.Initials = initials(signin.Contact{Name: p.Name})
		if o.Control {
			p.Part = v.say("review.part.control", o.Percent)
		}
		p.Contact = strings.Trim(strings.Join([]string{v.say("review.born", v.dayOr(o.BirthDate)), o.Email, o.Phone}, " · "), " ·")
		out = append(out, p)
	}
	return out
}

// reveal shows an application with its owners: that they were read is in the audit log first.
func (v *visit) reveal() error {
	id := v.r.PathValue("id")
	x, err := v.findApplication()
	if err != nil {
		return err
	}
	if x == nil || x.app.Form == "" || permit.Masked(v.visitor.Staff.Roles) {
		return v.bare(http.StatusNotFound, "lost")
	}
	if err := v.desk().Record(v.r.Context(), v.visitor, "revealApplication", id, v.address); err != nil {
		return err
	}
	f := buyer.Form{Owners: []buyer.Owner{}}
	err = v.desk().Store.View(v.r.Context(), func(w store.View) error { return v.desk().Read(w, x.app.Form, &f) })
	if err != nil && !errors.Is(err, buyer.ErrErased) {
		return err
	}
	return v.showApplication(x, f.Owners)
}

// old is how long ago something was, in the business's time.
func (v *visit) old(at time.Time) string {
	switch d := v.desk().Now().Sub(at); {
	case at.IsZero():
		return ""
	case d < time.Minute:
		return v.say("review.old.now")
	case d < time.Hour:
		return v.say("review.old.minutes", int(d.Minutes()))
	case d < 48*time.Hour:
		return v.say("review.old.hours", int(d.Hours()))
	default:
		return v.say("review.old.days", int(d.Hours()/24))
	}
}

// checked is what the sources have answered, and how old their answers are.
func (v *visit) checked(a *credit.Application) (c checked) {
	by := map[string]credit.SourceAnswer{}
	for _, s := range a.Sources {
		by[s.Port] = s
	}
	in := v.inputs(a)
	c.Checks = slices.Concat(v.asked(in, by, facts.Bank, v.bankChecks(a)), v.asked(in, by, facts.Registry, v.registryChecks(a)),
		v.asked(in, by, facts.Bureau, v.bureauChecks(a)), v.screeningChecks(a))
	silent, differs := 0, 0
	for _, x := range c.Checks {
		switch x.Badge.Text {
		case v.say("check.differs"):
			differs++
		case v.say("check.silent"):
			silent++
		}
	}
	c.Lead = v.say("review.sources", len(a.Sources), silent, differs)
	if len(c.Checks) == 0 {
		c.Lead = v.say("application.unchecked")
	}
	return c
}

// asked are the checks with what one source has answered; one that says why it has not.
func (v *visit) asked(in *underwriting.Inputs, by map[string]credit.SourceAnswer, port facts.Port, found []check) []check {
	s, asked := by[string(port)]
	missing := s.Missing
	if asked && missing == "" && len(found) == 0 {
		if missing = underwriting.NothingFound; in == nil { // what it said is not shown
			missing, found = "", []check{{Title: worded(string(port)), Badge: v.badge("answered", design.Calm)}}
		}
	}
	if missing != "" {
		x := check{Title: worded(string(port)), Badge: design.Badge{Text: v.say("check." + strings.ToLower(string(missing))), Tone: design.Bad}, Text: v.say("check.tried", s.Tries)}
		if missing == underwriting.NothingFound || missing == underwriting.NotConfigured {
			x.Badge.Tone, x.Text = design.Calm, v.say("check.counts")
		}
		return []check{x}
	}
	for i := range found {
		if asked {
			found[i].Foot = strings.Trim(s.Source+" · "+v.old(s.At), " ·")
		}
	}
	return found
}

// inputs are the facts of a decision, nil if there are none or the visitor may not see them.
func (v *visit) inputs(a *credit.Application) *underwriting.Inputs {
	if permit.Masked(v.visitor.Staff.Roles) {
		return nil
	}
	return a.Inputs
}

func (v *visit) bankChecks(a *credit.Application) []check {
	in := v.inputs(a)
	if in == nil || in.Bank == nil {
		return nil
	}
	x := check{Title: v.say("check.bank"), Badge: v.badge("clean", design.Good), Text: v.say("check.bank.text", v.language().Money(in.Bank.AverageBalance), in.Bank.ReturnedItems)}
	if in.Bank.ReturnedItems > 0 {
		x.Badge = v.badge("returned", design.Warn)
	}
	return []check{x}
}

func (v *visit) badge(name string, tone design.Tone) design.Badge {
	return design.Badge{Text: v.say("check." + name), Tone: tone}
}

// registryChecks compare what was stated with the registry.
func (v *visit) registryChecks(a *credit.Application) (out []check) {
	in := v.inputs(a)
	if in == nil || in.Identity == "" {
		return nil
	}
	name := check{Title: v.say("check.name"), Badge: v.badge("match", design.Good), Text: v.say("check.name.match")}
	if in.Identity != underwriting.IdentityProved {
		name.Badge, name.Text = v.badge("unproved", design.Bad), v.say("check.name.unproved")
	}
	out = append(out, name)
	if in.Duplicate {
		out = append(out, check{Title: v.say("check.number"), Badge: v.badge("differs", design.Warn), Text: v.say("application.mismatch.duplicate")})
	}
	if in.Registration == "" {
		return out
	}
	b, formed := a.Business, in.RegistryFormedOn
	reg := check{Title: v.say("check.registration"), Badge: v.badge("match", design.Good), Text: v.say("check.registration.found")}
	if formed != calendar.None {
		reg.Text = v.say("check.registration.since", v.dayOr(formed), in.Months(v.desk().Zone.Date(a.CreatedAt)))
	}
	compare := func(stated, has string) {
		if stated != "" && has != "" && stated != "–" && has != "–" && stated != has {
			reg.Badge, reg.Text = v.badge("differs", design.Warn), ""
			reg.Pairs = append(reg.Pairs, design.Fact{Label: v.say("check.stated"), Text: stated}, design.Fact{Label: v.say("check.has"), Text: has})
		}
	}
	compare(v.dayOr(b.FormedOn), v.dayOr(formed))
	compare(b.StateOfFormation, in.RegistryState)
	if in.Registration == underwriting.RegistrationNone {
		reg.Badge, reg.Text = v.badge("none", design.Bad), v.say("check.registration.none")
	}
	return append(out, reg)
}

func (v *visit) bureauChecks(a *credit.Application) (out []check) {
	in := v.inputs(a)
	if in == nil {
		return nil
	}
	if in.OwnerScore.Valid() {
		out = append(out, check{Title: v.say("check.score"), Badge: design.Badge{Text: scoreText(v, in.OwnerScore)}, Text: v.say("check.score.text")})
	}
	if f := in.BusinessFile; f != nil {
		x := check{Title: v.say("check.file"), Badge: v.badge("clean", design.Good), Text: v.say("check.file.clean")}
		switch {
		case !f.Present:
			x.Badge, x.Text = v.badge("nothing_found", design.Calm), v.say("check.file.none")
		case !f.Clean:
			x.Badge, x.Text = v.badge("adverse", design.Bad), v.say("check.file.adverse")
		}
		out = append(out, x)
	}
	if in.OpenBankruptcy {
		out = append(out, check{Title: v.say("check.bankruptcy"), Badge: v.badge("adverse", design.Bad), Text: v.say("check.bankruptcy.text")})
	}
	return out
}

func scoreText(v *visit, s underwriting.Score) string {
	if s.FICO != 0 {
		return strconv.Itoa(s.FICO)
	}
	return v.say("check.scale", s.Scale)
}

func (v *visit) screeningChecks(a *credit.Application) []check {
	in := v.inputs(a)
	if in == nil || in.Screening == "" {
		return nil
	}
	x := check{Title: v.say("check.sanctions"), Badge: v.badge("clear", design.Good), Text: v.say("check.sanctions.clear")}
	switch in.Screening {
	case underwriting.ScreeningPossible:
		x.Badge, x.Text = v.badge("possible", design.Warn), v.say("check.sanctions.possible")
	case underwriting.ScreeningExact:
		x.Badge, x.Text = v.badge("exact", design.Bad), v.say("check.sanctions.exact")
	}
	if a.Compared != nil {
		x.Foot = v.say("check.list", a.Compared.List)
	}
	return []check{x}
}
