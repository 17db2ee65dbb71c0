package screens

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	maxPlays = 20              // that are remembered; the oldest makes room
	maxLines = 2000            // of one play
	playTime = 4 * time.Minute // for one; the API itself gives less
)

// play is a scenario that is played, or was. It is an answer of the API, read while it is
// written.
type play struct {
	id, name string
	by       *session // who asked for it: nobody else sees it

	mu     sync.Mutex
	header http.Header
	status int
	rest   []byte // of a line that has not ended
	lines  []playLine
	ended  bool
}

// playLine is a line of a scenario: a call, or at the end the result.
type playLine struct {
	Say         string       `json:"say"`
	As          string       `json:"as"`
	Method      string       `json:"method"`
	Path        string       `json:"path"`
	Status      int          `json:"status"`
	Event       string       `json:"event"`  // that was waited for
	Passed      *bool        `json:"passed"` // of the result
	Differences []difference `json:"differences"`
	Code        string       `json:"code"` // of a problem instead
	Title       string       `json:"title"`
}

// difference is what is not as it must be.
type difference struct {
	What     string `json:"what"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// Header is http.ResponseWriter.
func (p *play) Header() http.Header { return p.header }

// WriteHeader is http.ResponseWriter.
func (p *play) WriteHeader(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.status == 0 {
		p.status = status
	}
}

// Write is http.ResponseWriter.
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

// Flush is http.Flusher: what is written is there at once.
func (p *play) Flush() {}

func (p *play) add(line []byte) {
	var l playLine
	if len(p.lines) < maxLines && json.Unmarshal(line, &l) == nil {
		p.lines = append(p.lines, l)
	}
}

func (p *play) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(p.rest) // a problem has no line's end
	p.ended = true
}

// plays are the scenarios that were played by these pages.
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

// scenariosView is the page of all scenarios.
type scenariosView struct{ Scenarios []scenarioRow }

type scenarioRow struct {
	Name    string `json:"name"`
	Purpose string `json:"purpose"`
}

func (s *Screens) scenariosPage(v *visit) {
	var all list[scenarioRow]
	if err := v.get(pathOf("sandbox", "scenarios"), &all); err != nil {
		v.refused(err)
		return
	}
	v.page("scenarios", frame{Title: s.say("scenarios.title"), Path: "/sandbox/scenarios", Main: scenariosView{all.Data}})
}

// runScenario begins to play one, and leads to the page that shows how far it is. It goes
// on if nobody looks.
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

// playView is the page of a scenario that is played.
type playView struct {
	Name   string
	Path   string
	Ended  bool
	Passed bool
	Failed []difference // what is not as it must be
	Code   string       // why it was not played, with its title
	Title  string
	Lines  []playLine
}

func (s *Screens) playPage(v *visit) {
	p := s.plays.find(v.r.PathValue("id"), v.session)
	if p == nil {
		s.failure(v.w, v.r, http.StatusNotFound)
		return
	}
	p.mu.Lock()
	m := playView{Name: p.name, Path: "/sandbox/scenarios/" + p.id, Ended: p.ended}
	for _, l := range p.lines {
		switch {
		case l.Passed != nil:
			m.Passed, m.Failed = *l.Passed, l.Differences
		case l.Code != "":
			m.Code, m.Title = l.Code, l.Title
		default:
			m.Lines = append(m.Lines, l)
		}
	}
	p.mu.Unlock()
	v.page("play", frame{Title: s.say("play.title", p.name), Path: "/sandbox/scenarios", Main: m})
}
