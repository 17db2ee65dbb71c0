// Package nodetest checks that whole servers keep their promises to callers. Most of its
// tests require of two nodes on one database what a single one promises: they run two
// real servers on a real PostgreSQL and call them over HTTP:
//
//   - they race for one credit line, and for one order or payment (T17): what is
//     accepted fits, to the cent, at its own commit sequence;
//   - they concurrently get the same Idempotency-Key (T19): one execution, one response;
//   - they, the database's processes, or all of it are killed with SIGKILL (T8):
//     what was acknowledged exists, what was not gets a definite response;
//   - clients see a single order of events meanwhile (T18);
//   - both send events, one is killed and the other loses its leases (T21): no event
//     is missing, and the events of each object arrive in order.
//
// Two tests also, or only, run a server on SQLite:
//
//   - shops use networks that lose, repeat, delay and reorder what they send
//     (T20): the result is that of a reliable network, and nothing was decided twice;
//   - far more callers arrive than there are slots (T26): the excess is refused
//     without an effect, and others are served.
//
// One runs its engines in its own process, because a merchant is paid on a banking day at
// 16:00, and it advances the time to it: money is refunded at one node while the other
// pays the merchant for it (PO1 to PO3); on SQLite, two callers of one engine do so.
//
// Most have a control, a run that the same checker must reject: the naive ways to
// check before an insert, which over-reserve every time, a server that does not
// wait for its WAL, an invented response, a modified message.
//
// kill -9 does not affect the kernel's page cache. These tests show recovery, and
// that nothing is answered before PostgreSQL has written it; not what survives a
// power loss.
package nodetest
