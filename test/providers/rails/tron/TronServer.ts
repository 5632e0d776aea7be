/** HTTP interface of a TRON node on a test chain, with injected faults. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import * as TronNode from "@venue/providers/rails/tron/TronNode"
import * as TronNodes from "@venue/providers/rails/tron/TronNodes"
import * as TronRail from "@venue/providers/rails/tron/TronRail"
import * as TronTransaction from "@venue/providers/rails/tron/TronTransaction"
import { Effect, Redacted, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { HttpClient } from "effect/http"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type ChainBlock, genesisId, logOf, startMillis, token, TronChain } from "./TronChain.ts"

export type TronFailure = "none" | "unavailable" | "silent" | "malformed" | "oversized"

export class TronServer {
  failure: TronFailure = "none"
  /** Number of newest blocks that the node lacks. */
  behind = 0
  /** Number at which the final block is frozen; undefined if it follows the head. */
  solidAt: number | undefined
  /** Only path to which `failure` applies; undefined applies it to all paths. */
  failsAt: string | undefined
  /** Path for which each response produces a block. */
  minesAt: string | undefined
  /** Returns the refusal of a request, or undefined to let the request pass. */
  refuse: (path: string, response: ServerResponse) => { readonly status: number; readonly body: object } | undefined =
    () => undefined
  /** Duration of each response, in milliseconds. */
  slowMillis = 0
  /** Return value of every contract call, in hexadecimal. */
  contractResult = ""
  readonly asked: Array<string> = []
  url = ""
  readonly chain: TronChain

  constructor(chain: TronChain) {
    this.chain = chain
  }

  answer(path: string, body: Readonly<Record<string, unknown>>): unknown {
    const { chain, contractResult } = this
    const known = chain.blocks.slice(0, chain.blocks.length - this.behind)
    const head = known.at(-1)!
    const solid = known[this.solidAt ?? Math.max(0, known.length - 20)]!
    const infoOf = (id: unknown, upTo: ChainBlock) => {
      const found = chain.find(String(id))
      return found === undefined || found.block.number > upTo.number
        ? {}
        : shownInfo(found.block, found.transaction, contractResult)
    }
    switch (path) {
      case "/wallet/getnowblock":
        return shownBlock(head)
      case "/walletsolidity/getnowblock":
        return shownBlock(solid)
      case "/wallet/getblock": {
        const block = known[Number(body["id_or_num"])]
        return block === undefined ? { Error: "no such block" } : shownBlock(block)
      }
      case "/wallet/gettransactioninfobyblocknum": {
        const block = known[Number(body["num"])]
        return block === undefined ? [] : block.transactions.map((one) => shownInfo(block, one, contractResult))
      }
      case "/wallet/gettransactioninfobyid":
        return infoOf(body["value"], head)
      case "/walletsolidity/gettransactioninfobyid":
        return infoOf(body["value"], solid)
      case "/wallet/broadcasthex": {
        const code = chain.broadcast(String(body["transaction"]))
        return code === undefined ? { result: true } : { code, message: "00" }
      }
      case "/walletsolidity/triggerconstantcontract":
        return {
          result: { result: true },
          constant_result: [chain.balanceOf(String(body["owner_address"]), solid).toString(16).padStart(64, "0")]
        }
      default:
        return { Error: "no such path" }
    }
  }
}

const shownBlock = ({ id, number, parentId, timestampMillis, transactions }: ChainBlock) => ({
  blockID: id,
  block_header: {
    raw_data: {
      ...(number === 0 ? {} : { number, timestamp: timestampMillis }),
      parentHash: parentId,
      txTrieRoot: transactions.length === 0 ? "0".repeat(64) : "ab".repeat(32),
      witness_address: "4167e39013be3cdd3814bed152d7439fb5b6791409"
    },
    witness_signature: "00"
  },
  ...(transactions.length === 0 ? {} : { transactions: transactions.map((one) => ({ txID: one.id })) })
})

const shownInfo = (
  { number, timestampMillis }: ChainBlock,
  { id, logs, result }: ChainBlock["transactions"][number],
  contractResult: string
) => ({
  id,
  fee: 345_000,
  blockNumber: number,
  blockTimeStamp: timestampMillis,
  contractResult: [contractResult],
  receipt: { energy_usage_total: 64_285, result },
  ...(result === "SUCCESS" ? {} : { result: "FAILED" }),
  ...(logs.length === 0 ? {} : { log: logs })
})

const listen = (server: TronServer) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const http = createServer((request, response) => {
        let text = ""
        request.on("data", (chunk) => (text += chunk))
        request.on("end", () => {
          const path = (request.url ?? "").replace(`/${urlKey}`, "")
          server.asked.push(path)
          if (server.minesAt === path) server.chain.mine()
          const failure = server.failsAt === undefined || server.failsAt === path ? server.failure : "none"
          const refused = server.refuse(path, response)
          if (refused !== undefined) {
            response.writeHead(refused.status, { "content-type": "application/json" })
            response.end(JSON.stringify(refused.body))
            return
          }
          if (failure === "silent") return
          response.writeHead(failure === "unavailable" ? 503 : 200, { "content-type": "application/json" })
          if (failure === "malformed") response.end('{"blockID":7,"id":7,"result":7,"0":7}')
          else if (failure === "oversized") response.end("x".repeat(40 * 1_048_576))
          else {
            const answer = JSON.stringify(server.answer(path, JSON.parse(text)))
            setTimeout(() => response.end(answer), server.slowMillis)
          }
        })
      })
      http.listen(0, "127.0.0.1", () => resume(Effect.succeed(http)))
    }),
    (http) =>
      Effect.sync(() => {
        http.close()
        http.closeAllConnections()
      })
  ).pipe(
    Effect.tap((http) =>
      Effect.sync(() => {
        server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/${urlKey}`
      })
    )
  )

/** Must never appear in logs or errors. */
export const urlKey = "canary-of-an-rpc-key"

export const hotKey = new Uint8Array(Buffer.from("11".repeat(32), "hex"))
export const hot = TronTransaction.addressOf(hotKey)
export const somebody = `41${"5b".repeat(20)}`

export interface TronScene {
  readonly chain: TronChain
  readonly servers: ReadonlyArray<TronServer>
  readonly provider: RailProvider
  /** Returns the same rail with another source of the paying account. */
  readonly paidBy: (hot: TronRail.TronOptions["hot"]) => RailProvider
  /** Produces blocks and advances the test clock with them. */
  readonly mine: (count?: number) => Effect.Effect<void>
  /** Sends the token to an address in the next block; returns the transaction. */
  readonly deposit: (to: string, amount: bigint) => Effect.Effect<string>
}

/** Creates a rail with this many nodes, on a chain with some history and 1,000,000 USD in the hot account. */
export const scene = Effect.fnUntraced(function* (nodeCount = 1, signer: TronRail.TronOptions["signed"] = honest) {
  const chain = new TronChain()
  const servers = Array.from({ length: nodeCount }, () => new TronServer(chain))
  for (const server of servers) yield* listen(server)
  const nodes = yield* Effect.forEach(servers, ({ url }) =>
    TronNode.make({ url: Redacted.make(url), apiKey: Redacted.make("canary-of-a-header") })
  )
  const paidBy = (paying: TronRail.TronOptions["hot"]) =>
    TronRail.make({
      nodes: TronNodes.make({ nodes, genesisId }),
      token,
      hot: paying,
      signed: signer,
      feeLimit: 100_000_000,
      addressAt: (index) => TronAddress.ofHex(`41${index.toString(16).padStart(40, "0")}`)
    })
  const mine = (count = 1) =>
    Effect.suspend(() => {
      chain.mine(count)
      return TestClock.setTime(Math.max(startMillis, chain.head.timestampMillis))
    })
  chain.outside([logOf(somebody, hot, 1_000_000_000_000n)])
  yield* mine(40)
  const deposit = (to: string, amount: bigint) =>
    Effect.sync(() => chain.outside([logOf(somebody, TronAddress.hexOf(to)!, amount)]))
  const made: TronScene = { chain, servers, provider: paidBy(Effect.succeed(hot)), paidBy, mine, deposit }
  return made
})

export const key: TronTransaction.TronKey = { key: Redacted.make(hotKey), address: TronAddress.ofHex(hot) }

export const honest: TronRail.TronOptions["signed"] = (order) =>
  Effect.succeed(Redacted.make(TronTransaction.signedBy(key, order)))

export const withNodes = <A, E>(effect: Effect.Effect<A, E, Scope.Scope | HttpClient.HttpClient>) =>
  Effect.scoped(effect).pipe(Effect.provide(NodeHttpClient.layerUndici))
