/** Independent slow implementation of funding: one sample time after another, all samples in a list, exact numbers. */
import { divideUp } from "@venue/domain/Decimal"
import type { PayDividend } from "@venue/domain/Dividend"
import type { MarketEvent } from "@venue/domain/Market"
import { isLive } from "@venue/domain/MarketHours"
import type { Side } from "@venue/domain/Order"
import type { Twin } from "./TwinState.ts"

type Emit = (event: MarketEvent) => void

const hour = 3_600_000
const step = 5_000

/** Applies the effects of time up to now. Does nothing before the first price. */
export const pass = (twin: Twin, nowMillis: number, emit: Emit): void => {
  if (twin.prices === undefined || twin.letsIn === "IN_SETTLEMENT" || twin.letsIn === "DELISTED") return
  const now = Math.max(twin.timeMillis, nowMillis)
  const { funding } = twin
  const end = Math.floor(now / hour) * hour
  if (end > funding.paidMillis) {
    const fromMillis = funding.paidMillis
    const isMissed = end > fromMillis + hour || now > end + 60_000
    const isSkipped = isMissed || twin.letsIn !== "TRADING" || isStale(twin, end)
    if (isMissed) funding.walkedMillis = end
    else walk(twin, end, emit)
    const { markE8 } = twin.prices
    const rate = isSkipped ? 0n : rateOf(funding.samples)
    const remainder = Number(pay(twin, rate, BigInt(markE8)))
    twin.timeMillis = end
    funding.paidMillis = end
    funding.samples = []
    const amounts = { rateE12: Number(rate), markE8, remainder }
    emit({ _tag: "Funded", ...amounts, fromMillis, skipped: isSkipped, atMillis: end })
  }
  walk(twin, now, emit)
}

/** Starts the funding clock at the market's first price. */
export const begin = ({ funding }: Twin, atMillis: number): void => {
  funding.walkedMillis = atMillis
  funding.paidMillis = Math.floor(atMillis / hour) * hour
}

function walk(twin: Twin, untilMillis: number, emit: Emit): void {
  const { funding } = twin
  /** Computed once: neither book nor price changes between these sample times. */
  let premiumNow: bigint | undefined
  for (let mark = (Math.floor(funding.walkedMillis / step) + 1) * step; mark <= untilMillis; mark += step) {
    // A sample stands for the five seconds before it.
    const isTaken = twin.letsIn === "TRADING" && isLive(twin.instrument, mark - step) && !isStale(twin, mark)
    const premium = isTaken ? (premiumNow ??= premiumOf(twin)) : null
    if (premium !== null) funding.samples.push(premium)
    if (premium === funding.sample) continue
    funding.sample = premium
    twin.timeMillis = mark
    emit({ _tag: "Sampled", premiumE10: premium === null ? null : Number(premium), atMillis: mark })
  }
  funding.walkedMillis = Math.max(funding.walkedMillis, untilMillis)
}

/**
 * Returns true if the last external price was already a minute old at the sample time or five seconds before it,
 * although newer prices were due.
 */
function isStale({ instrument, prices }: Twin, mark: number): boolean {
  const { source, toldAtMillis } = prices!
  return (
    source !== "operator" && [mark, mark - step].some((at) => at >= toldAtMillis + 60_000 && isLive(instrument, at))
  )
}

function premiumOf(twin: Twin): bigint {
  const oracle = BigInt(twin.prices!.oracleE8)
  const [bid, ask] = [impact(twin, "BUY"), impact(twin, "SELL")]
  const whole = 10n ** 10n
  const premium =
    bid !== undefined && bid > oracle
      ? ((bid - oracle) * whole) / oracle
      : ask !== undefined && ask < oracle
        ? ((ask - oracle) * whole) / oracle
        : 0n
  return premium > whole ? whole : premium
}

/** Returns the proceeds or cost per unit, in 1e-8 USD, when the impact notional is traded order by order. */
function impact({ instrument, resting }: Twin, side: Side): bigint | undefined {
  const notional = instrument.category === "FX" ? 100_000n * 1_000_000n : 10_000n * 1_000_000n
  const orders = resting
    .map(({ order }) => order)
    .filter((order) => order.side === side)
    .sort((a, b) => (side === "BUY" ? b.priceTicks - a.priceTicks : a.priceTicks - b.priceTicks))
  let money = 0n
  let lots = 0n
  for (const { priceTicks, remainingLots } of orders) {
    const lotCosts = BigInt(priceTicks) * BigInt(instrument.tickLotMicros)
    if (money + lotCosts * BigInt(remainingLots) < notional) {
      money += lotCosts * BigInt(remainingLots)
      lots += BigInt(remainingLots)
      continue
    }
    // Lots times the price per lot, so that a partial lot stays exact.
    const traded = lots * lotCosts + (notional - money)
    const value = notional * lotCosts * 10n ** 10n
    const size = traded * BigInt(instrument.lotE8)
    return side === "BUY" ? value / size : divideUp(value, size)
  }
}

/**
 * Samples are in units of 1e-10, so five basis points are 5,000,000. The rate is a hundredth of the average, which is
 * the same number in units of 1e-12.
 */
function rateOf(samples: ReadonlyArray<bigint>): bigint {
  let [sum, weights] = [0n, 0n]
  samples.forEach((sample, at) => {
    sum += sample * BigInt(at + 1)
    weights += BigInt(at + 1)
  })
  const average = weights === 0n ? 0n : sum / weights
  if (average > 5_000_000n) return average - 5_000_000n
  return average < -5_000_000n ? average + 5_000_000n : 0n
}

/** Short positions pay what long positions receive. */
export const dividend = (twin: Twin, { exDay, perUnitE8 }: PayDividend): number => {
  twin.lastDividendDay = exDay
  return Number(share(twin, -BigInt(perUnitE8), 10n ** 10n))
}

function pay(twin: Twin, rate: bigint, mark: bigint): bigint {
  return share(twin, mark * rate, 10n ** 22n)
}

/** Every holder pays or receives; the rounding remainder goes to the reserve fund. */
function share(twin: Twin, each: bigint, divisor: bigint): bigint {
  let kept = 0n
  for (const held of twin.holdings.values()) {
    const due = BigInt(held.quantity) * BigInt(twin.instrument.lotE8) * each
    const paid = due > 0n ? divideUp(due, divisor) : -(-due / divisor)
    held.funding -= paid
    kept += paid
  }
  twin.reserveFund += kept
  return kept
}
