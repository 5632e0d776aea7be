/** Builds a socket's AsyncAPI 3.0 document from the Schemas of its messages. */
import { JsonSchema, Schema } from "effect"
import { published } from "./PublishedSchema.ts"
import * as SchemaTitle from "./SchemaTitle.ts"
import { socketVersion } from "./Version.ts"

/** Socket message: its summary, Schema and example. */
export interface Message {
  readonly summary: string
  readonly payload: Schema.Constraint
  readonly example: unknown
}

/** Message that a client sends, with the names of the frames sent in response. */
export interface Command extends Message {
  readonly answers: ReadonlyArray<string>
}

/** Returns a message; the compiler checks the example against the Schema. */
export const message = <const Payload extends Schema.Constraint>(
  summary: string,
  payload: Payload,
  example: Payload["Encoded"]
): Message => ({ summary, payload, example })

/** Returns a command; the compiler checks the example against the Schema. */
export const command = <const Payload extends Schema.Constraint>(
  summary: string,
  answers: ReadonlyArray<string>,
  payload: Payload,
  example: Payload["Encoded"]
): Command => ({ summary, answers, payload, example })

/** Input for a socket's document. */
export interface Socket {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly url: string
  readonly commands: Readonly<Record<string, Command>>
  readonly frames: Readonly<Record<string, Message>>
  /** Names of the frames pushed on each subscription channel. */
  readonly channels: Readonly<Record<string, ReadonlyArray<string>>>
  /** JSON Schemas of the upgrade request's query and headers. */
  readonly upgrade: { readonly query?: JsonSchema.JsonSchema; readonly headers?: JsonSchema.JsonSchema }
  /** Alternative security schemes by name; empty for a public socket. */
  readonly credentials: Readonly<Record<string, object>>
}

/** AsyncAPI Message Object. */
export interface MessageObject {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly contentType: "application/json"
  readonly payload: Reference
  readonly examples: readonly [{ readonly payload: unknown }]
}

/** AsyncAPI 3.0 document. */
export interface Document {
  readonly asyncapi: "3.0.0"
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly defaultContentType: "application/json"
  readonly servers: { readonly venue: ServerObject }
  readonly channels: Readonly<Record<string, object>>
  readonly operations: Readonly<Record<string, OperationObject>>
  readonly components: {
    readonly messages: Readonly<Record<string, MessageObject>>
    readonly schemas: JsonSchema.Definitions
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

interface ServerObject {
  readonly host: string
  readonly protocol: string
  readonly security?: ReadonlyArray<Reference>
}

interface OperationObject {
  readonly action: "send" | "receive"
  readonly channel: Reference
  readonly summary: string
  readonly messages: ReadonlyArray<Reference>
  readonly reply?: { readonly channel: Reference; readonly messages: ReadonlyArray<Reference> }
}

interface Reference {
  readonly $ref: string
}

/** Builds the document from the client's point of view: a client sends commands and receives frames. */
export const document = (socket: Socket): Document => {
  const { commands, credentials, description, frames, name, title } = socket
  const url = new URL(socket.url)
  const named = { ...commands, ...frames }
  const described = describe(named)
  return {
    asyncapi: "3.0.0",
    info: { title, version: socketVersion, description },
    defaultContentType: "application/json",
    servers: {
      venue: {
        host: url.host,
        protocol: url.protocol.slice(0, -1),
        ...secured(Object.keys(credentials))
      }
    },
    channels: {
      [name]: {
        address: url.pathname,
        title,
        servers: [{ $ref: "#/servers/venue" }],
        messages: Object.fromEntries(
          Object.keys(named).map((id) => [id, { $ref: `#/components/messages/${id}` }] as const)
        ),
        bindings: { ws: { method: "GET", ...socket.upgrade, bindingVersion: "0.1.0" } }
      }
    },
    operations: operations(socket),
    components: { ...described, securitySchemes: credentials }
  }
}

const secured = (credentials: ReadonlyArray<string>): Pick<ServerObject, "security"> =>
  credentials.length === 0
    ? {}
    : { security: credentials.map((id) => ({ $ref: `#/components/securitySchemes/${id}` })) }

/** Returns a send operation with its replies for each command, and a receive operation for each channel. */
const operations = ({ channels, commands, name }: Socket): Document["operations"] => {
  const channel = { $ref: `#/channels/${name}` }
  const referred = (ids: ReadonlyArray<string>) => ids.map((id) => ({ $ref: `#/channels/${name}/messages/${id}` }))
  const sent = Object.entries(commands).map(([id, { answers, summary }]): [string, OperationObject] => [
    id,
    { action: "send", channel, summary, messages: referred([id]), reply: { channel, messages: referred(answers) } }
  ])
  const received = Object.entries(channels).map(([id, frames]): [string, OperationObject] => [
    `on_${id}`,
    { action: "receive", channel, summary: `Receives the frames of the ${id} channel.`, messages: referred(frames) }
  ])
  return Object.fromEntries([...sent, ...received])
}

const describe = (
  messages: Readonly<Record<string, Message>>
): Pick<Document["components"], "messages" | "schemas"> => {
  const schemas: JsonSchema.Definitions = {}
  const described = Object.entries(messages).map(([name, { example, payload, summary }]): [string, MessageObject] => {
    const { definitions, schema } = JsonSchema.toDocumentDraft07(
      Schema.toJsonSchemaDocument(payload, { onExcessProperty: "error" })
    )
    const id = `${titled(name).replaceAll(" ", "")}Message`
    Object.assign(schemas, SchemaTitle.titled(published(relocated({ ...definitions, [id]: schema }))))
    return [
      name,
      {
        name,
        title: titled(name),
        summary,
        contentType: "application/json",
        payload: { $ref: `#/components/schemas/${id}` },
        examples: [{ payload: example }]
      }
    ]
  })
  return { messages: Object.fromEntries(described), schemas }
}

const titled = (name: string): string =>
  name
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ")

/** Points references at `components/schemas`, because code generators name types after the schemas there. */
const relocated = <S extends object>(schema: S): S =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === "$ref" ? value.replace(/^#\/definitions\//, "#/components/schemas/") : listed(value)
  )

/**
 * Replaces the tuple form of a non-empty list with a list and `minItems`, because some code generators do not support
 * tuples.
 */
const listed = (schema: unknown): unknown => {
  if (typeof schema !== "object" || schema === null || !("additionalItems" in schema && "items" in schema))
    return schema
  const { additionalItems, items, ...others } = schema
  const isList = JSON.stringify(items) === JSON.stringify([additionalItems])
  return isList ? { ...others, items: additionalItems } : schema
}
