/** Chain for one test: a real node that mines on demand, with the token deployed. */
import { Duration, Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { createInterface } from "node:readline"
import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from "viem"
import * as Dollar from "./Dollar.ts"

export interface TestChain {
  readonly url: string
  /** Address in lower case. */
  readonly token: string
  readonly rpc: (method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<unknown>
  readonly mine: (blocks?: number) => Effect.Effect<void>
  /** Replaces the last blocks by empty ones and discards their transactions. */
  readonly reorganise: (depth: number) => Effect.Effect<void>
  /** Mints tokens in the next block; returns the transaction hash. */
  readonly mint: (to: string, amount: bigint) => Effect.Effect<string>
  readonly ask: (functionName: "setBlocked" | "transferMany", ...args: ReadonlyArray<unknown>) => Effect.Effect<string>
  readonly balanceOf: (account: string) => Effect.Effect<bigint>
  readonly giveGas: (account: string, wei: bigint) => Effect.Effect<void>
}

export const chainId = 42_161

/** Starts a chain that stops with the scope. */
export const make: Effect.Effect<TestChain, never, Scope.Scope> = Effect.gen(function* () {
  const url = yield* node
  const rpc = rpcOf(url)
  const mine = (blocks = 1) => Effect.asVoid(rpc("anvil_mine", hex(blocks)))
  const [owner] = (yield* rpc("eth_accounts")) as ReadonlyArray<Hex>
  const send = (to: string | undefined, data: string) =>
    Effect.map(rpc("eth_sendTransaction", { from: owner, to, data, gas: hex(3_000_000) }), String)

  yield* send(undefined, encodeDeployData({ abi: [], bytecode: Dollar.bytecode }))
  yield* mine()
  const token = getContractAddress({ from: owner!, nonce: 0n }).toLowerCase()
  const encode = (functionName: string, args: ReadonlyArray<unknown>) =>
    encodeFunctionData({ abi: Dollar.abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return {
    url,
    token,
    rpc,
    mine,
    reorganise: (depth) => Effect.asVoid(rpc("anvil_reorg", depth, [])),
    mint: (to, amount) => send(token, encode("mint", [to, amount])),
    ask: (functionName, ...args) => send(token, encode(functionName, args)),
    balanceOf: (account) =>
      Effect.map(rpc("eth_call", { to: token, data: encode("balanceOf", [account]) }, "latest"), (answer) =>
        BigInt(answer as string)
      ),
    giveGas: (account, wei) => Effect.asVoid(rpc("anvil_setBalance", account, hex(wei)))
  }
})

/** Starts a node and returns its URL. Runs the binary of the platform's package directly, without its installer. */
const node = Effect.acquireRelease(
  Effect.promise(async () => {
    const started = spawn(program(), ["--port", "0", "--chain-id", String(chainId), "--no-mining"], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    for await (const line of createInterface(started.stdout)) {
      const port = /^Listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1]
      if (port === undefined) continue
      // Discards the node's request log, which no test reads.
      started.stdout.resume()
      return { started, url: `http://127.0.0.1:${port}` }
    }
    throw new Error("the node of the test chain did not start")
  }),
  ({ started }) =>
    Effect.promise(async () => {
      if (started.exitCode !== null || started.signalCode !== null) return
      started.kill("SIGKILL")
      await once(started, "exit")
    })
).pipe(
  Effect.map(({ url }) => url),
  Effect.timeoutOrElse({ duration: Duration.seconds(600), orElse: () => Effect.die("the node did not start in time") })
)

const program = (): string => {
  const systems: Readonly<Record<string, string>> = { win32: "win32", darwin: "darwin", linux: "linux" }
  const name = `@foundry-rs/anvil-${systems[process.platform]}-${process.arch === "arm64" ? "arm64" : "amd64"}`
  return createRequire(import.meta.url).resolve(`${name}/bin/anvil${process.platform === "win32" ? ".exe" : ""}`)
}

const rpcOf =
  (url: string) =>
  (method: string, ...params: ReadonlyArray<unknown>): Effect.Effect<unknown> =>
    Effect.promise(async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }, (_, value) =>
        typeof value === "bigint" ? hex(value) : value
      )
      const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
      const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
      if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
      return answer.result
    })

const hex = (value: number | bigint): string => `0x${value.toString(16)}`
