// Package credit is the foundation of all decisions of the domain: the records, the state that
// a command is decided on, the draft that collects its changes, events, rejections, and the
// consequences that follow from every change regardless of the command. It does no I/O, never
// blocks and reads no clock. The commands are in the packages above it.
//
// A Command names the Keys that it needs. Admit decides whether the caller may see what the
// command names; Decide returns Changes or a Rejection. Both are pure functions of the state,
// the Env and the command. All changes of a command are in one Changes value, which is
// committed as a whole or not at all.
//
// Read state.go, command.go, changes.go, rejection.go, event.go and draft.go first, then the
// records (records*.go) and one file per noun.
package credit
