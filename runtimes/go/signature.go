package tailc

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math/big"
	"regexp"
)

// The second trailer of a signed file: a magic, the second from which on it is expired, the id of the
// key, the signature of all this and the seal before it, and a check of the trailer.
const (
	signatureMagic   = "TLCSIGN1"
	keyIDSize        = 8
	checkSize        = 8
	expiryEnd        = len(signatureMagic) + 8
	signatureStart   = expiryEnd + keyIDSize
	signatureEnd     = signatureStart + ed25519.SignatureSize
	signatureTrailer = signatureEnd + checkSize
)

// keyID is the first bytes of the SHA-256 of a public key.
type keyID [keyIDSize]byte

func idOf(key ed25519.PublicKey) keyID {
	digest := sha256.Sum256(key)
	return keyID(digest[:keyIDSize])
}

// pemOfKey is exactly three lines: docs/artifact-format.md, "Signature".
var pemOfKey = regexp.MustCompile("\\A-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/]{59}=)\r?\n" +
	"-----END PUBLIC KEY-----(?:\r?\n)?\\z")

// publicKey reads a SubjectPublicKeyInfo: fixed bytes that say Ed25519, and the key.
func publicKey(pemText string) (ed25519.PublicKey, error) {
	algorithm := []byte{0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00}
	if found := pemOfKey.FindStringSubmatch(pemText); found != nil {
		encoded, err := base64.StdEncoding.Strict().DecodeString(found[1])
		if err == nil && bytes.HasPrefix(encoded, algorithm) && isStrong(encoded[len(algorithm):]) {
			return ed25519.PublicKey(encoded[len(algorithm):]), nil
		}
	}
	return nil, argumentError(
		"a trusted key must be an Ed25519 public key in PEM (`openssl pkey -pubout`)",
	)
}

// isStrong returns whether a key is a canonical encoding, has a y below the prime, and is not a
// point whose order divides 8, for which signatures can be forged.
func isStrong(key []byte) bool {
	one := big.NewInt(1)
	prime := new(big.Int).Sub(new(big.Int).Lsh(one, 255), big.NewInt(19))
	bigEndian := make([]byte, len(key))
	for i, b := range key {
		bigEndian[len(key)-1-i] = b
	}
	y := new(big.Int).SetBytes(bigEndian)
	y.SetBit(y, 255, 0)
	order8, _ := new(big.Int).SetString(
		"05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16)
	negative := new(big.Int).Sub(prime, y)
	for _, weak := range []*big.Int{new(big.Int), one, order8} {
		if y.Cmp(weak) == 0 || negative.Cmp(weak) == 0 {
			return false
		}
	}
	return y.Cmp(prime) < 0
}

// A signature is the second trailer, after what it signs of the first.
type signature struct{ seal, trailer []byte }

// signed splits a file into what is sealed and its signature, which is nil where it has none. A
// signature is used only after its check.
func signed(data []byte) ([]byte, *signature, error) {
	size := len(data) - signatureTrailer
	if size < sealTrailer || string(data[size:][:len(signatureMagic)]) != signatureMagic {
		return data, nil, nil
	}
	trailer := data[size:]
	digest := sha256.Sum256(trailer[:signatureEnd])
	if !bytes.Equal(trailer[signatureEnd:], digest[:checkSize]) {
		return nil, nil, refused(HashMismatch, "the signature's bytes do not match their check")
	}
	return data[:size], &signature{data[size-sealTrailer : size], trailer}, nil
}

// checkSignature refuses what no trusted key signed, or not for so long. It returns the Unix second at
// which the signature expires; 0: never, or none was needed.
func (a *asked) checkSignature(s *signature) (uint64, error) {
	if len(a.keys) == 0 {
		return 0, nil
	}
	if s == nil {
		return 0, refused(Unsigned, "the file has no signature")
	}
	key, isTrusted := a.keys[keyID(s.trailer[expiryEnd:signatureStart])]
	if !isTrusted {
		return 0, refused(UnknownKey, "the file is signed with a key that is not trusted")
	}
	message := append(bytes.Clone(s.seal), s.trailer[:signatureStart]...)
	if !ed25519.Verify(key, message, s.trailer[signatureStart:signatureEnd]) {
		return 0, refused(BadSignature, "the signature does not match the policy")
	}
	expiresS := binary.LittleEndian.Uint64(s.trailer[len(signatureMagic):])
	if nowS := a.nowS(); expiresS != 0 && nowS >= 0 && uint64(nowS) >= expiresS {
		return 0, refused(Expired, "the signature has expired")
	}
	return expiresS, nil
}
