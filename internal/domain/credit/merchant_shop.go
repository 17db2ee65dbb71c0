package credit

// Shop is where a merchant sells, and how it shows itself to buyers in its checkouts.
type Shop struct {
	// Origins are scheme, host and port of its pages as browsers write them, sorted: its
	// checkouts in live mode lead nowhere else.
	Origins      []string `json:"origins,omitzero"`
	SupportEmail string   `json:"support_email,omitzero"`
	SupportPhone string   `json:"support_phone,omitzero"`
	TermsURL     string   `json:"terms_url,omitzero"`    // https
	AccentColor  string   `json:"accent_color,omitzero"` // #rrggbb, on which white text can be read
	Logo         Logo     `json:"logo,omitzero"`
}

// Logo is a merchant's picture, a PNG. Its bytes stand in the vault.
type Logo struct {
	Content string `json:"content"` // handle
	Hash    string `json:"hash"`    // SHA-256, hexadecimal
	Size    int    `json:"size"`    // bytes
}
