// Package api is the published contract: the OpenAPI document, and examples of every
// operation and event that were recorded from the API itself. Tests keep both equal
// to what the code does; make generate writes them anew.
package api

import _ "embed"

// Document is the OpenAPI document, for the default address.
//
//go:embed openapi.yaml
var Document []byte

// Examples is a JSON object: the operationId, or the event type, as names, and
// {path, query, body, status, answer} as values.
//
//go:embed examples.json
var Examples []byte
