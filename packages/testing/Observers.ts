/**
 * Observers of every text sent between clients and gateways in this process, such as a check against the published
 * schemas.
 */
import type { Receiver, Transport } from "@venue/gateway/socket/Transport"

/** Kind of socket. */
export type Socket = "trade" | "market_data"

/** Receives every text: `sent` gets texts from a client, and `received` gets texts to a client. */
export interface Observer {
  readonly sent: (socket: Socket, text: string) => void
  readonly received: (socket: Socket, text: string) => void
}

/** Accepts a transport, as a gateway does. */
export type Accept = (transport: Transport) => Receiver

const observers = new Set<Observer>()

/** Adds an observer permanently, because a test process runs a single file. */
export const add = (observer: Observer): void => {
  observers.add(observer)
}

/** Returns a gateway that copies every text to all observers, in the order in which the gateway reads and sends. */
export const observed =
  (socket: Socket, accept: Accept): Accept =>
  (transport) => {
    const receiver = accept({
      ...transport,
      send: (text) => {
        for (const observer of observers) observer.received(socket, text)
        transport.send(text)
      }
    })
    return {
      text: (text) => {
        for (const observer of observers) observer.sent(socket, text)
        receiver.text(text)
      },
      pong: () => receiver.pong?.(),
      closed: (isGivenUp) => receiver.closed(isGivenUp)
    }
  }
