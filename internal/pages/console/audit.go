package console

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/permit"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// readAudit reads the filter of the address. What cannot be read names no row.
func (v *visit) readAudit() (q url.Values, f store.AuditFilter, ok bool) {
	q = v.narrowed("who", "object", "command", "company", "from", "to")
	f = store.AuditFilter{Client: q.Get("who"), Object: q.Get("object"), Command: q.Get("command")}
	from, okFrom := v.dayOf("from", calendar.None)
	to, okTo := v.dayOf("to", calendar.None)
	if okFrom && from != calendar.None {
		f.From = v.desk().Zone.Start(from)
	}
	if okTo && to != calendar.None {
		f.To = v.desk().Zone.Start(to.AddDays(1))
	}
	ok = okFrom && okTo
	if text := q.Get("company"); text != "" {
		id, err := strconv.ParseInt(text, 10, 64)
		f.Company, ok = id, ok && err == nil && id > 0
	}
	return q, f, ok
}

// auditAt is the place in the log before which a page begins.
func (v *visit) auditAt() int64 {
	q, err := strconv.ParseInt(v.r.URL.Query().Get("before"), 10, 64)
	if err != nil || q <= 0 {
		return store.Latest
	}
	return q
}

// audit lists the audit log, newest first, by the filter of the address.
func (v *visit) audit() error {
	q, f, ok := v.readAudit()
	var list []store.AuditRow
	if ok {
		if err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
			list, err = store.ListAudits(w, f, v.auditAt(), pageOf+1)
			return err
		}); err != nil {
			return err
		}
	}
	title := v.say("nav.audit")
	p := page{Shell: v.shell("audit", title), Title: design.Title{Text: title, Lead: v.say("audit.lead")}, Filter: v.filterOf("audit", q, []design.Field{
		v.typedIn(q, "who", ""), v.typedIn(q, "object", ""), v.typedIn(q, "command", ""), v.typedIn(q, "from", "date"), v.typedIn(q, "to", "date"),
	}, "company")}
	if ok {
		p.Title.Act = &design.Button{Text: v.say("list.csv"), Small: true, Href: Prefix + "/audit.csv?" + q.Encode()}
	}
	if len(list) > pageOf {
		list = list[:pageOf]
		next := url.Values{"before": {strconv.FormatInt(list[pageOf-1].Q, 10)}}
		p.Acts = []design.Button{{Text: v.say("older"), Href: Prefix + "/audit?" + strings.TrimPrefix(q.Encode()+"&"+next.Encode(), "&")}}
	}
	t, err := v.auditTable(list)
	if err != nil {
		return err
	}
	p.Tables = []titled{{ID: "list", Table: t}}
	return v.show(http.StatusOK, p)
}

func (v *visit) auditTable(list []store.AuditRow) (design.Table, error) {
	t := design.Table{Caption: v.say("nav.audit"), Columns: []design.Column{
		{Text: v.say("audit.what")}, {Text: v.say("audit.who"), From: "sm"}, {Text: v.say("audit.at"), From: "md"}, {Text: v.say("audit.result"), From: "sm"},
	}, Empty: &design.Empty{Text: v.say("audit.none"), Act: &design.Button{Text: v.say("audit.all"), Href: Prefix + "/audit"}, Command: "tenor audit list"}}
	for _, a := range list {
		who, err := v.who(a.Actor.Client)
		if err != nil {
			return t, err
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: worded(a.Command), Detail: a.Object, Href: Prefix + "/audit/" + strconv.FormatInt(a.Q, 10), Narrow: who, Below: v.result(a)}, {Text: who}, {Text: v.moment(a.At), Soft: true}, {Badge: v.result(a)},
		}})
	}
	return t, nil
}

func (v *visit) result(a store.AuditRow) *design.Badge {
	if a.Result == "ok" {
		return &design.Badge{Tone: design.Good, Text: v.say("audit.done")}
	}
	return &design.Badge{Tone: design.Warn, Text: worded(a.Result)}
}

// auditRow shows one row: who did what, why, and what changed by it.
func (v *visit) auditRow() error {
	n, err := strconv.ParseInt(v.r.PathValue("row"), 10, 64)
	if err != nil || n <= 0 || n >= store.Latest {
		return v.bare(http.StatusNotFound, "lost")
	}
	var list []store.AuditRow
	if err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		list, err = store.ListAudits(w, store.AuditFilter{}, n+1, 1)
		return err
	}); err != nil {
		return err
	}
	if len(list) == 0 || list[0].Q != n {
		return v.bare(http.StatusNotFound, "lost")
	}
	a := list[0]
	who, err := v.who(a.Actor.Client)
	if err != nil {
		return err
	}
	command, told, err := journal.SplitAct(a.Payload)
	title := worded(a.Command)
	p := page{
		Shell: v.shell("audit", title), Crumbs: []design.Link{{Text: v.say("nav.audit"), Href: Prefix + "/audit"}, {Text: title}},
		Title: design.Title{Text: title, Lead: v.say("audit.by", who, v.moment(a.At)), Badge: v.result(a)},
	}
	if err != nil { // a form that this program does not know; verify reports it
		p.Notice = &design.Notice{Tone: design.Bad, Icon: "triangle-alert", Title: v.say("audit.unread")}
		return v.show(http.StatusOK, p)
	}
	p.Facts = v.auditFacts(a, told, journal.ShownCommand(command))
	p.Tables = []titled{{ID: "changes", Title: v.say("audit.changes"), Table: v.memberTable(told)}}
	if at := leads(a.Object); at != "" {
		p.TopActs = []design.Button{{Text: v.say("approval.open"), Href: at}}
	}
	return v.show(http.StatusOK, p)
}

func (v *visit) auditFacts(a store.AuditRow, told journal.Told, command journal.Members) (out []design.Fact) {
	alone := ""
	if told.Alone {
		alone = v.say("audit.alone")
	}
	for _, f := range [][2]string{
		{"audit.why", told.Reason}, {"audit.object", a.Object}, {"audit.approval", told.Approval}, {"audit.by.id", a.Actor.Client}, {"audit.merchant", a.Actor.Merchant},
		{"audit.address", a.Address}, {"audit.request", a.Actor.RequestID}, {"audit.two", alone}, {"audit.seq", strconv.FormatInt(a.Q, 10)},
	} {
		if f[1] != "" {
			out = append(out, design.Fact{Label: v.say(f[0]), Text: f[1]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(command)) {
		if text := plainly(command[name]); text != "" {
			out = append(out, design.Fact{Label: worded(name), Text: text})
		}
	}
	return out
}

// exactly is a member's value before or after: zero and false are values, too.
func exactly(value json.RawMessage) string {
	text := strings.Trim(string(value), `"`)
	if text == "null" || text == "" {
		return "–"
	}
	return text
}

// plainly is a member's value as people read it, "" for none: most members of a command are empty.
func plainly(value json.RawMessage) string {
	text := strings.Trim(string(value), `"`)
	if slices.Contains([]string{"null", "", "[]", "{}", "0", "0.00", "false"}, text) {
		return ""
	}
	return text
}

// memberTable is what changed, member by member.
func (v *visit) memberTable(told journal.Told) design.Table {
	t := design.Table{Caption: v.say("audit.changes"), Columns: []design.Column{{Text: v.say("act.what")}, {Text: v.say("act.before")}, {Text: v.say("act.after")}}, Empty: &design.Empty{Text: v.say("audit.unchanged")}}
	for _, record := range slices.Sorted(maps.Keys(told.Is)) {
		was, is := journal.Shown(told.Was[record]), journal.Shown(told.Is[record])
		for _, name := range slices.Sorted(maps.Keys(is)) {
			t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: worded(name), Detail: record}, {Text: exactly(was[name]), Soft: true}, {Text: exactly(is[name]), Strong: true}}})
		}
	}
	return t
}

// auditCSV is the log as a file.
func (v *visit) auditCSV() error {
	q, f, ok := v.readAudit()
	if !ok {
		return v.bare(http.StatusNotFound, "lost")
	}
	before := v.auditAt()
	return v.file("audit", "exportAudit", q, []string{"commit_seq", "at", "client_id", "merchant_id", "company_id", "command", "object", "result", "reason", "approval_id", "alone", "address", "request_id"},
		func(out *csv.Writer, at store.Page) (n int, next store.Page, err error) {
			err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
				list, err := store.ListAudits(w, f, before, at.Limit)
				for _, a := range list {
					_, told, err := journal.SplitAct(a.Payload)
					if err != nil {
						told = journal.Told{} // verify reports it
					}
					company := ""
					if a.Company != 0 {
						company = strconv.FormatInt(a.Company, 10)
					}
					if err := out.Write([]string{
						strconv.FormatInt(a.Q, 10), a.At.UTC().Format(time.RFC3339Nano), a.Actor.Client, a.Actor.Merchant, company, a.Command, web.PlainCell(a.Object), a.Result,
						web.PlainCell(told.Reason), told.Approval, strconv.FormatBool(told.Alone), a.Address, web.PlainCell(a.Actor.RequestID),
					}); err != nil {
						return err
					}
					before = a.Q
				}
				n = len(list)
				return err
			})
			return n, at, err
		})
}

// auditOf is the way from an object to what was done with it, for those who read the log.
func (v *visit) auditOf(name, value string) []design.Button {
	if v.visitor.May(permit.Audit) == permit.None {
		return nil
	}
	return []design.Button{{Text: v.say("nav.audit"), Emphasis: design.Ghost, Icon: "history", Href: Prefix + "/audit?" + url.Values{name: {value}}.Encode()}}
}
