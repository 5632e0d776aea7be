/** What is said on the sockets, held against their published descriptions. */
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

/** Compiled once it is needed. */
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

/** As they are published. */
const closed = {
  trade: validatorsOf(documents.trade.components.schemas),
  market_data: validatorsOf(documents.market_data.components.schemas)
}

/** The venue passes over members of commands that it does not know. */
const opened = ({ components }: Document) =>
  validatorsOf(
    JSON.parse(JSON.stringify(components.schemas), (key, value) =>
      key === "additionalProperties" && value === false ? undefined : value
    )
  )
const open = { trade: opened(documents.trade), market_data: opened(documents.market_data) }

/** Why a message of that name may not be so, or undefined. */
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

/** Every frame has a type or else a key that comes first, and both are said in its description. */
const kindOf = (frame: object): string =>
  "type" in frame ? `type ${String(frame.type)}` : (Object.keys(frame)[0] ?? "")

const namesByKind = (document: Document): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(document.components.messages)
      .filter(([name]) => document.operations[name]?.action !== "send")
      .map(([name, { examples }]) => [kindOf(examples[0].payload as object), name])
  )

const frameNames = { trade: namesByKind(documents.trade), market_data: namesByKind(documents.market_data) }

/** Why a frame of the venue is none of its description, or undefined. */
export const frameFault = (socket: Socket, text: string): string | undefined => {
  const frame: object = JSON.parse(text)
  const kind = kindOf(frame)
  return faultOf(socket, frameNames[socket].get(kind) ?? kind, frame)
}

/** The same of a text of a client, where it is read as a command. */
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

/** Whether a symbol is listed is no matter of form. */
const anySymbol: ReadonlySet<MarketSymbol> = Object.assign(new Set<MarketSymbol>(), { has: () => true })
