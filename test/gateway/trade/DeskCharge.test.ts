import * as DeskCharge from "@venue/gateway/trade/DeskCharge"
import { expect, it } from "vitest"

const start = () => {
  let now = 0
  const asked: Array<{ readonly weight: number; readonly done: (waitMillis: number | undefined) => void }> = []
  const charge = DeskCharge.make(
    (weight, done) => void asked.push({ weight, done }),
    () => now
  )
  return {
    asked,
    charge,
    spend: charge.spend,
    pass: (millis: number) => (now += millis)
  }
}

it("it is charged ten at a time, and the rest when the connection ends", () => {
  const { asked, charge, spend } = start()
  for (let n = 0; n < 9; n++) expect(spend(1)).toBe(0)
  expect(asked).toEqual([])
  spend(1)
  spend(3)
  expect(asked.map(({ weight }) => weight)).toEqual([10])
  asked[0]!.done(0)
  charge.end()
  expect(asked.map(({ weight }) => weight)).toEqual([10, 3])
})

it("what came while the desk was asked is charged after it, when the connection has ended meanwhile", () => {
  const { asked, charge, spend } = start()
  spend(10)
  for (let n = 0; n < 200; n++) spend(1)
  charge.end()
  asked[0]!.done(0)
  expect(asked.map(({ weight }) => weight)).toEqual([10, 200])
  asked[1]!.done(0)
  expect(asked).toHaveLength(2)
})

it("who has spent all is refused until the time that the desk named, and is charged then", () => {
  const { asked, pass, spend } = start()
  spend(10)
  asked[0]!.done(500)
  pass(100)
  expect(spend(1)).toBe(400)
  pass(400)
  expect(spend(1)).toBe(0)
  expect(asked[1]!.weight).toBe(11)
})

it("a desk that does not answer is asked again, and only so much goes uncharged until it does", () => {
  const { asked, spend } = start()
  spend(10)
  asked[0]!.done(undefined)
  for (let n = 0; n < 990; n++) expect(spend(1)).toBe(0)
  expect(asked).toHaveLength(2)
  expect(spend(1)).toBeGreaterThan(0)
  asked[1]!.done(0)
  expect(spend(1)).toBe(0)
})
