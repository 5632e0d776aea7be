/** Tests of the API reference page, as served and in a browser. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer, RestClient } from "../gateway/rest/RestClient.ts"
import * as Chromium from "./Chromium.ts"

it.live("the API reference page allows only its own scripts, and forbids frames, referrers and content sniffing", () =>
  Effect.gen(function* () {
    const { get } = yield* RestClient
    const { headers, status, text } = yield* get("/docs")
    assert.strictEqual(status, 200)
    assert.strictEqual(headers.get("content-type"), "text/html")
    assert.match(
      headers.get("content-security-policy") ?? "",
      /^default-src 'none'; script-src 'sha256-\S{44}'; style-src 'sha256-\S{44}'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/
    )
    assert.strictEqual(headers.get("x-frame-options"), "DENY")
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
    assert.notMatch(text, /<(?:script|link|img|iframe)[^>]+(?:src|href)=/)
  }).pipe(Effect.provide(layer))
)

it.live.runIf(Chromium.isHere)(
  "the API reference page lists every operation, can try an operation, and contacts no other host",
  () =>
    Effect.gen(function* () {
      const { get, restUrl } = yield* RestClient
      const { body: spec } = yield* get("/openapi.json")
      const operations = Object.values<object>(spec.paths).flatMap((item) => Object.keys(item))
      const browser = yield* Chromium.launched
      const requests = yield* Chromium.visit(browser, { url: `${restUrl}/docs` }, async (page) => {
        const addresses: Array<string> = []
        page.on("request", (request) => addresses.push(request.url()))
        await page.reload()
        const shown = page.locator(".opblock")
        await shown.nth(operations.length - 1).waitFor()
        assert.strictEqual(await shown.count(), operations.length)
        // This venue's document has the venue's own URL and header prefix.
        assert.strictEqual(await page.locator(".servers option").textContent(), restUrl)
        await page.locator(".btn.authorize").click()
        assert.include(await page.locator(".auth-container").allTextContents().then(String), "x-acme-public-key")
        await page.locator(".btn-done").first().click()
        const live = shown.filter({ hasText: "/health/live" })
        await live.locator(".opblock-summary-control").click()
        await live.locator(".try-out__btn").click()
        await live.locator(".execute").click()
        await live.locator(".live-responses-table .response-col_status").getByText("200").waitFor()
        return addresses
      })
      assert.includeMembers(requests, [`${restUrl}/docs`, `${restUrl}/health/live`])
      assert.deepStrictEqual([...new Set(requests.map((url) => new URL(url).origin))], [restUrl])
    }).pipe(Effect.provide(layer)),
  900_000
)
