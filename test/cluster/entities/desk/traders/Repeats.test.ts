import * as Repeats from "@venue/cluster/entities/desk/traders/Repeats"
import type { Submission, Submitted } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { expect, it } from "vitest"
import { idOf, one, userId } from "../../../Neighbours.ts"

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

const make = (seen: Array<string>, holderOf: () => unknown = () => "one", answers: Array<Submitted> = []) =>
  Repeats.make(
    (submissions) =>
      submissions.map(
        ({
          request: {
            commandId: { text }
          }
        }): Submitted => {
          seen.push(text)
          return (
            answers.shift() ?? { _tag: "HandedOn", commandId: text, symbols: [MarketSymbol.make(`${seen.length}`)] }
          )
        }
      ),
    holderOf
  )

it("I20: decides a dropped trader's repeated command again, because the market might never have received it", () => {
  const seen: Array<string> = []
  let holder = 1
  const { submit } = make(seen, () => holder)
  submit([submission(1)], 0)
  submit([submission(1)], 1)
  holder = 2
  submit([submission(1), submission(2)], 2)
  submit([submission(1), submission(2)], 3)
  expect(seen).toEqual([1, 1, 2].map((n) => idOf(n).text))
})

it("returns replies in order, and stores no reply to an undecided submission", () => {
  const seen: Array<string> = []
  const undecided = { _tag: "Refused", commandId: idOf(2).text, refusal: { _tag: "AccountLoading" } } as const
  const forwarded = { _tag: "HandedOn", commandId: idOf(1).text, symbols: [one.symbol] } as const
  const { submit } = make(seen, () => 1, [forwarded, undecided, undecided])
  expect(submit([submission(1), submission(2)], 0)).toEqual([forwarded, undecided])
  expect(submit([submission(2), submission(1)], 1)).toEqual([undecided, forwarded])
  expect(submit([submission(2)], 2)[0]!._tag).toBe("HandedOn")
  expect(seen).toEqual([1, 2, 2, 2].map((n) => idOf(n).text))
})

it("I48: stores a bounded number of replies", () => {
  const seen: Array<string> = []
  const { submit } = make(seen)
  for (let n = 0; n < 100_000; n++) submit([submission(n)], 0)
  submit([submission(99_999)], 0)
  expect(seen).toHaveLength(100_000)
  submit([submission(1)], 0)
  expect(seen).toHaveLength(100_001)
})

it("I20: a repeated call gets the stored replies to its earlier submissions, and executes only its new submissions", () => {
  const seen: Array<string> = []
  const { submit } = make(seen)
  const first = submit([submission(1), submission(2)], 0)
  expect(submit([submission(2), submission(1), submission(3)], 9_000)).toEqual([
    first[1],
    first[0],
    { _tag: "HandedOn", commandId: idOf(3).text, symbols: ["3"] }
  ])
  // Replies are dropped after the longest time for which a gateway resends a submission.
  submit([submission(4)], 20_000)
  expect(submit([submission(1)], 30_000)).toEqual([first[0]])
  submit([submission(4)], 40_000)
  submit([submission(1)], 56_000)
  expect(seen).toEqual([1, 2, 3, 4, 1].map((n) => idOf(n).text))
})
