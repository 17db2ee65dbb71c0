package letter

import (
	"html/template"
	"strings"
)

// html writes a mail as a page. What it is given is escaped for where it stands.
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
