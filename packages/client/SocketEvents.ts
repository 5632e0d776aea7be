/** What happens on a socket, in order, for whoever reads it. */
import { Effect, Queue } from "effect"

/** `Connected` means accepted, and hearing all that was asked for. */
export type SocketEvent<Frame> =
  | { readonly _tag: "Connected" }
  | { readonly _tag: "Disconnected"; readonly reason: string }
  | { readonly _tag: "Received"; readonly frame: Frame }
  | { readonly _tag: "Unreadable"; readonly text: string }

export interface SocketEvents<Frame> {
  readonly queue: Queue.Dequeue<SocketEvent<Frame>>
  /** False when nobody has read for too long: then the connection is lost, not the order of events. */
  readonly add: (event: SocketEvent<Frame>) => boolean
  /** Takes the place of the oldest event when there is no other. */
  readonly disconnected: (reason: string) => void
}

export const make = <Frame>(): Effect.Effect<SocketEvents<Frame>> =>
  Effect.map(Queue.dropping<SocketEvent<Frame>>(maxEvents), (queue) => ({
    queue,
    add: (event) => Queue.offerUnsafe(queue, event),
    disconnected: (reason) => {
      if (Queue.isFullUnsafe(queue)) Queue.takeUnsafe(queue)
      Queue.offerUnsafe(queue, { _tag: "Disconnected", reason })
    }
  }))

export const unread = "events were not read in time"

const maxEvents = 16_384
