/** A client in the same process: sends frames and takes what comes back. */
import type { Receiver, Transport } from "@venue/gateway/Transport"
import { Effect, type Scope } from "effect"

/** A frame as the client parsed it. */
export type Frame = Record<string, any>

export interface Client {
  readonly send: (message: unknown) => Effect.Effect<void>
  /** Sends text as it is. */
  readonly sendText: (text: string) => Effect.Effect<void>
  /** The next frame that has this key at its top, or waits for it; others stay. */
  readonly take: (key: string) => Effect.Effect<Frame>
  /** Frames that came and were not taken. */
  readonly waiting: () => ReadonlyArray<Frame>
  readonly close: Effect.Effect<void>
  readonly closedWith: () => { readonly code: number; readonly reason: string } | undefined
}

export const open = (accept: (transport: Transport) => Receiver): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync((): Client => {
      const frames: Array<Frame> = []
      let takers: Array<{ readonly key: string; readonly give: (frame: Frame) => void }> = []
      let closedWith: { readonly code: number; readonly reason: string } | undefined
      const receiver = accept({
        send: (text) => {
          const frame = JSON.parse(text) as Frame
          const taker = takers.find(({ key }) => key in frame)
          if (taker === undefined) return void frames.push(frame)
          takers = takers.filter((other) => other !== taker)
          taker.give(frame)
        },
        close: (code, reason) => {
          closedWith = { code, reason }
        },
        waitingBytes: () => 0
      })
      return {
        send: (message) => Effect.sync(() => receiver.text(JSON.stringify(message))),
        sendText: (text) => Effect.sync(() => receiver.text(text)),
        take: (key) =>
          Effect.callback((resume) => {
            const at = frames.findIndex((frame) => key in frame)
            if (at !== -1) return resume(Effect.succeed(frames.splice(at, 1)[0]!))
            takers.push({ key, give: (frame) => resume(Effect.succeed(frame)) })
          }),
        waiting: () => frames,
        close: Effect.sync(receiver.closed),
        closedWith: () => closedWith
      }
    }),
    (client) => client.close
  )
