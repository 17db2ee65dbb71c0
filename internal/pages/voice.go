package pages

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
)

// Voice is a language in which pages are shown, with all that they say in it.
type Voice struct {
	Language  design.Language
	Texts     Texts
	Templates *template.Template
}

// Voices are all of them, the usual one first.
type Voices []Voice

// LoadVoices makes the voices of a package's pages, of its templates below templates/. load
// reads a catalog; nil is LoadTexts.
func LoadVoices(files fs.FS, load func(design.Language) (Texts, error)) (Voices, error) {
	if load == nil {
		load = LoadTexts
	}
	var all Voices
	for _, l := range design.Languages() {
		texts, err := load(l)
		if err != nil {
			return nil, err
		}
		parts, err := Templates(l, texts)
		if err != nil {
			return nil, err
		}
		if parts, err = parts.ParseFS(files, "templates/*.html"); err != nil {
			return nil, fmt.Errorf("pages: %w", err)
		}
		all = append(all, Voice{l, texts, parts})
	}
	return all, nil
}

// Usual is the voice of the papers, and of a visitor of whom nothing else is known.
func (all Voices) Usual() Voice { return all[0] }

// of is the voice for a language tag: the same, or the same language of another place.
func (all Voices) of(tag string) (Voice, bool) {
	for _, exact := range []bool{true, false} {
		for _, v := range all {
			if strings.EqualFold(tag, string(v.Language)) || !exact && strings.EqualFold(primary(tag), primary(string(v.Language))) {
				return v, true
			}
		}
	}
	return Voice{}, false
}

// primary is the language of a tag without its place: es of es-MX.
func primary(tag string) string {
	tag, _, _ = strings.Cut(tag, "-")
	return tag
}

// maxWishes is how many languages of a browser are looked at.
const maxWishes = 20

// preferred is what fits a browser's Accept-Language best.
func (all Voices) preferred(header string) Voice {
	type wish struct {
		tag string
		q   float64
	}
	var wishes []wish
	for _, part := range strings.SplitN(header, ",", maxWishes) {
		tag, params, _ := strings.Cut(part, ";")
		w := wish{strings.TrimSpace(tag), 1}
		if q, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			w.q, _ = strconv.ParseFloat(q, 64) // what is no number is no wish
		}
		if w.q > 0 {
			wishes = append(wishes, w)
		}
	}
	slices.SortStableFunc(wishes, func(a, b wish) int { return cmp.Compare(b.q, a.q) })
	for _, w := range wishes {
		if v, ok := all.of(w.tag); ok {
			return v
		}
	}
	return all.Usual()
}

// langName is the name of the query with which an address asks for a language.
const langName = "lang"

// Greet sets the language before anything is known of who asks: what the address asks for,
// else what the browser prefers.
func (c *Call) Greet(all Voices) {
	voice := all.preferred(c.R.Header.Get("Accept-Language"))
	c.Preferred = voice.Language
	if asked, ok := all.of(c.R.URL.Query().Get(langName)); ok {
		voice = asked
	}
	c.speak(voice)
}

// Choose sets the language once the session is known, which keeps what an address has asked
// for.
func (c *Call) Choose(all Voices) error {
	if c.Session == nil {
		c.chooseLate(all)
		return nil
	}
	kept, known := all.of(c.Session.Language)
	asked, ok := all.of(c.R.URL.Query().Get(langName))
	if ok && c.fromHere() {
		c.asked = asked.Language
	}
	switch {
	case ok && c.Session.Language != string(asked.Language):
		c.Session.Language = string(asked.Language)
		if err := c.Desk.Save(c.Ctx(), c.Session); err != nil && !errors.Is(err, buyer.ErrRaced) {
			return err
		}
	case !ok && known:
		c.speak(kept)
	}
	return nil
}

// chooseLate sets the language that a session had whose time is over.
func (c *Call) chooseLate(all Voices) {
	if c.Late == nil || c.R.URL.Query().Get(langName) != "" {
		return
	}
	if kept, known := all.of(c.Late.Language); known {
		c.speak(kept)
	}
}

// fromHere reports that the request came from no foreign page, as far as the browser tells: a
// link elsewhere chooses the language of what it opens, and not that of mails.
func (c *Call) fromHere() bool {
	from := c.R.Header.Get("Sec-Fetch-Site")
	return from == "" || from == "none" || from == "same-origin"
}

func (c *Call) speak(v Voice) { c.Language, c.Texts, c.Templates = v.Language, v.Texts, v.Templates }

// Carrying is an address of these pages with the language, where no session keeps it and the
// browser would prefer another.
func (c *Call) Carrying(address string) string {
	if c.Session != nil {
		return address
	}
	return c.Handing(address)
}

// Handing is an address of pages that do not know the session of these, with the language where
// the browser would prefer another.
func (c *Call) Handing(address string) string {
	if c.Language == c.Preferred || strings.Contains(address, langName+"=") {
		return address
	}
	sep := "?"
	if strings.Contains(address, "?") {
		sep = "&"
	}
	return address + sep + langName + "=" + string(c.Language)
}

// OtherLanguage leads to this page in the other language.
func (c *Call) OtherLanguage() design.Link {
	other := design.English
	if c.Language == other {
		other = design.Spanish
	}
	query := url.Values{}
	for name, values := range c.R.URL.Query() {
		if name != "done" { // that was said
			query[name] = values
		}
	}
	query.Set(langName, string(other))
	return design.Link{Text: c.Say("lang.other"), Href: (&url.URL{Path: c.R.URL.Path, RawQuery: query.Encode()}).String(), Lang: string(other)}
}

// InEnglish is a text of the catalog that says that papers are in English; "" on a page that is.
func (c *Call) InEnglish(key string) string {
	if c.Language == design.English {
		return ""
	}
	return c.Say(key)
}
