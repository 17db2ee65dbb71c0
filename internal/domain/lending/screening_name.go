package lending

import "tenor/internal/domain/credit"

// WithCompared returns a command with its new company names compared, if it has any that have
// not been. The engine does this for every command, so that no edge can bypass the list.
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

// Renamed records that a company has new names: matches wait for a person; names that were not
// compared wait for a worker.
func Renamed(d *credit.Draft, x *credit.Company, found *credit.Compared) {
	if found == nil {
		x.Servicing.Screened.Unscreened = true
		return
	}
	Found(d, x.ID, "", *found, x.Names())
}
