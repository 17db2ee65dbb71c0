package sandboxui

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"tenor/internal/ui/design"
)

// masked replaces in the request log what is not stored.
const masked = "***"

// logged is a logged call as returned by the API.
type logged struct {
	ID             string      `json:"id"`
	RequestID      string      `json:"request_id"`
	At             time.Time   `json:"at"`
	DurationMS     int64       `json:"duration_ms"`
	Operation      string      `json:"operation"`
	Method         string      `json:"method"`
	Path           string      `json:"path"`
	Query          string      `json:"query"`
	Status         int         `json:"status"`
	Code           string      `json:"code"`
	ClientID       string      `json:"client_id"`
	ClientName     string      `json:"client_name"`
	IdempotencyKey string      `json:"idempotency_key"`
	Replayed       bool        `json:"replayed"`
	DryRun         bool        `json:"dry_run"`
	CommitSeq      int64       `json:"commit_seq"`
	Request        loggedBody  `json:"request"`
	Response       loggedBody  `json:"response"`
	Idempotency    *keyHistory `json:"idempotency"`
}

// loggedBody is the body of a request or a response; Body is null if it was not stored.
type loggedBody struct {
	ContentType string          `json:"content_type"`
	Size        int64           `json:"size"`
	Body        json.RawMessage `json:"body"`
}

// kept reports whether the log has the body.
func (b loggedBody) kept() bool { return len(b.Body) > 0 && string(b.Body) != "null" }

// keyHistory is the history of an Idempotency-Key.
type keyHistory struct {
	FirstSeenAt    time.Time `json:"first_seen_at"`
	FirstRequestID string    `json:"first_request_id"`
	Replays        int       `json:"replays"`
	StoredStatus   int       `json:"stored_status"`
	Differs        []string  `json:"differs"`
}

// target returns the path with its query.
func (x logged) target() string {
	if x.Query == "" {
		return x.Path
	}
	return x.Path + "?" + x.Query
}

func requestPath(id string) string { return "/sandbox/requests/" + url.PathEscape(id) }

// answered returns the status of a response as a badge.
func answered(status int) design.Badge {
	b := design.Badge{Text: strconv.Itoa(status), Tone: design.Good}
	switch {
	case status >= 500:
		b.Tone = design.Bad
	case status >= 400:
		b.Tone = design.Warn
	case status >= 300:
		b.Tone = design.Calm
	}
	return b
}

// requestsView is the list of the request log.
type requestsView struct {
	Fields []design.Field
	Client string // only calls of this client; "": of all
	Narrow bool   // some calls are filtered out
	Calls  []requestRow
	Empty  design.Empty
	Older  string // address of the next page, "" on the last one
}

// requestFilters are the list's parameters that the page passes on to the API.
var requestFilters = []string{"status_class", "method", "operation", "idempotency_key", "client_id", "cursor"}

func (s *Screens) requestsPage(v *visit) {
	asked, query := v.r.URL.Query(), url.Values{"limit": {"50"}}
	for _, name := range requestFilters {
		if value := asked.Get(name); value != "" {
			query.Set(name, value)
		}
	}
	for name, days := range map[string]int{"from": 0, "to": 1} { // the last day is included
		if day, err := time.Parse(time.DateOnly, asked.Get(name)); err == nil {
			query.Set(name, day.Add(time.Duration(days)*24*time.Hour).Format(time.RFC3339))
		}
	}
	var all struct {
		list[logged]
		NextCursor string `json:"next_cursor"`
	}
	err := v.get(pathOf("requests")+"?"+query.Encode(), &all)
	if x, refused := err.(*refusal); refused && x.Status == http.StatusBadRequest { // a filter that no call can match
		v.session.mu.Lock()
		v.session.notice = x.notice()
		v.session.mu.Unlock()
	} else if err != nil {
		v.refused(err)
		return
	}
	m := requestsView{Fields: s.requestFields(asked), Client: asked.Get("client_id"), Calls: s.requestRows(all.Data)}
	m.Empty = design.Empty{Text: s.say("requests.none"), Command: "tenor orders list"}
	m.Narrow = len(query) > 1
	if m.Narrow {
		m.Empty = design.Empty{Text: s.say("requests.none.such"), Act: &design.Button{Text: s.say("requests.all"), Href: "/sandbox/requests"}}
	}
	if all.NextCursor != "" {
		asked.Set("cursor", all.NextCursor)
		m.Older = "/sandbox/requests?" + asked.Encode()
	}
	v.page("requests", frame{Title: s.say("requests.title"), Path: "/sandbox/requests", Main: m})
}

// requestFields are the filters, with the current values.
func (s *Screens) requestFields(asked url.Values) []design.Field {
	choices := func(any string, values ...string) []design.Option {
		out := []design.Option{{Value: "", Text: any}}
		for _, x := range values {
			out = append(out, design.Option{Value: x, Text: x})
		}
		return out
	}
	fields := []design.Field{
		{Name: "status_class", Label: s.say("requests.status"), Options: choices(s.say("requests.any"), "2xx", "3xx", "4xx", "5xx")},
		{Name: "method", Label: s.say("requests.method"), Options: choices(s.say("requests.any"), "GET", "POST", "PUT", "PATCH", "DELETE")},
		{Name: "operation", Label: s.say("requests.operation"), Max: 64, Unspelled: true},
		{Name: "idempotency_key", Label: s.say("requests.key"), Max: 255, Unspelled: true},
		{Name: "from", Label: s.say("requests.from"), Type: "date"},
		{Name: "to", Label: s.say("requests.to"), Type: "date"},
	}
	for i := range fields {
		fields[i].Value, fields[i].Width, fields[i].Autocomplete = asked.Get(fields[i].Name), design.Third, "off"
	}
	return fields
}

// requestRow is a call in the list.
type requestRow struct {
	Path, Call, Operation, Detail, Took, Client string
	Answer                                      design.Badge
	At                                          moment
}

func (s *Screens) requestRows(calls []logged) []requestRow {
	var rows []requestRow
	for _, x := range calls {
		r := requestRow{requestPath(x.ID), x.Method + " " + x.target(), x.Operation, x.Code, s.say("requests.ms", x.DurationMS), x.ClientName, answered(x.Status), s.wall(x.At)}
		if x.Replayed {
			r.Detail = s.say("requests.replayed")
		}
		if r.Client == "" {
			r.Client = x.ClientID
		}
		rows = append(rows, r)
	}
	return rows
}
