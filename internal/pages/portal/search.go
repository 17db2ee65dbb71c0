package portal

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// index is what is searched: pages, and the headings of Markdown pages. It is in memory; the
// search sends nothing.
type index struct {
	entries []entry
	words   map[string]bool // of all of them
}

type entry struct {
	hit
	title, text string // in lower case
}

// hit is a search result.
type hit struct {
	Kind, Title, Path, Summary string
}

// searchView is the page of a search.
type searchView struct {
	Hits  []hit
	Meant string // the words searched for instead of those entered, "" if they are the same
	Max   int
}

const (
	maxHits  = 50 // results shown
	maxWords = 16 // words of a query used
	maxWord  = 60 // maximum bytes of a word for typo correction
)

func (x *index) add(p *page) {
	text := p.text
	for _, part := range p.parts {
		if part.title == "" {
			text += " " + part.text
			continue
		}
		h := hit{p.kind, p.title + ": " + part.title, p.path + "#" + part.anchor, part.lead}
		x.put(h, part.text)
	}
	for _, term := range p.terms {
		h := hit{"Word", term.title, p.path, term.lead}
		x.put(h, term.text)
	}
	x.put(hit{p.kind, p.title, p.path, p.summary}, p.summary+" "+text)
}

func (x *index) put(h hit, text string) {
	e := entry{h, strings.ToLower(h.Title), strings.ToLower(text)}
	x.entries = append(x.entries, e)
	if x.words == nil {
		x.words = map[string]bool{}
	}
	for _, w := range strings.FieldsFunc(e.title+" "+e.text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) <= maxWord {
			x.words[w] = true
		}
	}
}

// find returns what contains every word of a query, best first: pages with that title, then those
// whose title contains the words, then those whose text does. An unknown word is replaced by the
// most similar one; meant are then the words used.
func (x *index) find(query string) (hits []hit, meant string) {
	query = strings.ToLower(strings.TrimSpace(query))
	words := strings.Fields(query)
	if len(words) == 0 {
		return nil, ""
	}
	words = words[:min(len(words), maxWords)]
	if mended, changed := x.mend(words); changed {
		words, query = mended, strings.Join(mended, " ")
		meant = query
	}
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
	for _, f := range found[:min(len(found), maxHits)] {
		hits = append(hits, f.hit)
	}
	return hits, meant
}

// mend replaces unknown words with the most similar ones.
func (x *index) mend(words []string) (mended []string, changed bool) {
	mended = slices.Clone(words)
	for i, w := range mended {
		if slices.ContainsFunc(x.entries, func(e entry) bool { return strings.Contains(e.title, w) || strings.Contains(e.text, w) }) {
			continue
		}
		if near := x.near(w); near != "" {
			mended[i], changed = near, true
		}
	}
	return mended, changed
}

// near returns the word most similar to another: with one typo, or two in a long word. Among
// equally similar ones it prefers the longest common prefix, then alphabetical order. "" is none.
func (x *index) near(w string) string {
	most := 0
	switch n := len([]rune(w)); {
	case n >= 8:
		most = 2
	case n >= 4:
		most = 1
	}
	best, distance := "", most+1
	for known := range x.words {
		if abs(len(known)-len(w)) > 2*most {
			continue
		}
		d := typos(w, known, most)
		if d > most || d > distance {
			continue
		}
		if d < distance || better(known, best, w) {
			best, distance = known, d
		}
	}
	return best
}

// better reports whether a word is preferred to another one that is equally similar to w.
func better(a, b, w string) bool {
	if x, y := begins(a, w), begins(b, w); x != y {
		return x > y
	}
	return a < b
}

// begins returns the length of two words' common prefix in bytes.
func begins(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func abs(n int) int { return max(n, -n) }

// typos returns how many letters are missing, extra, wrong or swapped with their neighbor between
// two words: the optimal string alignment distance. If it exceeds most, it returns most+1.
func typos(a, b string, most int) int {
	s, t := []rune(a), []rune(b)
	if abs(len(s)-len(t)) > most {
		return most + 1
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most+1 {
			return most + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(t)], most+1)
}

// score returns 0 if a word is missing.
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
