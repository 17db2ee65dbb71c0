// Package nodetest holds whole servers to what they promise their callers. Most of its
// tests hold two nodes on one database to what a single one promises: they run two
// real servers on a real PostgreSQL and ask them over HTTP:
//
//   - they race for one credit line, and for one order or payment (T17): what is
//     accepted fits, to the cent, at its own commit sequence;
//   - they get the same Idempotency-Key at once (T19): one execution, one answer;
//   - they, the database's processes, or all of it are killed with SIGKILL (T8):
//     what was acknowledged is there, what was not gets a definite answer;
//   - clients see one order of things meanwhile (T18);
//   - both send events, one is killed and the other loses its leases (T21): no event
//     is missing, and of each object they came in order.
//
// Two tests also, or only, run a server on SQLite:
//
//   - shops work over networks that lose, repeat, delay and reorder what they send
//     (T20): the business is that of a quiet network, and nothing was decided twice;
//   - far more callers come than there are places (T26): what is too much is refused
//     and has no effect, and others are served.
//
// One runs its engines in its own process, because a merchant is paid on a banking day at
// 16:00, and it moves the time there: money is given back at one node while the other
// pays the merchant for it (PO1 to PO3); on SQLite, two callers of one engine do so.
//
// Most have a control, a run that the same checker must refuse: the naive ways to
// check before an insert, which over-reserve every time, a server that does not
// wait for its log, an answer that nobody gave, a message that was changed.
//
// kill -9 leaves the kernel's page cache alone. What is shown here is recovery, and
// that nothing is answered before PostgreSQL has written it; not what a loss of
// power leaves.
package nodetest
