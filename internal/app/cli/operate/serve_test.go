package operate

import (
	"context"
	"testing"

	"tenor/internal/app/node"
)

// A target is allowed by its network, but the database's own address never is.
func TestWebhookTargets(t *testing.T) {
	c := ServeCommand{Allow: []string{"10.0.0.0/8", "192.168.0.0/24"}}
	r, err := c.targets(context.Background(), &node.Place{Address: "postgres://tenor@10.0.0.7:5432,10.0.0.8:5432/tenor"})
	if err != nil {
		t.Fatal(err)
	}
	for target, allowed := range map[string]bool{
		"https://10.0.0.9/hook": true, "https://192.168.0.5/": true, "https://erp.internal/": true, "https://shop.example/": true,
		"https://10.0.0.7/": false, "https://10.0.0.8/": false, "https://192.168.1.5/": false, "http://10.0.0.9/": false,
		"https://10.0.0.9:5432/": false, "https://127.0.0.1/": false, "https://localhost/": false, "https://169.254.169.254/": false,
	} {
		if problem := r.CheckURL(target); (problem == "") != allowed {
			t.Errorf("%s: %q", target, problem)
		}
	}
}
