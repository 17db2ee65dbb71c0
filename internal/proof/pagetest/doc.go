// Package pagetest checks the pages of the whole program in a real browser: the checkout, the
// account, the sandbox's pages and the portal, each wide and narrow, light and dark, by keyboard,
// in both languages, and as announced by a screen reader.
package pagetest
