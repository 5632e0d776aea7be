/** Header names under an operator's prefix. */
import { headerName, headerValue } from "@venue/api/Headers"
import { expect, it } from "@effect/vitest"

it("the operator's prefix and the neutral one are both read, the operator's first", () => {
  expect(headerName("Acme", "hmac-signature")).toBe("x-acme-hmac-signature")
  expect(headerValue({ "x-svc-nonce": "a" }, "acme", "nonce")).toBe("a")
  expect(headerValue({ "x-acme-nonce": "b", "x-svc-nonce": "a" }, "acme", "nonce")).toBe("b")
  expect(headerValue({}, "acme", "nonce")).toBeUndefined()
})
