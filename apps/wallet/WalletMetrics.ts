/** Metrics of the wallet: its process, and the day's payments against their limit. */
import { release } from "@venue/api/Release"
import { dayOf } from "@venue/domain/Day"
import { decimalOfMoney } from "@venue/domain/Decimal"
import * as Money from "@venue/telemetry/catalogue/Money"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect } from "effect"
import * as ProcessMetrics from "../process/ProcessMetrics.ts"
import type { Limits } from "./SigningPolicy.ts"
import type { SigningRecord } from "./SigningRecord.ts"

/** The wallet is ready while it responds, because a broken record makes the process exit. */
export const collect = Effect.fnUntraced(function* (record: SigningRecord, { maxPaidPerDay }: Limits) {
  const clock = yield* Clock.Clock
  yield* ProcessMetrics.collect({ kind: "wallet", name: "wallet", release, isReady: () => true })
  yield* Meter.collectOne(Money.walletPaid, () => {
    const { day, paidOfDay } = record.paid()
    return day === dayOf(clock.currentTimeMillisUnsafe()) ? decimalOfMoney(paidOfDay) : 0
  })
  yield* Meter.collectOne(Money.walletLimit, () => decimalOfMoney(maxPaidPerDay))
})
