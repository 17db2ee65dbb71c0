package credit

// Note is a note of the lender's staff about an object, which Of names ("order/ord_…"). It never
// changes, and no merchant or buyer reads it.
type Note struct {
	RecordHead `json:"-"`
	By         string `json:"by"`   // stf_… or cli_…
	Text       string `json:"text"` // handle
}

// NoteKept is the only status of a note.
const NoteKept = "KEPT"

// Noun implements Record.
func (*Note) Noun() Noun { return NounNote }

// Secrets implements Record.
func (n *Note) Secrets() []string { return []string{n.Text} }

// Sound describes the first problem with a note; see Record.
func (n *Note) Sound(old Record) string {
	if n.Of == "" || n.By == "" || n.Text == "" || n.Merchant != "" || old != nil {
		return "has no object, writer or text, belongs to a merchant, or was changed"
	}
	return ""
}
