/** Seeded random requests from the REST description: some valid, most with a fault. */
import type { Random } from "../chaos/Random.ts"
import { headerTexts, methods, moments, names, noBodies, oversizedBody, texts, types, values, words } from "./Values.ts"
import { type Operation, rest } from "../gateway/rest/contract/Operations.ts"

const { operations, spec } = rest

export type Credentials = "key" | "session" | "none" | "wrong"

export interface Made {
  /** Undefined if the method and path match no operation. */
  readonly operation: Operation | undefined
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly credentials: Credentials
}

/** Existing values by parameter name; other parameters follow their schema. */
export interface Known {
  readonly accounts: ReadonlyArray<string>
  readonly publicKeys: ReadonlyArray<string>
}

export const request = (random: Random, known: Known): Made => {
  const operation = random.pick(operations)
  const isFaulty = random.chance(0.7)
  const spoil = (chance: number) => isFaulty && random.chance(chance)
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(spoil(0.3) ? random.pick(texts) : valueOf(random, known, name, {}))
  )
  const query = queryOf(random, known, operation, spoil)
  const method = spoil(0.05) ? random.pick(methods) : operation.method
  const otherPath = spoil(0.03) ? `${path}${random.pick(["/", "/x", "//", "%2f", ";x", ".json"])}` : path
  // An empty path parameter changes the path, so that it no longer matches the operation.
  const isElsewhere = method !== operation.method || otherPath !== path || path.split("/").slice(1).includes("")
  return {
    operation: isElsewhere ? undefined : operation,
    method,
    url: `${otherPath}${query === "" ? "" : `?${query}`}`,
    headers: headersOf(random, known, operation, spoil),
    body: bodyOf(random, operation, method, spoil),
    credentials: credentialsOf(random, operation, spoil)
  }
}

type Spoil = (chance: number) => boolean

const queryOf = (random: Random, known: Known, { parameters }: Operation, spoil: Spoil): string => {
  const named = parameters.filter(({ in: place }) => place === "query")
  const pairs = named
    .filter(({ required }) => (required ? !spoil(0.15) : random.chance(0.5)))
    .flatMap(({ name, schema }) => {
      const value = spoil(0.3) ? random.pick(texts) : valueOf(random, known, name, schema)
      return spoil(0.05) ? [[name, value] as const, [name, random.pick(texts)] as const] : [[name, value] as const]
    })
  if (spoil(0.1)) pairs.push([random.pick(names), random.pick(texts)])
  const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")
  return spoil(0.02) ? `${text}&%zz=%&=&&` : text
}

const headersOf = (random: Random, known: Known, { body, parameters }: Operation, spoil: Spoil) => {
  const headers: Record<string, string> = {}
  if (body !== undefined) headers["content-type"] = spoil(0.05) ? random.pick(types) : "application/json"
  for (const { in: place, name } of parameters) {
    if (place === "header" && random.chance(0.3))
      headers[name] = spoil(0.4) ? random.pick(headerTexts) : random.pick(known.accounts)
  }
  if (spoil(0.05)) headers["accept-encoding"] = random.pick(["gzip", "br", "identity;q=0", "*"])
  return headers
}

const credentialsOf = (random: Random, { via }: Operation, spoil: Spoil): Credentials => {
  if (spoil(0.1)) return random.pick<Credentials>(["none", "wrong", "key", "session"])
  if (via.length === 0) return "none"
  return random.pick(via) === "hmac" ? "key" : "session"
}

/** Returns JSON text, or text that is almost JSON. */
const bodyOf = (random: Random, { body }: Operation, method: string, spoil: Spoil): string | undefined => {
  if (method === "GET" || method === "HEAD") return undefined
  if (body === undefined) return spoil(0.05) ? "{}" : undefined
  if (spoil(0.05)) return random.pick(noBodies)
  if (spoil(0.03)) return oversizedBody
  const example = structuredClone(exampleOf(random, body))
  if (typeof example !== "object" || example === null) return JSON.stringify(example)
  for (let left = 3; left > 0 && spoil(0.5); left--) {
    const name = random.pick([...Object.keys(example), ...names])
    if (random.chance(0.25)) Reflect.deleteProperty(example, name)
    else Reflect.set(example, name, random.pick(values))
  }
  const text = JSON.stringify(example)
  return spoil(0.05) ? text.slice(0, random.whole(text.length)) : text
}

interface BodySchema {
  readonly $ref?: string
  readonly anyOf?: ReadonlyArray<object>
  readonly examples?: ReadonlyArray<unknown>
}

const exampleOf = (random: Random, schema: BodySchema): unknown => {
  if (schema.anyOf !== undefined) return exampleOf(random, random.pick(schema.anyOf))
  const named = spec.components.schemas[schema.$ref?.split("/").at(-1) ?? ""] as BodySchema | undefined
  return (named ?? schema).examples?.[0] ?? {}
}

interface ValueSchema {
  readonly enum?: ReadonlyArray<string>
  readonly type?: string
  readonly format?: string
  readonly maximum?: number
}

const valueOf = (random: Random, known: Known, name: string, schema: ValueSchema): string => {
  if (schema.enum !== undefined) return random.pick(schema.enum)
  if (schema.type === "integer") return String(random.whole(Math.min(schema.maximum ?? 100, 2_000)) + 1)
  if (schema.format === "date-time" || name.endsWith("ISO")) return random.pick(moments)
  if (name.endsWith("account_id")) return random.pick(known.accounts)
  if (name === "public_key") return random.pick(known.publicKeys)
  return random.pick(words[name] ?? ["x"])
}
