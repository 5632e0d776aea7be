/**
 * Simulated chain with TRON's rules of inclusion: a block every 3 s, expiration, unique transactions, and one token.
 */
import { createHash } from "node:crypto"
import secp256k1 from "secp256k1"
import { keccak256 } from "viem"

export const token = "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"
export const genesisId = `0000000000000000${"1ebf".repeat(12)}`
export const startMillis = Date.UTC(2026, 2, 1)
/** A block is final with this many blocks above it. */
export const solidDepth = 19

interface ChainLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

interface Included {
  readonly id: string
  readonly result: string
  readonly logs: ReadonlyArray<ChainLog>
}

export interface ChainBlock {
  readonly number: number
  readonly id: string
  readonly parentId: string
  readonly timestampMillis: number
  readonly transactions: ReadonlyArray<Included>
}

interface Sent {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly expirationMillis: number
}

const transferEvent = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const topicOf = (address: string) => address.slice(2).padStart(64, "0")

export const logOf = (from: string, to: string, amount: bigint, contract = token): ChainLog => ({
  address: contract.slice(2),
  topics: [transferEvent, topicOf(from), topicOf(to)],
  data: amount.toString(16).padStart(64, "0")
})

export class TronChain {
  readonly blocks: Array<ChainBlock> = [
    { number: 0, id: genesisId, parentId: "0".repeat(64), timestampMillis: 0, transactions: [] }
  ]
  /** Transactions for the next block. */
  readonly pool = new Map<string, Sent>()
  /** Bytes of every transaction ever sent. */
  readonly sent = new Map<string, string>()
  /** Execution result of later transactions. */
  execution = "SUCCESS"
  /** If true, blocks include nothing from the pool. */
  isCongested = false
  #outside: Array<Included> = []
  #count = 0

  get head(): ChainBlock {
    return this.blocks.at(-1)!
  }
  get solid(): ChainBlock {
    return this.blocks[Math.max(0, this.blocks.length - 1 - solidDepth)]!
  }

  /** Adds another party's transaction with these logs to the next block; returns its id. */
  outside(logs: ReadonlyArray<ChainLog>, result = "SUCCESS"): string {
    const id = this.#fresh("transaction")
    this.#outside.push({ id, result, logs })
    return id
  }

  mine(count = 1): void {
    for (let n = 0; n < count; n++) this.#mineOne()
  }

  /** Replaces the newest blocks. Their transactions are included again only if `returns` is true. */
  reorganise(depth: number, returns: boolean): void {
    const replaced = this.blocks.splice(this.blocks.length - depth, depth)
    const held = replaced.flatMap(({ transactions }) => transactions)
    for (const transaction of returns ? held : []) {
      const own = this.sent.get(transaction.id)
      if (own === undefined) this.#outside.push(transaction)
      else this.pool.set(transaction.id, read(own))
    }
    this.mine(depth)
  }

  /** Returns a node's response to signed bytes (without 0x): an error code, or undefined if accepted. */
  broadcast(hex: string): string | undefined {
    const sent = read(hex)
    if (this.find(sent.id) !== undefined || this.pool.has(sent.id)) return "DUP_TRANSACTION_ERROR"
    if (sent.expirationMillis <= this.head.timestampMillis) return "TRANSACTION_EXPIRATION_ERROR"
    if (sent.expirationMillis > this.head.timestampMillis + 86_400_000) return "TRANSACTION_EXPIRATION_ERROR"
    if (!this.#isOnChain(hex)) return "TAPOS_ERROR"
    if (!isSignedByOwner(hex)) return "SIGERROR"
    this.sent.set(sent.id, hex)
    this.pool.set(sent.id, sent)
    return undefined
  }

  find(id: string): { readonly block: ChainBlock; readonly transaction: Included } | undefined {
    for (const block of this.blocks) {
      const transaction = block.transactions.find((one) => one.id === id)
      if (transaction !== undefined) return { block, transaction }
    }
    return undefined
  }

  balanceOf(owner: string, upTo: ChainBlock): bigint {
    let balance = 0n
    for (const { number, transactions } of this.blocks) {
      if (number > upTo.number) break
      for (const { address, data, topics } of transactions.flatMap(({ logs }) => logs)) {
        if (address !== token.slice(2)) continue
        if (topics[2] === topicOf(owner)) balance += BigInt(`0x${data}`)
        if (topics[1] === topicOf(owner)) balance -= BigInt(`0x${data}`)
      }
    }
    return balance
  }

  /** Amounts paid to this address in all blocks. */
  received(owner: string): ReadonlyArray<bigint> {
    return this.blocks
      .flatMap(({ transactions }) => transactions)
      .flatMap(({ logs }) => logs)
      .filter(({ topics }) => topics[2] === topicOf(owner))
      .map(({ data }) => BigInt(`0x${data}`))
  }

  #mineOne(): void {
    const { id: parentId, number, timestampMillis } = this.head
    const transactions = this.#outside
    this.#outside = []
    for (const [id, sent] of this.isCongested ? [] : this.pool) {
      this.pool.delete(id)
      // TRON includes a transaction only while the previous block's timestamp is before the expiration.
      if (sent.expirationMillis <= timestampMillis) continue
      const isCovered = this.balanceOf(sent.from, this.head) >= sent.amount
      const result = isCovered ? this.execution : "REVERT"
      transactions.push({ id, result, logs: result === "SUCCESS" ? [logOf(sent.from, sent.to, sent.amount)] : [] })
    }
    const next = number + 1
    this.blocks.push({
      number: next,
      id: `${next.toString(16).padStart(16, "0")}${this.#fresh("block").slice(16)}`,
      parentId,
      timestampMillis: number === 0 ? startMillis : timestampMillis + 3_000,
      transactions
    })
  }

  #isOnChain(hex: string): boolean {
    const raw = fieldsOf(fieldsOf(Buffer.from(hex, "hex")).get(1) as Buffer)
    const [low, hash] = [raw.get(1) as Buffer, raw.get(4) as Buffer]
    return this.blocks.some(
      ({ id }) => id.slice(12, 16) === low.toString("hex") && id.slice(16, 32) === hash.toString("hex")
    )
  }

  #fresh(what: string): string {
    return sha256(Buffer.from(`${what} ${this.#count++}`)).toString("hex")
  }
}

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()

/**
 * Protobuf reader that is independent of the tested code: numbers as bigints, all else as bytes. It keeps the last
 * value of a repeated field.
 */
const fieldsOf = (bytes: Buffer): Map<number, Buffer | bigint> => {
  const fields = new Map<number, Buffer | bigint>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    if ((tag & 7) === 0) fields.set(tag >> 3, varint())
    else {
      const length = Number(varint())
      fields.set(tag >> 3, bytes.subarray(at, at + length))
      at += length
    }
  }
  return fields
}

const read = (hex: string): Sent => {
  const raw = fieldsOf(Buffer.from(hex, "hex")).get(1) as Buffer
  const fields = fieldsOf(raw)
  const contract = fieldsOf(fieldsOf(fieldsOf(fields.get(11) as Buffer).get(2) as Buffer).get(2) as Buffer)
  const data = (contract.get(4) as Buffer).toString("hex")
  if (data.slice(0, 8) !== "a9059cbb" || (contract.get(2) as Buffer).toString("hex") !== token)
    throw new Error("no transfer of the token")
  return {
    id: sha256(raw).toString("hex"),
    from: (contract.get(1) as Buffer).toString("hex"),
    to: `41${data.slice(32, 72)}`,
    amount: BigInt(`0x${data.slice(72)}`),
    expirationMillis: Number(fields.get(8))
  }
}

const isSignedByOwner = (hex: string): boolean => {
  const fields = fieldsOf(Buffer.from(hex, "hex"))
  const signature = fields.get(2) as Buffer
  const hash = sha256(fields.get(1) as Buffer)
  const key = secp256k1.ecdsaRecover(signature.subarray(0, 64), signature[64]! - 27, hash, false)
  return `41${keccak256(key.subarray(1)).slice(-40)}` === read(hex).from
}
