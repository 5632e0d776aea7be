/** Client of the wallet's witness: `GET <url>/witness` and `POST <url>/witness`, lines of a witness with a bearer secret. */
import { hiding, refusalOf, statusReason, textOf, whyOf } from "@venue/providers/HttpAnswer"
import * as WitnessLine from "@venue/journal/witness/WitnessLine"
import { Effect, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

export interface Connection {
  readonly url: string
  readonly secret: Redacted.Redacted
}

/** The wallet cannot be reached, or it refuses. `reason` holds no secret. */
export class WalletWitnessUnavailable extends Schema.TaggedError<WalletWitnessUnavailable>()(
  "WalletWitnessUnavailable",
  { reason: Schema.String }
) {
  override get message() {
    return `the wallet's witness is unavailable (${this.reason}): start the wallet, and check VENUE_WALLET_URL and VENUE_WALLET_SECRET`
  }
}

/** Number of lines in one request, below the wallet's limit of 1 MiB. */
const linesAtOnce = 900
/** Limit of the wallet's answer, above the size of the largest witness. */
const maxBytes = 128 * 1024 * 1024
const deadline = "10 seconds"

/** Returns the operations of the wallet's witness. `read` returns undefined if the wallet keeps no witness. */
export const open = Effect.fn("WalletWitness.open")(function* ({ secret, url }: Connection) {
  const client = yield* HttpClient.HttpClient
  const hide = hiding(url, Redacted.value(secret))
  const ask = (request: HttpClientRequest.HttpClientRequest) =>
    client.execute(HttpClientRequest.bearerToken(request, secret)).pipe(
      Effect.flatMap((response) =>
        Effect.map(textOf(response, maxBytes), (text) => ({ status: response.status, text }))
      ),
      Effect.timeout(deadline),
      Effect.mapError((error) => new WalletWitnessUnavailable({ reason: hide(whyOf(error)) })),
      Effect.flatMap(({ status, text }) =>
        status === 200 || status === 404
          ? Effect.succeed(status === 200 ? text : undefined)
          : Effect.fail(new WalletWitnessUnavailable({ reason: statusReason(status, refusalOf(text, hide)) }))
      )
    )
  return {
    read: ask(HttpClientRequest.get(`${url}/witness`)).pipe(
      Effect.map((text) => text?.split("\n").flatMap((line) => WitnessLine.read(line) ?? []))
    ),
    append: Effect.fn("WalletWitness.append")(function* (entries: ReadonlyArray<WitnessLine.Entry>) {
      for (let start = 0; start < entries.length; start += linesAtOnce) {
        const body = entries.slice(start, start + linesAtOnce).map((entry) => `${WitnessLine.encode(entry)}\n`)
        const request = HttpClientRequest.post(`${url}/witness`)
        yield* ask(HttpClientRequest.bodyText(request, body.join(""), "application/x-ndjson"))
      }
    })
  }
})
