package checkout

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"tenor/internal/buyer"
	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/design"
)

// refresh has the browser look again after some seconds, by itself.
func (v *visit) refresh(seconds int, step string) {
	v.w.Header().Set("Refresh", strconv.Itoa(seconds)+"; url="+v.path(step))
}

// decisionPage is page 4: what was decided, or that it is being decided.
func (v *visit) decisionPage() error {
	if err := v.config.Desk.Stage(v.x.Checkout); err != nil {
		return err
	}
	a := v.application
	if a.Status == credit.ApplicationSubmitted {
		v.refresh(2, "decision")
		return v.show(http.StatusOK, page{Shell: v.shell(2, v.say("deciding.title")), Outcome: &design.Outcome{
			Badge: design.Badge{Text: v.say("deciding.badge")}, Title: v.say("deciding.title"), Text: v.say("deciding.text"),
			Points: []design.Point{{Icon: "clock", Text: v.say("deciding.wait")}, {Icon: "history", Text: v.say("deciding.kept")}},
			Acts:   []design.Button{v.link("deciding.look", "decision", design.Outline)},
		}})
	}
	c, total := v.company, v.x.Checkout.Amount
	o := &design.Outcome{Badge: design.Badge{Tone: design.Good, Text: v.say("approved.badge")}, Title: v.say("approved.title", c.Name), Figure: v.money(c.Limit)}
	p := page{Shell: v.shell(2, v.say("approved.badge")), Outcome: o, After: v.say("approved.after", v.day(v.config.Desk.Zone.Date(v.x.Checkout.ExpiresAt)), v.session.Masked())}
	if a.Decision.CounterOffer {
		o.Points = []design.Point{{Icon: "mail", Text: v.say("approved.counter", v.money(a.Requested))}}
	}
	if c.Available() < total {
		o.Text = v.say("approved.small", v.money(total))
		p.Acts = []design.Button{v.link("go", "line", design.Primary), v.link("back.shop", "leave", design.Ghost)}
		return v.show(http.StatusOK, p)
	}
	o.Text = v.say("approved.text", v.x.Merchant.Name)
	o.Meter = &design.Meter{Used: c.Limit.Sub(c.Available()).Add(total), Limit: c.Limit, Figures: []design.Figure{
		{Label: v.say("approved.this"), Value: v.money(total)}, {Label: v.say("approved.left"), Value: v.money(c.Available().Sub(total))},
	}}
	p.Next = []design.Next{
		{Text: v.say("approved.1"), Detail: v.planNames()}, {Text: v.say("approved.2"), Detail: v.say("approved.2.more")},
		{Text: v.say("approved.3"), Detail: v.say("approved.3.more")},
	}
	p.Acts = []design.Button{v.link("approved.go", "terms", design.Primary), v.link("back.shop", "leave", design.Ghost)}
	return v.show(http.StatusOK, p)
}

// planNames says in a line what is offered.
func (v *visit) planNames() string {
	var single, many []string
	for _, o := range v.offers() {
		if o.Disclosure.Count == 1 {
			single = append(single, v.planName(o))
		} else {
			many = append(many, strconv.Itoa(o.Disclosure.Count))
		}
	}
	counts := strings.Join(many, ", ")
	if n := len(many); n > 1 {
		counts = v.say("or", strings.Join(many[:n-1], ", "), many[n-1])
	}
	switch {
	case len(many) == 0:
		return strings.Join(single, " · ")
	case len(single) == 0:
		return v.say("plan.many", counts)
	}
	return v.say("plan.list", strings.Join(single, " · "), counts)
}

// decideHour is until when on a banking day a person decides what waits.
const decideHour = 17

// by is the day by whose end a person has looked at an application; None if that is over.
func (v *visit) by(a *credit.Application) calendar.Date {
	zone := v.config.Desk.Zone
	from := a.CreatedAt
	if !a.CompleteAt.IsZero() {
		from = a.CompleteAt
	}
	day := zone.Date(from).AddBankingDays(1)
	if !v.config.Desk.Now().Before(zone.At(day, decideHour, 0)) {
		return calendar.None
	}
	return day
}

// reviewPage is page P: a person looks at the application.
func (v *visit) reviewPage() error { return v.showReview(http.StatusOK, "") }

func (v *visit) showReview(status int, problem string) error {
	a := v.application
	o := &design.Outcome{Badge: design.Badge{Tone: design.Warn, Text: v.say("review.badge")}, Title: v.say("review.title"), Text: v.say("review.text")}
	p := page{Shell: v.shell(2, v.say("review.badge")), Outcome: o}
	o.Points = []design.Point{{Icon: "mail", Text: v.say("review.mail", v.session.Masked())}, {Icon: "shopping-cart", Text: v.say("review.cart")}}
	if a == nil || a.Status == credit.ApplicationSubmitted {
		o.Acts = []design.Button{v.link("back.shop", "leave", design.Outline)}
	}
	if a == nil { // a company that the lender is still looking at
		return v.show(status, p)
	}
	if a.Status == credit.ApplicationSubmitted {
		v.refresh(10, "review")
		o.Title, o.Text = v.say("review.long"), v.say("review.long.text")
		return v.show(status, p)
	}
	if day := v.by(a); day != calendar.None {
		o.Title = v.say("review.by", v.day(day))
	}
	if n := len(a.Requests); n > 0 && a.Status == credit.ApplicationRequested {
		r := a.Requests[n-1]
		o.Badge.Text, o.Title = v.say("wanted.badge"), v.say("wanted.title", v.day(r.Due))
		o.Text = v.say("wanted.text", r.What)
	}
	if n := len(a.Documents); n > 0 {
		p.Notices = []design.Notice{{Tone: design.Good, Icon: "circle-check", Title: v.say("files.have", n), Text: v.say("files.have.text"), Spoken: design.Status}}
	}
	p.Form = &form{Action: v.path("review"), Files: true, Groups: []group{{Legend: v.say("files.title"), Lead: v.say("files.lead"), Parts: []part{
		field(design.Field{Name: "file", Label: v.say("files.label"), Hint: v.say("files.hint"), Type: "file", Error: problem, Required: true, Width: design.TwoThirds}),
	}}}}
	p.Form.Acts = []design.Button{{Text: v.say("files.go"), Emphasis: design.Primary, Icon: "upload"}, v.link("back.shop", "leave", design.Ghost)}
	p.Summary = p.Form.summary()
	return v.show(status, p)
}

// attach takes a file for whoever looks at the application.
func (v *visit) attach() error {
	if v.application == nil || v.application.Status == credit.ApplicationSubmitted {
		return v.next()
	}
	paper, why, err := v.upload()
	if err != nil {
		return err
	}
	if why != "" {
		return v.showReview(wrong, v.say(why))
	}
	err = v.config.Desk.Attach(v.ctx(), v.application.ID, paper, v.address)
	if r := refused(err); r != nil && r.Code == credit.LimitExceeded.Code {
		return v.showReview(wrong, v.say("files.enough"))
	} else if r == nil && err != nil {
		return err
	}
	return v.next()
}

// declinedPage is page D: no blame, no guessed reasons.
func (v *visit) declinedPage() error {
	o := &design.Outcome{
		Badge: design.Badge{Text: v.say("declined.badge")}, Title: v.say("declined.title"), Text: v.say("declined.text"),
		Points: []design.Point{{Icon: "mail", Text: v.say("declined.mail", v.session.Masked())}, {Icon: "lock", Text: v.say("declined.lock", v.x.Merchant.Name)}},
		Acts:   []design.Button{primary(v.say("back.shop")), v.link("help", "help", design.Ghost)},
	}
	if a := v.application; a != nil && !a.Consents.ElectronicRecords {
		o.Points[0] = design.Point{Icon: "mail", Text: v.say("declined.post")}
	}
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.say("declined.badge")), Outcome: o, Post: v.path("leave")})
}

// linePage is page I: the line does not suffice.
func (v *visit) linePage() error {
	c, total := v.company, v.x.Checkout.Amount
	available := max(c.Available(), 0)
	o := &design.Outcome{
		Badge: design.Badge{Tone: design.Warn, Text: v.say("line.badge")}, Title: v.say("line.title", v.money(available), v.money(total)), Text: v.say("line.text"),
		Meter: &design.Meter{Used: min(max(c.Limit.Sub(available), 0), c.Limit), Limit: c.Limit, Figures: []design.Figure{
			{Label: v.say("line.used"), Value: v.money(max(c.Limit.Sub(available), 0))}, {Label: v.say("line.available"), Value: v.money(available)},
		}},
	}
	leave := design.Button{Text: v.say("back.shop"), Emphasis: design.Ghost}
	if v.may("higher") {
		o.Acts = []design.Button{v.link("line.ask", "higher", design.Primary), leave}
	} else {
		leave.Emphasis = design.Primary
		o.Acts, o.Points = []design.Button{leave}, []design.Point{{Icon: "users", Text: v.say("line.owner", c.Name)}}
	}
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.say("line.badge")), Outcome: o, Post: v.path("leave")})
}

// unavailablePage is page N: the company may not buy now.
func (v *visit) unavailablePage() error {
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.say("unavailable.badge")), Post: v.path("leave"), Outcome: &design.Outcome{
		Badge: design.Badge{Text: v.say("unavailable.badge")}, Title: v.say("unavailable.title", v.company.Name), Text: v.withReach(v.say("unavailable.text", v.contact())),
		Acts: []design.Button{primary(v.say("back.shop")), v.link("help", "help", design.Ghost)},
	}})
}

// ownerPage is page O: somebody else has to accept.
func (v *visit) ownerPage() error {
	o := &design.Outcome{
		Badge: design.Badge{Tone: design.Warn, Text: v.say("owner.badge")}, Title: v.say("owner.title"), Text: v.say("owner.text", v.company.Name),
		Points: []design.Point{{Icon: "clock", Text: v.say("owner.until", v.day(v.config.Desk.Zone.Date(v.x.Checkout.ExpiresAt)))}},
		Acts:   []design.Button{{Text: v.say("owner.go"), Emphasis: design.Primary, Icon: "mail"}, v.link("back.shop", "leave", design.Ghost)},
	}
	p := page{Shell: v.shell(0, v.say("owner.badge")), Outcome: o, Post: v.path("owner")}
	if n := v.draft["asked"]; n != "" {
		o.Acts = o.Acts[1:]
		o.Acts[0].Emphasis = design.Primary
		text := v.say("owner.asked.text")
		if n == "0" {
			text = v.say("owner.nobody", v.contact())
		}
		p.Notices = []design.Notice{{Tone: design.Good, Icon: "circle-check", Title: v.say("owner.asked"), Text: text, Spoken: design.Status}}
		if n == "0" {
			p.Notices[0].Tone, p.Notices[0].Icon, p.Notices[0].Title = design.Warn, "triangle-alert", v.say("owner.unasked")
		}
	}
	return v.show(http.StatusOK, p)
}

// askOwners mails the owners, once.
func (v *visit) askOwners() error {
	who := v.session.Masked()
	if c, err := v.config.Desk.Contact(v.ctx(), v.person); err == nil && c.Name() != "" {
		who = c.Name()
	}
	if v.draft["asked"] == "" {
		n, err := v.config.Desk.AskOwners(v.ctx(), v.x, v.company, who, v.address)
		if err != nil {
			return err
		}
		if err := v.keep(buyer.Draft{"asked": strconv.Itoa(n)}); err != nil && !errors.Is(err, buyer.ErrRaced) {
			return err
		}
	}
	return v.to("owner")
}
