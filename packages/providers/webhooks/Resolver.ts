/** What a name of a host stands for. */
import { Context, Effect, Layer, Schema } from "effect"
import { Resolver as DnsResolver } from "node:dns/promises"

/** There is no such name, or nobody said what it stands for. */
export class Unresolved extends Schema.TaggedError<Unresolved>()("Unresolved", { host: Schema.String }) {}

export class Resolver extends Context.Service<
  Resolver,
  {
    /** Every address of it, one at least. */
    readonly addresses: (host: string) => Effect.Effect<ReadonlyArray<string>, Unresolved>
  }
>()("@venue/providers/webhooks/Resolver") {
  /** DNS alone is asked, and no file of this machine. It does so beside the few threads that look up the venue's own names. */
  static readonly layer: Layer.Layer<Resolver> = Layer.succeed(
    Resolver,
    Resolver.of({
      addresses: Effect.fn("Resolver.addresses")(function* (host: string) {
        // This name stands for this machine without asking (RFC 6761).
        if (host === "localhost") return ["127.0.0.1", "::1"]
        const dns = new DnsResolver({ timeout: 2_000, tries: 2 })
        const records = [() => dns.resolve4(host), () => dns.resolve6(host)].map((ask) =>
          Effect.tryPromise(ask).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
        )
        const found = (yield* Effect.all(records, { concurrency: "unbounded" }).pipe(
          Effect.onInterrupt(() => Effect.sync(() => dns.cancel()))
        )).flat()
        return found.length === 0 ? yield* new Unresolved({ host }) : found
      })
    })
  )
}
