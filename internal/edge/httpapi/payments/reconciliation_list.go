package payments

import (
	"hash/maphash"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// maxListRows is the maximum number of rows in a list.
const maxListRows = 1_000_000

// ownList is a merchant's own list of orders, stored compactly: a hundred thousand rows
// take some megabytes. Numbers and rows are stored in pieces, so that nothing is copied
// when the list grows.
type ownList struct {
	texts  [][]byte
	rows   [][]ownRow
	count  int
	seed   maphash.Seed
	slots  []uint32 // open addressing: 1 + the first row of a number, 0 for none
	filled int
}

type ownRow struct {
	amount    money.Amount
	text      uint32 // piece and offset of the number
	size      uint16 // of the number, bytes
	status    uint8  // index of orderStatuses
	duplicate bool   // an earlier row has the number
}

const (
	textPiece = 1 << 18 // bytes
	rowPiece  = 1 << 12 // rows
)

// orderStatuses are the statuses in the order of an ownRow's index.
var orderStatuses = [...]credit.OrderStatus{
	credit.OrderCreated, credit.OrderAuthorized, credit.OrderCaptured, credit.OrderCanceled, credit.OrderReturned,
}

func newOwnList() *ownList {
	return &ownList{seed: maphash.MakeSeed(), slots: make([]uint32, 1024)}
}

// add appends a row.
func (l *ownList) add(number string, amount money.Amount, status uint8) {
	if n := len(l.texts); n == 0 || len(l.texts[n-1])+len(number) > textPiece {
		l.texts = append(l.texts, make([]byte, 0, textPiece))
	}
	last := len(l.texts) - 1
	r := ownRow{amount: amount, text: uint32(last)*textPiece + uint32(len(l.texts[last])), size: uint16(len(number)), status: status}
	l.texts[last] = append(l.texts[last], number...)
	if l.count%rowPiece == 0 {
		l.rows = append(l.rows, make([]ownRow, 0, rowPiece))
	}
	if 4*(l.filled+1) > 3*len(l.slots) {
		l.grow()
	}
	slot := l.slot(number)
	if r.duplicate = l.slots[slot] != 0; !r.duplicate {
		l.slots[slot] = uint32(l.count) + 1
		l.filled++
	}
	p := &l.rows[len(l.rows)-1]
	*p = append(*p, r)
	l.count++
}

func (l *ownList) row(i int) *ownRow { return &l.rows[i/rowPiece][i%rowPiece] }

// number is the order number of a row.
func (l *ownList) number(i int) []byte {
	r := l.row(i)
	return l.texts[r.text/textPiece][r.text%textPiece:][:r.size]
}

// has reports whether a row has the number.
func (l *ownList) has(number string) bool { return l.slots[l.slot(number)] != 0 }

// slot is where a number is, or would be.
func (l *ownList) slot(number string) int {
	mask := len(l.slots) - 1
	for at := int(maphash.String(l.seed, number)) & mask; ; at = (at + 1) & mask {
		if l.slots[at] == 0 || string(l.number(int(l.slots[at])-1)) == number {
			return at
		}
	}
}

// grow doubles the slots.
func (l *ownList) grow() {
	old := l.slots
	l.slots = make([]uint32, 2*len(old))
	mask := len(l.slots) - 1
	for _, row := range old {
		if row == 0 {
			continue
		}
		at := int(maphash.Bytes(l.seed, l.number(int(row)-1))) & mask
		for l.slots[at] != 0 {
			at = (at + 1) & mask
		}
		l.slots[at] = row
	}
}
