/** Header names under an operator's prefix. */
import { memberName } from "@venue/api/Brand"
import { headerName, headerValue } from "@venue/api/Headers"
import { expect, it } from "@effect/vitest"

it("the operator's prefix and the neutral one are both read, the operator's first", () => {
  expect(headerName("Acme", "hmac-signature")).toBe("x-acme-hmac-signature")
  expect(headerValue({ "x-svc-nonce": "a" }, "acme", "nonce")).toBe("a")
  expect(headerValue({ "x-acme-nonce": "b", "x-svc-nonce": "a" }, "acme", "nonce")).toBe("b")
  expect(headerValue({}, "acme", "nonce")).toBeUndefined()
})

it("members of bodies carry the operator's prefix, with no hyphen in it", () => {
  expect(memberName("svc", "svc_symbol")).toBe("svc_symbol")
  expect(memberName("Acme-West", "svc_symbol")).toBe("acme_west_symbol")
})
