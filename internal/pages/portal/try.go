package portal

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
)

// A form sends one request of the reader's to the API in the same process, and keeps the response
// for a separate page. The form has no rights of its own: the reader's token is used for the one
// request and not stored, so another site's page gains nothing by submitting a form. A request
// can only go to the operation of its page.

const (
	maxForm   = 256 << 10        // bytes of a form
	maxAnswer = 256 << 10        // bytes kept of a response
	maxKept   = 32               // responses; the oldest is dropped
	tryTime   = 20 * time.Second // for one request
)

// tries are the requests sent by readers.
type tries struct {
	api   http.Handler
	base  string // the public address, without a trailing slash
	guard *http.CrossOriginProtection

	mu   sync.Mutex
	kept []*attempt // oldest first
}

// attempt is a sent request with its response.
type attempt struct {
	id      string
	op      *operation
	values  url.Values // of the form, except the token
	request string     // as sent, except the token
	answer  capture
}

// capture is a response that is kept instead of sent.
type capture struct {
	status int
	header http.Header
	body   bytes.Buffer
	size   int // of the whole body, in bytes
}

// Header, WriteHeader and Write implement http.ResponseWriter.
func (c *capture) Header() http.Header { return c.header }

// WriteHeader keeps the first status.
func (c *capture) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
}

// Write keeps the beginning of a body, and never fails.
func (c *capture) Write(b []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	c.size += len(b)
	c.body.Write(b[:min(len(b), maxAnswer-c.body.Len())])
	return len(b), nil
}

// tried splits the path of a form or a response: /docs/api/{operation}/try and …/try/{id}.
func (p *Portal) tried(path string) (op *operation, id string, ok bool) {
	name, found := strings.CutPrefix(path, "/docs/api/")
	name, id, isTry := strings.Cut(name, "/try")
	if p.tries == nil || !found || !isTry || id != "" && !strings.HasPrefix(id, "/") {
		return nil, "", false
	}
	if op = p.site.contract.find(name); op == nil || !op.mayBeTried() {
		return nil, "", false
	}
	return op, strings.TrimPrefix(id, "/"), true
}

// mayBeTried reports whether an operation has a form. A client's own secret must not be entered
// into a page.
func (op *operation) mayBeTried() bool { return op.access != credentials }

// try handles requests about an operation's form.
func (p *Portal) try(w http.ResponseWriter, r *http.Request, op *operation, id string) {
	w.Header().Set("Cache-Control", "no-store")
	page := "/docs/api/" + op.id
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case id == "" && r.Method == http.MethodPost:
		p.tryIt(w, r, op)
	case !read:
		w.Header().Set("Allow", "GET, HEAD")
		p.failure(w, r, http.StatusMethodNotAllowed)
	case id == "":
		http.Redirect(w, r, page+"#try", http.StatusSeeOther)
	default:
		a := p.tries.find(op, id)
		if a == nil {
			p.failure(w, r, http.StatusGone)
			return
		}
		p.show(w, r, http.StatusOK, "attempt", frame{Title: "Answer: " + op.name(), Path: page, Main: p.site.attemptView(a)})
	}
}

// tryIt sends a form's request, and redirects to the response: going back and reloading send
// nothing.
func (p *Portal) tryIt(w http.ResponseWriter, r *http.Request, op *operation) {
	if p.tries.guard.Check(r) != nil {
		p.failure(w, r, http.StatusForbidden)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	var over *http.MaxBytesError
	switch err := r.ParseForm(); {
	case errors.As(err, &over):
		p.failure(w, r, http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		p.failure(w, r, http.StatusBadRequest)
		return
	}
	a, err := p.tries.send(r, op, r.PostForm)
	if err != nil { // the form comes back with what was entered, except for the token
		v := attemptView{Operation: navLink{op.name(), "/docs/api/" + op.id}, Refusal: err.Error(), Try: p.site.tryView(op, r.PostForm)}
		p.show(w, r, http.StatusBadRequest, "attempt", frame{Title: "Not sent: " + op.name(), Path: "/docs/api/" + op.id, Main: v})
		return
	}
	http.Redirect(w, r, "/docs/api/"+op.id+"/try/"+a.id+"#answer", http.StatusSeeOther)
}

// send builds a form's request, passes it to the API, and keeps both.
func (t *tries) send(from *http.Request, op *operation, form url.Values) (*attempt, error) {
	secret := strings.TrimSpace(form.Get("token"))
	form.Del("token")
	a := &attempt{id: rand.Text(), op: op, values: form, answer: capture{header: http.Header{}}}
	target, body := a.target(), a.body()
	ctx, cancel := context.WithTimeout(from.Context(), tryTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, op.method, t.base+target, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.RequestURI, r.RemoteAddr = target, from.RemoteAddr
	a.request = op.method + " " + target + "\n"
	headers := a.headers()
	if op.access == token {
		a.request += "Authorization: Bearer …\n"
		headers = append(headers, header{"Authorization", "Bearer " + secret})
	}
	for _, h := range headers {
		if strings.ContainsFunc(h.value, unicode.IsControl) {
			return nil, fmt.Errorf("%s has a character that no header can carry, such as a line break", h.name)
		}
		r.Header.Set(h.name, h.value)
		if h.name != "Authorization" {
			a.request += h.name + ": " + h.value + "\n"
		}
	}
	a.request += "\n" + body
	t.api.ServeHTTP(&a.answer, r)
	a.answer.WriteHeader(http.StatusOK) // a handler that sends nothing has sent this
	t.keep(a)
	return a, nil
}

func (t *tries) keep(a *attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, a)
	if n := len(t.kept); n > maxKept {
		t.kept = slices.Delete(t.kept, 0, n-maxKept)
	}
}

// find returns a response if it is still kept, otherwise nil.
func (t *tries) find(op *operation, id string) *attempt {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.kept, func(a *attempt) bool { return a.id == id && a.op == op })
	if i < 0 {
		return nil
	}
	return t.kept[i]
}

// target returns the path and the query of a form's request.
func (a *attempt) target() string {
	path := a.op.path
	for _, p := range a.op.in("path") {
		path = strings.ReplaceAll(path, "{"+p.name+"}", url.PathEscape(a.values.Get("path."+p.name)))
	}
	query := url.Values{}
	for _, p := range a.op.in("query") {
		if v := a.values.Get("query." + p.name); v != "" {
			query.Set(p.name, v)
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// body returns a form's body. A browser ends its lines like HTTP.
func (a *attempt) body() string {
	if len(a.op.body.media) == 0 {
		return ""
	}
	return strings.ReplaceAll(a.values.Get("body"), "\r\n", "\n")
}

// headers returns a form's headers, except Authorization.
func (a *attempt) headers() []header {
	var out []header
	for _, p := range a.op.in("header") {
		if v := a.values.Get("header." + p.name); v != "" {
			out = append(out, header{p.name, v})
		}
	}
	if a.body() != "" {
		media := a.values.Get("media")
		if !slices.Contains(a.op.body.media, media) {
			media = a.op.body.media[0]
		}
		out = append(out, header{"Content-Type", media})
	}
	return out
}
