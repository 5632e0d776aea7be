import * as DeskCharge from "@venue/gateway/trade/DeskCharge"
import { expect, it } from "vitest"

const start = () => {
  let now = 0
  const charges: Array<{ readonly weight: number; readonly done: (waitMillis: number | undefined) => void }> = []
  const charge = DeskCharge.make(
    (weight, done) => void charges.push({ weight, done }),
    () => now
  )
  return {
    charges,
    charge,
    spend: charge.spend,
    pass: (millis: number) => (now += millis)
  }
}

it("sends charges to the desk in steps of weight 10, and the remainder when the connection ends", () => {
  const { charges, charge, spend } = start()
  for (let n = 0; n < 9; n++) expect(spend(1)).toBe(0)
  expect(charges).toEqual([])
  spend(1)
  spend(3)
  expect(charges.map(({ weight }) => weight)).toEqual([10])
  charges[0]!.done(0)
  charge.end()
  expect(charges.map(({ weight }) => weight)).toEqual([10, 3])
})

it("charges the weight that accrues during a call in a later call, even if the connection has closed", () => {
  const { charges, charge, spend } = start()
  spend(10)
  for (let n = 0; n < 200; n++) spend(1)
  charge.end()
  charges[0]!.done(0)
  expect(charges.map(({ weight }) => weight)).toEqual([10, 200])
  charges[1]!.done(0)
  expect(charges).toHaveLength(2)
})

it("refuses commands until the time that the desk returned, and charges again afterwards", () => {
  const { charges, pass, spend } = start()
  spend(10)
  charges[0]!.done(500)
  pass(100)
  expect(spend(1)).toBe(400)
  pass(400)
  expect(spend(1)).toBe(0)
  expect(charges[1]!.weight).toBe(11)
})

it("repeats a charge to which the desk did not respond, and refuses commands at an uncharged weight of 1,000", () => {
  const { charges, spend } = start()
  spend(10)
  charges[0]!.done(undefined)
  for (let n = 0; n < 990; n++) expect(spend(1)).toBe(0)
  expect(charges).toHaveLength(2)
  expect(spend(1)).toBeGreaterThan(0)
  charges[1]!.done(0)
  expect(spend(1)).toBe(0)
})
