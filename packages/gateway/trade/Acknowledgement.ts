/**
 * Outstanding acknowledgements of one connection: the replies to cancel-all and stop commands. An acknowledgement is
 * sent when every market that the command touches has committed and every earlier request is answered. The command's
 * order responses wait behind the acknowledgement in the reply queues of their symbols.
 */
import * as Frame from "@venue/api/trade/Frame"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"

export interface Acknowledgement {
  /** JSON text of the request to echo, or undefined if the request contains a credential. */
  readonly incoming: string | undefined
  /** Markets that the command touches, or undefined until the desk has named them. */
  markets: ReadonlyArray<MarketSymbol> | undefined
  /** Markets that have committed the command. */
  readonly committed: Set<MarketSymbol>
  /** Time after which the outcome is reported as unknown. */
  readonly dueMillis: number
  /** True for a stop command. If its market refuses the command, the refusal replaces the acknowledgement. */
  readonly isOfStop: boolean
  /** Error frame to send instead of the acknowledgement. */
  refusal: string | undefined
  /** True when every earlier request is answered. */
  isItsTurn: boolean
  /** Called after the reply is sent. */
  readonly done: () => void
}

export interface Acknowledgements {
  /** Acknowledgements that have not been sent yet, by command id. */
  readonly pending: Map<string, Acknowledgement>
  readonly send: (frame: string) => void
}

/** Returns an empty set for a connection that sends frames with `send`. */
export const make = (send: (frame: string) => void): Acknowledgements => ({ pending: new Map(), send })

/** Adds the acknowledgement of a command that was sent to its desk. */
export const expect = (
  { pending }: Acknowledgements,
  commandId: string,
  options: Pick<Acknowledgement, "incoming" | "dueMillis" | "done" | "isOfStop">
): void =>
  void pending.set(commandId, {
    ...options,
    markets: undefined,
    committed: new Set(),
    refusal: undefined,
    isItsTurn: false
  })

/** Records that every earlier request is answered. */
export const takeTurn = (acknowledgements: Acknowledgements, commandId: string): void => {
  const acknowledgement = acknowledgements.pending.get(commandId)
  if (acknowledgement === undefined) return
  acknowledgement.isItsTurn = true
  sendIfReady(acknowledgements, commandId, acknowledgement)
}

/** Records that a market has committed the command and that all its events were delivered. */
export const committed = (acknowledgements: Acknowledgements, commandId: string, market: MarketSymbol): void => {
  const acknowledgement = acknowledgements.pending.get(commandId)
  if (acknowledgement === undefined) return
  acknowledgement.committed.add(market)
  sendIfReady(acknowledgements, commandId, acknowledgement)
}

/** Records the markets that the command touches, as the desk names them. */
export const forwarded = (
  acknowledgements: Acknowledgements,
  commandId: string,
  markets: ReadonlyArray<MarketSymbol>
): void => {
  const acknowledgement = acknowledgements.pending.get(commandId)
  if (acknowledgement === undefined) return
  acknowledgement.markets = markets
  sendIfReady(acknowledgements, commandId, acknowledgement)
}

/**
 * Replaces the acknowledgement with an error from the desk or a market. If the command was given up, sends the error
 * at once.
 */
export const refuse = (acknowledgements: Acknowledgements, commandId: string, refusal: string): void => {
  const acknowledgement = acknowledgements.pending.get(commandId)
  if (acknowledgement === undefined) return acknowledgements.send(refusal)
  acknowledgement.refusal = refusal
  sendIfReady(acknowledgements, commandId, acknowledgement)
}

/** Gives up on overdue commands that are incomplete. `unknown` reports each one to the client. */
export const giveUp = (
  { pending }: Acknowledgements,
  nowMillis: number,
  unknown: (incoming: string | undefined) => void
): void => {
  for (const [commandId, acknowledgement] of pending) {
    if (acknowledgement.dueMillis > nowMillis || isComplete(acknowledgement)) continue
    pending.delete(commandId)
    unknown(acknowledgement.incoming)
    acknowledgement.done()
  }
}

const sendIfReady = (
  { pending, send }: Acknowledgements,
  commandId: string,
  acknowledgement: Acknowledgement
): void => {
  if (!acknowledgement.isItsTurn || !isComplete(acknowledgement)) return
  pending.delete(commandId)
  send(acknowledgement.refusal ?? Frame.ack(acknowledgement.incoming))
  acknowledgement.done()
}

const isComplete = ({ committed, markets, refusal }: Acknowledgement): boolean =>
  refusal !== undefined || (markets !== undefined && markets.every((market) => committed.has(market)))
