package portal

import (
	"fmt"
	"io/fs"
	"strings"
)

// licence is one module in the binary.
type licence struct {
	Module string
	Name   string // SPDX ID
	Text   string
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
		s.licences = append(s.licences, licence{words[0], words[1], string(text)})
	}
	return nil
}

// licenceView is the licenses page.
type licenceView struct{ Licences []licence }

func (s *site) licencePage() *page {
	var names []string
	for _, l := range s.licences {
		names = append(names, l.Module, l.Name)
	}
	return &page{
		path: "/docs/licences", title: "Licenses", kind: "Page", summary: "The license of Tenor, and of every module that is part of the binary.",
		text: strings.Join(names, " "), template: "licences", view: func() any { return licenceView{s.licences} },
	}
}
