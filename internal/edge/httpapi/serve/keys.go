package serve

import "tenor/internal/edge/values"

// ApplicationID is the path of an application.
type ApplicationID struct {
	ID string `path:"id" prefix:"app_" doc:"The application's identifier." example:"app_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

// CaseID is the path of a dispute or question.
type CaseID struct {
	ID string `path:"id" prefix:"case_" doc:"The case's identifier." example:"case_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

// CheckoutID is the path of a checkout.
type CheckoutID struct {
	ID string `path:"id" prefix:"chk_" doc:"The checkout's identifier." example:"chk_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

// CompanyKey is the path of a company.
type CompanyKey struct {
	CompanyID values.CompanyID `path:"company_id" doc:"The company's identifier: ten digits." example:"1000000001"`
}

// DeliveryID is the path of a delivery of an event.
type DeliveryID struct {
	ID string `path:"id" prefix:"dlv_" doc:"The delivery's identifier." example:"dlv_01KB2C4E6GAL2P4R6T8V0X2Z4B"`
}

// OrderKey is the path of an order.
type OrderKey struct {
	Key string `path:"key" prefix:"ord_" doc:"The order's key." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
}

// PaymentID is the path of a payment.
type PaymentID struct {
	ID string `path:"id" prefix:"pay_" doc:"The payment's identifier." example:"pay_01KB9R3F5H7K9M1P3R5T7V9X1Z"`
}
