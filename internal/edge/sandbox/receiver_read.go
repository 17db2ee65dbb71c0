package sandbox

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Tell sets how a receiver answers from now on, and creates it if the name is new.
// ErrReceiverUnknown: another merchant has it.
func (x *Receivers) Tell(ctx context.Context, merchant, name string, m Manner) (Receiver, error) {
	owners, err := x.owners(ctx, name)
	if err != nil {
		return Receiver{}, err
	}
	if !receiverName.MatchString(name) {
		return Receiver{}, ErrReceiverUnknown
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	before, found := x.manners[name]
	owners = named(owners)
	owns := len(owners) > 0 && owners[0].Merchant == merchant
	switch {
	case found && before.merchant != merchant, !found && len(owners) > 0 && !owns:
		return Receiver{}, ErrReceiverUnknown
	case !found && len(x.manners) >= MaxReceivers:
		return Receiver{}, ErrReceivers
	}
	x.manners[name] = told{m, merchant}
	return x.receiver(merchant, name), nil
}

// named returns the owners that send to the name itself.
func named(owners []Owner) []Owner {
	return slices.DeleteFunc(slices.Clone(owners), func(o Owner) bool { return o.Any })
}

// receiver is a receiver as a merchant sees it.
func (x *Receivers) receiver(merchant, name string) Receiver {
	r := Receiver{Name: name, Manner: Manner{Behavior: Accept}}
	if m, found := x.manners[name]; found {
		r.Manner = m.Manner
	}
	for _, d := range x.kept {
		if d.Receiver == name && d.merchant == merchant {
			r.Kept++
		}
	}
	return r
}

// List lists a merchant's receivers by name: those that it has told how to answer, those
// with a delivery of its own, and those that its endpoints send to, which are passed in.
func (x *Receivers) List(merchant string, endpoints []string) []Receiver {
	x.mu.Lock()
	defer x.mu.Unlock()
	names := map[string]bool{}
	for _, name := range endpoints {
		names[name] = receiverName.MatchString(name)
	}
	for name, m := range x.manners {
		if m.merchant == merchant {
			names[name] = true
		}
	}
	for _, d := range x.kept {
		if d.merchant == merchant {
			names[d.Receiver] = true
		}
	}
	list := []Receiver{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] {
			list = append(list, x.receiver(merchant, name))
		}
	}
	return list
}

// Deliveries lists what a receiver was sent for a merchant, newest first.
func (x *Receivers) Deliveries(merchant, name string) []*Received {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := []*Received{}
	for _, d := range slices.Backward(x.kept) {
		if d.Receiver == name && d.merchant == merchant {
			list = append(list, d)
		}
	}
	return list
}

// Delivery returns one of them.
func (x *Receivers) Delivery(merchant, name, id string) (*Received, error) {
	for _, d := range x.Deliveries(merchant, name) {
		if d.ID == id {
			return d, nil
		}
	}
	return nil, ErrReceiverUnknown
}

// Check checks a delivery step by step, at the time of its arrival: with the secrets of the
// merchant's endpoints that send to the receiver, or with a given secret.
func (x *Receivers) Check(ctx context.Context, d *Received, secret string) (Check, error) {
	if secret != "" {
		return check(d, []string{secret}, d.At), nil
	}
	secrets, err := x.secrets(ctx, d.merchant, d.Receiver)
	return check(d, secrets, d.At), err
}

func (x *Receivers) secrets(ctx context.Context, merchant, name string) ([]string, error) {
	owners, err := x.owners(ctx, name)
	var list []string
	for _, o := range owners {
		if o.Merchant == merchant {
			list = append(list, o.Secrets...)
		}
	}
	return list, err
}

// Message is a hand-written delivery.
type Message struct {
	ID        string // webhook-id
	Timestamp string // webhook-timestamp; "": now
	Signature string // webhook-signature; "": computed from the secret
	Body      []byte
}

// Send makes a receiver accept a message as if it had been sent. Without an endpoint there
// is no secret to sign it with: then it needs a signature.
func (x *Receivers) Send(ctx context.Context, merchant, name string, m Message) (*Received, error) {
	owners, err := x.owners(ctx, name)
	if err != nil {
		return nil, err
	}
	if m.Timestamp == "" {
		m.Timestamp = strconv.FormatInt(x.now().Unix(), 10)
	}
	if m.Signature == "" {
		for _, o := range owners {
			if o.Merchant == merchant && len(o.Secrets) > 0 {
				m.Signature = signature(o.Secrets[0], m.ID, m.Timestamp, m.Body)
				break
			}
		}
	}
	x.mu.Lock()
	told, found := x.manners[name]
	x.mu.Unlock()
	mine := found && told.merchant == merchant || slices.ContainsFunc(named(owners), func(o Owner) bool { return o.Merchant == merchant })
	if !mine {
		return nil, ErrReceiverUnknown
	}
	header := []Field{
		{"Content-Type", "application/json"}, {headerID, m.ID}, {headerSignature, m.Signature}, {headerTimestamp, m.Timestamp},
	}
	x.take(name, merchant, header, m.Body, owners)
	list := x.Deliveries(merchant, name)
	if len(list) == 0 { // others have arrived meanwhile, so many that it had to make room
		return nil, ErrReceiverUnknown
	}
	return list[0], nil
}

// age is how long before an instant a timestamp is.
func age(at time.Time, seconds int64) time.Duration { return at.Sub(time.Unix(seconds, 0)) }
