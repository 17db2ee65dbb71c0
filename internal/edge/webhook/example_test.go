package webhook_test

import (
	"fmt"
	"net/http"
	"time"

	"tenor/internal/edge/webhook"
)

// A receiver checks the bytes that it received before it reads anything in them.
func ExampleVerify() {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	body := []byte(`{"test": 2432232314}`)
	header := http.Header{}
	header.Set(webhook.HeaderID, "msg_p5jXN8AQM9LWM0D4loKWxJek")
	header.Set(webhook.HeaderTimestamp, "1614265330")
	header.Set(webhook.HeaderSignature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	received := time.Unix(1614265331, 0)

	fmt.Println(webhook.Verify(secret, header, body, received))
	fmt.Println(webhook.Verify(secret, header, body, received.Add(time.Hour)))
	fmt.Println(webhook.Verify(secret, header, []byte(`{"test":2432232314}`), received))
	// Output:
	// <nil>
	// webhook: the timestamp is too old or in the future
	// webhook: no signature matches
}
