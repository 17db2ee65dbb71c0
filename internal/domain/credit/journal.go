package credit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/underwriting"
)

// EncodeCommand writes a command for the audit log: with the state, the instant,
// the actor and the seed, it is all that deciding it again needs.
func EncodeCommand(c Command) ([]byte, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", c.Name(), err)
	}
	return b, nil
}

// ErrCommand says that the audit log names a command that does not exist.
var ErrCommand = errors.New("credit: unknown command")

// decodeCommand reads what EncodeCommand wrote. It refuses members that the
// command does not have. A date that is null or missing is None.
func decodeCommand(name string, payload []byte) (Command, error) {
	for _, c := range Commands() {
		if c.Name() != name {
			continue
		}
		c, err := decodeAs(c, payload)
		if err != nil {
			return nil, fmt.Errorf("decode %s: %w", name, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("%w %q", ErrCommand, name)
}

// Commands lists an empty command of each kind, with no date set.
func Commands() []Command {
	none := calendar.None
	return []Command{
		CreateMerchant{}, AddProgramme{From: none}, CreateCompany{}, UpdateCompany{},
		CreateOrder{}, UpdateOrder{}, CapturePart{}, ExtendOrder{}, RefundOrder{}, ServiceOrder{},
		RecordPayment{ScheduledDate: none, EffectiveDate: none}, RefundPayment{}, ReturnPayment{}, ReversePayment{}, CancelPayment{},
		CreateClient{}, RollClient{}, LimitClient{}, RevokeClient{}, IssueToken{}, RevokeToken{},
		CreateEndpoint{}, UpdateEndpoint{}, RotateEndpoint{}, DeleteEndpoint{}, TestEndpoint{}, ResendEvents{},
		AddPaymentMethod{}, RemovePaymentMethod{}, VerifyPaymentMethod{}, CorrectPaymentMethod{}, SetAutopay{}, SetOrderAutopay{},
		ServiceTransfer{}, SendSameDay{}, RejectTransfer{}, ReturnTransfer{}, CompleteCharge{}, SettleCharge{}, DisputeCharge{}, SendCredit{}, ServiceCredit{}, FreeHeld{}, AskForCredit{}, PayRefund{},
		SetMerchantAccount{}, ConfirmMerchantAccount{}, CancelMerchantAccount{}, SetMerchantLimits{}, SetMerchantShop{}, HoldPayouts{}, PayMerchant{}, AgeClawbacks{}, RemitCollected{},
		WaiveFee{}, HoldOrder{}, ResumeCollection{}, ChargeOffOrder{}, ReverseChargeOff{}, ReviseSchedule{Due: none}, MoveFunding{}, ClosePeriod{Month: none, First: none}, SendNotice{}, ForgetNotice{}, RequestReasons{Received: none},
		SetLender{}, Provision{On: none}, RecordScreening{}, DecideScreening{}, UnfreezeCompany{}, AuthorizeMethod{}, VouchForMethod{},
		RecordReceipt{Received: none}, IdentifyReceipt{}, ReturnReceipt{}, PayClawback{},
		ReportCompany{On: none}, WithdrawReport{}, Reseal{}, RecordRead{},
		QueueMail{}, RecordMail{}, ProvePerson{}, SetLanguage{}, NamePerson{}, CreateCheckout{}, EnterCheckout{}, AcceptCheckout{}, CompleteCheckout{}, EndCheckout{}, ServiceCheckout{},
		SubmitApplication{Business: Business{FormedOn: none}}, RecordFacts{Inputs: underwriting.Inputs{FormedOn: none, RegistryFormedOn: none, BureauOn: none}},
		DecideApplication{}, RequestInformation{Due: none}, AssignApplication{}, WithdrawApplication{}, AttachDocument{}, ServiceApplication{}, SendApplicationNotice{},
		Prequalify{}, SetPerson{}, AnswerInvitation{}, ChangeEmail{}, SignAgreement{}, TellStatement{Month: none},
		OpenCase{}, AddCaseNote{}, AttachCaseDocument{}, ResolveCase{}, ServiceCase{},
	}
}

func decodeAs(c Command, payload []byte) (Command, error) {
	switch c := c.(type) {
	case CreateMerchant:
		return decode(c, payload)
	case AddProgramme:
		return decode(c, payload)
	case CreateCompany:
		return decode(c, payload)
	case UpdateCompany:
		return decode(c, payload)
	case CreateOrder:
		return decode(c, payload)
	case UpdateOrder:
		return decode(c, payload)
	case CapturePart:
		return decode(c, payload)
	case ExtendOrder:
		return decode(c, payload)
	case RefundOrder:
		return decode(c, payload)
	case ServiceOrder:
		return decode(c, payload)
	case RecordPayment:
		return decode(c, payload)
	case RefundPayment:
		return decode(c, payload)
	case ReturnPayment:
		return decode(c, payload)
	case CancelPayment:
		return decode(c, payload)
	case CreateClient:
		return decode(c, payload)
	case RollClient:
		return decode(c, payload)
	case LimitClient:
		return decode(c, payload)
	case IssueToken:
		return decode(c, payload)
	case RevokeToken:
		return decode(c, payload)
	case RevokeClient:
		return decode(c, payload)
	case CreateEndpoint:
		return decode(c, payload)
	case UpdateEndpoint:
		return decode(c, payload)
	case RotateEndpoint:
		return decode(c, payload)
	case DeleteEndpoint:
		return decode(c, payload)
	case TestEndpoint:
		return decode(c, payload)
	case ResendEvents:
		return decode(c, payload)
	}
	return decodeRail(c, payload)
}

// decodeRail is decodeAs for the commands on rails and on money that goes back.
func decodeRail(c Command, payload []byte) (Command, error) {
	switch c := c.(type) {
	case AddPaymentMethod:
		return decode(c, payload)
	case RemovePaymentMethod:
		return decode(c, payload)
	case VerifyPaymentMethod:
		return decode(c, payload)
	case CorrectPaymentMethod:
		return decode(c, payload)
	case SetAutopay:
		return decode(c, payload)
	case SetOrderAutopay:
		return decode(c, payload)
	case ServiceTransfer:
		return decode(c, payload)
	case SendSameDay:
		return decode(c, payload)
	case RejectTransfer:
		return decode(c, payload)
	case ReturnTransfer:
		return decode(c, payload)
	case CompleteCharge:
		return decode(c, payload)
	case SettleCharge:
		return decode(c, payload)
	case DisputeCharge:
		return decode(c, payload)
	case SendCredit:
		return decode(c, payload)
	case FreeHeld:
		return decode(c, payload)
	case ServiceCredit:
		return decode(c, payload)
	case AskForCredit:
		return decode(c, payload)
	case PayRefund:
		return decode(c, payload)
	case ReversePayment:
		return decode(c, payload)
	}
	return decodeLender(c, payload)
}

// decodeLender is decodeAs for the commands on merchants' money, orders in trouble and the
// books.
func decodeLender(c Command, payload []byte) (Command, error) {
	switch c := c.(type) {
	case SetMerchantAccount:
		return decode(c, payload)
	case SetMerchantLimits:
		return decode(c, payload)
	case SetMerchantShop:
		return decode(c, payload)
	case HoldPayouts:
		return decode(c, payload)
	case PayMerchant:
		return decode(c, payload)
	case AgeClawbacks:
		return decode(c, payload)
	case RemitCollected:
		return decode(c, payload)
	case WaiveFee:
		return decode(c, payload)
	case HoldOrder:
		return decode(c, payload)
	case ResumeCollection:
		return decode(c, payload)
	case ChargeOffOrder:
		return decode(c, payload)
	case ReverseChargeOff:
		return decode(c, payload)
	case ReviseSchedule:
		return decode(c, payload)
	case MoveFunding:
		return decode(c, payload)
	case ClosePeriod:
		return decode(c, payload)
	case SendNotice:
		return decode(c, payload)
	case ForgetNotice:
		return decode(c, payload)
	case RequestReasons:
		return decode(c, payload)
	}
	return decodeBooks(c, payload)
}

// decodeBooks is decodeAs for the commands on the lender and its duties.
func decodeBooks(c Command, payload []byte) (Command, error) {
	switch c := c.(type) {
	case SetLender:
		return decode(c, payload)
	case Provision:
		return decode(c, payload)
	case RecordScreening:
		return decode(c, payload)
	case DecideScreening:
		return decode(c, payload)
	case ReportCompany:
		return decode(c, payload)
	case Reseal:
		return decode(c, payload)
	case WithdrawReport:
		return decode(c, payload)
	case UnfreezeCompany:
		return decode(c, payload)
	case ConfirmMerchantAccount:
		return decode(c, payload)
	case CancelMerchantAccount:
		return decode(c, payload)
	case VouchForMethod:
		return decode(c, payload)
	case AuthorizeMethod:
		return decode(c, payload)
	case RecordReceipt:
		return decode(c, payload)
	case IdentifyReceipt:
		return decode(c, payload)
	case ReturnReceipt:
		return decode(c, payload)
	case PayClawback:
		return decode(c, payload)
	case RecordRead:
		return decode(c, payload)
	}
	return decodeBuyer(c, payload)
}

// decodeBuyer is decodeAs for the commands on the buyer's side.
func decodeBuyer(c Command, payload []byte) (Command, error) {
	switch c := c.(type) {
	case QueueMail:
		return decode(c, payload)
	case RecordMail:
		return decode(c, payload)
	case SetLanguage:
		return decode(c, payload)
	case NamePerson:
		return decode(c, payload)
	case ProvePerson:
		return decode(c, payload)
	case CreateCheckout:
		return decode(c, payload)
	case EnterCheckout:
		return decode(c, payload)
	case AcceptCheckout:
		return decode(c, payload)
	case CompleteCheckout:
		return decode(c, payload)
	case EndCheckout:
		return decode(c, payload)
	case ServiceCheckout:
		return decode(c, payload)
	case SubmitApplication:
		return decode(c, payload)
	case RecordFacts:
		return decode(c, payload)
	case DecideApplication:
		return decode(c, payload)
	case RequestInformation:
		return decode(c, payload)
	case AssignApplication:
		return decode(c, payload)
	case WithdrawApplication:
		return decode(c, payload)
	case AttachDocument:
		return decode(c, payload)
	case ServiceApplication:
		return decode(c, payload)
	case SendApplicationNotice:
		return decode(c, payload)
	case Prequalify:
		return decode(c, payload)
	case SetPerson:
		return decode(c, payload)
	case ChangeEmail:
		return decode(c, payload)
	case AnswerInvitation:
		return decode(c, payload)
	case SignAgreement:
		return decode(c, payload)
	case TellStatement:
		return decode(c, payload)
	}
	return decodeCase(c, payload)
}

// decodeCase is decodeAs for the commands on cases.
func decodeCase(c Command, payload []byte) (Command, error) {
	switch c := c.(type) {
	case OpenCase:
		return decode(c, payload)
	case AddCaseNote:
		return decode(c, payload)
	case AttachCaseDocument:
		return decode(c, payload)
	case ResolveCase:
		return decode(c, payload)
	case ServiceCase:
		return decode(c, payload)
	}
	return nil, ErrCommand
}

func decode[T Command](c T, payload []byte) (Command, error) {
	if err := strictly(payload, &c); err != nil {
		return nil, err
	}
	return c, nil
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
