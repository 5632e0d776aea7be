/** When a sign-in must bring a solved CAPTCHA: always, never, or once its address has tried too often. */

export type Setting = "always" | "never" | "risk"

/** One for each process: what an address did elsewhere is not known here. */
export interface CaptchaRule {
  /** Counts a sign-in from the address when it begins, so that many at once do not slip by; true when it must bring one. */
  readonly begin: (address: string, nowMillis: number) => boolean
  /** The sign-in was refused. */
  readonly fail: (address: string, nowMillis: number) => void
}

export const make = (setting: Setting): CaptchaRule => {
  const addresses = new Map<string, Seen>()
  const add = (address: string, nowMillis: number, signIns: number, failures: number): Seen => {
    const known = addresses.get(address)
    const before = known !== undefined && nowMillis - known.sinceMillis < windowMillis ? known : fresh(nowMillis)
    const seen = { ...before, signIns: before.signIns + signIns, failures: before.failures + failures }
    // The map keeps the order of use, so what leaves it first was used longest ago.
    addresses.delete(address)
    addresses.set(address, seen)
    if (addresses.size > maxAddresses) addresses.delete(addresses.keys().next().value!)
    return seen
  }
  return {
    begin: (address, nowMillis) => {
      if (setting !== "risk") return setting === "always"
      const { failures, signIns } = add(address, nowMillis, 1, 0)
      return failures >= maxFailures || signIns > maxSignIns
    },
    fail: (address, nowMillis) => {
      if (setting === "risk") add(address, nowMillis, 0, 1)
    }
  }
}

interface Seen {
  readonly sinceMillis: number
  readonly signIns: number
  readonly failures: number
}

const fresh = (sinceMillis: number): Seen => ({ sinceMillis, signIns: 0, failures: 0 })

/** Within 15 minutes of its first, an address has 10 sign-ins, or 3 failed ones, without a CAPTCHA. */
const windowMillis = 15 * 60 * 1000
const maxSignIns = 10
const maxFailures = 3
const maxAddresses = 20_000
