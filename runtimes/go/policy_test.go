package tailc_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tailc/tailc/runtimes/go"
)

// good.tailc is the policy `smallest` as generation 7, signed.
func signedPath(name string) string { return filepath.Join(vectors, "signed", name+".tailc") }

func TestAPolicyDoesNotHaveOtherForms(t *testing.T) {
	policy := open(t, "classes")
	_, tailTableErr := policy.TailTable()
	_, sharesErr := policy.Shares()
	_, planErr := policy.Plan()
	_, budgetsErr := policy.BudgetTable()
	_, laddersErr := open(t, "plan").Ladder()
	for _, err := range []error{tailTableErr, sharesErr, planErr, budgetsErr, laddersErr} {
		expect(t, errors.Is(err, tailc.OtherForm), "each policy has one form")
	}
}

func TestARefusalTellsFileAndKind(t *testing.T) {
	path := filepath.Join(vectors, "refused", "bit-flip.tailc")
	_, err := tailc.Open(path)
	var refusal *tailc.PolicyError
	expect(t, errors.As(err, &refusal), "a refusal is a PolicyError")
	expect(t, refusal.Refusal == tailc.HashMismatch && refusal.Path == path, "of that file")
	expect(t, errors.Is(err, tailc.HashMismatch), "errors.Is tells its kind")
	expect(t, strings.HasPrefix(err.Error(), path+": the bytes do not match"), "and it says why")
}

func TestAFileThatCannotBeReadIsNoPolicyThatIsRefused(t *testing.T) {
	_, err := tailc.Open(filepath.Join(vectors, "missing.tailc"))
	expect(t, errors.Is(err, fs.ErrNotExist), "a missing file does not exist")
	_, err = tailc.Open(vectors)
	var refusal tailc.Refusal
	expect(t, err != nil && !errors.As(err, &refusal), "a folder cannot be read")
}

func TestBytesNeedNotBeKept(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(vectors, "lucene.tailc"))
	if err != nil {
		t.Fatal(err)
	}
	policy, err := tailc.OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	ladder, _ := policy.Ladder()
	answer, _ := ladder.Lookup(14, 0, 225_000)
	expect(t, answer.Rung == 3 && policy.Name() == "lucene", "the policy has its own")
}

func TestAReloadGoesOnWithCountersAndCountsRefusals(t *testing.T) {
	held, err := tailc.Open(signedPath("good"))
	if err != nil {
		t.Fatal(err)
	}
	same, err := tailc.Open(signedPath("good"), tailc.Replacing(held))
	expect(t, err == nil && same.Counters() == held.Counters(), "the same generation is not older")
	expect(t, held.Counters().LastRefusal() == nil, "nothing was refused yet")
	_, err = tailc.Open(filepath.Join(vectors, "smallest.tailc"), tailc.Replacing(held))
	expect(t, errors.Is(err, tailc.OlderGeneration), "an older generation is refused")
	_, err = tailc.Open("missing.tailc", tailc.Replacing(held))
	expect(t, errors.Is(err, fs.ErrNotExist), "a missing file cannot be read")
	expect(t, held.Counters().RefusedReloads() == 2, "both count")
	expect(t, held.Counters().LastRefusal() == err, "and the last one is told")
}

func TestOnlyThePolicyOfTheServiceIsOpened(t *testing.T) {
	path := filepath.Join(vectors, "lucene.tailc")
	_, err := tailc.Open(path, tailc.ForService("lucene"))
	expect(t, err == nil, "the service's own policy is opened")
	_, err = tailc.Open(path, tailc.ForService("search"))
	expect(t, errors.Is(err, tailc.OtherService), "another one is not")
}

func pemOf(key ed25519.PublicKey) string {
	algorithm := "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"
	body := base64.StdEncoding.EncodeToString([]byte(algorithm + string(key)))
	return "-----BEGIN PUBLIC KEY-----\n" + body + "\n-----END PUBLIC KEY-----\n"
}

// withSignature is the policy `lucene` signed up to a second.
func withSignature(t *testing.T, key ed25519.PrivateKey, expiresS int64) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectors, "lucene.tailc"))
	if err != nil {
		t.Fatal(err)
	}
	id := sha256.Sum256(key.Public().(ed25519.PublicKey))
	said := binary.LittleEndian.AppendUint64([]byte("TLCSIGN1"), uint64(expiresS))
	said = append(said, id[:8]...)
	said = append(said, ed25519.Sign(key, append(data[len(data)-48:], said...))...)
	check := sha256.Sum256(said)
	return append(append(data, said...), check[:8]...)
}

func TestASignatureHoldsUpToItsExpiry(t *testing.T) {
	key := ed25519.NewKeyFromSeed([]byte("a seed of thirty-two bytes, here"))
	trusted := tailc.TrustKeys(pemOf(key.Public().(ed25519.PublicKey)))
	nowS := time.Now().Unix()
	for expiresS, wanted := range map[int64]error{
		0: nil, nowS + 3_600: nil, nowS - 1: tailc.Expired, 1: tailc.Expired,
	} {
		_, err := tailc.OpenBytes(withSignature(t, key, expiresS), trusted)
		if !errors.Is(err, wanted) {
			t.Errorf("expiry %d: got %v, wanted %v", expiresS, err, wanted)
		}
	}
	_, err := tailc.OpenBytes(withSignature(t, key, 1), trusted, tailc.At(time.Unix(0, 0)))
	expect(t, err == nil, "another clock may be asked")
}

func TestATextThatIsNoPublicKeyIsAnError(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	whole := pemOf(key.Public().(ed25519.PublicKey))
	for _, text := range []string{
		"", "key", whole[:40], strings.ReplaceAll(whole, "PUBLIC", "PRIVATE"),
		strings.Replace(whole, "MCowBQ", "MCowBR", 1), whole + whole,
	} {
		_, err := tailc.Open(signedPath("good"), tailc.TrustKeys(text))
		expect(t, errors.Is(err, tailc.ErrArgument), "no key: "+text)
	}
	_, err := tailc.Open(signedPath("good"), tailc.TrustKeys())
	expect(t, errors.Is(err, tailc.ErrArgument), "to trust no key is a mistake")
}

func TestOnlyTheOneLayoutAndNoWeakPointIsAKey(t *testing.T) {
	whole := string(bytesOfFile(t, filepath.Join(vectors, "signed", "test-key-1.pem")))
	lines := strings.Split(whole, "\n")
	trust := func(text string) error {
		_, err := tailc.Open(signedPath("good"), tailc.TrustKeys(text))
		return err
	}
	for _, text := range []string{whole, strings.ReplaceAll(whole, "\n", "\r\n"), strings.TrimSpace(whole)} {
		expect(t, trust(text) == nil, "a key: "+text)
	}
	texts := []string{
		"\n" + whole, whole + "\n", strings.ReplaceAll(whole, "=\n", "= \n"),
		strings.ReplaceAll(whole, "AyEA", "AyEA\n"), strings.ReplaceAll(whole, "\n", ""),
		strings.ReplaceAll(whole, "dM=", "dN="),
	}
	// The y of 0, 1, both of order 8, -1, and of the prime and 3 above it; some with the sign.
	for _, point := range []string{
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
		"JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=",
		"xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o=",
		"7P///////////////////////////////////////38=",
		"7f///////////////////////////////////////38=",
		"8P////////////////////////////////////////8=",
	} {
		texts = append(texts, strings.ReplaceAll(whole, lines[1][16:], point))
	}
	for _, text := range texts {
		expect(t, errors.Is(trust(text), tailc.ErrArgument), "no key: "+text)
	}
}
