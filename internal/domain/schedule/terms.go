// Package schedule turns a plan into installments and computes a loan's figures from its money
// events: accrual, payments and their waterfall, payoff, early money, refunds, fees and replay
// (F1–F13, F16, F34, F35).
//
// A Loan is one captured order. A Portfolio is the loans of one company that share money.
// Portfolio.Apply is the only way to change them. Replay, which applies a list of events in
// order, is the definition: applying events one by one as they arrive gives the same figures
// as replaying them all.
package schedule

import (
	"errors"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Plan is the kind of repayment schedule.
type Plan string

// The four plans (F1–F3).
const (
	Net30     Plan = "NET30"
	Zero      Plan = "ZERO"
	Amortized Plan = "AMORTIZED"
	FlatFee   Plan = "FLAT_FEE"
)

// DayCount names a way to measure the length of a period (F7).
type DayCount string

// The day counts that a program can choose.
const (
	WholeMonth    DayCount = "30/360"
	Thirty360US   DayCount = "30/360 US"
	Thirty360Bond DayCount = "30/360 bond basis"
	Actual365     DayCount = "actual/365"
	ActualActual  DayCount = "actual/actual ISDA"
)

// Terms determine a loan's first schedule.
type Terms struct {
	Plan           Plan
	Principal      money.Amount
	Installments   int        // 1 to 36
	AnnualRate     money.Rate // AMORTIZED only
	MonthlyFeeRate money.Rate // FLAT_FEE only
	DayCount       DayCount   // WholeMonth if empty
	DueDay         int        // 1 to 31, 0 for none (F6)
	CaptureDate    calendar.Date
	MonthEnd       bool         // charge is also recognized on the last day of each month (F7); no effect on the borrower's figures
	LevelPayment   money.Amount // optional override of the computed level payment, 0 for none
}

// ErrTerm is returned if F1–F3 reject the term: a part of a row would be negative, or a level
// payment would be below 1.00.
var ErrTerm = errors.New("schedule: the amount cannot be repaid in this term")
