package card

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

// spec is the vendor's API description, as far as it is used here.
type spec struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	Responses map[string]struct {
		Content map[string]struct {
			Schema *schema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

type schema struct {
	Ref        string             `json:"$ref"`
	Type       string             `json:"type"`
	Nullable   bool               `json:"nullable"`
	Enum       []any              `json:"enum"`
	AnyOf      []*schema          `json:"anyOf"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	More       any                `json:"additionalProperties"`
}

func readSpec(path string) (*spec, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &spec{}
	return s, json.Unmarshal(text, s)
}

// answers checks the body of a success against the vendor's schema.
func (s *spec) answers(method, path string, body json.RawMessage) error {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return err
	}
	for template, operations := range s.Paths {
		if op, ok := operations[strings.ToLower(method)]; ok && sameRoute(template, path) {
			return s.fits(op.Responses["200"].Content["application/json"].Schema, value)
		}
	}
	return errors.New("the vendor has no such path")
}

// sameRoute matches a path with a template. A literal one takes precedence over one with a
// parameter, so a parameter is an ID here.
func sameRoute(template, path string) bool {
	a, b := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(a, b, func(x, y string) bool {
		return x == y || strings.HasPrefix(x, "{") && strings.Contains(y, "_")
	})
}

// eventData are the schemas of the events' objects.
var eventData = map[string]string{payoutPaid: "payout", disputeWithdrawn: "dispute", disputeReinstated: "dispute"}

// fits checks a value against a schema.
func (s *spec) fits(of *schema, value any) error {
	for of.Ref != "" {
		of = s.Components.Schemas[strings.TrimPrefix(of.Ref, "#/components/schemas/")]
	}
	if len(of.AnyOf) > 0 && value != nil {
		var all []error
		for _, one := range of.AnyOf {
			err := s.fits(one, value)
			if err == nil {
				return nil
			}
			all = append(all, err)
		}
		return fmt.Errorf("fits none of %d: %w", len(all), errors.Join(all...))
	}
	switch v := value.(type) {
	case nil:
		if !of.Nullable {
			return errors.New("is null")
		}
	case string:
		if of.Type != "string" || len(of.Enum) > 0 && !slices.Contains(of.Enum, any(v)) {
			return fmt.Errorf("is %q, and has to be a %s of %v", v, of.Type, of.Enum)
		}
	case bool:
		if of.Type != "boolean" {
			return fmt.Errorf("is a boolean, and has to be a %s", of.Type)
		}
	case float64:
		if of.Type != "integer" && of.Type != "number" || of.Type == "integer" && v != math.Trunc(v) {
			return fmt.Errorf("is %v, and has to be a %s", v, of.Type)
		}
	case []any:
		if of.Type != "array" {
			return fmt.Errorf("is a list, and has to be a %s", of.Type)
		}
		for _, x := range v {
			if err := s.fits(of.Items, x); err != nil {
				return fmt.Errorf("[]: %w", err)
			}
		}
	case map[string]any:
		return s.object(of, v)
	}
	return nil
}

// object checks each field of an object: one that the vendor does not have is our mistake.
func (s *spec) object(of *schema, fields map[string]any) error {
	if of.Type != "object" {
		return fmt.Errorf("is an object, and has to be a %s", of.Type)
	}
	for name, value := range fields {
		field := of.Properties[name]
		if field == nil {
			if of.Properties == nil && of.More != nil && of.More != false {
				continue // metadata
			}
			return fmt.Errorf("the vendor has no %q", name)
		}
		if err := s.fits(field, value); err != nil {
			return fmt.Errorf(".%s: %w", name, err)
		}
	}
	about, known := eventData[fmt.Sprint(fields["type"])]
	if data, ok := fields["data"].(map[string]any); ok && known {
		return s.fits(s.Components.Schemas[about], data["object"])
	}
	return nil
}
