// Package journal lists all commands, and defines how the audit log stores them, what else a
// row records, and how rows prove who was given access.
//
// command.go is the table of commands, act.go the content of a row, proof.go what rows prove.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/people"
	"tenor/internal/domain/staff"
	"tenor/internal/domain/underwriting"
)

// EncodeCommand writes a command for the audit log. Together with the state, the instant, the
// actor and the seed, it is all that is needed to decide it again.
func EncodeCommand(c credit.Command) ([]byte, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", c.Name(), err)
	}
	return b, nil
}

// ErrCommand means that the audit log names a command that does not exist.
var ErrCommand = errors.New("credit: unknown command")

// decodeCommand reads what EncodeCommand wrote. It rejects members that the command does not
// have. A null or missing date is None.
func decodeCommand(name string, payload []byte) (credit.Command, error) {
	for _, k := range commands {
		if k.empty.Name() != name {
			continue
		}
		c, err := k.read(payload)
		if err != nil {
			return nil, fmt.Errorf("decode %s: %w", name, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("%w %q", ErrCommand, name)
}

// Commands lists an empty command of each kind, with no date set.
func Commands() []credit.Command {
	var out []credit.Command
	for _, k := range commands {
		out = append(out, k.empty)
	}
	return out
}

// known is a command that the log may name: an empty one, and a reader for its text.
type known struct {
	empty credit.Command
	read  func(payload []byte) (credit.Command, error)
}

func of[T credit.Command](empty T) known {
	return known{empty, func(payload []byte) (credit.Command, error) {
		c := empty
		if err := strictly(payload, &c); err != nil {
			return nil, err
		}
		return c, nil
	}}
}

// strictly decodes one JSON value whose members are all known.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the command")
	}
	return nil
}

// commands is the table of all commands.
var commands = []known{
	of(merchants.CreateMerchant{}), of(merchants.AddProgram{From: calendar.None}), of(lending.CreateCompany{}), of(lending.UpdateCompany{}),
	of(lending.CreateOrder{}), of(lending.UpdateOrder{}), of(lending.CapturePart{}), of(lending.ExtendOrder{}), of(lending.RefundOrder{}), of(lending.ServiceOrder{}),
	of(payments.RecordPayment{ScheduledDate: calendar.None, EffectiveDate: calendar.None}), of(payments.RefundPayment{}), of(payments.ReturnPayment{}), of(payments.ReversePayment{}), of(payments.CancelPayment{}),
	of(access.CreateClient{}), of(access.RollClient{}), of(access.LimitClient{}), of(access.RevokeClient{}), of(access.IssueToken{}), of(access.RevokeToken{}),
	of(access.CreateEndpoint{}), of(access.UpdateEndpoint{}), of(access.RotateEndpoint{}), of(access.DeleteEndpoint{}), of(access.TestEndpoint{}), of(access.ResendEvents{}),
	of(payments.AddPaymentMethod{}), of(payments.RemovePaymentMethod{}), of(payments.VerifyPaymentMethod{}), of(payments.CorrectPaymentMethod{}), of(payments.SetAutopay{}), of(payments.SetOrderAutopay{}),
	of(payments.ServiceTransfer{}), of(payments.SendSameDay{}), of(payments.RejectTransfer{}), of(payments.ReturnTransfer{}), of(payments.CompleteCharge{}), of(payments.SettleCharge{}), of(payments.DisputeCharge{}), of(payments.SendCredit{}), of(payments.ServiceCredit{}), of(lending.FreeHeld{}), of(payments.AskForCredit{}), of(payments.PayRefund{}),
	of(merchants.SetMerchantAccount{}), of(merchants.ConfirmMerchantAccount{}), of(merchants.CancelMerchantAccount{}), of(merchants.SetMerchantLimits{}), of(merchants.SetMerchantShop{}), of(merchants.HoldPayouts{}), of(merchants.PayMerchant{}), of(merchants.AgeClawbacks{}), of(merchants.RemitCollected{}),
	of(lending.WaiveFee{}), of(lending.HoldOrder{}), of(lending.ResumeCollection{}), of(lending.ChargeOffOrder{}), of(lending.ReverseChargeOff{}), of(lending.ReviseSchedule{Due: calendar.None}), of(compliance.MoveFunding{}), of(compliance.ClosePeriod{Month: calendar.None, First: calendar.None}), of(compliance.SendNotice{}), of(compliance.ForgetNotice{}), of(compliance.RequestReasons{Received: calendar.None}),
	of(compliance.SetLender{}), of(compliance.Provision{On: calendar.None}), of(compliance.RecordScreening{}), of(compliance.DecideScreening{}), of(compliance.UnfreezeCompany{}), of(payments.AuthorizeMethod{}), of(payments.VouchForMethod{}),
	of(payments.RecordReceipt{Received: calendar.None}), of(payments.IdentifyReceipt{}), of(payments.ReturnReceipt{}), of(merchants.PayClawback{}),
	of(lending.ReportCompany{On: calendar.None}), of(lending.WithdrawReport{}), of(compliance.Reseal{}), of(compliance.RecordRead{}),
	of(people.QueueMail{}), of(people.RecordMail{}), of(people.ProvePerson{}), of(people.SetLanguage{}), of(people.NamePerson{}), of(onboarding.CreateCheckout{}), of(onboarding.EnterCheckout{}), of(onboarding.AcceptCheckout{}), of(onboarding.CompleteCheckout{}), of(onboarding.EndCheckout{}), of(onboarding.ServiceCheckout{}),
	of(onboarding.SubmitApplication{Business: credit.Business{FormedOn: calendar.None}}), of(onboarding.RecordFacts{Inputs: underwriting.Inputs{FormedOn: calendar.None, RegistryFormedOn: calendar.None, BureauOn: calendar.None}}),
	of(onboarding.DecideApplication{}), of(onboarding.RequestInformation{Due: calendar.None}), of(onboarding.AssignApplication{}), of(onboarding.WithdrawApplication{}), of(onboarding.AttachDocument{}), of(onboarding.ServiceApplication{}), of(onboarding.SendApplicationNotice{}),
	of(onboarding.Prequalify{}), of(people.SetPerson{}), of(people.AnswerInvitation{}), of(people.ChangeEmail{}), of(onboarding.SignAgreement{}), of(people.TellStatement{Month: calendar.None}),
	of(cases.OpenCase{}), of(cases.AddCaseNote{}), of(cases.AttachCaseDocument{}), of(cases.ResolveCase{}), of(cases.ServiceCase{}),
	of(staff.Invite{}), of(staff.Enroll{}), of(staff.SignIn{}), of(staff.ChangeCredentials{}), of(staff.SetRoles{}), of(staff.Suspend{}),
	of(staff.EndApproval{}), of(staff.ServiceApproval{}), of(staff.SetPolicy{}), of(staff.AddNote{}),
}
