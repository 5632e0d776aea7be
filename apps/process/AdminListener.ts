/** Listener of the operator interface: address, certificate and permitted networks, from the settings. */
import * as AllowList from "@venue/auth/access/AllowList"
import type { AdminServerOptions } from "@venue/gateway/admin/AdminServer"
import type { TlsPair } from "@venue/gateway/http/Listening"
import { isLoopback } from "@venue/providers/webhooks/PublicAddress"
import { Effect, FileSystem, Option, Redacted, Result, Schedule, Stream } from "effect"
import { adminTls } from "./ListenerSettings.ts"
import { expect, refused } from "./SettingRefused.ts"
import type { SharedSettings } from "./Settings.ts"
import * as TlsFiles from "./TlsFiles.ts"

type AdminSettings = Pick<SharedSettings, "adminHost" | "adminTlsCert" | "adminTlsKey" | "adminAllow">

/** Reads the certificate. Refuses an address other than loopback without a certificate or an allow list. */
export const read = Effect.fn("AdminListener.read")(function* (settings: AdminSettings) {
  const { adminAllow: allow, adminHost: host, adminTlsCert: cert, adminTlsKey: key } = settings
  const isLocal = host === "localhost" || isLoopback(host)
  yield* expect("VENUE_ADMIN_ALLOW", allow.every(AllowList.isNetwork), "IP addresses, or networks such as 10.0.0.0/8")
  for (const [setting, own, other] of [
    [adminTls.cert, cert, key],
    [adminTls.key, key, cert]
  ] as const) {
    if (Option.isNone(own) && Option.isSome(other))
      return yield* refused(setting, `a PEM file: set both ${adminTls.cert} and ${adminTls.key}, or neither`)
  }
  const files = Option.all({ cert, key })
  yield* expect(
    "VENUE_ADMIN_HOST",
    isLocal || Option.isSome(files),
    `a loopback address, not ${host}: plain http would show operator tokens to the network; set ${adminTls.cert} and ${adminTls.key} to serve https`
  )
  yield* expect(
    "VENUE_ADMIN_ALLOW",
    isLocal || allow.length > 0,
    `the addresses or networks of the operators, because VENUE_ADMIN_HOST is ${host}`
  )
  return { host, allow, tls: yield* tlsOf(files) } satisfies Partial<AdminServerOptions>
})

interface Files {
  readonly cert: string
  readonly key: string
}

const tlsOf = Effect.fnUntraced(function* (given: Option.Option<Files>) {
  if (Option.isNone(given)) return undefined
  const fileSystem = yield* FileSystem.FileSystem
  const files = given.value
  const pair = yield* TlsFiles.readPair(adminTls, files)
  const current = TlsFiles.readPair(adminTls, files).pipe(Effect.provideService(FileSystem.FileSystem, fileSystem))
  return { pair, renewals: renewals(pair, Effect.result(current)) }
})

/**
 * Returns each valid pair that differs from the one before. Reads the files instead of watching them, because a
 * mounted secret changes by a replaced link. An invalid pair, such as a new certificate whose key is not written yet,
 * is logged once and the listener keeps its certificate.
 */
const renewals = (
  first: TlsPair,
  read: Effect.Effect<Result.Result<TlsPair, { readonly message: string }>>
): Stream.Stream<TlsPair> => {
  let current = first
  let fault = ""
  const next = Effect.gen(function* () {
    const result = yield* read
    const message = Result.isFailure(result) ? result.failure.message : ""
    if (message !== "" && message !== fault)
      yield* Effect.logWarning(`the operator interface keeps its certificate: ${message}`)
    fault = message
    if (Result.isFailure(result) || isSame(result.success, current)) return Option.none<TlsPair>()
    current = result.success
    yield* Effect.logInfo("the operator interface has a new certificate")
    return Option.some(current)
  })
  return Stream.fromEffectSchedule(next, Schedule.spaced(readEvery)).pipe(
    Stream.flatMap((pair) => Stream.fromIterable(Option.toArray(pair)))
  )
}

const readEvery = "5 seconds"

const isSame = (a: TlsPair, b: TlsPair): boolean => a.cert === b.cert && Redacted.value(a.key) === Redacted.value(b.key)
