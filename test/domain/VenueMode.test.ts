/** Refusals of a change of the venue's mode that would skip a step. */
import { assert, it } from "@effect/vitest"
import * as VenueMode from "@venue/domain/VenueMode"

const modeOf = (trading: "TRADING" | "CANCEL_ONLY" | "HALTED"): VenueMode.VenueMode => ({
  trading,
  withdrawals: "BLOCKED",
  changedBy: "ann",
  changedAtMillis: 0,
  reason: "",
  publicReason: null,
  auditedAtMillis: 9_000,
  fault: null,
  difference: null
})

const refusals = [
  ["CANCEL_ONLY", "CANCEL_ONLY", "The venue is already CANCEL_ONLY; set TRADING to accept orders again."],
  [
    "TRADING",
    "CANCEL_ONLY",
    "The venue is TRADING, and CANCEL_ONLY is a step from HALTED back to TRADING; set HALTED to stop orders."
  ],
  ["TRADING", "TRADING", "The venue is already TRADING; open withdrawals with WITHDRAWALS if they are blocked."],
  ["HALTED", "TRADING", "The venue is HALTED, and TRADING is possible only from CANCEL_ONLY; set CANCEL_ONLY first."],
  ["HALTED", "WITHDRAWALS", "The venue is HALTED, and withdrawals open only from TRADING; set TRADING first."]
] as const

it("a change of mode that skips a step is refused with the step that comes first", () => {
  for (const [trading, step, text] of refusals)
    assert.strictEqual(VenueMode.obstacle(modeOf(trading), step, 10_000), text)
  assert.isUndefined(VenueMode.obstacle(modeOf("HALTED"), "CANCEL_ONLY", 10_000))
  assert.isUndefined(VenueMode.obstacle(modeOf("CANCEL_ONLY"), "TRADING", 10_000))
  assert.isUndefined(VenueMode.obstacle(modeOf("TRADING"), "WITHDRAWALS", 10_000))
})
