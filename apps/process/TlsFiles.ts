/** A node's TLS files: its certificate, its key, and the authority that it trusts. Set all three or none. */
import type { ClusterTls } from "@venue/cluster/ClusterTls"
import { Config, Effect, FileSystem, Option, Redacted, Result } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import * as Setting from "./Setting.ts"
import { refused } from "./SettingRefused.ts"

const path = (name: string, meaning: string) =>
  Config.option(Setting.string(name, { meaning, readers: ["cluster", "runner", "gateway"], changes: "process" }))
const [certVariable, keyVariable, caVariable] = [
  "VENUE_CLUSTER_TLS_CERT",
  "VENUE_CLUSTER_TLS_KEY",
  "VENUE_CLUSTER_TLS_CA"
] as const
const variables = [certVariable, keyVariable, caVariable]
const together = `${certVariable}, ${keyVariable} and ${caVariable}`

export const paths = {
  tlsCert: path(
    certVariable,
    "PEM file with the certificate that this node presents to other nodes over TLS 1.3; host names are not checked"
  ),
  tlsKey: path(keyVariable, "PEM file with the private key of the node's certificate"),
  tlsCa: path(caVariable, "PEM file with the certificate of the authority that signs the nodes' certificates")
}
type Paths = { readonly [Name in keyof typeof paths]: Option.Option<string> }

/** Reads and checks the files. Otherwise, only failing connections on another node would reveal an invalid file. */
export const read = Effect.fnUntraced(function* (given: Paths) {
  const all = [given.tlsCert, given.tlsKey, given.tlsCa] as const
  if (all.every(Option.isNone)) return undefined
  for (const [index, file] of all.entries())
    if (Option.isNone(file))
      return yield* refused(variables[index]!, `a PEM file: set either all of ${together}, or none of them`)
  const [certFile, keyFile, caFile] = all.map(Option.getOrThrow) as [string, string, string]
  const pair = yield* readPair({ cert: certVariable, key: keyVariable }, { cert: certFile, key: keyFile })
  const ca = yield* textOf(caVariable, caFile)
  if (Result.isFailure(Result.try(() => new X509Certificate(ca))))
    return yield* refused(caVariable, "a PEM certificate of a certificate authority")
  return { ...pair, ca } satisfies ClusterTls
})

/** Reads and checks a certificate and its private key. `settings` names the settings that hold the files' paths. */
export const readPair = Effect.fnUntraced(function* (
  settings: { readonly cert: string; readonly key: string },
  files: { readonly cert: string; readonly key: string }
) {
  const cert = yield* textOf(settings.cert, files.cert)
  const key = yield* textOf(settings.key, files.key)
  const certificate = Result.try(() => new X509Certificate(cert))
  if (Result.isFailure(certificate)) return yield* refused(settings.cert, "a PEM certificate")
  const privateKey = Result.try(() => createPrivateKey(key))
  if (Result.isFailure(privateKey)) return yield* refused(settings.key, "a PEM private key without a passphrase")
  if (!certificate.success.checkPrivateKey(privateKey.success))
    return yield* refused(settings.key, `the private key of the certificate in ${settings.cert}`)
  return { cert, key: Redacted.make(key) }
})

/** Returns the time at which a PEM certificate expires. */
export const expiryMillis = (certificate: string): number => new X509Certificate(certificate).validToDate.getTime()

const textOf = (setting: string, file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file)).pipe(
    Effect.catch(() => refused(setting, "the path of a file that this user can read"))
  )
