package reseal_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"tenor/internal/core/store"
)

func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func noticeOf(t *testing.T, n store.BankNotice) (p store.NoticePayload) {
	t.Helper()
	if err := json.Unmarshal(n.Payload, &p); err != nil {
		t.Fatal(err)
	}
	return p
}
