/** WebSocket frames that flood a listener, built once and written repeatedly. */

/** Pings, empty text messages, or one endless message in one-byte fragments. */
export const kinds = ["pings", "texts", "fragments"] as const
export type FloodKind = (typeof kinds)[number]

export interface Frames {
  /** Bytes to send once, before the first block. */
  readonly first: Buffer
  /** As many complete frames as fit into one write. */
  readonly block: Buffer
  /** Size of one frame in the block. */
  readonly frameBytes: number
}

export const framesOf = (kind: FloodKind): Frames => {
  const { first, frame } = made[kind]
  const block = Buffer.alloc(frame.length * Math.floor(blockBytes / frame.length), frame)
  return { first, block, frameBytes: frame.length }
}

const blockBytes = 64 * 1024
const mask = Buffer.of(0x12, 0x34, 0x56, 0x78)

/** Builds a short frame, masked as the protocol requires of clients. */
const masked = (head: number, text: string): Buffer =>
  Buffer.concat([
    Buffer.of(head, 0x80 | text.length),
    mask,
    Buffer.from(text).map((byte, index) => byte ^ mask[index & 3]!)
  ])

const none = Buffer.alloc(0)
const made: Readonly<Record<FloodKind, { readonly first: Buffer; readonly frame: Buffer }>> = {
  pings: { first: none, frame: masked(0x89, "") },
  texts: { first: none, frame: masked(0x81, "{}") },
  // No frame has the FIN bit, so the message never finishes.
  fragments: { first: masked(0x01, "{"), frame: masked(0x00, " ") }
}
