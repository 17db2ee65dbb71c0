package console

import (
	"encoding/base64"
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/permit"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

const (
	pageOf = 50 // rows of a list
	// summed is up to how many rows a list is counted and summed: beyond, a filter is wanted.
	summed = 2000
)

// narrowed is the filter of a list, which its address holds: what is given of some names.
func (v *visit) narrowed(names ...string) url.Values {
	out, given := url.Values{}, v.r.URL.Query()
	for _, name := range names {
		if text := strings.TrimSpace(given.Get(name)); text != "" {
			out.Set(name, text)
		}
	}
	return out
}

// filterOf is the form of a filter: a GET, so that the address holds all of it. Kept are the names
// that come from a link or a search, and have no field.
func (v *visit) filterOf(section string, q url.Values, fields []design.Field, kept ...string) *filter {
	f := &filter{Action: Prefix + "/" + section, Fields: fields, Go: design.Button{Text: v.say("filter.go"), Emphasis: design.Outline}}
	for _, name := range kept {
		if x := q.Get(name); x != "" {
			f.Kept = append(f.Kept, [2]string{name, x})
		}
	}
	if len(q) > 0 {
		f.Clear = &design.Button{Text: v.say("filter.clear"), Href: Prefix + "/" + section, Emphasis: design.Ghost}
	}
	return f
}

// oneOf is a field of a filter with a list of values, whose texts begin with a name.
func (v *visit) oneOf(q url.Values, name, texts string, values ...string) design.Field {
	f := design.Field{Name: name, Label: v.say("filter." + name), Value: q.Get(name), Options: []design.Option{{Text: v.say("filter.any")}}}
	for _, x := range values {
		f.Options = append(f.Options, design.Option{Value: x, Text: v.say(texts + "." + x)})
	}
	return f
}

// typedIn is a field of a filter for a text or a day.
func (v *visit) typedIn(q url.Values, name, kind string) design.Field {
	f := design.Field{Name: name, Label: v.say("filter." + name), Value: q.Get(name), Type: kind}
	if kind == "" {
		f.Max = pages.MaxAnswer
	}
	return f
}

// oldest reports whether the address asks for the oldest rows first.
func (v *visit) oldest() bool { return v.r.URL.Query().Get("sort") == "oldest" }

// sorted is the field of a filter that says which rows come first.
func (v *visit) sorted(q url.Values) design.Field {
	return design.Field{Name: "sort", Label: v.say("filter.sort"), Value: q.Get("sort"), Options: []design.Option{{Text: v.say("sort.newest")}, {Value: "oldest", Text: v.say("sort.oldest")}}}
}

// position is the place in a list after which a page begins; one that cannot be read is its start.
func (v *visit) position() (p store.Page) {
	p.Oldest = v.oldest()
	raw, err := base64.RawURLEncoding.DecodeString(v.r.URL.Query().Get("after"))
	at, id, found := strings.Cut(string(raw), " ")
	micro, bad := strconv.ParseInt(at, 10, 64)
	if err == nil && bad == nil && found {
		p.AfterAt, p.AfterID = time.UnixMicro(micro).UTC(), id
	}
	return p
}

func placed(at time.Time, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at.UnixMicro(), 10) + " " + id))
}

// older is the way to the rows after the last that is shown: older ones, or newer.
func (v *visit) older(section string, q url.Values, at time.Time, id string) []design.Button {
	next := url.Values{"after": {placed(at, id)}}
	text := v.say("older")
	if v.oldest() {
		text = v.say("newer")
	}
	return []design.Button{{Text: text, Href: Prefix + "/" + section + "?" + strings.TrimPrefix(q.Encode()+"&"+next.Encode(), "&")}}
}

// asFile is the way to the list as a file, nil for those who may not export.
func (v *visit) asFile(section string, q url.Values) *design.Button {
	if v.visitor.May(permit.Export) == permit.None {
		return nil
	}
	return &design.Button{Text: v.say("list.csv"), Small: true, Href: Prefix + "/" + section + ".csv?" + q.Encode()}
}

// file writes a list as CSV, row by row as its filter says: read writes the rows after a place, and
// returns how many they were and the place of the last. That it was exported is in the audit log
// before its first row leaves.
func (v *visit) file(name, operation string, q url.Values, columns []string, read func(*csv.Writer, store.Page) (int, store.Page, error)) error {
	if err := v.desk().Record(v.r.Context(), v.visitor, operation, q.Encode(), v.address); err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	out := csv.NewWriter(v.w)
	_ = out.Write(columns)
	rows, at := 0, store.Page{}
	for {
		at.Limit, at.Oldest = 500, v.oldest()
		n, next, err := read(out, at)
		if err != nil && v.config.Log != nil {
			v.config.Log.Error("an export broke off", "list", name, "rows", rows, "error", err.Error())
		}
		if err != nil {
			panic(http.ErrAbortHandler) // a file that ends early must not look whole
		}
		if out.Flush(); n == 0 {
			return nil
		}
		if rows, at = rows+n, next; rows >= v.exported { // a row of one cell: no program takes the file for whole
			_ = out.Write([]string{v.say("list.cut", rows)})
			out.Flush()
			return nil
		}
	}
}
