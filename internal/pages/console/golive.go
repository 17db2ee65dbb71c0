package console

import (
	"encoding/json"
	"net/http"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/ui/design"
)

// Setup is what the server was started with.
type Setup struct {
	Rails     bool // money moves by itself: there is a bank
	Mail      bool // letters are sent
	Sanctions bool // names are screened
	Sources   bool // there are vendors of facts about applicants
	// Heads is the setting with the Target that signed heads are exported to.
	Heads string
}

// step is something to do before the first real order.
type step struct {
	name    string
	done    bool
	command string // what does it
	href    string // or the page
}

// steps are what there is to do before going live, in order.
func (v *visit) steps() ([]step, error) {
	members, err := v.desk().Members(v.r.Context())
	if err != nil {
		return nil, err
	}
	active := 0
	for _, m := range members {
		if m.Staff.Status == credit.StaffActive {
			active++
		}
	}
	var lender *credit.Lender
	paid := false
	err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
		s := credit.NewState()
		if err := w.Load(s, credit.Keys{Lenders: []string{credit.TheLender}}); err != nil {
			return err
		}
		lender = s.TheLender()
		return store.EachOf(w, store.MerchantNoun, func(m *credit.Merchant) error { paid = paid || m.Account.Bank != nil; return nil })
	})
	if err != nil {
		return nil, err
	}
	var heads struct{ Target string }
	raw, found, err := store.Setting(v.r.Context(), v.desk().Store, v.config.Setup.Heads)
	if err == nil && found {
		err = json.Unmarshal(raw, &heads)
	}
	x, set := lender.Settings, v.config.Setup
	return []step{
		{"https", v.config.Secure, "tenor serve --public-url https://…", ""},
		{"people", active >= 2, "tenor staff invite", Prefix + "/people"},
		{"approvals", x.Approvals.Required, "tenor staff approvals --required", Prefix + "/people/policy"},
		{"creditor", x.Creditor.Name != "" && x.Creditor.Address != "" && x.Regulator.Name != "", "tenor lender set --creditor NAME --creditor-address TEXT", ""},
		{"reserves", len(x.ProvisionRates) > 0, "tenor lender set --provision DPD_1_29=0.05", ""},
		{"merchant", paid, "tenor merchants account", ""},
		{"rails", set.Rails, "tenor serve --rails FILE", ""},
		{"mail", set.Mail, "tenor serve --rails FILE", ""},
		{"sources", set.Sources, "tenor serve --rails FILE", ""},
		{"sanctions", set.Sanctions, "tenor serve --rails FILE", ""},
		{"heads", heads.Target != "", "tenor serve --heads TARGET", ""},
	}, err
}

// goLive shows what is done, and what is left, before the first real order.
func (v *visit) goLive() error {
	steps, err := v.steps()
	if err != nil {
		return err
	}
	title, left := v.say("live.title"), 0
	t := design.Table{Caption: title, Columns: []design.Column{{Text: v.say("live.step")}, {Text: v.say("live.state")}, {Text: v.say("live.how"), From: "sm"}}}
	for _, x := range steps {
		state := design.Badge{Tone: design.Good, Text: v.say("live.done")}
		if !x.done {
			left++
			state = design.Badge{Tone: design.Warn, Text: v.say("live.open")}
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: v.say("live." + x.name), Detail: v.say("live." + x.name + ".why"), Href: x.href, Narrow: x.command}, {Badge: &state}, {Text: x.command, Soft: true},
		}})
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell("people", title), Crumbs: []design.Link{{Text: v.say("nav.people"), Href: Prefix + "/people"}, {Text: title}},
		Title: design.Title{Text: title, Lead: v.say("live.lead."+few(left), left)}, Tables: []titled{{ID: "steps", Table: t}},
	})
}

// untilLive is what is left to do before going live, on the home page of who looks after that; a
// sandbox never goes live.
func (v *visit) untilLive() ([]work, error) {
	if v.desk().Sandbox || v.visitor.May(permit.Settings) == permit.None {
		return nil, nil
	}
	steps, err := v.steps()
	if err != nil {
		return nil, err
	}
	w := work{ID: "live", Title: v.say("live.title"), Tone: design.Warn, Command: "tenor doctor"}
	for _, x := range steps {
		if x.done {
			continue
		}
		if w.Count++; w.Count <= shownOf {
			w.Items = append(w.Items, todo{Text: v.say("live." + x.name), Detail: v.say("live." + x.name + ".why"), Href: Prefix + "/people/go-live"})
		}
	}
	if n := w.Count - shownOf; n > 0 {
		w.More = v.say("home.more", n)
	}
	if w.Count == 0 {
		return nil, nil
	}
	return []work{w}, nil
}
