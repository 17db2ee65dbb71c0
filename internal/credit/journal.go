package credit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tenor/internal/calendar"
)

// EncodeCommand writes a command for the audit log: with the state, the instant,
// the actor and the seed, it is all that deciding it again needs.
func EncodeCommand(c Command) ([]byte, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", c.Name(), err)
	}
	return b, nil
}

// ErrCommand says that the audit log names a command that does not exist.
var ErrCommand = errors.New("credit: unknown command")

// DecodeCommand reads what EncodeCommand wrote. It refuses members that the
// command does not have. A date that is null or missing is None.
func DecodeCommand(name string, payload []byte) (Command, error) {
	for _, c := range Commands() {
		if c.Name() != name {
			continue
		}
		c, err := decodeAs(c, payload)
		if err != nil {
			return nil, fmt.Errorf("decode %s: %w", name, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("%w %q", ErrCommand, name)
}

// Commands lists an empty command of each kind, with no date set.
func Commands() []Command {
	none := calendar.None
	return []Command{
		CreateMerchant{}, AddProgramme{From: none}, CreateCompany{}, UpdateCompany{},
		CreateOrder{}, UpdateOrder{}, CapturePart{}, ExtendOrder{}, RefundOrder{}, ServiceOrder{},
		RecordPayment{ScheduledDate: none, EffectiveDate: none}, RefundPayment{}, ReturnPayment{}, CancelPayment{},
		CreateClient{}, RollClient{}, RevokeClient{},
		CreateEndpoint{}, UpdateEndpoint{}, RotateEndpoint{}, DeleteEndpoint{}, TestEndpoint{}, ResendEvents{},
	}
}

func decodeAs(c Command, payload []byte) (Command, error) {
	switch c := c.(type) {
	case CreateMerchant:
		return decode(c, payload)
	case AddProgramme:
		return decode(c, payload)
	case CreateCompany:
		return decode(c, payload)
	case UpdateCompany:
		return decode(c, payload)
	case CreateOrder:
		return decode(c, payload)
	case UpdateOrder:
		return decode(c, payload)
	case CapturePart:
		return decode(c, payload)
	case ExtendOrder:
		return decode(c, payload)
	case RefundOrder:
		return decode(c, payload)
	case ServiceOrder:
		return decode(c, payload)
	case RecordPayment:
		return decode(c, payload)
	case RefundPayment:
		return decode(c, payload)
	case ReturnPayment:
		return decode(c, payload)
	case CancelPayment:
		return decode(c, payload)
	case CreateClient:
		return decode(c, payload)
	case RollClient:
		return decode(c, payload)
	case RevokeClient:
		return decode(c, payload)
	case CreateEndpoint:
		return decode(c, payload)
	case UpdateEndpoint:
		return decode(c, payload)
	case RotateEndpoint:
		return decode(c, payload)
	case DeleteEndpoint:
		return decode(c, payload)
	case TestEndpoint:
		return decode(c, payload)
	case ResendEvents:
		return decode(c, payload)
	}
	return nil, ErrCommand
}

func decode[T Command](c T, payload []byte) (Command, error) {
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("data after the command")
	}
	return c, nil
}
