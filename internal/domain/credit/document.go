package credit

// Document is a paper as it was shown, or an uploaded file. Its bytes are in the vault; its
// hash permanently identifies them.
type Document struct {
	RecordHead  `json:"-"` // Of: the order, checkout or application it belongs to
	Kind        string     `json:"kind"`
	Template    string     `json:"template,omitzero"` // of a paper: which text, such as DEFAULT or CA
	Text        int        `json:"text,omitzero"`     // version of the text
	Language    string     `json:"language,omitzero"`
	ContentType string     `json:"content_type"`
	Size        int        `json:"size"`
	Hash        string     `json:"hash"`    // SHA-256 of the bytes, hex
	Content     string     `json:"content"` // handle, "" once erased
	Name        string     `json:"name,omitzero"`
}

// Statuses of a document.
const (
	DocumentKept   = "KEPT"
	DocumentErased = "ERASED"
)

// Noun implements Record.
func (*Document) Noun() Noun { return NounDocument }

// Secrets implements Record.
func (x *Document) Secrets() []string { return present(x.Content) }

// Sound describes the first problem with a document; see Record.
func (x *Document) Sound(old Record) string {
	switch {
	case x.Kind == "" || x.ContentType == "" || len(x.Hash) != 64 || x.Size <= 0:
		return "kind, content type, hash or size is missing"
	case (x.Status == DocumentKept) != (x.Content != ""):
		return "status and content do not match"
	}
	if was, ok := old.(*Document); ok {
		same := *x
		same.RecordHead, same.Content = was.RecordHead, was.Content
		if same != *was || was.Status == DocumentErased && x.Status != DocumentErased {
			return "documents cannot be changed"
		}
	}
	return ""
}

// Paper is a document as a command brings it: rendered, hashed and sealed at the edge.
type Paper struct {
	Kind        string `json:"kind"`
	Template    string `json:"template,omitzero"`
	Text        int    `json:"text,omitzero"`
	Language    string `json:"language,omitzero"`
	ContentType string `json:"content_type"`
	Size        int    `json:"size"`
	Hash        string `json:"hash"`
	Content     string `json:"content"` // handle
	Name        string `json:"name,omitzero"`
}

// File stores a paper that belongs to a record or an order.
func (d *Draft) File(p Paper, of RecordHead) *Document {
	x := &Document{
		RecordHead: d.NewRecord(NounDocument), Kind: p.Kind, Template: p.Template, Text: p.Text, Language: p.Language,
		ContentType: p.ContentType, Size: p.Size, Hash: p.Hash, Content: p.Content, Name: p.Name,
	}
	x.Of, x.Merchant, x.Company = of.ID, of.Merchant, of.Company
	return AddRecord(d, x)
}

// EraseDocument erases a document's bytes; its hash stays.
func (d *Draft) EraseDocument(id string) {
	if x := PeekRecord[*Document](d, id); x.Content != "" {
		d.Changes.Erased = append(d.Changes.Erased, x.Content)
		x = EditRecord[*Document](d, id)
		x.Content, x.Status = "", DocumentErased
	}
}

// Kinds of documents.
const (
	DocumentDisclosure = "DISCLOSURE"
	DocumentAgreement  = "AGREEMENT"
	DocumentMaster     = "MASTER_AGREEMENT"
	DocumentUpload     = "UPLOAD"
)
