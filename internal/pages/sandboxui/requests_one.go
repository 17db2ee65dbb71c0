package sandboxui

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"tenor/internal/ui/design"
)

// requestView is the page of one call.
type requestView struct {
	Call    logged
	Answer  design.Badge
	Asked   bodyView
	Said    bodyView
	Ran     *ranView // the call just repeated
	Curl    design.Code
	At      moment
	Facts   []requestFact
	Key     *keyView
	Links   []related
	Again   *againView // nil: it cannot be repeated here
	Holed   bool       // something in the request is masked
	Path    string
	AllKeys string // calls with the same key
	Client  string // calls of the same client
}

// bodyView is a body for display; JSON is nil if there is none.
type bodyView struct {
	Kind string // media type
	Size int64
	Gone bool // there was one, but it is not stored
	JSON *design.JSON
	Raw  design.Code
}

// keyView is the history of an Idempotency-Key.
type keyView struct {
	Key      string
	First    moment
	FirstID  string
	Here     bool // this call was the first
	Path     string
	Replayed string // how often its response was replayed
	Stored   *design.Badge
	Differs  []string
}

// againView is the form that repeats a call.
type againView struct {
	Method, Target, Body string
	Sends                bool // it has a body
	Keyed                bool // it had a key, which can be reused
	Same                 bool
}

// ran is the response to a repeated call, for the next page.
type ran struct {
	of        string // the call in the log
	status    int
	requestID string
	kind      string
	body      []byte
}

type ranView struct {
	Answer    design.Badge
	RequestID string
	Path      string
	Body      bodyView
}

// runnable are the methods of calls that can be repeated.
var runnable = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

func (s *Screens) requestPage(v *visit) {
	x, found := v.loggedCall()
	if !found {
		return
	}
	m := requestView{
		Call: x, Answer: answered(x.Status), Path: requestPath(x.ID), Client: "/sandbox/requests?client_id=" + url.QueryEscape(x.ClientID), At: s.wall(x.At), Facts: s.requestFacts(x), Links: v.requestLinks(x), Key: s.keyView(x),
		Asked: s.bodyView(s.say("request.asked"), x.Request.ContentType, x.Request.Size, x.Request.Body), Said: s.bodyView(s.say("request.said"), x.Response.ContentType, x.Response.Size, x.Response.Body),
		Curl:  design.Code{Title: s.say("request.shell"), Language: "curl", Text: s.curl(x)},
		Holed: strings.Contains(x.target(), masked) || strings.Contains(string(x.Request.Body), masked),
	}
	if x.IdempotencyKey != "" {
		m.AllKeys = "/sandbox/requests?idempotency_key=" + url.QueryEscape(x.IdempotencyKey)
	}
	if x.repeatable() {
		m.Again = &againView{Method: x.Method, Target: v.kept("target", x.target()), Body: v.kept("body", pretty(x.Request.Body)), Sends: x.Request.kept(), Keyed: x.IdempotencyKey != "", Same: v.kept("same", "") != ""}
	}
	v.session.mu.Lock()
	if r := v.session.ran; r != nil && r.of == x.ID {
		m.Ran = &ranView{answered(r.status), r.requestID, requestPath(r.requestID), s.bodyView(s.say("again.ran"), r.kind, int64(len(r.body)), r.body)}
	}
	v.session.ran = nil
	v.session.mu.Unlock()
	v.page("request", frame{Title: x.Method + " " + x.Path, Path: "/sandbox/requests", Main: m})
}

// loggedCall reads the call from a page's address; false: a response was sent.
func (v *visit) loggedCall() (logged, bool) {
	var x logged
	err := v.get(pathOf("requests", v.r.PathValue("id")), &x)
	if r, refused := err.(*refusal); refused && r.Status == http.StatusNotFound {
		v.screens.show(v.w, v.r, http.StatusNotFound, "request-missing", frame{Title: v.screens.say("request.missing"), Path: "/sandbox/requests", Entered: true})
		return x, false
	}
	if err != nil {
		v.refused(err)
		return x, false
	}
	return x, true
}

// repeatable reports whether the log has everything needed to repeat a call, except for masked
// parts, which the visitor fills in.
func (x logged) repeatable() bool {
	return slices.Contains(runnable, x.Method) && x.Operation != "" && (x.Request.Size == 0 || x.Request.kept())
}

// requestFact is a fact about a call: a text, a key, or both.
type requestFact struct{ Label, Text, Key string }

func (s *Screens) requestFacts(x logged) []requestFact {
	facts := []requestFact{{Label: s.say("request.duration"), Text: s.say("requests.ms", x.DurationMS)}, {Label: s.say("requests.client"), Text: x.ClientName, Key: x.ClientID}, {Label: s.say("request.id"), Key: x.RequestID}}
	if x.CommitSeq > 0 {
		facts = append(facts, requestFact{Label: s.say("request.commit"), Text: s.say("request.commit.of", x.CommitSeq)})
	}
	return facts
}

// requestLinks links to the objects that a call names, and to its operation.
func (v *visit) requestLinks(x logged) []related {
	var out []related
	add := func(id string) {
		if kind := kindOf(id); kind != "" {
			at := objectPath(kind, id)
			if at != "" && !slices.ContainsFunc(out, func(l related) bool { return l.Href == at }) {
				said, _ := v.find(kind, id)
				out = append(out, related{v.screens.say("kind." + kind), calledBy(said, id, nil), at})
			}
		}
	}
	for _, segment := range strings.Split(x.Path, "/") {
		add(segment)
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(x.Response.Body, &members) // missing members are not shown
	for _, name := range []string{"key", "id", "order_key", "company_id", "checkout_id"} {
		add(strings.Trim(string(members[name]), `"`))
	}
	if x.Operation != "" {
		out = append(out, related{v.screens.say("request.operation"), x.Operation, "/docs/api/" + url.PathEscape(x.Operation)})
	}
	return out
}

func (s *Screens) keyView(x logged) *keyView {
	h := x.Idempotency
	if h == nil {
		return nil
	}
	k := &keyView{Key: x.IdempotencyKey, First: s.wall(h.FirstSeenAt), FirstID: h.FirstRequestID, Here: h.FirstRequestID == x.RequestID, Path: requestPath(h.FirstRequestID), Replayed: s.many("request.key.replays", h.Replays), Differs: h.Differs}
	if h.StoredStatus > 0 {
		b := answered(h.StoredStatus)
		k.Stored = &b
	}
	return k
}

// bodyView creates the view of a body with a media type; size is its size when it was sent. label
// is its name for screen readers.
func (s *Screens) bodyView(label, kind string, size int64, body []byte) bodyView {
	b := bodyView{Kind: kind, Size: size}
	if len(body) == 0 || string(body) == "null" || !utf8.Valid(body) {
		b.Gone = size > 0
		return b
	}
	b.Raw = design.Code{Title: s.say("object.raw"), Text: string(body)}
	if tree, ok := design.ReadJSON(body); ok && len(body) <= maxTree {
		tree.Label = label
		b.JSON = &tree
	}
	return b
}

// pretty formats a document for editing, "" if there is none.
func pretty(body []byte) string {
	tree, ok := design.ReadJSON(body)
	if !ok || string(body) == "null" {
		return ""
	}
	return tree.Pretty()
}

// curl returns a call as a command. A body with masked parts differs from the one sent with the
// key, so it gets a new key.
func (s *Screens) curl(x logged) string {
	quoted := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
	line := []string{"curl"}
	if x.Method != http.MethodGet {
		line[0] += " -X " + x.Method
	}
	line[0] += " " + quoted(s.config.BaseURL+x.target())
	line = append(line, `-H "Authorization: Bearer $TENOR_TOKEN"`)
	body := pretty(x.Request.Body)
	if body != "" {
		line = append(line, "-H "+quoted("Content-Type: "+x.Request.ContentType))
	}
	switch {
	case x.IdempotencyKey == "":
	case strings.Contains(body+x.target(), masked):
		line = append(line, `-H "Idempotency-Key: $(uuidgen)"`)
	default:
		line = append(line, "-H "+quoted("Idempotency-Key: "+x.IdempotencyKey))
	}
	if x.DryRun {
		line = append(line, "-H 'Prefer: dry-run'")
	}
	if body != "" {
		line = append(line, "-d "+quoted(body))
	}
	return strings.Join(line, " \\\n  ") + "\n"
}

// runRequest repeats a logged call, with the rights of the signed-in visitor, and with what they
// have filled in for masked parts.
func (s *Screens) runRequest(v *visit) {
	x, found := v.loggedCall()
	if !found {
		return
	}
	form, back := v.r.PostForm, requestPath(x.ID)
	target, body := strings.TrimSpace(form.Get("target")), form.Get("body")
	refuse := func(why string) {
		v.session.form = url.Values{"target": {target}, "body": {body}, "same": form["same"]}
		v.goTo(back+"#again", &notice{Bad: true, Text: why})
	}
	u, err := url.Parse(target)
	switch {
	case !x.repeatable():
		s.failure(v.w, v.r, http.StatusNotFound)
		return
	case err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(u.Path, "/") || u.Fragment != "":
		refuse(s.say("again.path"))
		return
	case strings.Contains(target, masked) || strings.Contains(body, masked):
		refuse(s.say("again.masked"))
		return
	}
	header, sent := http.Header{}, bytes.Buffer{}
	if x.Request.kept() {
		header.Set("Content-Type", x.Request.ContentType)
		if json.Compact(&sent, []byte(body)) != nil { // as programs send it, so that its key can match
			refuse(s.say("again.json"))
			return
		}
	}
	if x.DryRun {
		header.Set("Prefer", "dry-run")
	}
	if x.IdempotencyKey != "" {
		key := "screen-" + form.Get("key")
		if form.Get("same") != "" {
			key = x.IdempotencyKey
		}
		header.Set("Idempotency-Key", key)
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), askTime)
	defer cancel()
	a, err := s.call(ctx, v.r, s.config.Run, v.session.token, x.Method, target, header, sent.Bytes())
	if err != nil {
		v.refused(err)
		return
	}
	v.session.ran = &ran{x.ID, a.status, a.header.Get("X-Request-Id"), a.header.Get("Content-Type"), a.body.Bytes()}
	v.goTo(back+"#ran", nil)
}
