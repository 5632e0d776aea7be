/** Bounded queue of a socket's events, in order. */
import { Effect, Queue } from "effect"

/**
 * Event from a socket. `Connected` means signed in and subscribed; `Unreadable` means that a frame failed its schema.
 */
export type SocketEvent<Frame> =
  | { readonly _tag: "Connected" }
  | { readonly _tag: "Disconnected"; readonly reason: string }
  | { readonly _tag: "Received"; readonly frame: Frame }
  | { readonly _tag: "Unreadable"; readonly text: string }

/** Event queue with the functions that write to it. */
export interface SocketEvents<Frame> {
  readonly queue: Queue.Dequeue<SocketEvent<Frame>>
  /** Adds an event; returns false if the queue is full, in which case the caller must drop the connection. */
  readonly add: (event: SocketEvent<Frame>) => boolean
  /** Adds `Disconnected`, which replaces the oldest event if the queue is full. */
  readonly disconnected: (reason: string) => void
}

/** Returns an empty queue of at most 16,384 events. */
export const make = <Frame>(): Effect.Effect<SocketEvents<Frame>> =>
  Effect.map(Queue.dropping<SocketEvent<Frame>>(maxEvents), (queue) => ({
    queue,
    add: (event) => Queue.offerUnsafe(queue, event),
    disconnected: (reason) => {
      if (Queue.isFullUnsafe(queue)) Queue.takeUnsafe(queue)
      Queue.offerUnsafe(queue, { _tag: "Disconnected", reason })
    }
  }))

/** Reason for dropping a connection whose reader is too slow. */
export const unread = "events were not read in time"

const maxEvents = 16_384
