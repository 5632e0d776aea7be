/** Tests of token-bucket rate limits. */
import * as RateLimits from "@venue/domain/RateLimits"
import { expect, it } from "vitest"

const limitsAt = (clock: { now: number }, enabled = true) =>
  RateLimits.make({ enabled, nowMillis: () => clock.now, capacity: 1_200, refillMillis: 60_000 })

it("admits 1,200 requests per minute, and refills 20 tokens per second", () => {
  const clock = { now: 0 }
  const limits = limitsAt(clock)
  for (let i = 0; i < 120; i++) expect(limits.spend("alice", 10)).toBe(0)
  expect(limits.spend("alice", 10)).toBe(500)
  clock.now += 499
  expect(limits.spend("alice", 10)).toBe(1)
  clock.now += 1
  expect(limits.spend("alice", 10)).toBe(0)
  expect(limits.spend("bob", 1_200)).toBe(0)
})

it("ignores a clock that moves backwards", () => {
  const clock = { now: 10_000 }
  const limits = limitsAt(clock)
  limits.spend("alice", 1_200)
  clock.now = 0
  expect(limits.spend("alice", 1)).toBe(50)
})

it("admits every request when rate limits are disabled", () => {
  const limits = limitsAt({ now: 0 }, false)
  for (let i = 0; i < 10; i++) expect(limits.spend("alice", 1_200)).toBe(0)
})

it("peeking at a bucket takes no tokens", () => {
  const clock = { now: 0 }
  const limits = limitsAt(clock)
  expect(limits.peek("alice", 20)).toBe(0)
  expect(limits.spend("alice", 1_200)).toBe(0)
  for (let i = 0; i < 2; i++) expect(limits.peek("alice", 20)).toBe(1_000)
  clock.now += 1_000
  expect(limits.peek("alice", 20)).toBe(0)
  expect(limits.spend("alice", 20)).toBe(0)
})

it("refunds tokens without exceeding the bucket's capacity", () => {
  const clock = { now: 0 }
  const limits = limitsAt(clock)
  expect(limits.spend("alice", 1_200)).toBe(0)
  limits.giveBack("alice", 20)
  expect(limits.spend("alice", 20)).toBe(0)
  expect(limits.spend("alice", 1)).toBe(50)
  clock.now += 60_000
  limits.giveBack("alice", 20)
  limits.giveBack("bob", 20)
  for (const name of ["alice", "bob"]) expect(limits.quota(name)?.remaining).toBe(1_200)
  limitsAt(clock, false).giveBack("alice", 20)
})

it("a charge returns the remaining tokens and the time until the bucket is full again", () => {
  const clock = { now: 0 }
  const limits = limitsAt(clock)
  expect(limits.quota("alice")).toEqual({ capacity: 1_200, remaining: 1_200, fullInMillis: 0 })
  expect(limits.charge("alice", 20)).toEqual({
    waitMillis: 0,
    quota: { capacity: 1_200, remaining: 1_180, fullInMillis: 1_000 }
  })
  clock.now += 150
  expect(limits.quota("alice")).toEqual({ capacity: 1_200, remaining: 1_183, fullInMillis: 850 })
  expect(limits.charge("alice", 1_190)).toEqual({
    waitMillis: 350,
    quota: { capacity: 1_200, remaining: 1_183, fullInMillis: 850 }
  })
  expect(limitsAt(clock, false).charge("alice", 20)).toEqual({ waitMillis: 0, quota: undefined })
  expect(limitsAt(clock, false).quota("alice")).toBeUndefined()
})

it("drops the least recently used bucket first; its user starts again with a full bucket", () => {
  const limits = limitsAt({ now: 0 })
  limits.spend("alice", 1_200)
  limits.spend("bob", 1_200)
  for (let i = 0; i < 19_998; i++) limits.spend(`user ${i}`, 1)
  expect(limits.spend("alice", 1)).toBe(50)
  limits.spend("one more", 1)
  expect([limits.spend("alice", 1), limits.spend("bob", 1)]).toEqual([50, 0])
})

it("divides a rate limit by the current number of gateways, and keeps a capacity of at least 1", () => {
  const clock = { now: 0 }
  let sharers = 2
  const limits = RateLimits.make({
    enabled: true,
    nowMillis: () => clock.now,
    capacity: 30,
    refillMillis: 60_000,
    sharers: () => sharers
  })
  for (let i = 0; i < 15; i++) expect(limits.spend("alice", 1)).toBe(0)
  expect([limits.peek("alice", 1), limits.spend("alice", 1)]).toEqual([4_000, 4_000])
  sharers = 1
  expect(limits.spend("alice", 1)).toBe(2_000)
  clock.now += 60_000
  sharers = 3
  for (let i = 0; i < 10; i++) expect(limits.spend("alice", 1)).toBe(0)
  expect(limits.spend("alice", 1)).toBe(6_000)
  sharers = 100
  expect(limits.spend("bob", 1)).toBe(0)
})
