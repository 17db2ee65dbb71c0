package gate

import "bytes"

// stage is what the next byte of a connection belongs to.
type stage uint8

const (
	atRequest  stage = iota // blank lines before a request line
	inRequest               // the request line
	atField                 // the start of a header line
	atFieldEnd              // after a CR at the start of such a line
	inName                  // the name of a field
	inValue                 // the value of another field
	inLength                // the value of Content-Length
	inCoding                // the value of Transfer-Encoding
	inBody                  // a body with an announced length
	inSize                  // the size of a chunk
	atSizeEnd               // after the CR of such a line
	inChunk                 // the bytes of a chunk
	atChunkCR               // after them
	atChunkLF
	atTrailer // the start of a line after the last chunk
	atTrailerEnd
	inTrailer
	beyond // nothing that follows is trusted
)

// Maximum length of a stored name or coding, and maximum number of digits in a length.
const (
	keptText  = 24
	maxDigits = 15
)

// framing tracks where the requests of a connection begin and end, as strictly as a server
// behind a proxy should (A56), and before net/http sees a byte. What two readers could
// interpret as different requests is corrupted on the way, so that net/http answers 400 and
// closes: a folded line, a repeated Content-Length or one combined with a
// Transfer-Encoding, a Transfer-Encoding in HTTP/1.0, a chunk extension, a bare LF around a
// chunk. After it, and after any chunked body, no further request gets through.
//
// Otherwise it agrees with net/http; where net/http is stricter, net/http ends the
// connection.
type framing struct {
	stage    stage
	text     []byte // the name or the coding, in lower case, truncated
	last     byte   // of the request line, except CR and LF
	old      bool   // the request line ends like HTTP/1.0's
	length   bool   // there is a Content-Length
	coding   bool   // there is a Transfer-Encoding
	chunked  bool   // the Transfer-Encoding is chunked
	strange  bool   // it is something else: net/http answers 501
	digits   int    // of a length or a size
	blank    bool   // after the digits of a length
	left     int64  // remaining bytes of a body or a chunk
	requests int64  // received completely
}

// pass examines the next bytes of the connection and corrupts what must not pass.
func (f *framing) pass(b []byte) {
	for i := 0; i < len(b); i++ {
		switch f.stage {
		case inBody, inChunk:
			n := min(f.left, int64(len(b)-i))
			f.left -= n
			i += int(n) - 1
			if f.left == 0 {
				f.whole()
			}
		case inRequest:
			f.requestLine(b[i])
		case inValue, inTrailer:
			end := bytes.IndexByte(b[i:], '\n')
			if end < 0 {
				return
			}
			i += end
			f.lineEnd()
		case beyond:
			if b[i] != '\n' && b[i] != '\r' { // keep line ends, so that nobody waits for them
				b[i] = 0
			}
		default:
			if !f.step(b[i]) {
				b[i], f.stage = 0, beyond
			}
		}
	}
}

// step processes one byte; false: it must not pass.
func (f *framing) step(c byte) bool {
	switch f.stage {
	case atRequest:
		if c != '\r' && c != '\n' {
			*f = framing{stage: inRequest, text: f.text[:0], requests: f.requests}
			f.requestLine(c)
		}
	case atField, atFieldEnd, inName:
		return f.name(c)
	case inLength:
		return f.lengthDigit(c)
	case inCoding:
		f.codingByte(c)
	case inSize, atSizeEnd, atChunkCR, atChunkLF:
		return f.chunk(c)
	case atTrailer, atTrailerEnd:
		return f.trailer(c)
	}
	return true
}

func (f *framing) requestLine(c byte) {
	switch c {
	case '\n':
		f.old, f.stage = f.last == '0', atField
	case '\r':
	default:
		f.last = c
	}
}

// name processes a byte at the start of a header line, up to its colon.
func (f *framing) name(c byte) bool {
	if f.stage != inName {
		switch {
		case c == '\n':
			f.headEnd()
			return true
		case f.stage == atFieldEnd, c == ' ', c == '\t': // a CR within a name; a folded line
			return false
		case c == '\r':
			f.stage = atFieldEnd
			return true
		}
		f.stage, f.text = inName, f.text[:0]
	}
	switch c {
	case '\n':
		return false // a line without a colon
	case ':':
		return f.field()
	}
	f.keep(c)
	return true
}

// keep adds a byte to the text. Text longer than any relevant word stays too long.
func (f *framing) keep(c byte) {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	if len(f.text) < keptText {
		f.text = append(f.text, c)
	}
}

// field starts the value of a field.
func (f *framing) field() bool {
	f.stage = inValue
	switch string(f.text) {
	case "content-length":
		if f.length || f.coding {
			return false
		}
		f.stage, f.length, f.left, f.digits, f.blank = inLength, true, 0, 0, false
	case "transfer-encoding":
		if f.length || f.coding || f.old {
			return false
		}
		f.stage, f.coding, f.text = inCoding, true, f.text[:0]
	}
	return true
}

func (f *framing) lengthDigit(c byte) bool {
	switch {
	case c == '\n':
		f.stage = atField
		return f.digits > 0
	case c == ' ' || c == '\t' || c == '\r':
		f.blank = f.digits > 0
		return true
	}
	if f.digits++; c < '0' || c > '9' || f.blank || f.digits > maxDigits {
		return false
	}
	f.left = f.left*10 + int64(c-'0')
	return true
}

func (f *framing) codingByte(c byte) {
	if c == '\n' {
		f.chunked = string(bytes.Trim(f.text, " \t\r")) == "chunked"
		f.strange, f.stage = !f.chunked, atField
		return
	}
	if len(f.text) > 0 || c != ' ' && c != '\t' {
		f.keep(c)
	}
}

// lineEnd ends an irrelevant line.
func (f *framing) lineEnd() {
	if f.stage == inTrailer {
		f.stage = atTrailer
		return
	}
	f.stage = atField
}

// headEnd is where a body begins, if there is one.
func (f *framing) headEnd() {
	switch {
	case f.strange:
		f.stage = beyond
	case f.chunked:
		f.stage, f.left, f.digits = inSize, 0, 0
	case f.left > 0:
		f.stage = inBody
	default:
		f.stage = atRequest
		f.requests++
	}
}

// whole ends a body or a chunk.
func (f *framing) whole() {
	if f.stage == inChunk {
		f.stage = atChunkCR
		return
	}
	f.stage = atRequest
	f.requests++
}

func (f *framing) chunk(c byte) bool {
	switch f.stage {
	case atSizeEnd:
		if f.stage = inChunk; f.left == 0 {
			f.stage = atTrailer
		}
		return c == '\n'
	case atChunkCR:
		f.stage = atChunkLF
		return c == '\r'
	case atChunkLF:
		f.stage, f.left, f.digits = inSize, 0, 0
		return c == '\n'
	}
	var digit byte
	switch {
	case c == '\r':
		f.stage = atSizeEnd
		return f.digits > 0
	case '0' <= c && c <= '9':
		digit = c - '0'
	case 'a' <= c && c <= 'f':
		digit = c - 'a' + 10
	case 'A' <= c && c <= 'F':
		digit = c - 'A' + 10
	default: // an extension, a sign, a blank, a bare LF
		return false
	}
	f.digits++
	f.left = f.left<<4 | int64(digit)
	return f.digits < maxDigits
}

func (f *framing) trailer(c byte) bool {
	switch {
	case c == '\n':
		f.stage = beyond
		f.requests++
	case f.stage == atTrailerEnd, c == ' ', c == '\t':
		return false
	case c == '\r':
		f.stage = atTrailerEnd
	default:
		f.stage = inTrailer
	}
	return true
}
