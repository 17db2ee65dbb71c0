package sandboxui

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"tenor/internal/ui/design"
)

const (
	maxPlays = 20              // remembered; the oldest is dropped
	maxLines = 2000            // per play
	playTime = 4 * time.Minute // per play; the API itself allows less
)

// play is a scenario that is running or has run. It is an API response that is read while it is
// written.
type play struct {
	id, name string
	by       *session // who started it: nobody else sees it

	mu     sync.Mutex
	header http.Header
	status int
	rest   []byte // of an incomplete line
	lines  []playLine
	seen   map[string]json.RawMessage // latest state of an object, by ID
	order  []string                   // in order of arrival
	ended  bool
}

// playLine is a line of a scenario: a call, or the result at the end.
type playLine struct {
	Say         string       `json:"say"`
	As          string       `json:"as"`
	Method      string       `json:"method"`
	Path        string       `json:"path"`
	Status      int          `json:"status"`
	Event       string       `json:"event"`  // awaited
	Passed      *bool        `json:"passed"` // in the result
	Differences []difference `json:"differences"`
	Code        string       `json:"code"` // of a problem instead
	Title       string       `json:"title"`
	Step        int          `json:"step"` // 0: the runner's own
	At          time.Time    `json:"at"`

	Request json.RawMessage `json:"request"`
	Answer  json.RawMessage `json:"answer"`
	about   string          // ID of the object in the response, "" if none
	amount  string
	state   string // status of the object at that time
}

// difference is an unexpected value.
type difference struct {
	What     string `json:"what"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// Header implements http.ResponseWriter.
func (p *play) Header() http.Header { return p.header }

// WriteHeader implements http.ResponseWriter.
func (p *play) WriteHeader(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.status == 0 {
		p.status = status
	}
}

// Write implements http.ResponseWriter.
func (p *play) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest = append(p.rest, b...)
	for {
		line, rest, whole := bytes.Cut(p.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		p.rest = rest
		p.add(line)
	}
}

// Flush implements http.Flusher: written data is available at once.
func (p *play) Flush() {}

func (p *play) add(line []byte) {
	var l playLine
	if len(p.lines) < maxLines && json.Unmarshal(line, &l) == nil {
		p.learn(&l)
		p.lines = append(p.lines, l)
	}
}

// Limits on what is remembered of the objects of one play.
const (
	maxObjects = 100
	maxObject  = 64 << 10 // bytes of one
)

// learn records what a response contains about an object, or about several in a list.
func (p *play) learn(l *playLine) {
	answer := l.Answer
	l.Request, l.Answer = nil, nil
	var x thing
	_ = json.Unmarshal(answer, &x) // a response in another format is about no object
	if id := cmp.Or(x.Key, x.ID); kindOf(id) != "" {
		l.about, l.amount, l.state = id, x.amount(), x.Status
		p.remember(id, answer)
		return
	}
	var many list[json.RawMessage]
	if json.Unmarshal(answer, &many) != nil {
		return
	}
	for _, one := range many.Data {
		var x thing
		if json.Unmarshal(one, &x) == nil && kindOf(cmp.Or(x.Key, x.ID)) != "" {
			p.remember(cmp.Or(x.Key, x.ID), one)
		}
	}
}

func (p *play) remember(id string, said json.RawMessage) {
	if p.seen == nil {
		p.seen = map[string]json.RawMessage{}
	}
	if _, known := p.seen[id]; !known {
		if len(p.order) >= maxObjects {
			return
		}
		p.order = append(p.order, id)
	}
	if len(said) <= maxObject {
		p.seen[id] = bytes.Clone(said)
	}
}

func (p *play) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(p.rest) // a problem does not end with a newline
	p.ended = true
}

// plays are the scenarios played by these pages.
type plays struct {
	mu   sync.Mutex
	list []*play // oldest first
}

func (x *plays) keep(p *play) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.list = append(x.list, p)
	if n := len(x.list) - maxPlays; n > 0 {
		x.list = slices.Delete(x.list, 0, n)
	}
}

func (x *plays) find(id string, by *session) *play {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := slices.IndexFunc(x.list, func(p *play) bool { return p.id == id && p.by == by }); i >= 0 {
		return x.list[i]
	}
	return nil
}

// of adds to scenarios their state in a session.
func (x *plays) of(by *session, rows []scenarioRow) []scenarioRow {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range rows {
		for _, p := range x.list {
			if p.by == by && p.name == rows[i].Name {
				rows[i].Path, rows[i].State = "/sandbox/scenarios/"+p.id, p.became()
			}
		}
	}
	return rows
}

// became returns how a play ended: "" while it is running.
func (p *play) became() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lines {
		if l.Passed != nil && *l.Passed {
			return "passed"
		}
	}
	if p.ended {
		return "failed"
	}
	return "playing"
}

// scenariosView is the page of all scenarios.
type scenariosView struct{ Scenarios []scenarioRow }

type scenarioRow struct {
	Name    string `json:"name"`
	Purpose string `json:"purpose"`
	Path    string `json:"-"` // of the last play, "" if there is none
	State   string `json:"-"`
}

// typeset converts the descriptions of scenarios to the typography of pages.
func typeset(rows []scenarioRow) {
	for i := range rows {
		rows[i].Purpose = design.Curly(rows[i].Purpose)
	}
}

func (s *Screens) scenariosPage(v *visit) {
	var all list[scenarioRow]
	if err := v.get(pathOf("sandbox", "scenarios"), &all); err != nil {
		v.refused(err)
		return
	}
	typeset(all.Data)
	v.page("scenarios", frame{Title: s.say("scenarios.title"), Path: "/sandbox/scenarios", Main: scenariosView{s.plays.of(v.session, all.Data)}})
}

// runScenario starts a scenario, and redirects to the page that shows its progress. It continues
// if nobody looks.
func (s *Screens) runScenario(v *visit) {
	p := &play{id: rand.Text(), name: v.r.PathValue("name"), by: v.session, header: http.Header{}}
	path := pathOf("sandbox", "scenarios", p.name, "run")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), playTime)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.config.BaseURL+path, http.NoBody)
	if err != nil {
		cancel()
		v.refused(err)
		return
	}
	r.RequestURI, r.RemoteAddr = path, v.r.RemoteAddr
	r.Header.Set("Authorization", "Bearer "+v.session.token)
	s.plays.keep(p)
	go func() {
		defer cancel()
		defer p.end()
		s.config.API.ServeHTTP(p, r)
	}()
	v.goTo("/sandbox/scenarios/"+p.id, nil)
}

// playView is the page of a running scenario.
type playView struct {
	Name   string
	Path   string
	Ended  bool
	Passed bool
	Failed []difference // unexpected values
	Code   string       // why it was not played, with its title
	Title  string
	Before []playRow // preparation
	Lines  []playRow // the story
	After  []playRow // comparison
	Things []thingRow
}

// playRow is a line as shown on the page.
type playRow struct {
	playLine
	When   moment
	About  *design.Link
	Amount string
	State  *design.Badge
	Answer design.Badge // the outcome of the call
}

// thingRow is an object of the story, as last seen.
type thingRow struct {
	Link   design.Link
	Kind   string
	Detail string // distinguishes several with the same name
	Amount string
	Badges []design.Badge
}

func (s *Screens) playPage(v *visit) {
	p := s.plays.find(v.r.PathValue("id"), v.session)
	if p == nil {
		s.failure(v.w, v.r, http.StatusNotFound)
		return
	}
	p.mu.Lock()
	m := playView{Name: p.name, Path: "/sandbox/scenarios/" + p.id, Ended: p.ended}
	begun := false
	for _, l := range p.lines {
		switch begun = begun || l.Step > 0; {
		case l.Passed != nil:
			m.Passed, m.Failed = *l.Passed, l.Differences
		case l.Code != "":
			m.Code, m.Title = l.Code, l.Title
		case l.Step == 0 && !begun:
			m.Before = append(m.Before, s.playRow(p, l))
		case l.Step == 0:
			m.After = append(m.After, s.playRow(p, l))
		default:
			m.Lines = append(m.Lines, s.playRow(p, l))
		}
	}
	for _, id := range p.order {
		kind := kindOf(id)
		x := s.objectOf(kind, id, p.seen[id], p.find)
		m.Things = append(m.Things, thingRow{design.Link{Text: s.nameOf(kind, p.seen[id], id, p.names()), Href: p.link(kind, id)}, kind, s.detailOf(kind, p.seen[id]), x.Amount, x.Badges})
	}
	p.mu.Unlock()
	v.page("play", frame{Title: s.say("play.title", p.name), Path: "/sandbox/scenarios", Main: m})
}

// names returns the numbers of the orders that a play has seen, by key.
func (p *play) names() map[string]string {
	out := map[string]string{}
	for id, said := range p.seen {
		var x thing
		if kindOf(id) == "order" && json.Unmarshal(said, &x) == nil {
			out[id] = x.MerchantOrderID
		}
	}
	return out
}

// link returns the page of an object as last seen by a play, "" if it has not been seen.
func (p *play) link(kind, id string) string {
	if _, known := p.seen[id]; !known || kindOf(id) != kind {
		return ""
	}
	return "/sandbox/scenarios/" + p.id + "/" + url.PathEscape(kind) + "/" + url.PathEscape(id)
}

// find is a finder for what a play has seen.
func (p *play) find(kind, id string) (said json.RawMessage, href string) {
	return p.seen[id], p.link(kind, id)
}

func (s *Screens) playRow(p *play, l playLine) playRow {
	row := playRow{playLine: l, Amount: l.amount, Answer: design.Badge{Tone: design.Good, Text: strconv.Itoa(l.Status)}}
	if l.Status >= 300 {
		row.Answer.Tone = design.Warn
	}
	row.Say = design.Curly(l.Say)
	if l.At.Year() > 1 {
		row.When = s.business(l.At)
	}
	if kind := kindOf(l.about); kind != "" {
		row.About = &design.Link{Text: s.nameOf(kind, p.seen[l.about], l.about, nil), Href: p.link(kind, l.about)}
		if l.state != "" {
			b := statusOf(l.state)
			row.State = &b
		}
	}
	return row
}

// playObjectPage shows an object as last seen by a play.
func (s *Screens) playObjectPage(v *visit) {
	p := s.plays.find(v.r.PathValue("id"), v.session)
	kind, id := v.r.PathValue("kind"), v.r.PathValue("object")
	if p == nil {
		s.failure(v.w, v.r, http.StatusNotFound)
		return
	}
	p.mu.Lock()
	known, said := p.link(kind, id) != "", p.seen[id]
	m := s.objectOf(kind, id, said, p.find)
	p.mu.Unlock()
	if !known {
		s.failure(v.w, v.r, http.StatusNotFound)
		return
	}
	m.Recorded, m.Back = true, &design.Link{Text: s.say("play.title", p.name), Href: "/sandbox/scenarios/" + p.id}
	v.page("object", frame{Title: s.nameOf(kind, said, id, nil), Path: "/sandbox/scenarios", Main: m})
}
