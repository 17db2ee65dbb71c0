//go:build linux

package crashtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/failpoint"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/core/store/postgres"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/office/clockwork"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/proctest"
)

// rotatedMethods is how many company accounts a rotation must reseal: several commands' worth,
// and as many stored responses.
const rotatedMethods = 2*compliance.MaxResealed + 30

// TestKillRotation kills tenor keys rotate with SIGKILL, at points of its commands and at moments
// from its start to its end, and runs it again until nothing is left. After each kill every value
// opens and is unchanged, and tenor keys drop-old removes no key while a value is sealed with the
// old one. At the end the new key alone opens everything, and the server replays every response
// that it had given under the old one.
//
// On PostgreSQL a server with both keys runs all the time.
func TestKillRotation(t *testing.T) {
	random := rand.New(rand.NewPCG(seed(t), 11))
	program := proctest.Build(t, "failpoint")
	t.Run("sqlite", func(t *testing.T) {
		first := newRotation(t, program, random, "--data", t.TempDir())
		second := *first
		dir := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(dir, os.DirFS(first.world.Flags[1])); err != nil {
			t.Fatal(err)
		}
		second.world.Flags, second.keyFile = []string{"--data", dir}, filepath.Join(dir, "tenor.key")
		first.life((*rotation).atPoints, 5)
		second.life((*rotation).atMoments, 1)
		second.control()
	})
	t.Run("postgresql", func(t *testing.T) {
		r := newRotation(t, program, random, "--database", pgtest.Database(t))
		r.beside = true
		r.life((*rotation).atMoments, 1)
	})
}

// rotation is a database whose values are sealed with one key, while the next one replaces it.
type rotation struct {
	t       *testing.T
	random  *rand.Rand
	program string
	world   proctest.World
	keyFile string
	beside  bool // a server runs while the key is rotated
	lender  string
	calls   map[string][]*sent // by the token used

	was         map[string]string // sealed values, by place
	left, kills int               // values sealed with the old key, after the last kill
}

// newRotation fills a database with every kind of sealed value, through the API where possible,
// and stops its server.
func newRotation(t *testing.T, program string, random *rand.Rand, flags ...string) *rotation {
	t.Helper()
	r := &rotation{t: t, random: random, program: program, world: proctest.NewWorld(t, program, 3, flags...), calls: map[string][]*sent{}}
	if r.keyFile = r.world.KeyFile; r.keyFile == "" {
		r.keyFile = filepath.Join(flags[1], "tenor.key")
	}
	r.lender = r.world.Run(t, program, "token", "--operator", "--ttl", "24h", "--quiet")
	r.within(func(db store.Backend) error { return proctest.LiftLimits(t.Context(), db) })
	server := r.world.Serve(t, program)
	r.ask(server.URL)
	server.Stop(t)
	r.within(r.fromBank)
	r.was, _ = r.look()
	return r
}

// within opens the database briefly.
func (r *rotation) within(do func(store.Backend) error) {
	r.t.Helper()
	var db store.Backend
	var err error
	if r.world.Flags[0] == "--data" {
		db, err = sqlite.Open(filepath.Join(r.world.Flags[1], "tenor.db"), sqlite.Options{})
	} else {
		db, err = postgres.Open(r.t.Context(), r.world.Flags[1], postgres.Options{Shared: true})
	}
	if err != nil {
		r.t.Fatal(err)
	}
	if err := errors.Join(do(db), db.Close()); err != nil {
		r.t.Fatal(err)
	}
}

// ask creates accounts, one of them a pending merchant account, and endpoints, two with an old
// secret in addition to their new one.
func (r *rotation) ask(url string) {
	r.t.Helper()
	shop, desk := newClient(url, r.world.Token), newClient(url, r.lender)
	defer shop.close()
	defer desk.close()
	for i := range 2 {
		body := fmt.Sprintf(`{"reason":"x","routing_number":"021000021","account_number":"70010%d","holder_name":"Quillon Depot"}`, i)
		r.made(desk, request{"", "PUT", "/v1/operator/merchants/" + r.world.Merchant + "/bank_account", body})
	}
	for i := range 4 {
		hook := r.made(shop, request{fmt.Sprint("hook-", i), "POST", "/v1/webhooks", `{"url":"https://shop.example/","enabled":false}`})
		if i%2 == 0 {
			r.made(shop, request{fmt.Sprint("turn-", i), "POST", hook.Location + "/rotate", `{}`})
		}
	}
	for i := range rotatedMethods {
		body := fmt.Sprintf(`{"reason":"x","type":"ACH","routing_number":"021000021","account_number":"%d","holder_name":"Zephyr Trust %d",`+
			`"authorization":{"channel":"WRITTEN","accepted_at":"2026-01-09T15:00:00Z"}}`, 200_000_000+i, i)
		r.made(desk, request{fmt.Sprint("account-", i), "POST", "/v1/companies/" + r.world.Companies[i%3] + "/payment_methods", body})
	}
}

// made sends a request that must succeed, and keeps the response if it has a key.
func (r *rotation) made(c *client, q request) answer {
	r.t.Helper()
	a, err := c.do(q)
	if err != nil || a.Status/100 != 2 {
		r.t.Fatalf("%s %s: %v %+v", q.Method, q.Path, err, a)
	}
	if q.Key != "" {
		r.calls[c.token] = append(r.calls[c.token], &sent{q, &a})
	}
	return a
}

// fromBank stores what comes from and goes to a bank: corrected accounts, and files waiting to be
// sent, or sent.
func (r *rotation) fromBank(db store.Backend) error {
	ring := r.ring()
	for i := range 30 {
		n := store.BankNotice{Rail: credit.ACH, ID: fmt.Sprint("in/", i), Kind: "CHANGE", Code: "C01", At: time.Date(2026, 1, 9, 15, 0, 0, 0, time.UTC)}
		p := store.NoticePayload{Corrected: &store.NoticeChange{AccountType: "CHECKING"}}
		if err := p.Corrected.Seal(&n, credit.AccountDetails{Routing: "021000021", Number: fmt.Sprint(900_000_000 + i)}, ring.Seal); err != nil {
			return err
		}
		var err error
		if n.Payload, err = json.Marshal(p); err != nil {
			return err
		}
		if _, err := db.PutNotice(r.t.Context(), n); err != nil {
			return err
		}
		name := fmt.Sprint(clockwork.FileContent, i)
		content := ring.Seal(fmt.Append(nil, "a file of the day ", i), name)
		if i == 0 {
			content = []byte(clockwork.FileSent)
		}
		if err := db.PutSetting(r.t.Context(), name, content); err != nil {
			return err
		}
	}
	return nil
}

// ring returns the keys in the key file.
func (r *rotation) ring() seal.Ring {
	r.t.Helper()
	text, err := os.ReadFile(r.keyFile)
	if err != nil {
		r.t.Fatal(err)
	}
	ring, err := seal.ParseKeyFile(text)
	if err != nil {
		r.t.Fatal(err)
	}
	return ring
}

// look opens every sealed value. It returns their contents by place, and how many each key has
// sealed.
func (r *rotation) look() (values map[string]string, keys map[string]int) {
	r.t.Helper()
	x := looking{ring: r.ring(), values: map[string]string{}, keys: map[string]int{}}
	r.within(func(db store.Backend) error {
		return errors.Join(x.settings(r.t, db), db.View(r.t.Context(), x.rows))
	})
	return x.values, x.keys
}

// looking is one pass over all values.
type looking struct {
	ring   seal.Ring
	values map[string]string
	keys   map[string]int
}

// add records a value, and what is stored with it.
func (x *looking) add(place string, sealed []byte, shown any, err error, beside ...any) {
	x.keys[seal.KeyID(sealed)]++
	x.values[place] = fmt.Sprintf("%+v %v", shown, beside)
	if err != nil {
		x.values[place] = "it does not open: " + err.Error()
	}
}

func (x *looking) settings(t *testing.T, db store.Backend) error {
	names, err := store.SettingNames(t.Context(), db, clockwork.FileContent)
	about := map[string]string{"key_check": "setting/key_check", "fingerprint_key": "setting/fingerprint_key"}
	for _, name := range names {
		about[name] = name
	}
	for name, subject := range about {
		kept, found, e := store.Setting(t.Context(), db, name)
		if err = errors.Join(err, e); !found || string(kept) == clockwork.FileSent {
			x.values[name] = string(kept)
			continue
		}
		plain, e := x.ring.Open(kept, subject)
		x.add(name, kept, string(plain), e)
	}
	return err
}

func (x *looking) rows(v store.View) error {
	account := func(id, place string, b *credit.BankAccount) {
		details, err := b.Open(place, x.ring.Open)
		x.add(id, b.Sealed, details, err, b.Fingerprint, b.Holder, b.Last4, b.AccountType)
	}
	merchants, err := store.AllMerchants(v)
	for _, m := range merchants {
		for i, b := range m.Accounts() {
			account(fmt.Sprint(m.ID, " ", i), payments.PaidAccount(m.ID), b)
		}
	}
	return errors.Join(err, store.EachOf(v, store.MethodNoun, func(m *credit.PaymentMethod) error {
		account(m.ID, payments.MethodAccount(m.ID), m.Bank)
		return nil
	}), store.EachEndpointVersion(v, func(e store.EndpointVersion) error {
		if e.UntilQ != 0 {
			return nil // a former version, which nothing opens
		}
		for i, s := range e.Endpoint.Secrets {
			plain, err := x.ring.Open(s.Sealed, credit.SigningSecretOf(e.Endpoint.ID))
			x.add(fmt.Sprint(e.Endpoint.ID, " ", i), s.Sealed, string(plain), err, s.Until)
		}
		return nil
	}), store.EachAnswer(v, func(k store.KeyID, a store.Answer) error {
		if a.Sealed {
			plain, err := x.ring.Open(a.Body, engine.AnswerSubject(k))
			x.add(fmt.Sprint(k), a.Body, string(plain), err, a.Status, a.ContentType, a.Location, a.ETag)
		}
		return nil
	}), store.Each(v, &store.BankNotices, func(n store.BankNotice) error {
		var p store.NoticePayload
		if err := json.Unmarshal(n.Payload, &p); err != nil {
			return err
		}
		details, err := p.Corrected.Open(&n, x.ring.Open)
		x.add(n.Key(), p.Corrected.Sealed, details, err, p.Corrected.AccountType, p.Corrected.Of)
		return nil
	}))
}

// changed lists the places whose content is different or missing.
func changed(was, is map[string]string) (places []string) {
	for place, value := range was {
		if now, there := is[place]; !there || now != value {
			places = append(places, place)
		}
	}
	for place := range is {
		if _, there := was[place]; !there {
			places = append(places, place)
		}
	}
	return places
}

// life adds the new key to the file, rotates with a way of killing it, at least a number of
// times, and drops the old key. How many moments of a rotation are hit depends on the machine; at
// least one must be.
func (r *rotation) life(killed func(*rotation), least int) {
	r.t.Helper()
	old := r.ring().IDs()[0]
	_, keys := r.look()
	if want := 3*rotatedMethods/2 + 60; len(keys) != 1 || keys[old] < want { // accounts, as many responses; notices, files
		r.t.Fatalf("%v values are sealed, of %s there should be %d", keys, old, want)
	}
	r.left = keys[old]
	r.said(0, "keys", "add", r.keyFile)
	r.holds(old)
	var beside *proctest.Process
	if r.beside {
		beside = r.world.Serve(r.t, r.program)
	}
	killed(r)
	if r.kills < least {
		r.t.Errorf("only %d kills", r.kills)
	}
	if said := r.said(0, r.at("keys", "rotate")...); !strings.HasPrefix(said, "0 values were re-encrypted") || !strings.Contains(said, "keys drop-old") {
		r.t.Errorf("after the end keys rotate says %q", said)
	}
	r.holds(old)
	if r.left > 0 {
		r.t.Errorf("%d values are still sealed with the old key", r.left)
	}
	r.said(0, r.at("keys", "drop-old")...)
	if ids := r.ring().IDs(); len(ids) != 1 || ids[0] == old {
		r.t.Errorf("the key file holds %v after %s was dropped", ids, old)
	}
	r.holds(old)
	r.said(0, r.at("verify")...)
	if r.beside {
		r.repeats(beside)
	}
	r.repeats(r.world.Serve(r.t, r.program))
	r.t.Logf("keys rotate: %d kills / %d values / changed 0", r.kills, len(r.was))
}

// at is a command on the database, with its key file.
func (r *rotation) at(args ...string) []string {
	return slices.Concat(args, r.world.Flags, []string{"--key-file", r.keyFile})
}

// said runs a command that exits with a code, and returns its output.
func (r *rotation) said(code int, args ...string) string {
	r.t.Helper()
	cmd := exec.Command(r.program, args...)
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		r.t.Fatalf("tenor %s ended with %d, not %d: %v\n%s", strings.Join(args[:2], " "), got, code, err, out)
	}
	return string(out)
}

// conflict is tenor's exit code for an unexpected state.
const conflict = 6

// holds checks that every value opens and is unchanged, and that no key is dropped while a value
// is sealed with the old one.
func (r *rotation) holds(old string) {
	r.t.Helper()
	is, keys := r.look()
	if places := changed(r.was, is); len(places) > 0 {
		r.t.Fatalf("after %d kills %d values are not what they were, %s: %s, was %s", r.kills, len(places), places[0], is[places[0]], r.was[places[0]])
	}
	if keys[old] > r.left {
		r.t.Errorf("%d values are sealed with the old key, there were %d", keys[old], r.left)
	}
	if r.left = keys[old]; r.left == 0 {
		return
	}
	before, err := os.ReadFile(r.keyFile)
	if err != nil {
		r.t.Fatal(err)
	}
	said := r.said(conflict, r.at("keys", "drop-old")...)
	after, err := os.ReadFile(r.keyFile)
	if err != nil || !bytes.Equal(before, after) || !strings.Contains(said, "keys rotate") {
		r.t.Errorf("%d values are sealed with the old key, and drop-old says %q; the key file: %v", r.left, said, err)
	}
}

// rotate runs tenor keys rotate, which kills itself at a point, or is killed after a while, and
// reports whether it finished before that.
func (r *rotation) rotate(point string, after time.Duration) (ended bool) {
	r.t.Helper()
	old := r.ring().IDs()[1]
	p := proctest.Begin(r.t, []string{"TENOR_FAILPOINTS=" + point}, append([]string{r.program}, r.at("keys", "rotate")...)...)
	select {
	case <-p.Ended():
	case <-time.After(after):
		p.Kill()
	}
	p.Wait(r.t)
	if !p.Killed() {
		if p.Err() != nil {
			r.t.Fatalf("%s: %v\n%s", point, p.Err(), p.Log())
		}
		return true
	}
	r.kills++
	r.holds(old)
	return false
}

// atPoints kills the rotation before, in and after its first commands, and then in the remaining
// ones.
func (r *rotation) atPoints() {
	for _, x := range []struct {
		point failpoint.Point
		hit   int
	}{
		{failpoint.BeforeBegin, 1}, {failpoint.AfterLoad, 1}, {failpoint.MidApply, 2}, {failpoint.BeforeCommit, 1}, {failpoint.BeforeAnswer, 1},
		{failpoint.AfterDecide, 2}, {failpoint.MidApply, 1}, {failpoint.BeforeAnswer, 2},
	} {
		before := r.left
		if r.rotate(fmt.Sprintf("%s=kill@%d", x.point, x.hit), proctest.Timeout) {
			r.t.Errorf("it came to its end without the %dth %s", x.hit, x.point)
		}
		if committed := x.hit > 1 || x.point == failpoint.BeforeAnswer; committed && r.left == before {
			r.t.Errorf("killed at the %dth %s, it had done nothing", x.hit, x.point)
		}
	}
	if !r.rotate("", proctest.Timeout) {
		r.t.Error("it was killed by nobody")
	}
}

// atMoments kills the rotation a little later each time, from before it has done anything until
// it finishes first.
func (r *rotation) atMoments() {
	begin := time.Now()
	r.said(0, r.at("keys", "status")...)
	took := time.Since(begin)
	for after := took / 4; !r.rotate("", after); {
		after += time.Duration(r.random.Int64N(int64(took / 4)))
	}
}

// repeats requests every response from before the rotation again.
func (r *rotation) repeats(server *proctest.Process) {
	r.t.Helper()
	for token, calls := range r.calls {
		c := newClient(server.URL, token)
		found := replay(c, calls, nil)
		c.close()
		if found.acked != len(calls) || len(found.lost)+len(found.indefinite) > 0 {
			r.t.Errorf("%d answers are lost, %d do not come: %.300v %.300v", len(found.lost), len(found.indefinite), found.lost, found.indefinite)
		}
	}
	server.Stop(r.t)
}

// control seals one value twice, another one with a key missing from the file, and replaces the
// first with a third: the same check must find each of them, and nothing else.
func (r *rotation) control() {
	r.t.Helper()
	ring := r.ring()
	stranger, err := seal.New(seal.Derive([]byte("a key that is nobody's"), "control"))
	if err != nil {
		r.t.Fatal(err)
	}
	names := []string{fmt.Sprint(clockwork.FileContent, 1), fmt.Sprint(clockwork.FileContent, 2), fmt.Sprint(clockwork.FileContent, 3)}
	r.within(func(db store.Backend) error {
		twice, _, err := store.Setting(r.t.Context(), db, names[0])
		return errors.Join(err,
			db.PutSetting(r.t.Context(), names[0], ring.Seal(twice, names[0])),
			db.PutSetting(r.t.Context(), names[1], stranger.Seal([]byte(r.was[names[1]]), names[1])),
			db.PutSetting(r.t.Context(), names[2], twice))
	})
	is, _ := r.look()
	if found := changed(r.was, is); !slices.Equal(slices.Sorted(slices.Values(found)), names) {
		r.t.Errorf("control: of %v it finds %v", names, found)
	}
}
