// Package ach is the ACH rail.
package ach

import "tenor/internal/rails"

// Origin is who sends files.
type Origin struct{}

// Build makes a file.
func Build(Origin, rails.File) ([]byte, error) { panic("not there yet") }

// Read reads a file of the bank.
func Read(Origin, string, []byte) ([]rails.Item, error) { panic("not there yet") }
