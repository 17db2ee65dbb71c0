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

// Voice is a language of pages, with all their texts in it.
type Voice struct {
	Language  design.Language
	Texts     Texts
	Templates *template.Template
}

// Voices are all languages, the default first.
type Voices []Voice

// LoadVoices loads the voices for a package's templates below templates/. load reads a catalog;
// nil is LoadTexts.
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

// Usual returns the voice of documents, and of a visitor without a known preference.
func (all Voices) Usual() Voice { return all[0] }

// of returns the voice for a language tag: the same, or the same language of another region.
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

// primary returns the language of a tag without its region: es of es-MX.
func primary(tag string) string {
	tag, _, _ = strings.Cut(tag, "-")
	return tag
}

// maxWishes is how many languages of a browser are considered.
const maxWishes = 20

// preferred returns the best match for a browser's Accept-Language.
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
			w.q, _ = strconv.ParseFloat(q, 64) // an invalid number is ignored
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

// langName is the query parameter with which an address requests a language.
const langName = "lang"

// Greet sets the language before anything is known about the visitor: what the address requests,
// otherwise what the browser prefers.
func (c *Call) Greet(all Voices) {
	voice := all.preferred(c.R.Header.Get("Accept-Language"))
	c.Preferred = voice.Language
	if asked, ok := all.of(c.R.URL.Query().Get(langName)); ok {
		voice = asked
	}
	c.speak(voice)
}

// Choose sets the language once the session is known, which stores what an address has requested.
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

// chooseLate sets the language of an expired session.
func (c *Call) chooseLate(all Voices) {
	if c.Late == nil || c.R.URL.Query().Get(langName) != "" {
		return
	}
	if kept, known := all.of(c.Late.Language); known {
		c.speak(kept)
	}
}

// fromHere reports whether the request came from these pages, as far as the browser says: a link
// elsewhere sets the language of what it opens, but not of mail.
func (c *Call) fromHere() bool {
	from := c.R.Header.Get("Sec-Fetch-Site")
	return from == "" || from == "none" || from == "same-origin"
}

func (c *Call) speak(v Voice) { c.Language, c.Texts, c.Templates = v.Language, v.Texts, v.Templates }

// Carrying returns an address of these pages with the language, if no session stores it and the
// browser would prefer another.
func (c *Call) Carrying(address string) string {
	if c.Session != nil {
		return address
	}
	return c.Handing(address)
}

// Handing returns an address of pages that do not share the session, with the language if the
// browser would prefer another.
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

// OtherLanguage links to this page in the other language.
func (c *Call) OtherLanguage() design.Link {
	other := design.English
	if c.Language == other {
		other = design.Spanish
	}
	query := url.Values{}
	for name, values := range c.R.URL.Query() {
		if name != "done" { // it was already shown
			query[name] = values
		}
	}
	query.Set(langName, string(other))
	return design.Link{Text: c.Say("lang.other"), Href: (&url.URL{Path: c.R.URL.Path, RawQuery: query.Encode()}).String(), Lang: string(other)}
}

// InEnglish returns a text saying that documents are in English; "" if the page is, too.
func (c *Call) InEnglish(key string) string {
	if c.Language == design.English {
		return ""
	}
	return c.Say(key)
}
