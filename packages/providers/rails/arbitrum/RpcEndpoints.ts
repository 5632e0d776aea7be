/** All endpoints for the chain. The responding endpoints must agree; otherwise the state is unknown. */
import { Clock, Effect, Equal, type Option, Result } from "effect"
import { RailUnavailable } from "../RailProvider.ts"
import * as FinalityWatch from "../FinalityWatch.ts"
import type { RailSight } from "../RailSight.ts"
import * as Chain from "./Chain.ts"
import type { RpcEndpoint } from "./RpcEndpoint.ts"
import { RpcFault } from "./RpcFault.ts"

export interface RpcEndpoints {
  /** Reads a view of the chain that is valid for the calls that follow immediately. */
  readonly look: Effect.Effect<ChainView, RailUnavailable>
  readonly stalled: FinalityWatch.FinalityWatch["stalled"]
  readonly sight: () => Pick<RailSight, "newestBlock" | "answering" | "failing">
}

export interface RpcEndpointsOptions {
  readonly endpoints: ReadonlyArray<RpcEndpoint>
  /** Minimum number of endpoints that must respond. */
  readonly leastEndpoints: number
  readonly chainId: number
  /** Maximum age of an endpoint's newest block. With an older one, the endpoint counts as unresponsive. */
  readonly staleMillis: number
}

/** Common view of the responding endpoints. Calls never concern blocks above the lowest head among these endpoints. */
export interface ChainView {
  readonly head: Chain.BlockName
  /** Newest final block. */
  readonly final: Chain.BlockName
  /** Highest value among the endpoints. */
  readonly baseFeePerGas: bigint
  readonly timestampSeconds: number
  readonly agreed: <A>(ask: Ask<A>) => Effect.Effect<A, RailUnavailable>
  /** Returns the responses of all responding endpoints, in no particular order. */
  readonly each: <A>(ask: Ask<A>) => Effect.Effect<ReadonlyArray<A>, RailUnavailable>
  /** Like `agreed`, but returns Option.none if any configured endpoint does not respond. */
  readonly unanimous: <A>(ask: Ask<A>) => Effect.Effect<Option.Option<A>, RailUnavailable>
}
type Ask<A> = (endpoint: RpcEndpoint) => Effect.Effect<A, RpcFault>

export const rail = "ARBITRUM_ONE"
export const unavailable = (cause: unknown): RailUnavailable => new RailUnavailable({ rail, cause })

export const make = (options: RpcEndpointsOptions): RpcEndpoints => {
  const { answers, failing } = answersOf(options.leastEndpoints)
  const finality = FinalityWatch.make(mostFinalityMillis)
  const look = Effect.gen(function* () {
    const heads = yield* answers(options.endpoints, (endpoint) => headOf(options, endpoint))
    const fresh = heads.map(({ endpoint }) => endpoint)
    const each = <A>(ask: Ask<A>) => Effect.map(answers(fresh, ask), (all) => all.map(({ answer }) => answer))
    const agreed = <A>(ask: Ask<A>) => Effect.flatMap(answers(fresh, ask), sameOf)
    const unanimous = <A>(ask: Ask<A>) =>
      Effect.flatMap(answers(fresh, ask), (all) =>
        all.length < options.endpoints.length ? Effect.succeedNone : Effect.asSome(sameOf(all))
      )

    const headNumber = lowest(heads.map(({ answer }) => answer.latest.number))
    const finalNumber = lowest([headNumber, ...heads.map(({ answer }) => answer.finalized.number)])
    yield* finality.saw(headNumber, finalNumber)
    const [head, final] = yield* agreed((endpoint) => namesAt(endpoint, [headNumber, finalNumber]))
    return {
      head: head!,
      final: final!,
      baseFeePerGas: heads.reduce((most, { answer }) => maxOf(most, answer.latest.baseFeePerGas ?? 0n), 0n),
      timestampSeconds: lowest(heads.map(({ answer }) => answer.latest.timestamp)),
      agreed,
      each,
      unanimous
    }
  }).pipe(Effect.withSpan("RpcEndpoints.look"))
  const sight: RpcEndpoints["sight"] = () => ({
    newestBlock: finality.newest(),
    answering: options.endpoints.length - failing(),
    failing: failing()
  })
  return { look, sight, stalled: finality.stalled }
}

/** Arbitrum's blocks become final with Ethereum's, every 6.4 minutes and about 15 minutes late. */
const mostFinalityMillis = 60 * 60_000

/** Returns block hashes. The blocks exist unless the chain has become shorter in the meantime. */
export const namesAt = Effect.fnUntraced(function* (endpoint: RpcEndpoint, numbers: ReadonlyArray<number>) {
  const blocks = yield* endpoint.ask(numbers.map((number) => Chain.block(number)))
  return yield* Effect.forEach(blocks, (block, index) =>
    block === null || block.number !== numbers[index]
      ? fail(endpoint, `the endpoint does not have block ${numbers[index]}, which is at or below its head`)
      : Effect.succeed<Chain.BlockName>({ number: block.number, hash: block.hash })
  )
})

export const fail = (endpoint: RpcEndpoint, reason: string) =>
  Effect.fail(new RpcFault({ endpoint: endpoint.name, reason, kind: "fault" }))

const headOf = Effect.fnUntraced(function* (options: RpcEndpointsOptions, endpoint: RpcEndpoint) {
  const [chainId, latest, finalized] = yield* endpoint.ask([
    Chain.chainId,
    Chain.block("latest"),
    Chain.block("finalized")
  ])
  if (chainId !== options.chainId)
    return yield* fail(endpoint, `the endpoint belongs to chain ${chainId}, expected ${options.chainId}`)
  if (latest === null || finalized === null)
    return yield* fail(endpoint, "the endpoint did not return both its newest block and its final block")
  const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1_000) - latest.timestamp
  if (seconds * 1_000 > options.staleMillis)
    return yield* fail(endpoint, `the endpoint's newest block is ${seconds} s old`)
  return { latest, finalized }
})

interface EndpointAnswer<A> {
  readonly endpoint: RpcEndpoint
  readonly answer: A
}

/**
 * Logs an endpoint's first failure, and every change in the reason for its failure. `failing` returns the number of
 * endpoints whose last request failed.
 */
const answersOf = (leastEndpoints: number) => {
  const reasons = new Map<string, string>()
  const tell = (name: string, reason: string) =>
    Effect.suspend(() => {
      if (reasons.get(name) === reason) return Effect.void
      reasons.set(name, reason)
      return reason === "" ? Effect.void : Effect.logWarning(`Arbitrum One: ${name}: ${reason}`)
    })
  const answers = Effect.fnUntraced(function* <A>(
    endpoints: ReadonlyArray<RpcEndpoint>,
    ask: Ask<A>
  ): Effect.fn.Return<ReadonlyArray<EndpointAnswer<A>>, RailUnavailable> {
    const results = yield* Effect.forEach(
      endpoints,
      (endpoint) => Effect.result(Effect.map(ask(endpoint), (answer) => ({ endpoint, answer }))),
      { concurrency: "unbounded" }
    )
    const faults = results.filter(Result.isFailure).map(({ failure }) => failure)
    yield* Effect.forEach(faults, ({ endpoint, reason }) => tell(endpoint, reason))
    const answers = results.filter(Result.isSuccess).map(({ success }) => success)
    yield* Effect.forEach(answers, ({ endpoint }) => tell(endpoint.name, ""))
    if (answers.length >= Math.max(1, leastEndpoints)) return answers
    return yield* unavailable(faults[0] ?? tooFew(leastEndpoints))
  })
  return {
    answers,
    failing: () =>
      reasons
        .values()
        .filter((reason) => reason !== "")
        .toArray().length
  }
}

const sameOf = <A>([first, ...others]: ReadonlyArray<EndpointAnswer<A>>): Effect.Effect<A, RailUnavailable> => {
  const other = others.find(({ answer }) => !Equal.equals(answer, first!.answer))
  if (other === undefined) return Effect.succeed(first!.answer)
  const endpoint = `${first!.endpoint.name} and ${other.endpoint.name}`
  const reason = "the endpoints disagree about the chain"
  return Effect.fail(unavailable(new RpcFault({ endpoint, reason, kind: "fault" })))
}

const lowest = (numbers: ReadonlyArray<number>): number => Math.min(...numbers)

const tooFew = (least: number) =>
  new RpcFault({ endpoint: "all endpoints", reason: `fewer than ${least} endpoints respond`, kind: "fault" })

const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b)
