package scenario

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
)

// listens reports whether the scenario says which events there are.
func (r *run) listens() bool {
	return slices.ContainsFunc(r.s.Steps, func(x Step) bool { return x.Events != nil })
}

// waitsForEvents reports whether a step moves the clock until an event comes.
func (r *run) waitsForEvents() bool {
	return slices.ContainsFunc(r.s.Steps, func(x Step) bool { return x.Until != "" })
}

// news reads the merchant's events since it was asked last: type and object of each.
func (r *run) news(ctx context.Context) ([][]string, error) {
	path := "/v1/events?limit=100"
	if r.told != "" {
		path += "&cursor=" + r.told
	}
	page, err := ask[json.RawMessage](ctx, r.script, call{as: asShop, method: "GET", path: path})
	if err != nil {
		return nil, err
	}
	r.told = textOf(page, "next_cursor")
	return table(page, "data", "type", "object.id"), nil
}

// events compares what has happened with what the step says, and waits until the receiver
// has taken all of it.
func (r *run) events(ctx context.Context, x *Step) error {
	got, err := r.news(ctx)
	if err != nil {
		return err
	}
	var want [][]string
	for _, e := range x.Events {
		object, err := r.fill(e[1], false)
		if err != nil {
			return err
		}
		want = append(want, []string{e[0], object})
	}
	r.rows("step "+strconv.Itoa(r.step)+": event", want, got)
	if len(r.result.Differences) > 0 {
		return errBroken
	}
	r.tell(Line{Say: x.Say})
	for _, e := range want {
		at := Await{Type: e[0], Object: e[1]}
		r.heard[at]++
		if err := r.await(ctx, &Step{Await: &Await{Type: at.Type, Object: at.Object, Times: r.heard[at]}}); err != nil {
			return err
		}
	}
	return nil
}

// silence asks that nothing has happened since the last look, if the scenario looks at all.
func (r *run) silence(ctx context.Context, _ Statement) error {
	if !r.listens() {
		return nil
	}
	got, err := r.news(ctx)
	if err == nil {
		r.rows("event after the last step", nil, got)
	}
	return err
}
