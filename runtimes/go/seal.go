package tailc

import (
	"crypto/sha256"
	"encoding/binary"
)

// The trailer of a `.tailc` file: a magic, the payload's length, the payload's SHA-256.
const (
	sealMagic   = "TLCSEAL1"
	sealLength  = len(sealMagic) + 8
	sealTrailer = sealLength + sha256.Size
)

// unsealed is the payload at the begin of sealed bytes, if all of it is whole.
func unsealed(data []byte) ([]byte, error) {
	size := len(data) - sealTrailer
	if size < 0 {
		return nil, refused(Truncated, "too few bytes for a policy")
	}
	// Reads of the payload cannot reach the trailer.
	payload, trailer := data[:size:size], data[size:]
	length := binary.LittleEndian.Uint64(trailer[len(sealMagic):])
	if string(trailer[:len(sealMagic)]) != sealMagic || length != uint64(size) {
		return nil, refused(Truncated, "the file does not have the length in its seal")
	}
	if sha256.Sum256(payload) != [sha256.Size]byte(trailer[sealLength:]) {
		return nil, refused(HashMismatch, "the bytes do not match their SHA-256")
	}
	return payload, nil
}
