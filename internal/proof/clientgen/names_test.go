package clientgen

import "testing"

// Names and sentences are as a person would have written them.
func TestNames(t *testing.T) {
	for _, x := range []struct{ got, want string }{
		{memberName("merchant_order_id"), "MerchantOrderID"},
		{memberName("ein_last4"), "EINLast4"},
		{memberName("document_ids"), "DocumentIDs"},
		{argumentName("orderId"), "orderID"},
		{argumentName("company_id"), "companyID"},
		{methodName("getOrder"), "Order"},
		{methodName("listOrders"), "ListOrders"},
		{methodName("getClient"), "APIClient"},
		{plural("Entry"), "Entries"},
		{says("CreateOrder", "Create an order"), "CreateOrder creates an order."},
		{says("VerifyPaymentMethod", "Verify it"), "VerifyPaymentMethod verifies it."},
		{says("UndoBankMatch", "Undo a match"), "UndoBankMatch undoes a match."},
		{says("RequestReasons", "Say why"), "RequestReasons says why."},
		{says("UpdateOrder", "Update, authorize or cancel an order"), "UpdateOrder: update, authorize or cancel an order."},
	} {
		if x.got != x.want {
			t.Errorf("%q, want %q", x.got, x.want)
		}
	}
}

// A comment is wrapped, in paragraphs, without Markdown marks.
func TestComment(t *testing.T) {
	got := comment("\t", "One `two`.\n\nThree\nfour.")
	if want := "\t// One two.\n\t//\n\t// Three four.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What is sent and received in one form is one type; otherwise there are two.
func TestTypesOfSchemas(t *testing.T) {
	const contract = `{"components": {"schemas": {
		"Shelf": {"type": "object", "properties": {"id": {"type": "string"}, "boards": {"type": "array", "items": {"$ref": "#/components/schemas/Board"}}}},
		"ShelfInput": {"type": "object", "additionalProperties": false, "required": ["boards"], "properties": {"boards": {"type": "array", "items": {"$ref": "#/components/schemas/BoardInput"}}}},
		"Board": {"type": "object", "properties": {"width": {"type": "integer"}, "cut_at": {"type": ["string", "null"], "format": "date-time"}}},
		"BoardInput": {"type": "object", "additionalProperties": false, "required": ["width"], "properties": {"width": {"type": "integer"}, "breadth": {"type": "integer", "description": "The same as width."}}}
	}}, "paths": {"/shelf": {"post": {"operationId": "addShelf", "summary": "Add a shelf",
		"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ShelfInput"}}}},
		"responses": {"201": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Shelf"}}}}}}}}}`
	files, err := Files(Source{Contract: []byte(contract)})
	if err != nil {
		t.Fatal(err)
	}
	want := head + `import (
	"time"
)

// Shelf is a part of a resource.
type Shelf struct {
	Raw
	ID     string  ` + "`json:\"id\"`" + `
	Boards []Board ` + "`json:\"boards\"`" + `
}

// Board is a part of Shelf.
type Board struct {
	Width int        ` + "`json:\"width\"`" + `
	CutAt *time.Time ` + "`json:\"cut_at,omitempty\"`" + `
}
`
	if got := string(files["client_types_gen.go"]); got != want {
		t.Errorf("%s", got)
	}
}
