package console

import (
	"errors"
	"net/http"
	"strings"

	"tenor/internal/domain/permit"
	"tenor/internal/office/signin"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// another marks the second person of a role, for what takes two.
const another = "-2"

// demo offers to sign in as a made-up staff member, in a sandbox whose secret the address
// has.
func (v *visit) demo() error {
	if !pages.Same(v.r.PathValue("secret"), v.config.Demo) {
		return v.bare(http.StatusNotFound, "lost")
	}
	p := page{Shell: v.plain(v.say("demo.title")), Title: design.Title{Text: v.say("demo.title"), Lead: v.say("demo.lead")}}
	for _, r := range permit.Roles() {
		x := choice{Action: v.r.URL.Path, Key: v.key(), Name: "role", Value: string(r), Text: v.say("role." + string(r)), Detail: v.say("role." + string(r) + ".does")}
		p.Choices = append(p.Choices, x)
		if permit.Shares(r) {
			x.Value, x.Text, x.Detail = string(r)+another, v.say("demo.another", x.Text), v.say("demo.another.does")
			p.Choices = append(p.Choices, x)
		}
	}
	return v.show(http.StatusOK, p)
}

func (v *visit) demoIn() error {
	if !pages.Same(v.r.PathValue("secret"), v.config.Demo) {
		return v.bare(http.StatusNotFound, "lost")
	}
	name, second := strings.CutSuffix(v.answer("role"), another)
	role := permit.Role(name)
	known := false
	for _, r := range permit.Roles() {
		known = known || r == role && (!second || permit.Shares(r))
	}
	if !known {
		return v.demo()
	}
	s, err := v.desk().Demo(v.r.Context(), role, second, v.address)
	if errors.Is(err, signin.ErrWrong) { // suspended
		return v.bare(http.StatusForbidden, "suspended")
	}
	if err != nil {
		return err
	}
	return v.enter(s, Prefix)
}
