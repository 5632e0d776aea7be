/** Tests of the due times of dead-man switches, and of the ids of their cancels. */
import { AccountId } from "@venue/domain/AccountId"
import { cancelId, dueMillis, isTimeout } from "@venue/domain/DeadManSwitch"
import { parse } from "@venue/domain/Id"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { assert, it } from "@effect/vitest"

const open = Date.UTC(2026, 10, 20, 15)

it("rule 4.21: rounds the due time up to a whole second", () => {
  assert.strictEqual(dueMillis(open + 200, 5), open + 6_000)
  assert.strictEqual(dueMillis(open + 900, 5), open + 6_000)
  assert.strictEqual(dueMillis(open + 4_000, 10), open + 14_000)
  assert.strictEqual(dueMillis(open + 4_001, 10), open + 15_000)
  assert.strictEqual(dueMillis(open + 200, 0), 0)
})

it("rule 4.21: accepts 0 or a whole number of seconds from 5 to 600 as a timeout", () => {
  const asked = [-5, 0, 1, 4, 4.5, 5, 5.5, 600, 601, NaN, Infinity]
  assert.deepStrictEqual(asked.filter(isTimeout), [0, 5, 600])
})

it("I55: derives the same cancel id for the same account, firing, market and attempt, and otherwise a different one", () => {
  const accounts = ["5d2b8c1f-60e3-4a97-bc0d-2f7e9a4186c5", "5d2b8c1f-60e3-4a97-bc0d-2f7e9a4186c6"]
  const all = accounts.flatMap((account) =>
    [open, open + 1, open + 1_000].flatMap((firedMillis) =>
      ["AAPL-USD", "GOLD-USD"].flatMap((symbol) =>
        [0, 1, 2].map((attempt) => cancelId(AccountId.make(account), firedMillis, MarketSymbol.make(symbol), attempt))
      )
    )
  )
  assert.lengthOf(new Set(all.map(({ text }) => text)), 36)
  for (const { text } of all) assert.strictEqual(parse(text)?.text, text)
  // A desk of another release must derive the same id.
  assert.strictEqual(all[0]!.text, "85887599-f185-406f-b375-5c4fcaf9ed60")
})
