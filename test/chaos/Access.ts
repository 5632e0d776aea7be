/**
 * Access checks that run alongside the load: one signed request goes to every gateway at once, and a wallet user's
 * key is replaced repeatedly.
 */
import { Wallet } from "ethers"
import { type History, now } from "./History.ts"
import type { ProbeLine } from "./HistoryLine.ts"
import type { Random } from "./Random.ts"
import * as Signing from "./Signing.ts"
import type { User, Venue } from "./Venue.ts"

export interface Loop {
  readonly stop: () => Promise<void>
}

const repeat = (everyMillis: number, step: () => Promise<void>): Loop => {
  const over = new AbortController()
  const run = async () => {
    while (!over.signal.aborted) {
      await step()
      await new Promise((again) => setTimeout(again, everyMillis))
    }
  }
  const running = run()
  return {
    stop: () => {
      over.abort()
      return running
    }
  }
}

export const nonces = (venue: Venue, history: History, random: Random, users: ReadonlyArray<User>): Loop =>
  repeat(1_000, async () => {
    const headers = Signing.headersOf(Signing.signed(random.pick(users)))
    const answers = await Promise.all(
      [...venue.gateways, ...venue.gateways].map(async ({ name, urls }) => {
        const { status } = await Signing.ask(`${urls!.rest}/user/positions`, headers)
        return { through: name, status }
      })
    )
    history.write({ kind: "nonce", at: now(), answers })
  })

/** Repeatedly replaces the builder key of `owner`, a user whose wallet the builder has registered. */
export const keys = (venue: Venue, history: History, random: Random, builder: User, owner: User): Loop => {
  const wallet = new Wallet(owner.wallet_private_key)
  let current: Signing.Key | undefined
  const probe = async (key: Signing.Key): Promise<void> => {
    await Promise.all(
      venue.gateways.map(async ({ name: through, urls }) => {
        const askedAt = now()
        const { status } = await Signing.ask(
          `${urls!.rest}/user/positions`,
          Signing.headersOf(Signing.signed(key)),
          undefined,
          2_000
        )
        const outcome: ProbeLine["outcome"] =
          status === 200 ? "good" : status === 401 || status === 403 ? "refused" : "unknown"
        history.write({ kind: "probe", at: now(), askedAt, key: key.public_key, through, outcome })
      })
    )
  }
  const replace = async (): Promise<Signing.Key | undefined> => {
    const { rest } = random.pick(venue.gateways).urls!
    const query = new URLSearchParams({ address: wallet.address, builder_code: builder.builder_code! })
    const told = await Signing.ask(`${rest}/builder/web3/message?${query}`, Signing.headersOf(Signing.signed(builder)))
    if (told.status !== 200) return undefined
    const { message } = told.body as { readonly message: string }
    const signature = await wallet.signMessage(message)
    const askedAt = now()
    const headers = Signing.headersOf(Signing.signed(builder))
    const { body, status } = await Signing.ask(`${rest}/builder/web3/api-key`, headers, { message, signature })
    const next = status === 201 ? (body as Signing.Key) : undefined
    const isRefused = status !== null && status >= 400 && status < 500
    history.write({
      kind: "key",
      at: now(),
      askedAt,
      outcome: next !== undefined ? "replaced" : isRefused ? "refused" : "unknown",
      old: current?.public_key ?? "",
      ...(next === undefined ? {} : { next: next.public_key })
    })
    return next
  }
  return repeat(1_500, async () => {
    const old = current
    // During a replacement, either key might be valid.
    const [next] = await Promise.all([replace(), old === undefined ? undefined : probe(old)])
    if (next !== undefined) current = next
    await Promise.all([old, current].filter((key) => key !== undefined).map(probe))
  })
}
