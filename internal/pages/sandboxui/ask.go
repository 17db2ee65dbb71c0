package sandboxui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

const (
	askTime   = 25 * time.Second // for one call: moving the clock waits five
	maxAnswer = 64 << 20         // bytes of a response: fifty deliveries of a mebibyte
)

// refusal is an unsuccessful response of the API, for people.
type refusal struct {
	Status    int    `json:"status"`
	Code      string `json:"code"`
	Title     string `json:"title"`
	Detail    string `json:"detail"`
	RequestID string `json:"request_id"`
	Errors    []struct {
		Detail string `json:"detail"`
	} `json:"errors"`
}

// Error returns one line.
func (r *refusal) Error() string {
	return fmt.Sprintf("%d %s: %s", r.Status, r.Code, strings.Join(r.sentences(), " "))
}

// sentences says what was refused, without duplicates.
func (r *refusal) sentences() []string {
	var list []string
	add := func(text string) {
		if text != "" && (len(list) == 0 || list[len(list)-1] != text) {
			list = append(list, text)
		}
	}
	add(r.Title)
	add(r.Detail)
	for _, e := range r.Errors {
		add(e.Detail)
	}
	return list
}

// notice says on the next page what was refused.
func (r *refusal) notice() *notice {
	return &notice{Bad: true, Text: strings.Join(r.sentences(), " "), Code: r.Code, RequestID: r.RequestID}
}

// answer is a response that is kept instead of sent.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.body.Len()+len(b) > maxAnswer {
		return 0, fmt.Errorf("sandboxui: an answer of more than %d bytes", maxAnswer)
	}
	return a.body.Write(b)
}

// ask calls the API with a token. out receives the body of a success; nil: it is not read. key is
// the Idempotency-Key, "" for none. A refusal is a *refusal.
func (s *Screens) ask(from *http.Request, token, method, path, key string, body, out any) error {
	ctx, cancel := context.WithTimeout(from.Context(), askTime)
	defer cancel()
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return err
		}
	}
	header := http.Header{}
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	if key != "" {
		header.Set("Idempotency-Key", "screen-"+key)
	}
	a, err := s.call(ctx, from, s.config.API, token, method, path, header, sent)
	if err != nil {
		return err
	}
	if a.status >= 300 {
		x := &refusal{Status: a.status}
		if json.Unmarshal(a.body.Bytes(), x) != nil || x.Code == "" {
			x.Title = http.StatusText(a.status)
		}
		x.Status = a.status
		return x
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(a.body.Bytes(), out); err != nil {
		return &fault{err, a.header.Get("X-Request-Id")}
	}
	return nil
}

// call passes a call with a token to an API handler.
func (s *Screens) call(ctx context.Context, from *http.Request, api http.Handler, token, method, path string, header http.Header, body []byte) (*answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.config.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.RequestURI, r.RemoteAddr, r.Header = path, from.RemoteAddr, header
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("User-Agent", "tenor-screens/"+s.config.Version)
	a := &answer{header: http.Header{}}
	api.ServeHTTP(a, r)
	return a, nil
}

// fault is an unreadable response of the API. The API's log has its request.
type fault struct {
	cause     error
	requestID string
}

// Error returns one line.
func (f *fault) Error() string { return "an answer that cannot be read: " + f.cause.Error() }

// admit says why a token is not accepted, "" if it is: it must be valid and have the rights that
// the pages need.
func (s *Screens) admit(from *http.Request, token string) string {
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return unicode.IsControl(r) || r > unicode.MaxASCII }) {
		return s.say("enter.type")
	}
	err := s.ask(from, token, "GET", "/v1/sandbox/receivers", "", nil, nil)
	x, refused := err.(*refusal)
	switch {
	case err == nil:
		return ""
	case refused && x.Status == http.StatusUnauthorized:
		return s.say("enter.invalid")
	case refused && x.Status == http.StatusForbidden:
		return s.say("enter.scopes")
	}
	return s.say("enter.fault", err)
}

// get reads from the API as the signed-in visitor.
func (v *visit) get(path string, out any) error {
	return v.screens.ask(v.r, v.session.token, "GET", path, "", nil, out)
}

// post makes a call to the API, once for a form however often it is submitted.
func (v *visit) post(path string, body, out any) error {
	if body == nil {
		body = struct{}{}
	}
	v.posts++
	return v.screens.ask(v.r, v.session.token, "POST", path, fmt.Sprintf("%s-%d", v.r.PostForm.Get("key"), v.posts), body, out)
}

// pathOf joins the segments of an API path.
func pathOf(segments ...string) string {
	out := "/v1"
	for _, s := range segments {
		out += "/" + url.PathEscape(s)
	}
	return out
}

// refused shows an unsuccessful response. If the token has expired, the session ends.
func (v *visit) refused(err error) {
	x, known := err.(*refusal)
	if !known {
		var of string
		if f, unreadable := err.(*fault); unreadable {
			of = f.requestID
		}
		v.screens.failed(v.w, v.r, failureView{http.StatusInternalServerError, of})
		return
	}
	if x.Status == http.StatusUnauthorized {
		v.screens.sessions.close(v.session)
		http.Redirect(v.w, v.r, "/sandbox/enter", http.StatusSeeOther)
		return
	}
	if v.r.Method == http.MethodGet && x.Status == http.StatusNotFound {
		v.screens.failure(v.w, v.r, http.StatusNotFound)
		return
	}
	v.screens.show(v.w, v.r, x.Status, "refusal", frame{Title: v.screens.say("refusal.title"), Entered: true, Main: refusalView{x.sentences(), x.Code, x.RequestID}})
}

// refusalView is an unsuccessful response of the API.
type refusalView struct {
	Sentences       []string
	Code, RequestID string
}

// failedForm redirects to a form with what was entered, except for secrets, and says what was
// wrong with it.
func (v *visit) failedForm(path string, err error) {
	x, known := err.(*refusal)
	if !known || x.Status == http.StatusUnauthorized || x.Status >= 500 {
		v.refused(err)
		return
	}
	form := url.Values{}
	for name, values := range v.r.PostForm {
		if name != "key" && name != "secret" && name != "token" {
			form[name] = values
		}
	}
	v.session.form = form
	v.goTo(path, x.notice())
}
