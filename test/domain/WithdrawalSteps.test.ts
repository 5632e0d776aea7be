import { type Ending, WithdrawalState } from "@venue/domain/Withdrawal"
import * as WithdrawalSteps from "@venue/domain/WithdrawalSteps"
import type { EndReason, PaymentObstacle } from "@venue/domain/TreasuryReason"
import { assert, test } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"

const { stateOfAccepted, transitions } = WithdrawalSteps

test("I15: a withdrawal can reach every state, but each state at most once", () => {
  const walks = (from: WithdrawalState, before: ReadonlyArray<WithdrawalState>): ReadonlyArray<WithdrawalState> => {
    assert.notInclude(before, from)
    const next = transitions.filter((edge) => edge.from === from).map(({ to }) => to)
    return [from, ...next.flatMap((to) => walks(to, [...before, from]))]
  }
  assert.sameMembers([...new Set(walks("ACCEPTED", []))], [...WithdrawalState.literals])
  assert.sameMembers([...WithdrawalSteps.finalStates], ["SETTLED", "REJECTED", "FAILED"])
  assert.strictEqual(WithdrawalSteps.stateBeforeReturn("REJECTED"), "HELD_FOR_REVIEW")
  assert.strictEqual(WithdrawalSteps.stateBeforeReturn("FAILED"), "SUBMITTED")
})

test("queues a withdrawal only if there is no reason to hold it", () => {
  assert.strictEqual(stateOfAccepted({ reasons: [] }), "QUEUED")
  assert.strictEqual(stateOfAccepted({ reasons: ["amount"] }), "HELD_FOR_REVIEW")
})

test("I14: refuses an outcome that the rail read before the withdrawal's newest payment was stored", () => {
  const row = { ...WithdrawalSteps.accepted("w", 0), state: "SUBMITTED", attempts: 2, isBlocked: false } as const
  const by = "rail/TRON"
  const reason = { _tag: "TransferRejected" } as const
  const isAccepted = (attempts: number) =>
    [
      { _tag: "Settle", by, reference: "0x1", attempts } as const,
      { _tag: "RequestEnd", ending: "FAILED", by, reason, reference: "0x1", attempts } as const
    ].map((command) => Result.isSuccess(WithdrawalSteps.decide(row, command, 1)))
  assert.deepStrictEqual(isAccepted(1), [false, false])
  assert.deepStrictEqual(isAccepted(2), [true, true])
})

test("I14: rejects a second cancel request with an error that contains the pending request", () => {
  let row = WithdrawalSteps.apply(WithdrawalSteps.accepted("w", 0), { _tag: "Queued", by: "ann", atMillis: 0 })
  const commands = [
    { _tag: "RecordRefusal", refusal: { _tag: "InvalidDestination" } },
    { _tag: "RequestCancel", by: "olga", reason: "stuck" }
  ] as const
  for (const command of commands) {
    const [change] = Result.getOrThrow(WithdrawalSteps.decide({ ...row, isBlocked: false }, command, 1))
    row = WithdrawalSteps.apply(row, change!)
  }
  const again = { _tag: "RequestCancel", by: "otto", reason: "again" } as const
  const refused = WithdrawalSteps.decide({ ...row, isBlocked: false }, again, 2)
  assert.deepInclude(Result.getOrThrow(Result.flip(refused)), { _tag: "CancelPending", by: "olga" })
})

/** Naive twin of a withdrawal: plain state, with each rule written separately. */
interface Twin {
  state: WithdrawalState
  ending: Ending | undefined
  cancelled: boolean
  refusal: PaymentObstacle | undefined
  attempts: number
}

const twinAccepts = (twin: Twin, command: WithdrawalSteps.WithdrawalCommand, isBlocked: boolean): boolean => {
  const { attempts, cancelled, ending, refusal, state } = twin
  const isOpen = ending === undefined
  switch (command._tag) {
    case "Approve":
      if (state !== "HELD_FOR_REVIEW" || !isOpen) return false
      twin.state = "QUEUED"
      return true
    case "Submit":
      if (state !== "QUEUED" || (command.purpose === "cancel") !== cancelled) return false
      if (command.purpose === "pay" && isBlocked) return false
      twin.state = "SUBMITTED"
      twin.refusal = undefined
      return true
    case "StoreAttempt":
      if (state !== "SUBMITTED" || !isOpen || command.attempt !== attempts + 1) return false
      if (cancelled && command.purpose === "pay") return false
      twin.attempts = attempts + 1
      twin.refusal = undefined
      return true
    case "RecordRefusal":
      if (!isOpen || (state !== "QUEUED" && state !== "SUBMITTED")) return false
      twin.refusal = command.refusal
      return true
    case "RequestCancel": {
      const isStuck = state === "SUBMITTED" || (state === "QUEUED" && (refusal !== undefined || isBlocked))
      if (!isOpen || cancelled || !isStuck) return false
      twin.cancelled = true
      return true
    }
    case "RequestEnd":
      if (!isOpen || state !== (command.ending === "FAILED" ? "SUBMITTED" : "HELD_FOR_REVIEW")) return false
      twin.ending = command.ending
      return true
    case "Settle":
      if (state !== "SUBMITTED" || !isOpen) return false
      twin.state = "SETTLED"
      return true
    case "Return":
      if (ending !== command.ending || state === ending) return false
      twin.state = ending
      return true
  }
}

const by = fc.constantFrom("olga", "rail/TRON")
const ending = fc.constantFrom<Ending>("REJECTED", "FAILED")
const purpose = fc.constantFrom("pay", "cancel")
const reference = fc.constantFrom("0x1", "0x2")
const text = fc.constantFrom("a", "b")
const refusal = fc.constantFrom("a", "b").map((text): PaymentObstacle => ({ _tag: "ChainRejects", text }))
const reason = fc.constantFrom<EndReason>({ _tag: "TransferRejected" }, { _tag: "Rejected", text: "a stranger" })
const command: fc.Arbitrary<WithdrawalSteps.WithdrawalCommand> = fc.oneof(
  fc.record({ _tag: fc.constant("Approve"), by }),
  fc.record({ _tag: fc.constant("Submit"), by, purpose, sequence: fc.nat(3) }),
  fc.record({ _tag: fc.constant("StoreAttempt"), attempt: fc.integer({ min: 1, max: 4 }), purpose, reference }),
  fc.record({ _tag: fc.constant("RecordRefusal"), refusal }),
  fc.record({ _tag: fc.constant("RequestCancel"), by, reason: text }),
  fc.record({ _tag: fc.constant("RequestEnd"), by, ending, reason, reference: fc.option(reference) }),
  fc.record({ _tag: fc.constant("Settle"), by, reference }),
  fc.record({ _tag: fc.constant("Return"), ending })
)

test("I14, I15: accepts exactly the withdrawal commands that an independent model accepts", () => {
  const run = fc.record({
    isHeld: fc.boolean(),
    commands: fc.array(fc.record({ command, isBlocked: fc.boolean() }), { maxLength: 40 })
  })
  fc.assert(
    fc.property(run, ({ commands, isHeld }) => {
      const first = { _tag: isHeld ? "Held" : "Queued", by: "ann", atMillis: 0 } as const
      let row = WithdrawalSteps.apply(WithdrawalSteps.accepted("w", 0), first)
      const twin: Twin = { state: row.state, ending: undefined, cancelled: false, refusal: undefined, attempts: 0 }
      for (const [atMillis, { command, isBlocked }] of commands.entries()) {
        const decided = WithdrawalSteps.decide({ ...row, isBlocked }, command, atMillis)
        assert.strictEqual(Result.isSuccess(decided), twinAccepts(twin, command, isBlocked), command._tag)
        for (const change of Result.getOrElse(decided, () => [])) {
          const before = row
          row = WithdrawalSteps.apply(row, change)
          assert.strictEqual(row.version, before.version + 1)
          if (row.state === before.state) assert.strictEqual(row.step, before.step)
          else {
            assert.strictEqual(row.step, before.step + 1)
            assert.isTrue(transitions.some(({ from, to }) => from === before.state && to === row.state))
          }
        }
        assert.deepInclude(row, { state: twin.state, ending: twin.ending ?? null, refusal: twin.refusal ?? null })
        assert.deepInclude(row, { attempts: twin.attempts })
        assert.strictEqual(row.cancelledBy !== null, twin.cancelled)
      }
    }),
    { numRuns: 500 }
  )
})
