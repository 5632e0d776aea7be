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
  const [cert, key, ca] = (yield* Effect.forEach(all, (file, index) => textOf(variables[index]!, file))) as Texts
  const certificate = Result.try(() => new X509Certificate(cert))
  if (Result.isFailure(certificate)) return yield* refused(certVariable, "a PEM certificate")
  const privateKey = Result.try(() => createPrivateKey(key))
  if (Result.isFailure(privateKey)) return yield* refused(keyVariable, "a PEM private key without a passphrase")
  if (!certificate.success.checkPrivateKey(privateKey.success))
    return yield* refused(keyVariable, `the private key of the certificate in ${certVariable}`)
  if (Result.isFailure(Result.try(() => new X509Certificate(ca))))
    return yield* refused(caVariable, "a PEM certificate of a certificate authority")
  return { cert, key: Redacted.make(key), ca } satisfies ClusterTls
})

type Texts = [cert: string, key: string, ca: string]

const textOf = (setting: string, file: Option.Option<string>) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(Option.getOrThrow(file))).pipe(
    Effect.catch(() => refused(setting, "the path of a file that this user can read"))
  )
