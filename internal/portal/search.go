package portal

import (
	"cmp"
	"slices"
	"strings"
)

// index is what is searched: pages, and the headings of pages in Markdown. It is
// read from memory; no request leaves the program.
type index struct{ entries []entry }

type entry struct {
	hit
	title, text string // in lower case
}

// hit is what a search shows.
type hit struct {
	Kind, Title, Path, Summary string
}

// searchView is the page of a search.
type searchView struct {
	Hits []hit
	Max  int
}

const (
	maxHits  = 50 // results that are shown
	maxWords = 16 // words of a query that are looked for
)

func (x *index) add(p *page) {
	text := p.text
	for _, part := range p.parts {
		if part.title == "" {
			text += " " + part.text
			continue
		}
		h := hit{p.kind, p.title + ": " + part.title, p.path + "#" + part.anchor, part.lead}
		x.entries = append(x.entries, entry{h, strings.ToLower(h.Title), strings.ToLower(part.text)})
	}
	for _, term := range p.terms {
		h := hit{"Word", term.title, p.path, term.lead}
		x.entries = append(x.entries, entry{h, strings.ToLower(h.Title), strings.ToLower(term.text)})
	}
	h := hit{p.kind, p.title, p.path, p.summary}
	x.entries = append(x.entries, entry{h, strings.ToLower(p.title), strings.ToLower(p.summary + " " + text)})
}

// find lists what holds every word of a query, the best first: pages that are
// called so, then those whose title has the words, then those whose text has.
func (x *index) find(query string) []hit {
	query = strings.ToLower(strings.TrimSpace(query))
	words := strings.Fields(query)
	if len(words) == 0 {
		return nil
	}
	words = words[:min(len(words), maxWords)]
	type scored struct {
		hit
		score int
	}
	var found []scored
	for _, e := range x.entries {
		if n := e.score(query, words); n > 0 {
			found = append(found, scored{e.hit, n})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var hits []hit
	for _, f := range found[:min(len(found), maxHits)] {
		hits = append(hits, f.hit)
	}
	return hits
}

// score is 0 if a word is missing.
func (e *entry) score(query string, words []string) int {
	total := 0
	for _, w := range words {
		switch {
		case strings.Contains(e.title, w):
			total += 10
		case strings.Contains(e.text, w):
			total++
		default:
			return 0
		}
	}
	switch {
	case e.title == query:
		total += 100
	case strings.HasPrefix(e.title, query):
		total += 20
	case strings.Contains(e.text, query):
		total += 2
	}
	return total
}
