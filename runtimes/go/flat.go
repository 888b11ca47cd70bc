package tailc

import (
	"strconv"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/tailc/tailc/runtimes/go/internal/flat"
)

const (
	schemaMajor = 1
	identifier  = "TLC1"
	offsetSize  = 4
)

// list reads a vector of so many elements.
func list[T any](length int, read func(i int) T) []T {
	values := make([]T, length)
	for i := range values {
		values[i] = read(i)
	}
	return values
}

// head is which policy this is.
type head struct {
	name, kind, digest string
	generation         int64
	expiresS           uint64 // of the checked signature; 0: never
}

// rawForm is one of *rawLadder, *rawController, *rawTailTable, *rawShares, *rawPlan and
// *rawBudgetTable.
type rawForm any

// readFlat reads which policy is in a payload, and its forms.
func readFlat(payload []byte) (head, []rawForm) {
	if len(payload) < 2*offsetSize || string(payload[offsetSize:2*offsetSize]) != identifier {
		broken("the FlatBuffer's identifier is not TLC1")
	}
	v := newVerifier(payload)
	// Another major version may lay out anything else otherwise, so its number comes first.
	v.version()
	root := flat.GetRootAsPolicy(payload, 0)
	if root.SchemaMajor() != schemaMajor {
		version := strconv.Itoa(int(root.SchemaMajor())) + "." + strconv.Itoa(int(root.SchemaMinor()))
		panic(refused(UnknownSchema, "unknown schema `"+version+"`"))
	}
	v.all()
	which := head{
		name: string(root.Name()), kind: string(root.Kind()),
		digest: string(root.PolicyDigest()), generation: root.Generation(),
	}
	return which, list(root.FormsLength(), func(i int) rawForm {
		var box flat.FormBox
		var form flatbuffers.Table
		root.Forms(&box, i)
		box.Form(&form)
		return formReaders[box.FormType()](form)
	})
}

var formReaders = map[flat.Form]func(flatbuffers.Table) rawForm{
	flat.FormLadder:      readLadder,
	flat.FormController:  readController,
	flat.FormTailTable:   readTailTable,
	flat.FormShares:      readShares,
	flat.FormPlan:        readPlan,
	flat.FormBudgetTable: readBudgetTable,
}
