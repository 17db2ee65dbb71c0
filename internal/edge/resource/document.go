package resource

import (
	"time"

	"tenor/internal/domain/credit"
)

// Document is a paper or an uploaded file, without its bytes.
type Document struct {
	ID          string    `json:"id" doc:"Identifier of the document." example:"doc_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	Kind        string    `json:"kind" enum:"DISCLOSURE,AGREEMENT,MASTER_AGREEMENT,UPLOAD" doc:"What it is." example:"UPLOAD"`
	Template    *string   `json:"template" nullable:"true" doc:"For a legal document: which text." example:"DEFAULT"`
	Text        *int      `json:"text_version" nullable:"true" doc:"For a legal document: version of the text." example:"1"`
	Language    *string   `json:"language" nullable:"true" doc:"For a legal document: language." example:"en-US"`
	ContentType string    `json:"content_type" doc:"Its media type." example:"application/pdf"`
	Size        int       `json:"size" doc:"Size in bytes, as stored." example:"48211"`
	SHA256      string    `json:"sha256" doc:"SHA-256 of the stored file, in hex." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Status      string    `json:"status" enum:"KEPT,ERASED" doc:"Whether the file is still stored." example:"KEPT"`
	CreatedAt   time.Time `json:"created_at" doc:"When it was filed." example:"2026-01-15T15:00:00Z"`
}

// NewDocument returns the resource of a document.
func NewDocument(x *credit.Document) Document {
	d := Document{
		ID: x.ID, Kind: x.Kind, Template: textIn(&x.Template), Language: textIn(&x.Language), ContentType: x.ContentType, Size: x.Size,
		SHA256: x.Hash, Status: x.Status, CreatedAt: instant(x.CreatedAt),
	}
	if version := x.Text; version != 0 {
		d.Text = &version
	}
	return d
}
