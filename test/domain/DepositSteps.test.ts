import { DepositState } from "@venue/domain/Deposit"
import * as DepositSteps from "@venue/domain/DepositSteps"
import { UserId } from "@venue/domain/UserId"
import { assert, test } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"

const { transitions } = DepositSteps

test("I16: a credited deposit can only be reversed, and a reversed deposit accepts no further step", () => {
  const after = (state: DepositState) => transitions.filter(({ from }) => from === state).map(({ to }) => to)
  assert.deepStrictEqual(after("CREDITED"), ["REVERSED"])
  assert.deepStrictEqual(after("REVERSED"), [])
  assert.deepInclude(DepositSteps.journaledStep("Credited"), { from: "CONFIRMED", to: "CREDITED" })
  assert.lengthOf(
    transitions.filter(({ to }) => to === "CREDITED"),
    1
  )
  assert.sameMembers([...new Set(transitions.flatMap(({ from, to }) => [from, to]))], [...DepositState.literals])
})

/** Naive twin of a deposit: plain state, with each rule written separately. */
interface Twin {
  state: DepositState
  owner: string | undefined
  hasReason: boolean
  isOwn: boolean
  isOffered: boolean
  isGone: boolean
  isReturned: boolean
  isFinal: boolean
  hash: string | undefined
}

const twinAccepts = (twin: Twin, command: DepositSteps.DepositCommand): boolean => {
  const { hasReason, hash, isFinal, isOffered, isOwn, isReturned, owner, state } = twin
  const isOwnerless = state === "CONFIRMED" && owner === undefined && !isOwn
  switch (command._tag) {
    case "Detect":
      if (isReturned) return true
      if (state === "DROPPED") {
        twin.state = "DETECTED"
        twin.hasReason = false
        twin.isOwn = false
      } else if (state === "REVERSED" && hash !== command.block?.hash) twin.hasReason = true
      twin.hash = command.block?.hash
      return true
    case "Confirm":
      if (state !== "DETECTED" || isOffered) return false
      twin.state = "CONFIRMED"
      twin.hasReason = command.reason !== null
      return true
    case "Unconfirm":
      if (state !== "CONFIRMED" || isOffered) return false
      twin.state = "DETECTED"
      twin.hasReason = false
      twin.isOwn = false
      return true
    case "Drop":
      if ((state !== "DETECTED" && state !== "CONFIRMED") || isOffered) return false
      twin.state = "DROPPED"
      twin.hasReason = true
      twin.isOwn = false
      return true
    case "Offer":
      if (state !== "CONFIRMED" || owner === undefined || hasReason) return false
      twin.isOffered = true
      return true
    case "Assign":
      if (!isOwnerless) return false
      twin.owner = command.userId
      twin.hasReason = command.reason !== null
      return true
    case "TakeAsOwn":
      if (!isOwnerless || !isFinal) return false
      twin.isOwn = true
      twin.hasReason = true
      return true
    case "MarkGone":
    case "MarkPresent":
      if (state !== "CREDITED") return false
      twin.isGone = command._tag === "MarkGone"
      return true
    case "MarkReturned":
      twin.isReturned = true
      return true
    case "MarkFinal":
      twin.isFinal = true
      return true
    case "Credit":
      if (state !== "CONFIRMED") return false
      twin.state = "CREDITED"
      return true
    case "Reverse":
      if (state !== "CREDITED") return false
      twin.state = "REVERSED"
      twin.hasReason = true
      return true
  }
}

const reason = fc.constantFrom("bank-return", "missing-on-chain")
const block = fc.constantFrom({ number: 7, hash: "7" }, { number: 8, hash: "8" }, null)
const command: fc.Arbitrary<DepositSteps.DepositCommand> = fc.oneof(
  fc.record({ _tag: fc.constant("Detect"), block }),
  fc.record({ _tag: fc.constant("Confirm"), reason: fc.option(reason) }),
  fc.record({ _tag: fc.constantFrom("Drop", "Reverse"), reason }),
  fc.record({ _tag: fc.constant("Assign"), userId: fc.constant(UserId.make("amy")), reason: fc.option(reason) }),
  fc.record({ _tag: fc.constant("TakeAsOwn"), reason: fc.constant("a top-up") }),
  fc.record({
    _tag: fc.constantFrom("Unconfirm", "Offer", "MarkGone", "MarkPresent", "MarkReturned", "MarkFinal", "Credit")
  })
)

test("I16: accepts exactly the deposit commands that an independent model accepts", () => {
  const run = fc.record({ isOwned: fc.boolean(), commands: fc.array(command, { maxLength: 40 }) })
  fc.assert(
    fc.property(run, ({ commands, isOwned }) => {
      const userId = isOwned ? UserId.make("ann") : null
      let row = DepositSteps.detected({ depositId: "d", rail: "TRON", userId }, { number: 7, hash: "7" }, 0)
      const flags = { isOwn: false, isOffered: false, isGone: false, isReturned: false, isFinal: false }
      const twin: Twin = { state: row.state, owner: userId ?? undefined, hasReason: false, hash: "7", ...flags }
      for (const [at, command] of commands.entries()) {
        const decided = DepositSteps.decide(row, command, at + 1)
        assert.strictEqual(Result.isSuccess(decided), twinAccepts(twin, command), command._tag)
        for (const change of Result.getOrElse(decided, () => [])) {
          const before = row
          row = DepositSteps.apply(row, change)
          assert.strictEqual(row.version, before.version + 1)
          assert.strictEqual(row.step, row.state === before.state ? before.step : before.step + 1)
          if (row.state !== before.state)
            assert.isTrue(transitions.some(({ from, to }) => from === before.state && to === row.state))
        }
        assert.deepInclude(row, { state: twin.state, isReturned: twin.isReturned, isFinal: twin.isFinal })
        assert.deepStrictEqual(
          [row.userId ?? undefined, row.reason !== null, row.offeredAtMillis !== null, row.goneSinceMillis !== null],
          [twin.owner, twin.hasReason, twin.isOffered, twin.isGone]
        )
        assert.strictEqual(row.blockHash ?? undefined, twin.hash)
        // A repeated command changes nothing or is refused.
        const again = Result.getOrElse(DepositSteps.decide(row, command, at + 2), () => [])
        if (command._tag !== "Assign") assert.lengthOf(again, 0, `a repeated ${command._tag}`)
      }
    }),
    { numRuns: 500 }
  )
})
