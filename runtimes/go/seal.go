package tailc

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// The trailer of a `.tailc` file: a magic, the payload's length, the payload's SHA-256.
const (
	sealMagic   = "TLCSEAL1"
	sealLength  = len(sealMagic) + 8
	sealTrailer = sealLength + sha256.Size
)

// whyUnsealed is why bytes without a right seal are no policy; hasMagic: whether they have a seal of
// another length.
func whyUnsealed(data []byte, hasMagic bool) string {
	hasIdentifier := len(data) >= 8 && (string(data[4:8]) == "TLC1" || string(data[4:8]) == "TLS1")
	begin := bytes.TrimLeft(data[:min(len(data), 64)], " \r\n")
	switch {
	case len(data) == 0:
		return "the file is empty"
	case hasIdentifier && hasMagic:
		return "the file does not have the length in its seal"
	case hasIdentifier:
		return "the seal is missing, or the end of the file"
	case bytes.HasPrefix(begin, []byte("{")) || bytes.HasPrefix(begin, []byte("[")):
		return "the file looks like JSON: open the `.tailc` file instead"
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		return "the file looks compressed by gzip: decompress it"
	}
	return "the file is neither a policy nor a state: it has no identifier `TLC1` or `TLS1`"
}

// unsealed is the payload at the begin of sealed bytes, if all of it is whole.
func unsealed(data []byte) ([]byte, error) {
	size := len(data) - sealTrailer
	if size < 0 {
		return nil, refused(Truncated, whyUnsealed(data, false))
	}
	// Reads of the payload cannot reach the trailer.
	payload, trailer := data[:size:size], data[size:]
	length := binary.LittleEndian.Uint64(trailer[len(sealMagic):])
	hasMagic := string(trailer[:len(sealMagic)]) == sealMagic
	if !hasMagic || length != uint64(size) {
		return nil, refused(Truncated, whyUnsealed(data, hasMagic))
	}
	if sha256.Sum256(payload) != [sha256.Size]byte(trailer[sealLength:]) {
		return nil, refused(HashMismatch, "the bytes do not match their SHA-256")
	}
	return payload, nil
}
