package console

import (
	"cmp"
	"errors"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
	"tenor/internal/office/buyer"
	"tenor/internal/office/signin"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// maxNote is how many characters a note may have.
const maxNote = 2000

// note is a note with its text.
type note struct {
	*credit.Note
	text string
}

// noun is what the subject is, as notes name it.
func (x *subject) noun() (kind, id string) {
	kinds := map[string]string{"orders": "order", "companies": "company", "applications": "application", "payments": "payment", "merchants": "merchant"}
	section, _, _ := strings.Cut(strings.TrimPrefix(x.path, "/"), "/")
	return kinds[section], path.Base(x.path)
}

// readNotes reads the notes about an object, newest first. Developers see none.
func (v *visit) readNotes(w store.View, kind, id string) (out []note, err error) {
	if permit.Masked(v.visitor.Staff.Roles) {
		return nil, nil
	}
	found, err := store.ListRecords(w, credit.NounNote, store.RecordFilter{Of: kind + "/" + id}, store.Page{Limit: shownEvents})
	if err != nil {
		return nil, err
	}
	for _, r := range found {
		x := note{Note: r.(*credit.Note)}
		text, err := v.desk().ReadBytes(w, x.Text)
		switch {
		case errors.Is(err, buyer.ErrErased):
			x.text = v.say("note.erased")
		case err != nil:
			return nil, err
		default:
			x.text = string(text)
		}
		out = append(out, x)
	}
	return out, nil
}

// object registers the pages of an object's acts and notes.
func (p *Pages) object(path string, find finder) {
	p.actPage(path, find)
	p.page(path+"/notes", signedIn, permit.Read, func(v *visit) error { return v.notes(find, http.StatusOK, "") }, func(v *visit) error { return v.addNote(find) })
}

// notes shows the notes about an object, with a form for another one.
func (v *visit) notes(find finder, status int, wrong string) error {
	x, err := find(v)
	if err != nil {
		return err
	}
	if x == nil {
		return v.bare(http.StatusNotFound, "lost")
	}
	kind, id := x.noun()
	var list []note
	if err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		list, err = v.readNotes(w, kind, id)
		return err
	}); err != nil {
		return err
	}
	title := v.say("notes")
	p := page{
		Shell: v.shell(x.section, title), Title: design.Title{Text: title, Lead: x.name + " · " + x.lead},
		Crumbs: []design.Link{{Text: v.say("nav." + x.section), Href: Prefix + "/" + x.section}, {Text: x.name, Href: Prefix + x.path}, {Text: title}},
	}
	m := &moments{visit: v}
	if err := m.notes(list); err != nil {
		return err
	}
	if p.Timeline = m.newest(); len(list) == 0 {
		p.Timeline, p.Empty = nil, &design.Empty{Text: v.say("notes.none")}
	}
	if v.visitor.May(permit.Assist) > permit.None {
		p.Form = v.noteForm(x, wrong)
		p.Summary = p.Form.Summary()
	}
	return v.show(status, p)
}

func (v *visit) noteForm(x *subject, wrong string) *pages.Form {
	once, text := buyer.Random(32), ""
	if wrong != "" {
		text = v.r.PostForm.Get("text")
	}
	f := design.Field{Name: "text", Label: v.say("note.text"), Hint: v.say("note.hint"), Rows: 4, Max: maxNote, Value: text, Error: wrong, Required: true}
	return &pages.Form{Action: Prefix + x.path + "/notes", Key: v.key(), Once: once, Groups: []pages.Group{{Parts: []pages.Part{pages.FieldPart(f)}}}, Acts: []design.Button{pages.Primary(v.say("note.add"))}}
}

// addNote writes a note. A second click on one form writes none.
func (v *visit) addNote(find finder) error {
	if v.visitor.May(permit.Assist) == permit.None {
		return v.refuse(permit.Assist)
	}
	x, err := find(v)
	if err != nil {
		return err
	}
	if x == nil {
		return v.bare(http.StatusNotFound, "lost")
	}
	text := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(v.r.PostForm.Get("text"), ""), "\r\n", "\n"))
	switch {
	case text == "":
		return v.notes(find, pages.Wrong, v.say("note.empty"))
	case utf8.RuneCountInString(text) > maxNote:
		return v.notes(find, pages.Wrong, v.say("note.long", maxNote))
	}
	kind, id := x.noun()
	kept := v.desk().KeepBytes([]byte(text))
	act := signin.Act{Command: staff.AddNote{Type: kind, ID: id, Text: kept.ID, Secrets: []credit.Secret{kept}}, Address: v.address, Once: cmp.Or(v.answer("once"), buyer.Random(32))}
	var refused *credit.Rejection
	if _, err := v.desk().Act(v.r.Context(), v.visitor, act); errors.As(err, &refused) {
		return v.notes(find, pages.Wrong, refused.Detail)
	} else if err != nil {
		return err
	}
	return v.to(x.path + "/notes")
}

// noteLink is the way to an object's notes, nil for those who see none.
func (v *visit) noteLink(x *subject) []design.Button {
	if permit.Masked(v.visitor.Staff.Roles) {
		return nil
	}
	return []design.Button{{Text: v.say("notes"), Href: Prefix + x.path + "/notes", Emphasis: design.Ghost, Icon: "pencil"}}
}
