package tailc

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/tailc/tailc/runtimes/go/internal/flat"
)

// rawLadder is a ladder before it is checked for meaning.
type rawLadder struct {
	loadAxis         LoadAxis
	requestClass     *string
	units            []rawUnit
	rungs            []RungSetting
	rules            []Rule
	quantumUs        int64
	rows             []rawRow
	minLoad, maxLoad int64
	outside          flat.Outside
	boost            *Boost
	power            *rawPower
	overload         *rawOverload
	sharing          *rawSharing
}

// rawUnit is a cost unit; without a capacity it is not limited.
type rawUnit struct {
	name        string
	capacityPpm *int64
}

type rawRow struct {
	firstLoad, delayUs uint64
	admission          flat.AdmissionKind
	climbs             []climb
}

type climb struct {
	ageUs uint64
	rung  uint32
}

type rawPower struct {
	unit    int64
	idlePpm []int64
}

func readLadder(table flatbuffers.Table) rawForm {
	var form flat.Ladder
	form.Init(table.Bytes, table.Pos)
	guard := form.Guard(nil)
	raw := &rawLadder{
		loadAxis: LoadAxis(form.LoadAxis()), quantumUs: form.QuantumUs(),
		minLoad: guard.MinLoad(), maxLoad: guard.MaxLoad(), outside: guard.Outside(),
		units: readUnits(&form), rungs: readSettings(&form),
		rules: readRules(&form), rows: readRows(&form), overload: readOverload(&form),
		sharing: readSharing(&form),
	}
	if class := form.RequestClass(); class != nil {
		text := string(class)
		raw.requestClass = &text
	}
	if boost := form.Boost(nil); boost != nil {
		raw.boost = &Boost{Unit: boost.Unit(), BelowPpm: boost.BelowPpm()}
	}
	if power := form.Power(nil); power != nil {
		raw.power = &rawPower{power.Unit(), list(power.IdlePpmLength(), power.IdlePpm)}
	}
	return raw
}

func readUnits(form *flat.Ladder) []rawUnit {
	var unit flat.CostUnit
	return list(form.CostUnitsLength(), func(i int) rawUnit {
		form.CostUnits(&unit, i)
		return rawUnit{string(unit.Name()), unit.CapacityPpm()}
	})
}

// ruleNames are those known here, by number; 0 is never written.
var ruleNames = [...]Rule{
	flat.RuleREREAD_ROW:        RereadRow,
	flat.RuleNEVER_DESCEND:     NeverDescend,
	flat.RuleBOOST_LAST_RUNG:   BoostLastRung,
	flat.RuleAGE_FROM_ARRIVAL:  AgeFromArrival,
	flat.RuleCORE_PER_REQUEST:  CorePerRequest,
	flat.RuleMAKE_ROOM:         MakeRoom,
	flat.RuleWAITED_START_LAST: WaitedStartLast,
	flat.RuleBUSY_PERIOD_AGE:   BusyPeriodAge,
	flat.RuleSHED:              Shed,
	flat.RuleCUT_OFF:           CutOff,
	flat.RuleDEGRADE:           Degrade,
	flat.RuleSTART_BELOW:       StartBelow,
	flat.RuleGIVE_UP:           GiveUp,
}

func readRules(form *flat.Ladder) []Rule {
	return list(form.RuleNamesLength(), func(i int) Rule { return Rule(form.RuleNames(i)) })
}

// readRows gives each row its climbs, which follow each other.
func readRows(form *flat.Ladder) []rawRow {
	var at flat.Climb
	climbs := list(form.ClimbsLength(), func(i int) climb {
		form.Climbs(&at, i)
		return climb{at.AgeUs(), at.Rung()}
	})
	var row flat.Row
	return list(form.RowsLength(), func(i int) rawRow {
		form.Rows(&row, i)
		first, count := int(row.FirstClimb()), int(row.ClimbCount())
		held := climbs[first : first+count]
		return rawRow{row.FirstLoad(), row.DelayUs(), row.Admission(), held}
	})
}
