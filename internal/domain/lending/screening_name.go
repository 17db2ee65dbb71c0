package lending

import "tenor/internal/domain/credit"

// WithCompared is a command with its new names of a company compared, if it brings any
// and they have not been. The engine does so with every command, so that no edge can
// bring a name past the list.
func WithCompared(c credit.Command, compare func(names ...string) *credit.Compared) credit.Command {
	switch c := c.(type) {
	case CreateCompany:
		if c.Compared == nil {
			c.Compared = compare(c.Title, c.LegalName)
		}
		return c
	case UpdateCompany:
		var names []string
		for _, name := range []*string{c.Title, c.LegalName} {
			if name != nil {
				names = append(names, *name)
			}
		}
		if c.Compared == nil && len(names) > 0 {
			c.Compared = compare(names...)
		}
		return c
	}
	return c
}

// Renamed notes that a company has new names: what was found of them waits for a person;
// names that were not compared wait for the clockwork.
func Renamed(d *credit.Draft, x *credit.Company, found *credit.Compared) {
	if found == nil {
		x.Servicing.Screened.Unscreened = true
		return
	}
	Found(d, x.ID, "", *found, x.Names())
}
