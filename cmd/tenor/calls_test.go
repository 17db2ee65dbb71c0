package main

import (
	"context"
	"strings"
	"testing"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/proof/devtest"
)

// A shop with an order_complete_url is notified of an acceptance after its receiver has failed
// three times, with the real program. The merchant finds the outcome among the other deliveries,
// and has it sent again; the book contains all of it.
func TestOrderCompleteURL(t *testing.T) {
	s, w := devtest.NewShopper(t)
	s.API(200, "POST", "/v1/sandbox/receivers/done", `{"behavior":"fail","times":3}`)
	x := s.API(201, "POST", "/v1/checkouts", `{"amount":300.00,"return_url":"https://shop.example/","cancel_url":"https://shop.example/","order_complete_url":"`+w.URL+`/sandbox/receive/done"}`)
	id := x["id"].(string)
	s.API(200, "POST", "/v1/sandbox/checkouts/"+id+"/accept", `{"ein":"00-0000001","installments":6}`)

	calls := ""
	for _, line := range strings.Split(s.Command(exit.Done, "webhooks", "list"), "\n") {
		if f := strings.Fields(line); len(f) > 1 && f[1] == "CHECKOUT" {
			calls = f[0]
		}
	}
	deliveries := "/v1/webhooks/" + calls + "/deliveries"
	const got = "/v1/sandbox/receivers/done/deliveries"
	for n := 2.0; n <= 3; n++ { // the second attempt soon comes by itself
		waiting := s.Until("an attempt that waits for minutes", deliveries+"?state=PENDING", func(list []map[string]any) bool {
			return len(list) == 1 && list[0]["attempts_made"].(float64) == n
		})
		s.API(204, "POST", "/v1/sandbox/deliveries/"+waiting[0]["id"].(string)+"/send-now", "{}")
	}
	done := s.Until("it succeeds", deliveries+"?state=SUCCEEDED", func(list []map[string]any) bool { return len(list) == 1 })[0]
	if done["attempts_made"].(float64) != 4 || done["url"] != w.URL+"/sandbox/receive/done" {
		t.Errorf("delivered %v", done)
	}
	list := s.List(got)
	for _, r := range list {
		if r["event_type"] != "checkout.accepted" || r["check"].(map[string]any)["verdict"] != "GOOD" {
			t.Errorf("received %v", r)
		}
	}
	if text := s.Command(exit.Done, "webhooks", "deliveries", done["id"].(string)); !strings.Contains(text, w.URL+"/sandbox/receive/done") || len(list) != 4 {
		t.Errorf("%d messages, shown as %s", len(list), text)
	}
	s.Command(exit.Done, "webhooks", "redeliver", done["id"].(string))
	s.Until("it is sent again", got, func(list []map[string]any) bool { return len(list) == 5 })
	s.Until("and recorded", deliveries+"?state=SUCCEEDED", func(list []map[string]any) bool { return len(list) == 2 })

	other := &devtest.Shopper{T: t, URL: w.URL, Token: devtest.OtherToken(t, w), HTTP: s.HTTP}
	other.API(404, "GET", deliveries, "")
	if list := other.List(got); len(list) != 0 {
		t.Errorf("another merchant sees %v", list)
	}
	var out, errs devtest.Pipe
	if code := cli.Run(context.Background(), []string{"verify", "--data", w.Data}, devtest.App(&out, &errs)); code != exit.Done {
		t.Errorf("verify: %s%s", out.String(), errs.String())
	}
}
