package console

import (
	"net/http"

	"tenor/internal/domain/permit"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// keysCookie is where a browser keeps that keys do nothing.
const keysCookie = "tenor_console_keys"

// keysOn reports whether keys lead anywhere in this browser.
func (v *visit) keysOn() bool {
	c, err := v.r.Cookie(pages.CookieName(keysCookie, v.config.Secure))
	return err != nil || c.Value != "off"
}

// keys lists the keys, and turns them off and on again.
func (v *visit) keys() error {
	t := design.Table{Caption: v.say("keys.title"), Columns: []design.Column{{Text: v.say("keys.key")}, {Text: v.say("keys.leads")}}}
	add := func(key, text string) {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: key, Strong: true}, {Text: text}}})
	}
	for _, k := range [][2]string{{"/", "keys.search"}, {"j", "keys.down"}, {"k", "keys.up"}, {"Enter", "keys.open"}, {"e", "keys.act"}, {"?", "keys.this"}} {
		add(k[0], v.say(k[1]))
	}
	for _, p := range v.places() {
		if v.visitor.May(p.permission) > permit.None {
			add("g "+p.key, v.say("nav."+p.name))
		}
	}
	turn := design.Button{Text: v.say("keys.off"), Name: "keys", Value: "off", Emphasis: design.Outline}
	if !v.keysOn() {
		turn.Text, turn.Value = v.say("keys.on"), "on"
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell("", v.say("keys.title")), Title: design.Title{Text: v.say("keys.title"), Lead: v.say("keys.lead")},
		Tables: []titled{{ID: "keys", Table: t}}, Form: &pages.Form{Action: Prefix + "/keys", Acts: []design.Button{turn}},
	})
}

// setKeys turns the keys of this browser off or on.
func (v *visit) setKeys() error {
	c := &http.Cookie{Name: pages.CookieName(keysCookie, v.config.Secure), Value: "off", Path: "/", Secure: v.config.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: 365 * 86400}
	if v.answer("keys") != "off" {
		c.Value, c.MaxAge = "", -1
	}
	http.SetCookie(v.w, c)
	return v.to("/keys")
}
