package portal

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// licence is one text, and the modules in the binary that came with it.
type licence struct {
	Modules []string
	Name    string // SPDX ID
	Text    string
}

// loadLicences reads licences/index.txt, whose lines are a module, the SPDX ID of its license,
// and the file with the text.
func (s *site) loadLicences() error {
	index, err := fs.ReadFile(s.config.Docs, "licences/index.txt")
	if err != nil {
		return nil // none is shown; a test requires all of them
	}
	for _, line := range strings.Split(strings.TrimSpace(string(index)), "\n") {
		words := strings.Fields(line)
		if len(words) != 3 {
			return fmt.Errorf("licences: line %q is not a module, a licence and a file", line)
		}
		text, err := fs.ReadFile(s.config.Docs, "licences/"+words[2])
		if err != nil {
			return fmt.Errorf("licences: %w", err)
		}
		s.addLicence(words[0], words[1], string(text))
	}
	return nil
}

// addLicence adds a module to the text that it came with: the same text stands once on the page,
// which would otherwise grow by up to 12 KB with each module.
func (s *site) addLicence(module, name, text string) {
	at := slices.IndexFunc(s.licences, func(l licence) bool { return l.Name == name && l.Text == text })
	if at < 0 {
		s.licences = append(s.licences, licence{nil, name, text})
		at = len(s.licences) - 1
	}
	s.licences[at].Modules = append(s.licences[at].Modules, module)
}

// licenceView is the licenses page.
type licenceView struct{ Licences []licence }

func (s *site) licencePage() *page {
	var names []string
	for _, l := range s.licences {
		names = append(append(names, l.Modules...), l.Name)
	}
	return &page{
		path: "/docs/licences", title: "Licenses", kind: "Page", summary: "The license of Tenor, and of every module that is part of the binary.",
		text: strings.Join(names, " "), template: "licences", view: func() any { return licenceView{s.licences} },
	}
}
