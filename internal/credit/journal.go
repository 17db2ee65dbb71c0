package credit

import (
	"encoding/json"
	"fmt"
)

// EncodeCommand writes a command for the audit log.
func EncodeCommand(c Command) ([]byte, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", c.Name(), err)
	}
	return b, nil
}
