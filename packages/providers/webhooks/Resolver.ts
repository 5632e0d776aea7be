/** Host name resolution. */
import { Context, Effect, Layer, Schema } from "effect"
import { Resolver as DnsResolver } from "node:dns/promises"

/** The name does not exist, or the lookup failed. */
export class Unresolved extends Schema.TaggedError<Unresolved>()("Unresolved", { host: Schema.String }) {}

export class Resolver extends Context.Service<
  Resolver,
  {
    /** Returns all of a host's IP addresses, at least one. */
    readonly addresses: (host: string) => Effect.Effect<ReadonlyArray<string>, Unresolved>
  }
>()("@venue/providers/webhooks/Resolver") {
  /**
   * Resolves by DNS only, without the machine's hosts file. This leaves the few threads that resolve the venue's own
   * names free.
   */
  static readonly layer: Layer.Layer<Resolver> = Layer.succeed(
    Resolver,
    Resolver.of({
      addresses: Effect.fn("Resolver.addresses")(function* (host: string) {
        // This name means the local machine by definition (RFC 6761).
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
