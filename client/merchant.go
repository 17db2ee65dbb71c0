package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// MerchantRequest creates a merchant. Settings are members of its first program, as a JSON
// object; for missing members, or nil, the server uses its defaults.
type MerchantRequest struct {
	Name     string
	Settings json.RawMessage
}

// MarshalJSON adds the name to the settings.
func (m MerchantRequest) MarshalJSON() ([]byte, error) { return beside("name", m.Name, m.Settings) }

// ProgrammeRequest adds a complete version of a program: for members missing from Settings, the
// server uses its defaults, not the values of the previous version.
type ProgrammeRequest struct {
	EffectiveFrom string // first business date on which it is in force, YYYY-MM-DD
	Settings      json.RawMessage
}

// MarshalJSON adds the date to the settings.
func (p ProgrammeRequest) MarshalJSON() ([]byte, error) {
	return beside("effective_from", p.EffectiveFrom, p.Settings)
}

// beside adds a string member to an object.
func beside(name, value string, object json.RawMessage) ([]byte, error) {
	members := map[string]json.RawMessage{}
	if len(object) > 0 {
		if err := json.Unmarshal(object, &members); err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if members == nil { // null
		members = map[string]json.RawMessage{}
	}
	members[name] = text
	return json.Marshal(members)
}

// CreateMerchant creates a merchant.
func (c *Client) CreateMerchant(ctx context.Context, m MerchantRequest, options ...Option) (*Merchant, error) {
	return send[Merchant](ctx, c, http.MethodPost, "/v1/operator/merchants", m, options)
}

// AddProgram adds a version of a merchant's terms. Authorized orders keep theirs.
func (c *Client) AddProgram(ctx context.Context, merchant string, p ProgrammeRequest, options ...Option) (*Program, error) {
	return send[Program](ctx, c, http.MethodPost, at("v1", "operator", "merchants", merchant, "programs"), p, options)
}
