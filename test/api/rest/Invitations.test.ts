import { codeOf, RedeemCodeRequestBody } from "@venue/api/rest/Invitations"
import { Schema } from "effect"
import { expect, it } from "vitest"

const isTaken = (code: string): boolean => Schema.is(RedeemCodeRequestBody)({ code })

it("reads I and L as 1 and O as 0 in a typed invitation code, in any letter case", () => {
  expect(codeOf("oOiIlLabcd")).toBe("001111ABCD")
  expect(codeOf("0123456789")).toBe("0123456789")
  expect(["OOIILLabcd", "oill0123zz"].every(isTaken)).toBe(true)
  expect(["UUUUUUUUUU", "abcdefghi", "abcdefghijk", "abcdefgh-j", ""].some(isTaken)).toBe(false)
})
