package lower

import "github.com/spmdc/spmdc/parser/source"

// The codes of what lower reports.
const (
	codeUndeclared  = source.UndeclaredName
	codeDuplicate   = source.DuplicateName
	codeDeclaration = source.NotConstant
	codeNotConstant = source.NotConstant
	codeType        = source.TypeMismatch
	codeRank        = source.RankMismatch
	codeOutside     = source.OutsideSubset
	codeArgument    = source.BadIntrinsic
	codeLoop        = source.BadLoop
	codeIO          = source.BadIO
	codeCall        = source.BadCall
	codeLabel       = source.BadLabel
	codeDirective   = source.BadDirective
	codeAlign       = source.BadAlign
	codeFormat      = source.UnknownDistribution
	codeProcessors  = source.BadProcessors

	// A constant subscript, substring bound or template position that is
	// out of range.
	codeBounds = source.OutOfBounds
	// Constant arithmetic that divides by zero or leaves the range of its type.
	codeOverflow = source.BadConstant
	// A declaration or constant beyond the sizes that are handled.
	codeLarge = source.TooLarge
)
