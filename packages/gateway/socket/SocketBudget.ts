/** Socket limits: number of sockets, frame rate, and memory for unfinished and unread messages. */
import * as RateLimits from "@venue/domain/RateLimits"
import * as ClientAddress from "../http/ClientAddress.ts"

/** Rates of a socket's own bucket and of its address's bucket, which is used when the socket's bucket is empty. */
interface Rate {
  readonly burst: number
  readonly perSecond: number
  readonly addressBurst: number
  readonly addressPerSecond: number
}

/** Memory shared by all sockets. When it is full, each socket is limited to `bytesOfEach`. */
interface Memory {
  readonly bytes: number
  readonly bytesOfEach: number
}

interface Kind {
  readonly socketsPerAddress: number
  /** Frame rates in units. A frame costs 1 unit, plus 1 for each whole KiB. */
  readonly frames: Rate
  /** True if an address's upgrade limit is divided by the number of live gateways. */
  readonly upgradesAreDivided: boolean
  /** True if frames are charged even when limits are off. False for the trade socket, which benchmarks flood. */
  readonly isAlwaysCharged: boolean
}

/**
 * All transport limits. They are wide, because messages are also limited per user or connection: one address can send
 * in one burst what five users can send in a minute.
 */
export const limits = {
  /** Maximum number of open sockets of both kinds. Further upgrades are refused with 503, even when limits are off. */
  openSockets: 10_000,
  upgradesPerMinute: 100,
  frameBytes: 64 * 1024,
  fragmentsPerMessage: 16,
  /** Maximum units that one socket consumes in an event-loop turn, which bounds the delay of other sockets. */
  unitsPerTurn: 32,
  /** Time after which a socket with empty buckets is closed. The socket is not read during this time. */
  patienceMillis: 5_000,
  unfinished: { bytes: 64 * 1024 * 1024, bytesOfEach: 4 * 1024 },
  /** Memory for frames that clients have not read. Each client is also limited by `maxWaitingBytes`. */
  unread: { bytes: 256 * 1024 * 1024, bytesOfEach: 128 * 1024 },
  controls: { burst: 50, perSecond: 10, addressBurst: 1_000, addressPerSecond: 100 },
  trade: {
    socketsPerAddress: 100,
    frames: { burst: 100, perSecond: 50, addressBurst: 128_000, addressPerSecond: 2_500 },
    upgradesAreDivided: true,
    isAlwaysCharged: false
  },
  marketData: {
    socketsPerAddress: 20,
    frames: { burst: 100, perSecond: 50, addressBurst: 5_000, addressPerSecond: 200 },
    upgradesAreDivided: false,
    isAlwaysCharged: true
  }
} as const

/** Returns the units of a frame, from its payload length in bytes. */
export const unitsOf = (bytes: number): number => 1 + (bytes >> 10)

export type Refusal =
  | { readonly _tag: "TooManyUpgrades"; readonly waitMillis: number }
  | { readonly _tag: "AddressFull"; readonly most: number }
  | { readonly _tag: "VenueFull"; readonly most: number }

/** Rate and memory allowance of one open socket. */
export interface Allowance {
  /** Charges a text frame or a fragment; returns false if the buckets are empty. */
  readonly frame: (units: number) => boolean
  /** Charges a ping or a pong; returns false if the buckets are empty. */
  readonly control: () => boolean
  /** Sets the number of bytes in unfinished messages; returns false if that exceeds the memory limit. */
  readonly unfinished: (bytes: number) => boolean
  /** Sets the number of bytes that the client has not read; returns false if that exceeds the memory limit. */
  readonly unread: (bytes: number) => boolean
  readonly close: () => void
  /** Counts a close by the gateway with this code. */
  readonly closing: (code: number) => void
}

/** Counts of one listener since the start of the process. */
export interface Counts {
  open: number
  /** Units charged for text frames and fragments. */
  units: number
  readonly refusals: Map<Refusal["_tag"], number>
  readonly closes: Map<number, number>
}

/** Socket budget of one listener. */
export interface SocketBudget {
  /** Counts an upgrade. Returns the reason to refuse it, or undefined if the socket is allowed to open. */
  readonly refusal: (address: string) => Refusal | undefined
  readonly open: (address: string) => Allowance
}

export interface CountedBudget extends SocketBudget {
  readonly counts: Readonly<Counts>
}

export interface SocketBudgets {
  readonly trade: CountedBudget
  readonly marketData: CountedBudget
}

export interface SocketBudgetOptions {
  /** False removes the per-address limits: number of sockets, upgrades and shared buckets. */
  readonly limits: boolean
  readonly nowMillis: () => number
  /** Returns the number of the venue's live gateways; default: 1. */
  readonly livingGateways?: () => number
}

/** Returns the budgets of the two kinds of listener, which share the process's memory and number of sockets. */
export const make = (options: SocketBudgetOptions): SocketBudgets => {
  const total: Total = { open: 0, opened: 0, unfinished: { bytes: 0 }, unread: { bytes: 0 } }
  return { trade: budgetOf(limits.trade, options, total), marketData: budgetOf(limits.marketData, options, total) }
}

interface Total {
  open: number
  /** Number of sockets ever opened, including closed ones. */
  opened: number
  readonly unfinished: { bytes: number }
  readonly unread: { bytes: number }
}

/** Units taken from an address's bucket at a time, so that most frames cost only a subtraction and no clock read. */
const drawnUnits = 128

function budgetOf(kind: Kind, options: SocketBudgetOptions, total: Total): CountedBudget {
  const { livingGateways = () => 1, nowMillis } = options
  const openOf = new Map<string, number>()
  const upgrades = RateLimits.make({
    enabled: options.limits,
    nowMillis,
    capacity: limits.upgradesPerMinute,
    refillMillis: 60_000,
    sharers: kind.upgradesAreDivided ? livingGateways : () => 1
  })
  const frames = shared(kind.frames, options.limits || kind.isAlwaysCharged, nowMillis)
  const controls = shared(limits.controls, true, nowMillis)
  const counts: Counts = { open: 0, units: 0, refusals: new Map(), closes: new Map() }
  const count = (network: string, by: 1 | -1) => {
    total.open += by
    counts.open += by
    const now = (openOf.get(network) ?? 0) + by
    if (now === 0) openOf.delete(network)
    else openOf.set(network, now)
  }
  const refusalOf: SocketBudget["refusal"] = (address) => {
    const network = ClientAddress.network(address)
    const waitMillis = upgrades.spend(network, 1)
    if (waitMillis > 0) return { _tag: "TooManyUpgrades", waitMillis }
    if (total.open >= limits.openSockets) return { _tag: "VenueFull", most: limits.openSockets }
    const most = kind.socketsPerAddress
    if (options.limits && (openOf.get(network) ?? 0) >= most) return { _tag: "AddressFull", most }
    return undefined
  }
  return {
    counts,
    refusal: (address) => {
      const refusal = refusalOf(address)
      if (refusal !== undefined) increase(counts.refusals, refusal._tag)
      return refusal
    },
    open: (address) => {
      const network = ClientAddress.network(address)
      // When limits are off, each socket has its own address bucket.
      const payer = options.limits ? network : `${++total.opened}`
      const frame = bucket(kind.frames, nowMillis, () => frames.spend(payer, drawnUnits) === 0)
      const control = bucket(limits.controls, nowMillis, () => controls.spend(payer, drawnUnits) === 0)
      const unfinished = share(limits.unfinished, total.unfinished)
      const unread = share(limits.unread, total.unread)
      count(network, 1)
      return {
        frame: (units) => {
          counts.units += units
          return frame(units)
        },
        closing: (code) => increase(counts.closes, code),
        control: () => control(1),
        unfinished,
        unread,
        close: () => {
          unfinished(0)
          unread(0)
          count(network, -1)
        }
      }
    }
  }
}

const increase = <Key>(counts: Map<Key, number>, key: Key): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

/** Returns the buckets by address. */
function shared({ addressBurst, addressPerSecond }: Rate, enabled: boolean, nowMillis: () => number) {
  const refillMillis = (addressBurst / addressPerSecond) * 1_000
  return RateLimits.make({ enabled, nowMillis, capacity: addressBurst, refillMillis })
}

/** Returns a function that sets how many bytes of a shared memory one socket uses. */
function share({ bytes: most, bytesOfEach }: Memory, all: { bytes: number }): (bytes: number) => boolean {
  let mine = 0
  return (bytes) => {
    if (bytes === mine) return true
    all.bytes += bytes - mine
    mine = bytes
    return all.bytes <= most || bytes <= bytesOfEach
  }
}

/** Returns the bucket of one socket, which is refilled only when it is empty. */
function bucket({ burst, perSecond }: Rate, nowMillis: () => number, draw: () => boolean): (units: number) => boolean {
  const rate: RateLimits.Rate = { capacity: burst, refillMillis: (burst / perSecond) * 1_000 }
  const own = RateLimits.full(rate, nowMillis())
  return (units) => {
    if (own.tokens < units) {
      RateLimits.refill(own, rate, nowMillis())
      if (own.tokens < units && draw()) own.tokens += drawnUnits
      if (own.tokens < units) return false
    }
    own.tokens -= units
    return true
  }
}
