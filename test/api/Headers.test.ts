/** Tests of headers and body members under an operator's prefix. */
import { isBrand, memberName, neutrallyNamed } from "@venue/api/Brand"
import { headerName, headerValue } from "@venue/api/Headers"
import { expect, it } from "@effect/vitest"

it("reads a header with the operator's prefix or, if it is missing, the header with the neutral prefix", () => {
  expect(headerName("Acme", "hmac-signature")).toBe("x-acme-hmac-signature")
  expect(headerValue({ "x-svc-nonce": "a" }, "acme", "nonce")).toBe("a")
  expect(headerValue({ "x-acme-nonce": "b", "x-svc-nonce": "a" }, "acme", "nonce")).toBe("b")
  expect(headerValue({}, "acme", "nonce")).toBeUndefined()
})

it("body members contain the operator's prefix without hyphens", () => {
  expect(memberName("svc", "svc_symbol")).toBe("svc_symbol")
  expect(memberName("Acme-West", "svc_symbol")).toBe("acme_west_symbol")
})

it("accepts a body member with the operator's or the neutral prefix, and renames no other member", () => {
  const named = (sent: Readonly<Record<string, unknown>>) => neutrallyNamed("acme", ["svc_a", "svc_b"], sent)
  expect(named({ acme_a: 1, svc_b: 2, acme_c: 3 })).toEqual({ svc_a: 1, svc_b: 2, acme_c: 3 })
  expect(named({ acme_a: 1, svc_a: 2 })).toEqual({ acme_a: 1, svc_a: 2 })
  expect(neutrallyNamed("svc", ["svc_a"], { svc_a: 1 })).toEqual({ svc_a: 1 })
})

it("accepts a brand of letters, digits and hyphens unless the brand would collide with a body member", () => {
  expect(["svc", "Acme-2"].map(isBrand)).toEqual([true, true])
  expect(["", "a_b", "a b", "builder", "Future"].map(isBrand)).toEqual([false, false, false, false, false])
})
