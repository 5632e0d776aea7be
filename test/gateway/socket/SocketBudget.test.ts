import { limits, make, type SocketBudget } from "@venue/gateway/socket/SocketBudget"
import { expect, it } from "vitest"

const budgets = (isLimited: boolean, clock = { millis: 0 }) =>
  make({ limits: isLimited, nowMillis: () => (clock.millis += isLimited ? 1_000 : 0) })
const fill = (budget: SocketBudget, count: number, addressOf: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => {
    expect(budget.refusal(addressOf(at))).toBeUndefined()
    return budget.open(addressOf(at))
  })

it("allows 100 trade and 20 market-data sockets per IPv4 address or IPv6 /64 network, and one more after each close", () => {
  const { marketData, trade } = budgets(true)
  const [first] = fill(trade, 100, (at) => `2001:db8::${at.toString(16)}`)
  expect(trade.refusal("2001:db8::ffff")).toEqual({ _tag: "AddressFull", most: 100 })
  fill(marketData, 20, () => "2001:db8::1")
  expect(marketData.refusal("2001:db8::2")).toEqual({ _tag: "AddressFull", most: 20 })
  expect(trade.refusal("2001:db8:0:1::1")).toBeUndefined()
  first!.close()
  expect(trade.refusal("2001:db8::ffff")).toBeUndefined()
})

it("allows any number of sockets per address, up to 10,000 in the process, while rate limits are off", () => {
  const { marketData, trade } = budgets(false)
  fill(trade, 6_000, () => "203.0.113.7")
  const [first] = fill(marketData, 4_000, () => "203.0.113.7")
  expect(trade.refusal("203.0.113.8")).toEqual({ _tag: "VenueFull", most: 10_000 })
  expect(marketData.refusal("203.0.113.8")).toEqual({ _tag: "VenueFull", most: 10_000 })
  first!.close()
  expect(trade.refusal("203.0.113.8")).toBeUndefined()
})

it("divides the limit of 100 trade upgrades per minute by the number of live gateways, but not the market-data limit", () => {
  let gateways = 2
  const { marketData, trade } = make({ limits: true, nowMillis: () => 0, livingGateways: () => gateways })
  for (let at = 0; at < 50; at++) expect(trade.refusal("203.0.113.7")).toBeUndefined()
  expect(trade.refusal("203.0.113.7")).toEqual({ _tag: "TooManyUpgrades", waitMillis: 1_200 })
  gateways = 1
  for (let at = 0; at < 100; at++) expect(trade.refusal("203.0.113.8")).toBeUndefined()
  gateways = 2
  for (let at = 0; at < 100; at++) expect(marketData.refusal("203.0.113.7")).toBeUndefined()
})

it("limits an IP address to a burst of 120,000 frames, unless rate limits are off", () => {
  const clock = { millis: 0 }
  const { trade } = make({ limits: true, nowMillis: () => clock.millis })
  const sockets = fill(trade, 20, () => "203.0.113.7")
  let taken = 0
  while (taken < 120_000 && sockets[taken % 20]!.frame(1)) taken++
  expect(taken).toBe(120_000)
  const { trade: benchmark } = make({ limits: false, nowMillis: () => clock.millis })
  const [flow] = fill(benchmark, 1, () => "203.0.113.7")
  taken = 0
  while (taken < 1_000_000 && flow!.frame(1)) taken++
  expect(taken).toBe(1_000_000)
})

it("when an IP address's bucket is empty, each of its sockets still has its own bucket", () => {
  const clock = { millis: 0 }
  const { marketData } = make({ limits: true, nowMillis: () => clock.millis })
  const [greedy, modest] = fill(marketData, 2, () => "203.0.113.7")
  while (greedy!.frame(1));
  while (greedy!.control());
  for (let at = 0; at < 100; at++) expect(modest!.frame(1)).toBe(true)
  for (let at = 0; at < 50; at++) expect(modest!.control()).toBe(true)
  expect(modest!.frame(1)).toBe(false)
  clock.millis += 100
  expect([modest!.frame(5), modest!.frame(1), modest!.control(), modest!.control()]).toEqual([true, false, true, false])
})

it("limits unfinished messages to 64 MiB in total, and to 4 KiB per socket once that total is reached", () => {
  const { marketData, trade } = budgets(false)
  const sockets = fill(trade, 512, () => "")
  for (const socket of sockets) expect(socket.unfinished(128 * 1024)).toBe(true)
  const [late] = fill(marketData, 1, () => "")
  expect(late!.unfinished(4 * 1024)).toBe(true)
  expect(late!.unfinished(4 * 1024 + 1)).toBe(false)
  sockets[0]!.close()
  expect(late!.unfinished(64 * 1024)).toBe(true)
  // Unread frames are counted separately.
  expect(late!.unread(64 * 1024 * 1024)).toBe(true)
  expect(limits.unfinished.bytes).toBe(512 * 128 * 1024)
})
