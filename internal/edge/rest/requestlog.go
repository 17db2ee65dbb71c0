package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// maxLogged is the maximum size of a body in the request log, in bytes.
const maxLogged = 16 << 10

// Exchange is a call and its answer in the request log: what is not plain is masked.
type Exchange struct {
	RequestID string
	At        time.Time
	Took      time.Duration
	Method    string
	Path      string // in the contract's form
	Query     string
	Status    int
	Code      string // of the problem; empty if it is not one
	Operation string // empty if there is none
	Client    string
	Tenant    string
	Key       string // Idempotency-Key
	Replayed  bool
	DryRun    bool
	Seq       int64 // of the commit; 0 if there is none

	RequestType, ResponseType string
	RequestSize, ResponseSize int64
	RequestBody, ResponseBody []byte // JSON; nil: not kept
	Marks                     []byte // JSON: by pointer, digests that distinguish the request's masked values
}

// exchange is a call and its answer, with everything the request log needs. The log writer
// turns it into an Exchange, so that no caller waits for that.
type exchange struct {
	op    *operation // nil: no such route, or the client may not use it
	entry *entry
	row   Exchange // what needs no masking

	path, query  string
	body, answer []byte // nil: not kept
	mark         func(text string) string
	masking      *Masking
}

// asideKey marks the context of requests that are not logged.
type asideKey struct{}

// Aside serves next without logging its calls: for pages that call the API on behalf of a
// person, who would otherwise find those calls in the log.
func Aside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), asideKey{}, true)))
	})
}

// keep passes an answered call to the request log, if its caller is known: strangers could
// fill it.
func (a *API) keep(c *Call, status int, at time.Time, took time.Duration) {
	if a.config.Keep == nil || c.Principal.ClientID == "" || c.Context().Value(asideKey{}) != nil {
		return
	}
	if a.config.Skip != nil && a.config.Skip(c.Principal.ClientID, status) {
		return
	}
	x := exchange{entry: c.entry, path: c.Request.URL.Path, query: c.Request.URL.RawQuery, masking: &a.config.Contract.Masking, row: Exchange{
		RequestID: c.RequestID, At: at, Took: took, Method: c.Request.Method, Status: status, Code: c.problem,
		Client: c.Principal.ClientID, Tenant: c.Principal.Tenant, Key: c.IdempotencyKey, Replayed: c.replayed, DryRun: c.DryRun, Seq: c.committed,
		RequestType: c.ContentType, RequestSize: int64(len(c.Body)), ResponseType: c.answerType, ResponseSize: int64(c.answerSize),
	}}
	if c.Operation != nil {
		x.op, x.row.Operation = a.byID[c.Operation.ID], c.Operation.ID
	}
	if x.op != nil && x.op.keyed() && x.row.Key == "" { // a call refused before its headers were read has one, too
		x.row.Key, _ = parseIdempotencyKey(c.Request.Header)
	}
	if x.row.Key != "" {
		x.mark = a.config.Mark
	}
	x.row.Key, x.row.RequestID = a.shownName(x.row.Key), a.shownName(x.row.RequestID)
	if x.op != nil && x.op.Raw == nil && !x.op.Unlogged {
		if isJSON(c.ContentType) && len(c.Body) <= maxLogged {
			x.body = c.Body
		}
		x.answer = c.answer
	} else if c.answerType == MediaProblem {
		x.answer = c.answer
	}
	a.config.Keep(len(x.body)+len(x.answer), x.logged)
}

// shownName is the logged form of a name chosen by a caller: one with an email address in
// it is recognizable by its mark, and not readable.
func (a *API) shownName(name string) string {
	switch {
	case !strings.Contains(name, "@"):
		return name
	case a.config.Mark == nil:
		return Masked
	}
	return Masked + a.config.Mark(name)
}

func isJSON(media string) bool { return media == MediaJSON || media == MediaMergePatch }

// answered records the answer of a call for the request log.
func (c *Call) answered(ans Answer, media string, body []byte) {
	c.replayed, c.committed, c.answerType, c.answerSize = ans.Replayed, ans.CommitSeq, media, len(body)
	if len(body) <= maxLogged && (media == MediaJSON || media == MediaProblem) {
		c.answer = body
	}
}

// logged makes the row: its values are masked here.
func (x exchange) logged() Exchange {
	row := x.row
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, row.Method) {
		row.Method = "OTHER"
	}
	row.Path = Masked
	if x.op != nil && x.entry != nil {
		row.Path = x.masking.path(x.op, x.entry, x.path)
		row.Query = x.masking.query(&x.op.params, x.query)
	}
	if x.op != nil && x.body != nil {
		var marks map[string]string
		row.RequestBody, marks = x.masking.json(x.op.body.root, x.body, x.mark)
		if len(marks) > 0 {
			row.Marks, _ = json.Marshal(marks, json.Deterministic(true)) // texts can always be encoded
		}
	}
	switch {
	case x.answer == nil:
	case row.ResponseType == MediaProblem:
		var code string
		if row.ResponseBody, code = maskProblem(x.op, x.answer); row.Code == "" {
			row.Code = code
		}
	default:
		if r := x.op.shown(row.DryRun); r != nil {
			row.ResponseBody, _ = x.masking.json(r, x.answer, nil)
		}
	}
	return row
}

// shown returns the rule of an operation's answer.
func (o *operation) shown(dry bool) *rule {
	if dry && o.DryRun != nil {
		return o.dryAnswer
	}
	return o.answer
}
