import { Api } from "@venue/api/rest/Api"
import { routesOf } from "@venue/gateway/http/Gate"
import * as RateLimits from "@venue/gateway/http/RateLimits"
import { expect, it } from "vitest"

const limitsAt = (clock: { now: number }, enabled = true) => RateLimits.make({ enabled, nowMillis: () => clock.now })

it("a minute holds 1,200, and what is missing comes back at 20 a second", () => {
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

it("a clock that steps back gives nothing and takes nothing", () => {
  const clock = { now: 10_000 }
  const limits = limitsAt(clock)
  limits.spend("alice", 1_200)
  clock.now = 0
  expect(limits.spend("alice", 1)).toBe(50)
})

it("switched off, everything is let through", () => {
  const limits = limitsAt({ now: 0 }, false)
  for (let i = 0; i < 10; i++) expect(limits.spend("alice", 1_200)).toBe(0)
})

it("every change weighs 10, and the list of keys 5", () => {
  const changes = routesOf(Api).filter(({ method }) => method !== "GET")
  expect(changes.length).toBeGreaterThan(8)
  for (const { method, path } of changes) {
    expect([`${method} ${path}`, RateLimits.weightOf(`${method} ${path}`)]).toEqual([`${method} ${path}`, 10])
  }
  expect(RateLimits.weightOf("GET /user/api-keys")).toBe(5)
})

it("a list weighs 5, a change 10, anything else 1", () => {
  expect(["GET /user/trade", "POST /user/leverage", "GET /user/positions"].map(RateLimits.weightOf)).toEqual([5, 10, 1])
})
