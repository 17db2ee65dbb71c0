package stage

import (
	"context"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/scenario"
	"tenor/internal/core/clock"
)

// RunScenario plays a scenario on a server, as its lender.
func RunScenario(ctx context.Context, wall func() time.Time, url, token string, s scenario.Scenario, tell func(scenario.Line)) (scenario.Result, error) {
	lender, err := client.New(url, token)
	if err != nil {
		return scenario.Result{}, &exit.Failure{Code: exit.Usage, Text: "--server must look like http://localhost:8080"}
	}
	zone, err := clock.BusinessZone()
	if err != nil {
		return scenario.Result{}, err
	}
	return scenario.Run(ctx, scenario.Config{
		Lender: lender, Zone: zone.Location(), Wall: wall, Tell: tell,
		Shop: func(id, secret string) (scenario.Caller, error) {
			return client.NewWithCredentials(url, client.Credentials{ID: id, Secret: secret})
		},
	}, s)
}
