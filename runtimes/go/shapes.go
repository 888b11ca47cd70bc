package tailc

import "tailc/internal/flat"

// What schemas/policy.fbs says of the tables that are acted on: their fields by id.

const longSize, climbSize, rowSize = 8, 16, 32

var (
	anEnum = field{size: 1}
	aShort = field{size: 2}
	aLong  = field{size: longSize}
	aClass = field{kind: ofVector, size: 1}
	aName  = field{kind: ofVector, size: 1, isRequired: true}

	theEnums = vectorOf(1)
	theLongs = vectorOf(longSize)
	theNames = field{kind: ofTexts, isRequired: true}
	notRead  = field{kind: ofNothing}
)

func vectorOf(size uint64) field { return field{kind: ofVector, size: size, isRequired: true} }
func tablesOf(of shape) field    { return field{kind: ofTables, of: of, isRequired: true} }
func optional(of shape) field    { return field{kind: ofTable, of: of} }
func required(of shape) field    { return field{kind: ofTable, of: of, isRequired: true} }

// longs are so many fields, each a long.
func longs(count int) shape {
	var fields shape
	for len(fields) < count {
		fields = append(fields, aLong)
	}
	return fields
}

func joined(parts ...shape) shape {
	var fields shape
	for _, part := range parts {
		fields = append(fields, part...)
	}
	return fields
}

var (
	costUnitShape = shape{aName, aLong}
	rungShape     = shape{aName, aLong, theLongs, aLong}
	guardShape    = shape{aLong, aLong, anEnum}
	boostShape    = longs(2)
	powerShape    = shape{aLong, theLongs}
	overloadShape = longs(4)
	sharingShape  = longs(3)
	ladderShape   = shape{
		anEnum, aClass, tablesOf(costUnitShape), tablesOf(rungShape), theEnums, theNames, aLong,
		vectorOf(rowSize), vectorOf(climbSize), required(guardShape), optional(boostShape),
		optional(powerShape), optional(overloadShape), optional(sharingShape),
	}

	gainRowShape    = longs(4)
	controllerShape = joined(shape{anEnum}, longs(8), shape{tablesOf(gainRowShape)})

	levelShape     = longs(2)
	tailRowShape   = shape{aLong, theLongs}
	sleepShape     = longs(2)
	batchShape     = longs(3)
	tailTableShape = shape{
		aLong, aLong, tablesOf(levelShape), tablesOf(tailRowShape), tablesOf(tailRowShape),
		required(sleepShape), aLong, optional(batchShape), aLong,
	}

	machineShape = joined(shape{aName}, longs(3))
	sharesShape  = joined(shape{anEnum}, longs(12), shape{tablesOf(machineShape)})

	poolShape       = joined(shape{aName}, longs(5))
	epochShape      = longs(5)
	spanShape       = longs(4)
	plannedJobShape = shape{aName, tablesOf(spanShape), aLong}
	poolPricesShape = shape{theLongs}
	termsShape      = longs(3)
	malleableShape  = longs(2)
	batteryShape    = longs(5)
	planShape       = shape{
		aLong, aLong, tablesOf(poolShape), tablesOf(epochShape), tablesOf(plannedJobShape),
		tablesOf(poolPricesShape), optional(termsShape), optional(malleableShape), aLong,
		optional(batteryShape),
	}

	formShapes = map[flat.Form]shape{
		flat.FormLadder:     ladderShape,
		flat.FormController: controllerShape,
		flat.FormTailTable:  tailTableShape,
		flat.FormShares:     sharesShape,
		flat.FormPlan:       planShape,
	}

	formBoxShape = shape{anEnum, {kind: ofUnion, isRequired: true}, aName}
	versionShape = shape{aShort, aShort}
	// No look-up needs what is promised, and which rates it is for.
	policyShape = shape{
		aShort, aShort, aName, aName, aName, aLong, notRead, notRead, tablesOf(formBoxShape),
	}
)

// The ids in a box of the form's type and name.
const boxFormType, boxFormName = 0, 2
