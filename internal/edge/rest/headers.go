package rest

import (
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Media types that the layer knows.
const (
	MediaJSON       = "application/json"
	MediaProblem    = "application/problem+json"
	MediaMergePatch = "application/merge-patch+json"
	MediaOctets     = "application/octet-stream" // a file to save, of any type
)

// visibleASCII reports whether a text has only the characters ! to ~.
func visibleASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// parseIdempotencyKey reads the key of a POST or PATCH: 1 to 255 visible ASCII characters,
// bare or as a quoted string (in which \" and \\ are escapes). Both spellings are the same
// key. Without a header it is "".
func parseIdempotencyKey(h http.Header) (string, *Problem) {
	const name = "Idempotency-Key"
	values := h.Values(name)
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 {
		return "", invalidHeader(name, "must be given once.")
	}
	key, ok := unquote(values[0])
	if !ok || key == "" || len(key) > 255 || !visibleASCII(key) {
		return "", invalidHeader(name, "must be 1 to 255 visible ASCII characters, quoted or bare.")
	}
	return key, nil
}

// unquote parses a structured-field string; text that does not start with a quote is
// returned as is.
func unquote(s string) (string, bool) {
	if !strings.HasPrefix(s, `"`) {
		return s, true
	}
	var out strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return out.String(), i == len(s)-1
		case '\\':
			if i++; i == len(s) || s[i] != '"' && s[i] != '\\' {
				return "", false
			}
			out.WriteByte(s[i])
		default:
			out.WriteByte(c)
		}
	}
	return "", false
}

// Condition is an If-Match or If-None-Match header (RFC 9110, 13.1). The zero Condition
// requires nothing.
type Condition struct {
	Any  bool // the value is *
	Tags []ETag
}

// ETag is one entity tag of a condition, including its quotes.
type ETag struct {
	Weak   bool
	Opaque string
}

// Given reports whether the header was sent.
func (c Condition) Given() bool { return c.Any || len(c.Tags) > 0 }

// MatchStrong reports whether an existing resource with this entity tag satisfies an
// If-Match: weak tags never do.
func (c Condition) MatchStrong(etag string) bool {
	for _, t := range c.Tags {
		if !t.Weak && t.Opaque == etag {
			return true
		}
	}
	return c.Any
}

// MatchWeak reports whether an If-None-Match names an existing resource with this entity
// tag: weak tags count.
func (c Condition) MatchWeak(etag string) bool {
	for _, t := range c.Tags {
		if t.Opaque == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return c.Any
}

var etagText = regexp.MustCompile(`^(W/)?("[!#-~\x80-\xff]*")`)

// parseCondition parses a condition: * or a list of entity tags, over one or more header
// lines.
func parseCondition(h http.Header, name string) (Condition, *Problem) {
	values := h.Values(name)
	if len(values) == 0 {
		return Condition{}, nil
	}
	rest := strings.Trim(strings.Join(values, ","), " \t")
	if rest == "*" {
		return Condition{Any: true}, nil
	}
	var c Condition
	for {
		rest = strings.TrimLeft(rest, " \t,")
		if rest == "" {
			break
		}
		m := etagText.FindStringSubmatch(rest)
		if m == nil {
			return Condition{}, invalidHeader(name, "must be * or a list of entity tags in quotes.")
		}
		c.Tags = append(c.Tags, ETag{Weak: m[1] != "", Opaque: m[2]})
		rest = strings.TrimLeft(rest[len(m[0]):], " \t")
		if rest != "" && rest[0] != ',' {
			return Condition{}, invalidHeader(name, "must be * or a list of entity tags in quotes.")
		}
	}
	if len(c.Tags) == 0 {
		return Condition{}, invalidHeader(name, "must be * or a list of entity tags in quotes.")
	}
	return c, nil
}

var requestIDText = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// requestID is a request's identifier: the caller's own, or a new one for this instant.
func (a *API) requestID(h http.Header, at time.Time) string {
	if id := AcceptedRequestID(h); id != "" {
		return id
	}
	return a.config.Contract.NewRequestID(at)
}

// AcceptedRequestID returns the caller's X-Request-Id, or "" if there is none that is safe
// in a header, a log line and a path.
func AcceptedRequestID(h http.Header) string {
	if v := h.Values("X-Request-Id"); len(v) == 1 && requestIDText.MatchString(v[0]) {
		return v[0]
	}
	return ""
}

var traceText = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[!-~]*)?$`)

// acceptedTrace returns a valid W3C traceparent, or "".
func acceptedTrace(h http.Header) string {
	v := h.Values("Traceparent")
	if len(v) != 1 || len(v[0]) > 512 {
		return ""
	}
	m := traceText.FindStringSubmatch(v[0])
	switch {
	case m == nil, m[1] == "ff", m[1] == "00" && m[4] != "",
		m[2] == strings.Repeat("0", 32), m[3] == strings.Repeat("0", 16):
		return ""
	}
	return v[0]
}

// prefersDryRun reports whether Prefer (RFC 7240) asks for dry-run. Other preferences are
// ignored, as the RFC requires; a dry-run with a value is refused, because a wrong guess
// could move money.
func prefersDryRun(h http.Header) (bool, *Problem) {
	dry := false
	for _, item := range splitList(strings.Join(h.Values("Prefer"), ",")) {
		token, _, _ := strings.Cut(item, ";")
		name, value, valued := strings.Cut(token, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "dry-run") {
			continue
		}
		if value = strings.TrimSpace(value); valued && value != "" && value != `""` {
			return false, invalidHeader("Prefer", "must give dry-run without a value.")
		}
		dry = true
	}
	return dry, nil
}

// splitList splits a header list at commas outside of quoted strings.
func splitList(s string) []string {
	var out []string
	quoted, start := false, 0
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ',' && !quoted:
			out = append(out, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}

// negotiate picks the media type of the answer: the offer with the highest weight in
// Accept, the first one among equals. Problems are always JSON, so a caller that accepts
// only application/problem+json gets the first offer too. If nothing is acceptable it is
// "".
func negotiate(h http.Header, offers []string) string {
	values := h.Values("Accept")
	if len(values) == 0 {
		return offers[0]
	}
	ranges := map[string]float64{}
	for _, item := range splitList(strings.Join(values, ",")) {
		kind, params, _ := strings.Cut(item, ";")
		q := 1.0
		for _, p := range strings.Split(params, ";") {
			name, value, _ := strings.Cut(p, "=")
			if strings.EqualFold(strings.TrimSpace(name), "q") {
				var err error
				if q, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil || q < 0 || q > 1 {
					q = 0
				}
			}
		}
		ranges[strings.ToLower(strings.TrimSpace(kind))] = q
	}
	weight := func(offer string) float64 {
		major, _, _ := strings.Cut(offer, "/")
		for _, name := range []string{offer, major + "/*", "*/*"} {
			if q, ok := ranges[name]; ok {
				return q
			}
		}
		return 0
	}
	best, most := "", 0.0
	for _, offer := range offers {
		if q := weight(offer); q > most {
			best, most = offer, q
		}
	}
	if best == "" && ranges[MediaProblem] > 0 {
		return offers[0]
	}
	return best
}

// ContentType checks the body's media type, charset and encoding against what the operation
// accepts, and returns the media type; "" is a 415.
func ContentType(h http.Header, takes []string) string {
	values := h.Values("Content-Type")
	if len(values) != 1 {
		return ""
	}
	for _, e := range splitList(strings.Join(h.Values("Content-Encoding"), ",")) {
		if e != "" && !strings.EqualFold(e, "identity") {
			return ""
		}
	}
	kind, params, err := mime.ParseMediaType(values[0])
	if err != nil {
		return ""
	}
	if cs, ok := params["charset"]; ok && !strings.EqualFold(cs, "utf-8") {
		return ""
	}
	for _, t := range takes {
		if t == kind {
			return kind
		}
	}
	return ""
}
