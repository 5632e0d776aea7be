/** The slowest market's recovery times, as reported in a run's figures. */
import { expect, it } from "vitest"
import type { Command, Story } from "./CheckerStory.ts"
import * as Figures from "./Figures.ts"

const add = (symbol: string, sentAt: number, answer: Partial<Command> = {}): Command =>
  ({
    sentAt,
    type: "add_order",
    params: { symbol },
    refused: undefined,
    isUnknown: false,
    answeredAt: sentAt + 100,
    ...answer
  }) as Command

const recoveryOf = (commands: ReadonlyArray<Command>) =>
  Figures.lines({
    findings: [],
    story: {
      commands,
      trades: [],
      faults: [{ number: 1, fault: "freeze", targets: ["runner-1"], beganAt: 1_000, endedAt: 2_000 }]
    } as unknown as Story
  })[1]

it("reports the market that recovered last, with the number of its earlier orders by response", () => {
  const commands = [
    add("AAPL-USD", 1_500),
    add("GOLD-USD", 2_000, { refused: "REJECTED_MARKET_CLOSED" }),
    add("GOLD-USD", 3_000, { isUnknown: true }),
    add("GOLD-USD", 3_500, { answeredAt: undefined }),
    add("GOLD-USD", 4_900)
  ]
  expect(recoveryOf(commands)).toBe(
    "recovery: freeze: 1 times, median 4.0 s, worst 4.0 s (GOLD-USD: 1 REJECTED_MARKET_CLOSED, 1 unknown, 1 unanswered)"
  )
})

it("distinguishes a market without orders from a market that did not respond", () => {
  expect(recoveryOf([add("AAPL-USD", 1_500), add("GOLD-USD", 34_600)])).toBe(
    "recovery: freeze: 1 times, median 33.7 s, worst 33.7 s (GOLD-USD: no order before)"
  )
})
