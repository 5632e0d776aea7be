/** Checks the texts on the sockets against their published descriptions. */
import { document as marketDataDocument } from "@venue/api/marketData/Document"
import { decode as decodeSubscription, decodeFields } from "@venue/api/marketData/Subscription"
import type { Document, MessageObject } from "@venue/api/AsyncApi"
import { decode as decodeCommand } from "@venue/api/trade/Command"
import { document as tradeDocument } from "@venue/api/trade/Document"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Socket } from "@venue/testing/Observers"
import { Ajv, type ValidateFunction } from "ajv"

export const documents: Readonly<Record<Socket, Document>> = {
  trade: tradeDocument({ brand: "svc", url: "wss://trade.venue.test" }),
  market_data: marketDataDocument("wss://market-data.venue.test")
}

const ajv = new Ajv({
  strict: false,
  formats: {
    uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
  }
})

/** Compiles each validator when it is first needed. */
const validatorsOf = (schemas: Document["components"]["schemas"]) => {
  const compiled = new Map<MessageObject, ValidateFunction>()
  return (message: MessageObject): ValidateFunction => {
    const known = compiled.get(message)
    if (known !== undefined) return known
    const validate = ajv.compile({ ...message.payload, components: { schemas } })
    compiled.set(message, validate)
    return validate
  }
}

/** Schemas as published, without additional members. */
const closed = {
  trade: validatorsOf(documents.trade.components.schemas),
  market_data: validatorsOf(documents.market_data.components.schemas)
}

/** Schemas that allow additional members: the venue ignores unknown members in commands. */
const opened = ({ components }: Document) =>
  validatorsOf(
    JSON.parse(JSON.stringify(components.schemas), (key, value) =>
      key === "additionalProperties" && value === false ? undefined : value
    )
  )
const open = { trade: opened(documents.trade), market_data: opened(documents.market_data) }

/** Returns how `value` violates the description of the message `name`, or undefined if it is valid. */
export const faultOf = (
  socket: Socket,
  name: string,
  value: unknown,
  validators: typeof closed = closed
): string | undefined => {
  const message = documents[socket].components.messages[name]
  if (message === undefined) return `${socket}: nothing is described as ${name}: ${JSON.stringify(value)}`
  const validate = validators[socket](message)
  return validate(value)
    ? undefined
    : `${socket}: ${ajv.errorsText(validate.errors, { dataVar: name })}: ${JSON.stringify(value)}`
}

/** Returns a frame's `type`, or else its first key. The description's examples have the same kinds. */
const kindOf = (frame: object): string =>
  "type" in frame ? `type ${String(frame.type)}` : (Object.keys(frame)[0] ?? "")

const namesByKind = (document: Document): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(document.components.messages)
      .filter(([name]) => document.operations[name]?.action !== "send")
      .map(([name, { examples }]) => [kindOf(examples[0].payload as object), name])
  )

const frameNames = { trade: namesByKind(documents.trade), market_data: namesByKind(documents.market_data) }

/** Returns how a venue's frame violates its description, or undefined if it is valid. */
export const frameFault = (socket: Socket, text: string): string | undefined => {
  const frame: object = JSON.parse(text)
  const kind = kindOf(frame)
  return faultOf(socket, frameNames[socket].get(kind) ?? kind, frame)
}

/** Returns how a client's command violates its description, or undefined if it is valid or the venue refuses it. */
export const commandFault = (socket: Socket, text: string): string | undefined => {
  const command = socket === "trade" ? decodeCommand(text) : decodeSubscription(text, anySymbol)
  if (isRefused(command)) return undefined
  const marketData = "marketData" in command ? command.marketData : undefined
  if (marketData !== undefined && isRefused(decodeFields(marketData, text, anySymbol))) return undefined
  const message: { readonly type: string } = JSON.parse(text)
  return faultOf(socket, message.type, message, open)
}

const isRefused = (command: ReturnType<typeof decodeCommand | typeof decodeSubscription>): boolean =>
  command._tag === "Malformed" || ("declined" in command && command.declined.length > 0)

/** Contains every symbol, because the check covers a command's form, not whether its symbol is listed. */
const anySymbol: ReadonlySet<MarketSymbol> = Object.assign(new Set<MarketSymbol>(), { has: () => true })
