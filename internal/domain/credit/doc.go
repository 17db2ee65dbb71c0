// Package credit is what all decisions of the domain stand on: the records, the state that a
// command is decided on, the draft that gathers what it changes, events, rejections, and what
// follows from every change, whichever command has made it. It does not store, wait or look at
// a clock. The commands are in the packages above it.
//
// A Command names the Keys that it needs. Admit says whether the caller may see
// what the command names, Decide what comes of it: Changes, or a Rejection. Both
// are pure functions of the state, the Env and the command. Whatever a command
// does, it does in one Changes value, which is committed whole or not at all.
//
// Read state.go, command.go, changes.go, rejection.go, event.go and draft.go first, then the
// records (records*.go) and one file a noun.
package credit
