import { AccountId } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import type { Alongside } from "@venue/journal/Journal"
import * as JournalStatement from "@venue/journal/JournalStatement"
import type { Draft } from "@venue/journal/OpenStream"
import { assert, describe, it } from "@effect/vitest"

const ann = UserId.make("ann")

const draft = (seq: number, ...alongside: ReadonlyArray<Alongside>): Draft => ({
  stream: `trader/${seq}`,
  seq,
  epoch: 3,
  events: Uint8Array.of(seq),
  alongside
})

const wakeUp = (detail: string, _tag: "WakeUp" | "WakeUpEnded" = "WakeUp"): Alongside => ({
  _tag,
  userId: ann,
  desk: "1",
  reason: "joined",
  detail
})
const account: Alongside = { _tag: "AccountRow", userId: ann, accountId: AccountId.make("second") }
const deposited: Alongside = {
  _tag: "TreasuryStep",
  userId: ann,
  event: { _tag: "Deposited", depositId: "d", rail: "TRON", amount: 5n, atMillis: 7 }
}

describe("flush statement", () => {
  it.each<readonly [string, (seq: number) => ReadonlyArray<Draft>]>([
    ["one row", (seq) => [draft(seq)]],
    ["several rows", (seq) => [draft(seq), draft(seq + 1)]],
    ["rows with wake-up entries", (seq) => [draft(seq, wakeUp("a"), wakeUp("b", "WakeUpEnded")), draft(seq + 1)]],
    ["rows with an account", (seq) => [draft(seq, wakeUp("a"), account)]],
    ["rows with a treasury step", (seq) => [draft(seq, account, deposited), draft(seq + 1, wakeUp("a"))]]
  ])("uses the same statement text for every flush with %s", (_name, drafts) => {
    const { parameters, text } = JournalStatement.ofDrafts(drafts(1))
    assert.strictEqual(JournalStatement.ofDrafts([...drafts(5), ...drafts(9).slice(1)]).text, text)
    const numbers = [...text.matchAll(/\$(\d+)::/g)].map(([, number]) => Number(number))
    assert.deepStrictEqual(
      [...new Set(numbers)],
      parameters.map((_, index) => index + 1)
    )
  })

  it("keeps only the last change to a wake-up entry within a stream", () => {
    const { parameters } = JournalStatement.ofDrafts([draft(1, wakeUp("a"), wakeUp("a", "WakeUpEnded"), wakeUp("b"))])
    const [, , , , rowKeys, users, reasons, details, desks, endedKeys, , , endedDetails] = parameters
    assert.deepStrictEqual(
      [rowKeys, users, reasons, details, desks],
      [["3 trader/1"], ["ann"], ["joined"], ["b"], ["1"]]
    )
    assert.deepStrictEqual([endedKeys, endedDetails], [["3 trader/1"], ["a"]])
  })

  it("keeps a stream's wake-up entry even if another stream's row in the same flush removes an entry of the same name", () => {
    const { parameters } = JournalStatement.ofDrafts([draft(1, wakeUp("a")), draft(2, wakeUp("a", "WakeUpEnded"))])
    assert.deepStrictEqual([parameters[4], parameters[9]], [["3 trader/1"], []])
  })
})
