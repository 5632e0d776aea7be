/** Tests of the weights of REST requests. */
import { Api } from "@venue/api/rest/Api"
import { TreasuryApi } from "@venue/api/treasury/Api"
import { actionOf, routesOf } from "@venue/gateway/http/Gate"
import { weightOf, weights } from "@venue/gateway/http/RequestWeight"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const actions = [...routesOf(Api), ...routesOf(TreasuryApi)].map(actionOf)

it("assigns a weight of 10 to every change, and 2 to a preview", () => {
  const preview = "POST /user/orders/preview"
  expect(weightOf(preview)).toBe(2)
  const changes = actions.filter((action) => !action.startsWith("GET ") && action !== preview)
  expect(changes.length).toBeGreaterThan(8)
  for (const action of changes) expect([action, weightOf(action)]).toEqual([action, 10])
})

it("assigns a weight of 20 to reads of whole tables, 5 to lists and charts, and 1 to other reads", () => {
  const files = actions.filter((action) => action.endsWith("-csv"))
  expect(files).toHaveLength(3)
  for (const action of files) expect([action, weightOf(action)]).toEqual([action, 20])
  const reads = ["GET /user/trade", "GET /user/api-keys", "GET /candles/:symbol", "GET /user/positions", "GET /refdata"]
  expect(reads.map(weightOf)).toEqual([5, 5, 5, 1, 1])
  const past = ["GET /user/historic-pnl", "GET /pnl", "GET /user/account-equity", "GET /user/volume", "GET /user/fees"]
  expect(past.map(weightOf)).toEqual([5, 5, 5, 5, 1])
})

it("assigns weights only to existing routes", () => {
  for (const action of weights.keys()) expect(actions).toContain(action)
})

it("docs/api/limits.md states each weight", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/api/limits.md"), "utf8")
  const [, table = ""] = /^\| request \| weight \|\n([^]*?)\n\n/m.exec(page) ?? []
  const documented = new Set([...table.matchAll(/\| (\d+) \|$/gm)].map(([, weight]) => Number(weight)))
  expect([...new Set([1, ...weights.values()])].filter((weight) => !documented.has(weight))).toEqual([])
})
