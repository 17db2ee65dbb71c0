package store_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

var toldAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// The forms in which it is kept, by its first byte.
const toldPlain, toldS2 = 0, 1

// anyTold draws what a command may tell others.
func anyTold(t *rapid.T) store.Told {
	text := rapid.StringN(0, 40, 200)
	body := rapid.SliceOfN(rapid.Byte(), 0, 300)
	var x store.Told
	if rapid.Bool().Draw(t, "answered") {
		x.Answer = &store.Answer{
			Body: body.Draw(t, "answer"), Status: rapid.IntRange(200, 499).Draw(t, "status"), ContentType: text.Draw(t, "form"),
			Location: text.Draw(t, "location"), ETag: text.Draw(t, "etag"), Q: 7, At: toldAt,
		}
		copy(x.Answer.Request[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "request"))
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "events") {
		e := store.EventRow{
			ID: text.Draw(t, "id"), Type: credit.EventType(text.Draw(t, "type")), Object: credit.ObjectRef{Type: text.Draw(t, "kind"), ID: text.Draw(t, "object")},
			Sequence: rapid.Int64().Draw(t, "sequence"), Company: rapid.Int64().Draw(t, "company"), Merchant: text.Draw(t, "merchant"),
			Q: 7, N: i, At: toldAt,
		}
		for range rapid.IntRange(0, 3).Draw(t, "readers") {
			e.Readers = append(e.Readers, text.Draw(t, "reader"))
		}
		if rapid.Bool().Draw(t, "said") {
			e.Payload = body.Draw(t, "payload")
		}
		x.Events = append(x.Events, e)
	}
	return x
}

// What was packed comes back as it was, and nothing is stored of nothing.
func TestToldIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := anyTold(t)
		packed := x.Pack()
		if (packed == nil) != (len(x.Events) == 0 && x.Answer == nil) {
			t.Fatalf("packed: %v", packed)
		}
		got, err := store.Unpack(packed, 7, toldAt)
		if err != nil || !reflect.DeepEqual(got, x) {
			t.Fatalf("%+v became %+v, %v", x, got, err)
		}
	})
}

// A damaged column is an error, never a panic or another event.
func TestDamagedTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		packed := anyTold(t).Pack()
		if len(packed) < 2 {
			return
		}
		cut := rapid.IntRange(1, len(packed)-1).Draw(t, "cut")
		if _, err := store.Unpack(packed[:cut], 7, toldAt); !errors.Is(err, store.ErrTold) {
			t.Fatalf("%d of %d bytes: %v", cut, len(packed), err)
		}
		bent := bytes.Clone(packed)
		bent[rapid.IntRange(0, len(bent)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		_, _ = store.Unpack(bent, 7, toldAt)
	})
	for name, b := range map[string][]byte{
		"JSON that is none": []byte(`[{`), "JSON that is no list of events": []byte(`["a"]`),
		"more than may be": {toldS2, 0xff, 0xff, 0xff, 0xff, 0x7f}, "many events in few bytes": {toldPlain, 0, 0xff, 0xff, 0x03},
	} {
		if _, err := store.Unpack(b, 7, toldAt); !errors.Is(err, store.ErrTold) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := store.Unpack([]byte{9, 1, 2}, 7, toldAt); err == nil || errors.Is(err, store.ErrTold) {
		t.Errorf("a form of a later program: %v", err)
	}
}

// A delivery whose event is damaged can end, and keeps no other from being compared.
func TestDeliveryOfDamagedEvent(t *testing.T) {
	x := store.EventRow{ID: "evt_1", Type: "order.created", Object: credit.ObjectRef{Type: "order", ID: "ord_1"}, Sequence: 1, Readers: []string{"m"}}
	right := store.Delivery{ID: "d1", Merchant: "m", Event: x.ID, Type: x.Type, Object: x.Object, Sequence: 1, Place: store.Place{Q: 1}}
	unread, wrong := right, right
	unread.Place.Q, wrong.Sequence = 2, 2
	at := func([]int64) ([]store.ToldRow, error) {
		return []store.ToldRow{{Q: 1, At: toldAt, Told: store.Told{Events: []store.EventRow{x}}.Pack()}, {Q: 2, At: toldAt, Told: []byte{toldS2, 0xff}}}, nil
	}
	if err := store.CheckDeliveries([]store.Delivery{unread, right}, at); err != nil {
		t.Error(err)
	}
	if err := store.CheckDeliveries([]store.Delivery{unread, wrong}, at); !errors.Is(err, store.ErrRefused) {
		t.Errorf("a delivery of another event: %v", err)
	}
}

// Forms that were once written are read: the dictionary never changes, and migrations have
// written JSON.
func TestFormsOfTold(t *testing.T) {
	const dictionary = "38fe813c900c00c87b5840229231086e7554d4a7091d300899653691191565dd"
	told1, err := os.ReadFile("told1.txt")
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(told1); hex.EncodeToString(sum[:]) != dictionary {
		t.Errorf("the first dictionary has changed: %x. What is packed with it cannot be read any more", sum)
	}
	answer := store.Answer{Status: 201, Body: []byte(`{"key":"ord_1","status":"AUTHORIZED"}`), ContentType: "application/json", Location: "/v1/order/ord_1", ETag: `"1"`, Q: 7, At: toldAt}
	answer.Request[0] = 9
	want := store.Told{Answer: &answer, Events: []store.EventRow{{
		ID: "evt_1", Type: "order.created", Object: credit.ObjectRef{Type: "order", ID: "ord_1"}, Sequence: 1, Company: 5, Merchant: "m", Readers: []string{"m"},
		Payload: []byte(`{"data":{"key":"ord_1","status":"AUTHORIZED"}}`), Q: 7, At: toldAt,
	}}}
	const once = "01c40108267b22d9250031355236d9150c7d09000072020008c901102a8854802f6a736f6e0f2f76312f6f726465722f6f72645f310322312201056576745f310d32591750056f72646572056f72645f31016d020a01016d2f7b95308a9d00007d"
	b, err := hex.DecodeString(once)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := store.Unpack(b, 7, toldAt); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("packed once: %+v, %v; now it would be %x", got, err, want.Pack())
	}
	want.Answer = nil
	const json = `[{"id":"evt_1","type":"order.created","object_type":"order","object_id":"ord_1","sequence":1,"company_id":5,"merchant_id":"m","readers":["m"],
		"payload":"{\"data\":{\"key\":\"ord_1\",\"status\":\"AUTHORIZED\"}}"}]`
	if got, err := store.Unpack([]byte(json), 7, toldAt); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("by a migration: %+v, %v", got, err)
	}
}

// A command that says the same in several places takes the room of one.
func TestToldIsSmall(t *testing.T) {
	order := `{"key":"ord_01M8F4KK0P0VQY81P3NAXKTQW6","company_id":5422777124,"amount":1200.00,"cart_items":[` + strings.Repeat(`{"name":"Steel shelf","price":400.00,"sku":"S-1"},`, 9) + `null]}`
	x := store.Told{Answer: &store.Answer{Body: []byte(order)}}
	for i := range 3 {
		x.Events = append(x.Events, store.EventRow{ID: "evt", Type: "order.updated", Sequence: int64(i), Payload: []byte(`{"type":"order.updated","data":{"object":` + order + `}}`)})
	}
	if n, all := len(x.Pack()), 4*len(order); n > all/8 {
		t.Errorf("%d bytes are packed in %d", all, n)
	}
}
