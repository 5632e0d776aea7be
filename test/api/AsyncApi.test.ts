/** Tests of the AsyncAPI documents of both sockets. */
import { Channel as MarketDataChannel } from "@venue/api/marketData/CommandSchema"
import { Data } from "@venue/api/marketData/FrameSchema"
import { document as marketData } from "@venue/api/marketData/Document"
import { Channel, Command, MarketDataChannel as OnTrade } from "@venue/api/trade/CommandSchema"
import { commands } from "@venue/api/trade/CommandMessage"
import { document as trade } from "@venue/api/trade/Document"
import { frames } from "@venue/api/trade/FrameMessage"
import { Bodies } from "@venue/api/trade/FrameSchema"
import { expect, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { documents, faultOf } from "../SocketFrames.ts"

const schema = createRequire(import.meta.url).resolve("@asyncapi/specs/schemas/3.0.0-without-$id.json")
const isAsyncApi = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(readFileSync(schema, "utf8")))

const acme = trade({ brand: "Acme", url: "wss://stream.venue.test:8443/trade" })
const both = Object.entries({ trade: acme, market_data: marketData("ws://127.0.0.1:4004") })

for (const [name, document] of both) {
  it(`${name}: is a valid AsyncAPI 3.0 document`, () => {
    expect([isAsyncApi(document), isAsyncApi.errors]).toEqual([true, null])
    expect([document.asyncapi, document.info.version]).toEqual(["3.0.0", "v0.0.10"])
    const [id, operation] = Object.entries(document.operations)[0]!
    for (const wrong of [
      { ...operation, action: "shout" },
      { ...operation, channel: undefined }
    ]) {
      expect(isAsyncApi({ ...document, operations: { [id]: JSON.parse(JSON.stringify(wrong)) } })).toBe(false)
    }
  })

  it(`${name}: contains every object that it refers to`, () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = ""]) => path)
    expect(references.length).toBeGreaterThan(40)
    const at = (path: string) =>
      path.split("/").reduce<unknown>((place, key) => (place as Record<string, unknown> | undefined)?.[key], document)
    expect(references.filter((path) => at(path) === undefined)).toEqual([])
  })

  it(`${name}: describes every number that a message can contain`, () => {
    const silent = Object.entries(document.components.schemas).flatMap(([of, schema]) => numbersWithout(schema, of))
    expect(silent).toEqual([])
  })
}

/** Returns the titles of all objects, enumerations and unions; `undefined` stands for a missing title. */
const titlesOf = (schema: unknown): ReadonlyArray<unknown> => {
  if (typeof schema !== "object" || schema === null) return []
  const isType = ["enum", "anyOf", "oneOf", "allOf"].some((keyword) => keyword in schema)
  const isNamed = !("$ref" in schema) && (isType || ("type" in schema && schema.type === "object"))
  const own = isNamed ? ["title" in schema ? schema.title : undefined] : []
  return [...own, ...Object.entries(schema).flatMap(([key, value]) => (key === "enum" ? [] : titlesOf(value)))]
}

for (const [name, document] of both) {
  it(`${name}: gives every object, enumeration and union a unique title`, () => {
    const { schemas } = document.components
    const titles = Object.values(schemas).flatMap(titlesOf)
    expect(titles.length).toBeGreaterThan(20)
    expect(titles.filter((title) => typeof title !== "string" || !/^[A-Z][A-Za-z0-9]*$/.test(title))).toEqual([])
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([])
    for (const [id, schema] of Object.entries(schemas)) expect((schema as { title?: string }).title ?? id).toBe(id)
  })
}

it("detects a schema without a title, even inside a list", () => {
  const list = { title: "List", type: "object", properties: { a: { type: "array", items: { enum: ["x"] } } } }
  expect(titlesOf(list)).toEqual(["List", undefined])
})

/** Returns the paths of numbers without a description. */
const numbersWithout = (schema: unknown, path: string, isDescribed = false): ReadonlyArray<string> => {
  if (typeof schema !== "object" || schema === null) return []
  const described = isDescribed || "description" in schema
  if ("type" in schema && (schema.type === "number" || schema.type === "integer")) return described ? [] : [path]
  return Object.entries(schema).flatMap(([key, value]) =>
    numbersWithout(value, `${path}/${key}`, described && (key === "anyOf" || /^\d+$/.test(key)))
  )
}

it("detects a number without a description, even next to a described one", () => {
  const described = { type: "number", description: "In USD." }
  const list = {
    description: "A list.",
    type: "array",
    items: { type: "object", properties: { a: { type: "number" } } }
  }
  expect(
    numbersWithout({ properties: { described, list, either: { anyOf: [{ type: "null" }, { type: "integer" }] } } }, "")
  ).toEqual(["/properties/list/items/properties/a", "/properties/either/anyOf/1"])
})

it("every example in an AsyncAPI document satisfies its schema", () => {
  for (const socket of ["trade", "market_data"] as const) {
    for (const [name, { examples }] of Object.entries(documents[socket].components.messages)) {
      expect([name, faultOf(socket, name, examples[0].payload)]).toEqual([name, undefined])
    }
  }
})

it("the AsyncAPI documents have an operation for every command and every channel", () => {
  const operations = Object.entries(acme.operations)
  const sent = operations.filter(([, { action }]) => action === "send")
  // If a frame had the name of a command, its message would replace the command's message.
  expect(Object.keys(acme.components.messages)).toEqual([...Object.keys(commands), ...Object.keys(frames)])
  expect(sent.map(([id]) => id).toSorted()).toEqual(Command.members.map(({ fields }) => fields.type.literal).toSorted())
  for (const [id, { reply }] of sent) {
    expect([id, reply?.messages.length]).toEqual([id, expect.any(Number)])
    expect([id, reply?.messages.at(-1)]).toEqual([id, { $ref: "#/channels/trade/messages/err" }])
  }
  const received = operations.filter(([, { action }]) => action === "receive").map(([id]) => id)
  expect(received).toEqual(
    [...Channel.literals, ...OnTrade.literals].map((channel) => `on_${channel}`).toSorted(byPlace(received))
  )
  const ofMarketData = Object.keys(marketData("ws://venue.test").operations)
  expect(ofMarketData).toEqual([
    "subscribe",
    "unsubscribe",
    ...MarketDataChannel.literals.map((channel) => `on_${channel}`)
  ])
})

const byPlace = (places: ReadonlyArray<string>) => (first: string, second: string) =>
  places.indexOf(first) - places.indexOf(second)

it("the AsyncAPI documents describe every key of a trade frame and every type of market-data frame", () => {
  const keys = Object.entries(acme.components.schemas)
    .filter(([name]) => name.endsWith("Message"))
    .flatMap(([, { properties }]) => Object.keys((properties ?? {}) as object))
  expect(Object.keys(Bodies.fields).filter((key) => !keys.includes(key))).toEqual([])
  const frames = Object.keys(documents.market_data.components.messages)
  expect(Data.members.map(({ fields }) => fields.type.literal).filter((type) => !frames.includes(type))).toEqual([])
})

it("the AsyncAPI document states the venue's URL, credentials and upgrade headers with the operator's prefix", () => {
  expect(acme.servers.venue).toEqual({
    host: "stream.venue.test:8443",
    protocol: "wss",
    security: [{ $ref: "#/components/securitySchemes/hmac" }, { $ref: "#/components/securitySchemes/jwt" }]
  })
  expect(acme.channels["trade"]).toMatchObject({
    address: "/trade",
    bindings: {
      ws: {
        method: "GET",
        query: { properties: { api_key: { type: "string" }, jwt: { type: "string" } } },
        headers: { properties: { "x-acme-builder-code": { format: "uuid" } } }
      }
    }
  })
  expect(marketData("ws://127.0.0.1:4004").servers.venue).toEqual({ host: "127.0.0.1:4004", protocol: "ws" })
})
