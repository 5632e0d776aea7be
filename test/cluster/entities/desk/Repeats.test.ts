import * as Repeats from "@venue/cluster/entities/desk/Repeats"
import type { Submission, Submitted } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { expect, it } from "vitest"
import { idOf, one, userId } from "../../Neighbours.ts"

const submission = (n: number): Submission => ({
  userId,
  cost: { bucket: "cancel", weight: 1 },
  request: {
    _tag: "CancelAllOrders",
    cause: "REQUEST",
    commandId: idOf(n),
    expiresAtMillis: 5_000,
    accountId: primaryAccountOf(userId),
    symbol: one.symbol
  }
})

it("I20: a call that comes again is answered as before and submits only what is new", () => {
  const seen: Array<string> = []
  const { submit } = Repeats.make((submissions) =>
    submissions.map(
      ({
        request: {
          commandId: { text }
        }
      }): Submitted => {
        seen.push(text)
        return { _tag: "HandedOn", commandId: text, symbols: [MarketSymbol.make(`${seen.length}`)] }
      }
    )
  )
  const first = submit([submission(1), submission(2)], 0)
  expect(submit([submission(2), submission(1), submission(3)], 9_000)).toEqual([
    first[1],
    first[0],
    { _tag: "HandedOn", commandId: idOf(3).text, symbols: ["3"] }
  ])
  // Nobody repeats after this long, and nothing is kept for it.
  submit([submission(4)], 20_000)
  submit([submission(1)], 30_000)
  expect(seen).toEqual([1, 2, 3, 4, 1].map((n) => idOf(n).text))
})
