/** Every message between nodes, with its binary encoding (`RpcSerialization.layerSchemaBinary`) and a text form. */
import { Desk } from "@venue/cluster/protocol/Desk"
import { Market } from "@venue/cluster/protocol/Market"
import { NodeCalls } from "@venue/cluster/protocol/Node"
import { User } from "@venue/cluster/protocol/User"
import { Cause, Context, Effect, Exit, Layer, Schema } from "effect"
import { Reply, Snowflake } from "effect/cluster"
import { type Rpc, RpcSchema } from "effect/rpc"
import * as RpcSerialization from "effect/rpc/RpcSerialization"

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

export interface Message {
  readonly entity: string
  readonly rpc: string
  readonly part: "payload" | "success" | "error" | "chunk"
  readonly schema: Schema.Codec<unknown, unknown>
  /** Encodes a value to the bytes that nodes exchange. */
  readonly encode: (json: Json) => Uint8Array
  readonly decode: (bytes: Uint8Array) => Json
}

/** The serialization that nodes use. */
export const serialization = Effect.runSync(
  Effect.scoped(
    Effect.map(Layer.build(RpcSerialization.layerSchemaBinary()), (built) =>
      Context.get(built, RpcSerialization.RpcSerialization)
    )
  )
)

type AnyRpc = Rpc.AnyWithProps
type Codec = Schema.Codec<unknown, unknown>

const messagesOf = (entity: string, rpc: AnyRpc): ReadonlyArray<Message> => {
  const payload = rpc.payloadSchema as unknown as Codec
  const asked: Message = {
    entity,
    rpc: rpc._tag,
    part: "payload",
    schema: payload,
    ...between(payload, serialization.codecFor(payload) as Codec)
  }
  const answered = (part: Message["part"], schema: Schema.Top, reply: Replying): ReadonlyArray<Message> =>
    schema.ast._tag === "Never"
      ? []
      : [{ entity, rpc: rpc._tag, part, schema: schema as unknown as Codec, ...told(rpc, schema as never, reply) }]
  const stream = RpcSchema.isStreamSchema(rpc.successSchema) ? rpc.successSchema : undefined
  return [
    asked,
    ...(stream === undefined ? answered("success", rpc.successSchema, succeeded) : []),
    ...(stream === undefined ? [] : answered("chunk", stream.success, streamed)),
    ...answered("error", stream?.error ?? rpc.errorSchema, failed)
  ]
}

/** Wraps a value in a reply, and unwraps it. */
interface Replying {
  readonly of: (value: unknown) => unknown
  readonly in: (reply: never) => unknown
}

const ids = { requestId: Snowflake.Snowflake(7_203_114_403n), id: Snowflake.Snowflake(7_203_114_404n) }

const succeeded: Replying = {
  of: (value) => new Reply.WithExit({ ...ids, exit: Exit.succeed(value) as never }),
  in: ({ exit }: { exit: Exit.Success<unknown> }) => exit.value
}
const failed: Replying = {
  of: (error) => new Reply.WithExit({ ...ids, exit: Exit.fail(error) as never }),
  in: ({ exit }: { exit: Exit.Failure<unknown, unknown> }) => Cause.squash(exit.cause)
}
const streamed: Replying = {
  of: (value) => new Reply.Chunk({ ...ids, sequence: 0, values: [value as never] }),
  in: ({ values }: { values: ReadonlyArray<unknown> }) => values[0]
}

const told = (rpc: AnyRpc, schema: Codec, reply: Replying) => {
  const codec = Reply.Reply(rpc as never, serialization.codecFor) as unknown as Codec
  return between(schema, {
    encode: (value: unknown) => Schema.encodeSync(codec)(reply.of(value)),
    decode: (bytes: unknown) => reply.in(Schema.decodeSync(codec)(bytes) as never)
  })
}

interface Coder {
  readonly encode: (value: unknown) => unknown
  readonly decode: (bytes: unknown) => unknown
}

const between = (schema: Codec, coded: Coder | Codec): Pick<Message, "encode" | "decode"> => {
  const text = Schema.toCodecJson(schema)
  const coder: Coder =
    "ast" in coded ? { encode: Schema.encodeSync(coded as Codec), decode: Schema.decodeSync(coded as Codec) } : coded
  return {
    // The bytes are copied because the library reuses its buffer.
    encode: (json) => (coder.encode(Schema.decodeUnknownSync(text)(json)) as Uint8Array).slice(),
    decode: (bytes) => (Schema.encodeSync(text)(coder.decode(bytes)) ?? null) as Json
  }
}

const groups = [
  ...[Desk, Market, User].map(({ protocol, type }) => [type, protocol] as const),
  ["Node", NodeCalls] as const
]

export const messages: ReadonlyArray<Message> = groups.flatMap(([name, { requests }]) =>
  [...requests.values()].flatMap((rpc) => messagesOf(name, rpc as unknown as AnyRpc))
)
