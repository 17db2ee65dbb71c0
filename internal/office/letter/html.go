package letter

import (
	"html/template"
	"strings"
)

// html renders a mail as a page. Its data is escaped by context.
func (s shelf) html(x sheet, lang string, members map[string]any) (string, error) {
	name := file(lang, x.template, x.version, "html")
	t, err := template.New("").Option("missingkey=error").ParseFS(s.files, "texts/"+lang+"/frame.html", name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.ExecuteTemplate(&b, name[strings.LastIndexByte(name, '/')+1:], members)
	return b.String(), err
}
