/** Metrics that every runner and gateway provides: its process, the venue's mode, its certificates. */
import { release } from "@venue/api/Release"
import { VenueModes } from "@venue/storage/access/VenueModes"
import * as Money from "@venue/telemetry/catalogue/Money"
import * as Nodes from "@venue/telemetry/catalogue/Nodes"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect } from "effect"
import type { NodeSettings } from "./NodeSettings.ts"
import * as ProcessMetrics from "./ProcessMetrics.ts"
import * as TlsFiles from "./TlsFiles.ts"

export const collect = Effect.fnUntraced(function* ({ kind, name, tls }: NodeSettings, isReady: () => boolean) {
  yield* ProcessMetrics.collect({ kind, name, release, isReady })
  yield* collectMode
  const expiries =
    tls === undefined
      ? []
      : [
          [{ certificate: "node" }, expirySeconds(tls.cert)] as const,
          [{ certificate: "authority" }, expirySeconds(tls.ca)] as const
        ]
  yield* Meter.collect(Nodes.certificateExpiry, () => expiries)
})

const collectMode = Effect.gen(function* () {
  const modes = yield* VenueModes
  yield* Meter.collect(Money.trading, () =>
    states.map((state) => [{ state }, Meter.flag(modes.now().trading === state)] as const)
  )
  yield* Meter.collectOne(Money.withdrawalsOpen, () => Meter.flag(modes.mayWithdraw()))
  yield* collectAudits
})

/** The mode is read from this process's copy, so that a dead auditor is visible on every node. */
export const collectAudits = Effect.gen(function* () {
  const modes = yield* VenueModes
  const clock = yield* Clock.Clock
  yield* Meter.collectOne(Money.auditAge, () =>
    Meter.ageSeconds(clock.currentTimeMillisUnsafe(), modes.now().auditedAtMillis)
  )
  yield* Meter.collectOne(Money.auditFault, () => Meter.flag(modes.now().fault !== null))
})

const states = ["TRADING", "CANCEL_ONLY", "HALTED"] as const

const expirySeconds = (certificate: string): number => Math.floor(TlsFiles.expiryMillis(certificate) / 1_000)
