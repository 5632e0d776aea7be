/** Bounds what sockets cost this process: how many are open, how much each may send and leave unfinished or unread. */
import * as RateLimits from "@venue/domain/RateLimits"
import * as ClientAddress from "../http/ClientAddress.ts"

/** Each socket has a bucket; when it is empty that of the address is drawn on, which outlives the socket. */
interface Rate {
  readonly burst: number
  readonly perSecond: number
  readonly addressBurst: number
  readonly addressPerSecond: number
}

/** All sockets share this memory: while it is used up nobody has more than `bytesOfEach`. */
interface Memory {
  readonly bytes: number
  readonly bytesOfEach: number
}

interface Kind {
  readonly socketsPerAddress: number
  /** These are units: a frame is one, and one more for each KiB. */
  readonly frames: Rate
  /** An address may come to each gateway of the venue; the same data is told at all of them. */
  readonly upgradesAreDivided: boolean
  /** Where limits are off a benchmark sends orders as fast as it can, and nothing else. */
  readonly isAlwaysCharged: boolean
}

/**
 * Every limit of the transport. What a message may ask for is limited behind it, by user or connection, so these are
 * wide: the address of a market maker may send all that five users have in a minute at once.
 */
export const limits = {
  /** Both kinds count together; more are refused with 503, whatever the settings. */
  openSockets: 10_000,
  upgradesPerMinute: 100,
  frameBytes: 64 * 1024,
  fragmentsPerMessage: 16,
  /** One socket is served so much in a turn of the event loop, so that others never wait for more. */
  unitsPerTurn: 32,
  /** A socket that asks for more than its buckets hold is read no further; if that lasts so long, it is closed. */
  patienceMillis: 5_000,
  /** Messages that have begun and not ended take this. */
  unfinished: { bytes: 64 * 1024 * 1024, bytesOfEach: 4 * 1024 },
  /** Frames that clients have not read take this; each client has a bound of its own besides, `maxWaitingBytes`. */
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

/** A frame with so many bytes of payload is charged this. */
export const unitsOf = (bytes: number): number => 1 + (bytes >> 10)

/** Says why no further socket may open. */
export type Refusal =
  | { readonly _tag: "TooManyUpgrades"; readonly waitMillis: number }
  | { readonly _tag: "AddressFull"; readonly most: number }
  | { readonly _tag: "VenueFull"; readonly most: number }

/** Each open socket has one. */
export interface Allowance {
  /** Charges a frame of text or a fragment; false when there is nothing left for it. */
  readonly frame: (units: number) => boolean
  /** Charges a ping or a pong. */
  readonly control: () => boolean
  /** The socket has so many bytes of what is not finished now; false when that is too much. */
  readonly unfinished: (bytes: number) => boolean
  /** So many bytes wait for the client to read them now; false when that is too much. */
  readonly unread: (bytes: number) => boolean
  readonly close: () => void
}

/** Each listener has one. */
export interface SocketBudget {
  /** Counts an upgrade; undefined when the socket may open. */
  readonly refusal: (address: string) => Refusal | undefined
  readonly open: (address: string) => Allowance
}

export interface SocketBudgets {
  readonly trade: SocketBudget
  readonly marketData: SocketBudget
}

export interface SocketBudgetOptions {
  /** Without them an address may open as many sockets as it likes, and shares no bucket. */
  readonly limits: boolean
  readonly nowMillis: () => number
  /** Those of the venue; one, unless told otherwise. */
  readonly livingGateways?: () => number
}

/** The listeners of one process share these. */
export const make = (options: SocketBudgetOptions): SocketBudgets => {
  const total: Total = { open: 0, opened: 0, unfinished: { bytes: 0 }, unread: { bytes: 0 } }
  return { trade: budgetOf(limits.trade, options, total), marketData: budgetOf(limits.marketData, options, total) }
}

interface Total {
  open: number
  /** Those that have closed count too. */
  opened: number
  readonly unfinished: { bytes: number }
  readonly unread: { bytes: number }
}

/** So much is drawn from the bucket of an address at once: most frames then cost a subtraction and no look at a clock. */
const drawnUnits = 128

function budgetOf(kind: Kind, options: SocketBudgetOptions, total: Total): SocketBudget {
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
  const count = (network: string, by: 1 | -1) => {
    total.open += by
    const now = (openOf.get(network) ?? 0) + by
    if (now === 0) openOf.delete(network)
    else openOf.set(network, now)
  }
  return {
    refusal: (address) => {
      const network = ClientAddress.network(address)
      const waitMillis = upgrades.spend(network, 1)
      if (waitMillis > 0) return { _tag: "TooManyUpgrades", waitMillis }
      if (total.open >= limits.openSockets) return { _tag: "VenueFull", most: limits.openSockets }
      const most = kind.socketsPerAddress
      if (options.limits && (openOf.get(network) ?? 0) >= most) return { _tag: "AddressFull", most }
      return undefined
    },
    open: (address) => {
      const network = ClientAddress.network(address)
      // Where addresses are not limited, each socket has the bucket of an address to itself.
      const payer = options.limits ? network : `${++total.opened}`
      const frame = bucket(kind.frames, nowMillis, () => frames.spend(payer, drawnUnits) === 0)
      const control = bucket(limits.controls, nowMillis, () => controls.spend(payer, drawnUnits) === 0)
      const unfinished = share(limits.unfinished, total.unfinished)
      const unread = share(limits.unread, total.unread)
      count(network, 1)
      return {
        frame,
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

/** These are the buckets of addresses. */
function shared({ addressBurst, addressPerSecond }: Rate, enabled: boolean, nowMillis: () => number) {
  const refillMillis = (addressBurst / addressPerSecond) * 1_000
  return RateLimits.make({ enabled, nowMillis, capacity: addressBurst, refillMillis })
}

/** Tells what one socket has of it now. */
function share({ bytes: most, bytesOfEach }: Memory, all: { bytes: number }): (bytes: number) => boolean {
  let mine = 0
  return (bytes) => {
    if (bytes === mine) return true
    all.bytes += bytes - mine
    mine = bytes
    return all.bytes <= most || bytes <= bytesOfEach
  }
}

/** The bucket of one socket is looked after only when it is empty. */
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
