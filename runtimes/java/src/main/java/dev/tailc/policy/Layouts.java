// Made by schemas/generate.py from schemas/policy.fbs: see schemas/layout.py.

package dev.tailc.policy;

public final class Layouts {
  private Layouts() {}

  public static final String[] TABLES = {
    "CostUnit text! 8",
    "Rung text! 8 [8]! 8 8 8 text 1 8",
    "Power 8 [8]!",
    "Guard 8 8 1",
    "Boost 8 8",
    "Overload 8 8 8 8",
    "Sharing 8 8 8",
    "Ladder 1 text [CostUnit]! [Rung]! [1]! [text]! 8 [32]! [16]! Guard! Boost Power Overload Sharing",
    "GainRow 8 8 8 8",
    "Controller 1 8 8 8 8 8 8 8 8 [GainRow]!",
    "Level 8 8",
    "TailRow 8 [8]!",
    "Sleep 8 8",
    "Batch 8 8 8",
    "Transition 8 8",
    "TailTable 8 8 [Level]! [TailRow]! [TailRow]! Sleep! 8 Batch 8 Transition",
    "Machine text! 8 8 8",
    "ShareCap 8 8 8",
    "Shares 1 8 8 8 8 8 8 8 8 8 8 8 8 [Machine]! ShareCap",
    "Pool text! 8 8 8 8 8",
    "Epoch 8 8 8 8 8",
    "Span 8 8 8 8",
    "PlannedJob text! [Span]! 8",
    "PoolPrices [8]!",
    "Terms 8 8 8",
    "Malleable 8 8",
    "Battery 8 8 8 8 8",
    "Plan 8 8 [Pool]! [Epoch]! [PlannedJob]! [PoolPrices]! Terms Malleable 8 Battery 8 text",
    "StepPart [8]! [8]!",
    "StepTimes 8 StepPart! StepPart! StepPart! StepPart!",
    "BatchEngine 8 8 8 StepTimes!",
    "BudgetRow 8 8 [8]!",
    "BudgetTable [8]! [BudgetRow]! BatchEngine!",
    "FormBox 1 Form! text!",
    "Slo 8 8 8 8 text 1",
    "DemandSummary 8 [8]!",
    "Input 1 text! 8 8 DemandSummary",
    "SplitRule 1 8 text 8",
    "Timings text! text! text!",
    "Curve text [8]!",
    "TextPair text! text!",
    "NumberPair text! 8",
    "Serial 8 8 8 8",
    "Reading 1 text! 1 text Timings text text [text]! [Curve]! [TextPair]! 8 SplitRule text 8 text 8 text text text Serial text text text",
    "RowEvidence 8 8 8 8 8 8 8 8 8",
    "ByHand text! 8 8 8 8",
    "RateEstimate 8 text! 8 8 8 8 1 ByHand",
    "Estimates 1 8 8 8 8 [RateEstimate]!",
    "Evidence text! text! text! text! [TextPair]! 8 [NumberPair]! [RowEvidence]! Estimates",
    "Policy 2 2 text! text! text! 8 [Slo]! [8]! [FormBox]! [Input]! Reading! Evidence!",
  };

  public static final String[] FORMS = {
    "ladder Ladder",
    "controller Controller",
    "tail-table TailTable",
    "shares Shares",
    "plan Plan",
    "budget-table BudgetTable",
  };
}
