package client

import "encoding/json"

// Raw is the JSON of a resource as it came, with the members that this package does
// not know. Every resource that a method returns has it; resources inside of others,
// and those that the caller makes, do not.
type Raw struct{ text json.RawMessage }

// JSON is the resource as it came, nil if it did not come from a server.
func (r Raw) JSON() json.RawMessage { return r.text }

// Member is a member of the resource as it came, nil if there is none.
func (r Raw) Member(name string) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(r.text, &all) != nil {
		return nil
	}
	return all[name]
}

func (r *Raw) keep(text json.RawMessage) { r.text = text }

// decode reads a resource and keeps its text.
func decode(text json.RawMessage, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	if k, ok := into.(interface{ keep(json.RawMessage) }); ok {
		k.keep(text)
	}
	return nil
}
