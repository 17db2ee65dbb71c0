package sandboxapi

import (
	"errors"

	"tenor/internal/core/store"
	"tenor/internal/edge/httpapi/developer"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type receiverName struct {
	Name string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,62}$" doc:"Name of the receiver: lowercase letters, digits and hyphens." example:"orders"`
}

type receivedID struct {
	receiverName
	ID string `path:"id" prefix:"rcv_" doc:"Amount received." example:"rcv_X4ZQ2JH5WN7TBD3KM6PV"`
}

type receiverBody struct {
	Behavior   string `json:"behavior" required:"true" enum:"accept,fail,gone,redirect,busy,slow,time_out,lose_response" doc:"Response: 204; 500; 410, which disables the endpoint; 302, which is a failure; 503 with Retry-After; 204 after three seconds; a timeout; a dropped connection after receiving the delivery." example:"fail"`
	RetryAfter int    `json:"retry_after" default:"30" minimum:"0" maximum:"86400" doc:"Retry-After in seconds, for busy." example:"30"`
	Times      int    `json:"times" default:"0" minimum:"0" maximum:"1000" doc:"Accept again after this many deliveries; 0: only when changed." example:"3"`
}

type receivedCheckBody struct {
	Secret string `json:"secret" required:"true" minLength:"1" maxLength:"512" doc:"Signing secret to verify with. It is not stored." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
}

type receiverMessageBody struct {
	ID        string `json:"id" required:"true" minLength:"1" maxLength:"256" doc:"webhook-id." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	Timestamp string `json:"timestamp" maxLength:"64" doc:"webhook-timestamp. Default: now." example:"1767625200"`
	Signature string `json:"signature" maxLength:"4096" doc:"webhook-signature. Default: computed with the secret of the merchant's endpoint." example:"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="`
	Body      string `json:"body" maxLength:"262144" multiline:"true" doc:"Body, byte for byte." example:"{\"type\": \"order.captured\"}"`
}

// Webhooks returns the operations on a sandbox's webhook receivers, for merchants: an
// endpoint has one.
func (s API) Webhooks() []rest.Operation {
	op := func(id, method, path, summary string, response any, e rest.Endpoint) rest.Operation {
		o := rest.Operation{
			ID: id, Method: method, Path: "/v1/sandbox/" + path, Tag: "Sandbox", Summary: summary, Response: response, Endpoint: e,
			Scopes: []string{"sandbox", "webhooks:read"}, TenantOnly: true, Undecided: method != "GET",
		}
		if method != "GET" {
			o.Scopes[1] = "webhooks:write"
		}
		return o
	}
	list := op("listSandboxReceivers", "GET", "receivers", "List the sandbox's webhook receivers", resource.List[resource.SandboxReceiver]{}, rest.Handle(s.listReceivers))
	list.Doc = "Those the merchant's endpoints send to, and those it has configured. Create an endpoint with a receiver's URL to have it receive events."
	tell := op("setSandboxReceiver", "POST", "receivers/{name}", "Configure a receiver", resource.SandboxReceiver{}, rest.Handle(s.tellReceiver))
	tell.Problems = []string{"limit_exceeded", "not_found"}
	received := op("listReceivedWebhooks", "GET", "receivers/{name}/deliveries", "List a receiver's deliveries", resource.List[resource.ReceivedWebhook]{}, rest.Handle(s.listReceived))
	received.Doc = "Newest first; the last 50 are kept until the server stops. Each is verified step by step."
	one := op("getReceivedWebhook", "GET", "receivers/{name}/deliveries/{id}", "Retrieve a receiver's delivery", resource.ReceivedWebhook{}, rest.Handle(s.getReceived))
	one.ETag = true
	again := op("checkReceivedWebhook", "POST", "receivers/{name}/deliveries/{id}/check", "Verify a delivery with another secret", resource.ReceivedWebhook{}, rest.Handle(s.checkReceived))
	again.Reads = true
	write := op("sendToReceiver", "POST", "receivers/{name}/send", "Send a receiver a test message", resource.ReceivedWebhook{}, rest.Handle(s.sendToReceiver))
	write.Doc = "Stays in the sandbox and emits no event. Shows how verification handles other bytes, another time or another signature."
	now := op("sendDeliveryNow", "POST", "deliveries/{id}/send-now", "Retry a pending delivery now", nil, rest.Handle(s.sendDeliveryNow))
	now.Success, now.Problems = 204, []string{"not_found"}
	now.Doc = "Including earlier ones of its object. 404 unless the delivery is pending."
	return []rest.Operation{list, tell, received, one, again, write, now}
}

// received turns a refusal of Receivers into a problem.
func received(err error) error {
	switch {
	case errors.Is(err, serve.ErrReceiverUnknown):
		return rest.NotFound()
	case errors.Is(err, serve.ErrReceivers):
		return rest.NewProblem("limit_exceeded", "The sandbox has reached its maximum number of receivers.")
	}
	return err
}

func (s API) listReceivers(c *rest.Call, _ *rest.None, _ *rest.None) (rest.Answer, error) {
	list, err := s.Receivers.List(c.Context(), c.Principal.Tenant)
	w := resource.NewList(list, "")
	return rest.OK(&w), received(err)
}

func (s API) tellReceiver(c *rest.Call, p *receiverName, b *receiverBody) (rest.Answer, error) {
	w, err := s.Receivers.Tell(c.Context(), c.Principal.Tenant, serve.ReceiverOrder{Name: p.Name, Behavior: b.Behavior, RetryAfter: b.RetryAfter, Times: b.Times})
	return rest.OK(&w), received(err)
}

func (s API) listReceived(c *rest.Call, p *receiverName, _ *rest.None) (rest.Answer, error) {
	list, err := s.Receivers.Deliveries(c.Context(), c.Principal.Tenant, p.Name)
	w := resource.NewList(list, "")
	return rest.OK(&w), received(err)
}

func (s API) getReceived(c *rest.Call, p *receivedID, _ *rest.None) (rest.Answer, error) {
	w, err := s.Receivers.Delivery(c.Context(), c.Principal.Tenant, p.Name, p.ID, "")
	if err != nil {
		return rest.Answer{}, received(err)
	}
	return serve.Tagged(&w)
}

func (s API) checkReceived(c *rest.Call, p *receivedID, b *receivedCheckBody) (rest.Answer, error) {
	w, err := s.Receivers.Delivery(c.Context(), c.Principal.Tenant, p.Name, p.ID, b.Secret)
	return rest.OK(&w), received(err)
}

func (s API) sendToReceiver(c *rest.Call, p *receiverName, b *receiverMessageBody) (rest.Answer, error) {
	w, err := s.Receivers.Send(c.Context(), c.Principal.Tenant, p.Name, serve.ReceiverMessage{ID: b.ID, Timestamp: b.Timestamp, Signature: b.Signature, Body: b.Body})
	return rest.OK(&w), received(err)
}

func (s API) sendDeliveryNow(c *rest.Call, p *serve.DeliveryID, _ *rest.None) (rest.Answer, error) {
	if _, err := s.Read(c, func(v store.View) (rest.Answer, error) {
		_, _, err := developer.FindDelivery(c, v, p.ID)
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	found, err := s.Receivers.SendNow(c.Context(), p.ID)
	if err == nil && !found {
		err = rest.NotFound()
	}
	return rest.Answer{}, err
}
