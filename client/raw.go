package client

import "encoding/json"

// Raw is the unmodified JSON of a resource, including members that this package does not know.
// Every resource returned by a method has it; nested resources, and those that the caller
// creates, do not.
type Raw struct{ text json.RawMessage }

// JSON returns the unmodified JSON of the resource, nil if it did not come from a server.
func (r Raw) JSON() json.RawMessage { return r.text }

// Member returns a member of the unmodified resource, nil if there is none.
func (r Raw) Member(name string) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(r.text, &all) != nil {
		return nil
	}
	return all[name]
}

func (r *Raw) keep(text json.RawMessage) { r.text = text }

// decode decodes a resource and keeps its JSON.
func decode(text json.RawMessage, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	if k, ok := into.(interface{ keep(json.RawMessage) }); ok {
		k.keep(text)
	}
	return nil
}
