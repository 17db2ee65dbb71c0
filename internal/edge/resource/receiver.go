package resource

import "time"

// SandboxReceiver is a webhook receiver that a sandbox provides.
type SandboxReceiver struct {
	Name       string   `json:"name" doc:"Its name, the last part of its address." example:"orders"`
	URL        string   `json:"url" doc:"The address of an endpoint that sends to it." example:"http://localhost:8080/sandbox/receive/orders"`
	Behavior   string   `json:"behavior" enum:"accept,fail,gone,redirect,busy,slow,time_out,lose_response" doc:"Response behavior." example:"accept"`
	RetryAfter *int     `json:"retry_after" nullable:"true" doc:"Retry-After in seconds, while busy." example:"30"`
	Times      *int     `json:"times" nullable:"true" doc:"Accepts again after this many deliveries; null: only when changed." example:"3"`
	WebhookIDs []string `json:"webhook_ids" doc:"The merchant's endpoints that send to it." example:"[\"whk_01KB2C4E6G8J0M2P4R6T8V0X2Z\"]"`
	Kept       int      `json:"kept" doc:"Number of the merchant's deliveries stored." example:"2"`
}

// ReceivedWebhook is one delivery to a receiver of the sandbox.
type ReceivedWebhook struct {
	ID         string        `json:"id" doc:"Its identifier." example:"rcv_X4ZQ2JH5WN7TBD3KM6PV"`
	Receiver   string        `json:"receiver" doc:"Name of the receiver." example:"orders"`
	ReceivedAt time.Time     `json:"received_at" doc:"When it arrived, by the wall clock." example:"2026-11-02T15:00:00Z"`
	Behavior   string        `json:"behavior" doc:"Response given." example:"accept"`
	EventID    *string       `json:"event_id" nullable:"true" doc:"webhook-id." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	EventType  *string       `json:"event_type" nullable:"true" doc:"The body's member type, if any." example:"order.captured"`
	Headers    []HeaderField `json:"headers" doc:"By name."`
	Body       string        `json:"body" doc:"As received; invalid UTF-8 is replaced." example:"{\"type\": \"order.captured\"}"`
	Size       int           `json:"size" doc:"Bytes of the body." example:"26"`
	Check      WebhookCheck  `json:"check" doc:"Verification, as a receiver should do it."`
}

// HeaderField is a header field of a request.
type HeaderField struct {
	Name  string `json:"name" doc:"Name." example:"webhook-id"`
	Value string `json:"value" doc:"Value." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
}

// WebhookCheck shows how a receiver verifies a delivery.
type WebhookCheck struct {
	Verdict string             `json:"verdict" enum:"GOOD,REFUSED,UNKNOWN" doc:"Verdict; UNKNOWN: no secret is available." example:"GOOD"`
	Steps   []WebhookCheckStep `json:"steps" doc:"All steps, including those after a failure."`
}

// WebhookCheckStep is one step of a verification.
type WebhookCheckStep struct {
	Name  string  `json:"name" enum:"headers,timestamp,signed_text,secret,computed,given,verdict" doc:"What was checked." example:"timestamp"`
	OK    bool    `json:"ok" doc:"Whether it passed." example:"true"`
	Text  string  `json:"text" doc:"What was found." example:"It was 0s old when it came; at most five minutes are allowed."`
	Value *string `json:"value" nullable:"true" doc:"Value checked or computed." example:"1767625200"`
}
