/** Who is told of each text that clients and this process's gateways say to each other, such as a check of what is written about them. */
import type { Receiver, Transport } from "@venue/gateway/socket/Transport"

export type Socket = "trade" | "market_data"

export interface Observer {
  readonly said: (socket: Socket, text: string) => void
  readonly heard: (socket: Socket, text: string) => void
}

export type Accept = (transport: Transport) => Receiver

const observers = new Set<Observer>()

/** From now on; there is no way back, as a process runs the tests of one file. */
export const add = (observer: Observer): void => {
  observers.add(observer)
}

/** The same gateway with everybody told of what a client says, as it is read, and of what it hears. */
export const observed =
  (socket: Socket, accept: Accept): Accept =>
  (transport) => {
    const receiver = accept({
      ...transport,
      send: (text) => {
        for (const observer of observers) observer.heard(socket, text)
        transport.send(text)
      }
    })
    return {
      text: (text) => {
        for (const observer of observers) observer.said(socket, text)
        receiver.text(text)
      },
      pong: () => receiver.pong?.(),
      closed: (isGivenUp) => receiver.closed(isGivenUp)
    }
  }
