package shed // want: does not say what it is for

type Spade struct{} // want: Spade has no comment

// Rake gathers.
type Rake struct{}

func (Spade) Dig() {} // want: Dig has no comment

func (*Spade) String() string { return "" }

// Pull pulls.
func (Rake) Pull() {}

type hoe struct{}

func (hoe) Weed() {}

func Build() {} // want: Build has no comment

// want in 2: Length has no comment

const Length = 1

var (
	// Width is in metres.
	Width = 2

	// want in 2: Depth has no comment

	Depth = 3
)

// The tools.
const (
	A = iota
	B
)
