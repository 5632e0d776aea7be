/** Header names under an operator's prefix. */
import { isBrand, memberName, neutrallyNamed } from "@venue/api/Brand"
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

it("members that were sent are known by both spellings, each of them once, and no others are renamed", () => {
  const named = (sent: Readonly<Record<string, unknown>>) => neutrallyNamed("acme", ["svc_a", "svc_b"], sent)
  expect(named({ acme_a: 1, svc_b: 2, acme_c: 3 })).toEqual({ svc_a: 1, svc_b: 2, acme_c: 3 })
  expect(named({ acme_a: 1, svc_a: 2 })).toEqual({ acme_a: 1, svc_a: 2 })
  expect(neutrallyNamed("svc", ["svc_a"], { svc_a: 1 })).toEqual({ svc_a: 1 })
})

it("a brand is letters, digits and hyphens, and none that would name a member like another", () => {
  expect(["svc", "Acme-2"].map(isBrand)).toEqual([true, true])
  expect(["", "a_b", "a b", "builder", "Future"].map(isBrand)).toEqual([false, false, false, false, false])
})
