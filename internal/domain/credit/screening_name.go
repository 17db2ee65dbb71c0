package credit

// Compared is what a comparison of new names with a sanctions list has found, which was
// made before the command that brings the names. The decision counts it in the same
// transaction: whoever resembles a listed party is ON_HOLD from the first moment (F29).
type Compared struct {
	List    string  `json:"list"` // its version
	Matches []Match `json:"matches"`
}

// WithCompared is a command with its new names of a company compared, if it brings any
// and they have not been. The engine does so with every command, so that no edge can
// bring a name past the list.
func WithCompared(c Command, compare func(names ...string) *Compared) Command {
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
func (d *Draft) Renamed(x *Company, found *Compared) {
	if found == nil {
		x.Servicing.Screened.Unscreened = true
		return
	}
	d.Found(x.ID, "", *found, x.Names())
}
