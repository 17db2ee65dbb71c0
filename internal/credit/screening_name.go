package credit

// Compared is what a comparison of new names with a sanctions list has found, which was
// made before the command that brings the names. The decision counts it in the same
// transaction: whoever resembles a listed party is ON_HOLD from the first moment (F29).
type Compared struct {
	List    string  `json:"list"` // its version
	Matches []Match `json:"matches"`
}

// named notes that a company has new names: what was found of them waits for a person;
// names that were not compared wait for the clockwork.
func (d *draft) named(x *Company, found *Compared) {
	if found == nil {
		x.Servicing.Screened.Unscreened = true
		return
	}
	d.found(RecordScreening{Company: x.ID, List: found.List, Names: x.Names(), Matches: found.Matches})
}
