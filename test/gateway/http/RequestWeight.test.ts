/** What requests over REST weigh. */
import { Api } from "@venue/api/rest/Api"
import { routesOf } from "@venue/gateway/http/Gate"
import { weightOf } from "@venue/gateway/http/RequestWeight"
import { expect, it } from "vitest"

it("every change weighs 10, and the list of keys 5", () => {
  const changes = routesOf(Api).filter(({ method }) => method !== "GET")
  expect(changes.length).toBeGreaterThan(8)
  for (const { method, path } of changes) {
    expect([`${method} ${path}`, weightOf(`${method} ${path}`)]).toEqual([`${method} ${path}`, 10])
  }
  expect(weightOf("GET /user/api-keys")).toBe(5)
})

it("a list weighs 5, a change 10, anything else 1", () => {
  expect(["GET /user/trade", "POST /user/leverage", "GET /user/positions"].map(weightOf)).toEqual([5, 10, 1])
})
