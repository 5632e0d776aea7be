/** Tests that OpenAPI documents describe every operation and member, and show an example of every request member. */
import { expect, it } from "vitest"
import { openApis } from "./PublishedDocuments.ts"

type Json = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {})

const listOf = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const isNull = (schema: Json): boolean => schema["type"] === "null"

interface Member {
  readonly place: string
  readonly schema: Json
  readonly described: unknown
  /** True for request members; response members need no example. */
  readonly isRequest: boolean
  /** True if the enclosing body's example contains the member. */
  readonly inExample: boolean
}

const membersOf = (document: Json): ReadonlyArray<Member> => {
  const resolved = (schema: Json): Json => {
    const reference = schema["$ref"]
    if (typeof reference !== "string") return schema
    return reference
      .slice(2)
      .split("/")
      .reduce<Json>((place, key) => fieldsOf(place[key]), document)
  }
  const descriptionOf = (schema: Json): unknown => {
    if (typeof schema["description"] === "string") return schema["description"]
    if ("$ref" in schema) return descriptionOf(resolved(schema))
    const parts = [...listOf(schema["allOf"]), ...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])]
    const descriptions = parts.filter((part) => !isNull(part)).map(descriptionOf)
    return descriptions.length > 0 && descriptions.every((text) => text !== undefined) ? descriptions[0] : undefined
  }
  const collected: Array<Member> = []
  const seen = new Set<string>()
  const walk = (schema: Json, place: string, isRequest: boolean, example: Json): void => {
    const target = resolved(schema)
    const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1)! : place
    if (name !== place) {
      if (seen.has(`${name} ${isRequest}`)) return
      seen.add(`${name} ${isRequest}`)
    }
    const own = { ...example, ...fieldsOf(listOf(target["examples"])[0]) }
    for (const [key, member] of Object.entries(fieldsOf(target["properties"]))) {
      const inside = fieldsOf(member)
      const at = { place: `${name}.${key}`, schema: inside, isRequest, inExample: key in own }
      collected.push({ ...at, described: descriptionOf(inside) })
      walk(inside, `${name}.${key}`, isRequest, fieldsOf(own[key]))
    }
    for (const part of [...listOf(target["allOf"]), ...listOf(target["anyOf"]), ...listOf(target["oneOf"])]) {
      walk(part, name, isRequest, own)
    }
    if ("items" in target) walk(fieldsOf(target["items"]), `${name}[]`, isRequest, fieldsOf(listOf(own)[0]))
    const rest = target["additionalProperties"]
    if (typeof rest === "object") walk(fieldsOf(rest), `${name}.*`, isRequest, {})
  }
  for (const { operation, name } of operationsOf(document)) {
    for (const parameter of listOf(operation["parameters"])) {
      const [schema, described] = [fieldsOf(parameter["schema"]), parameter["description"]]
      collected.push({ place: `${name} ${parameter["name"]}`, schema, described, isRequest: true, inExample: false })
    }
    for (const { schema } of contentsOf(operation["requestBody"])) walk(schema, `${name} body`, true, {})
    for (const [status, response] of Object.entries(fieldsOf(operation["responses"]))) {
      for (const { schema } of contentsOf(response)) walk(schema, `${name} ${status}`, false, {})
      for (const [header, value] of Object.entries(fieldsOf(fieldsOf(response)["headers"]))) {
        const schema = fieldsOf(fieldsOf(value)["schema"])
        const described = fieldsOf(value)["description"] ?? descriptionOf(schema)
        collected.push({ place: `${name} ${status} ${header}`, schema, described, isRequest: false, inExample: false })
      }
    }
  }
  return collected
}

const contentsOf = (body: unknown): ReadonlyArray<{ readonly schema: Json }> =>
  Object.values(fieldsOf(fieldsOf(body)["content"])).map((content) => ({
    schema: fieldsOf(fieldsOf(content)["schema"])
  }))

const operationsOf = (document: Json) =>
  [...Object.entries(fieldsOf(document["paths"])), ...Object.entries(fieldsOf(document["webhooks"]))].flatMap(
    ([path, item]) =>
      Object.entries(fieldsOf(item)).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        operation: fieldsOf(operation)
      }))
  )

/** Returns true if a member has an example, in its own schema or in its body's example. */
const hasExample = ({ inExample, schema }: Member): boolean => inExample || isExemplary(schema)

const isExemplary = (schema: Json): boolean =>
  ["examples", "example", "enum", "const", "default"].some((key) => key in schema) ||
  schema["type"] === "boolean" ||
  schema["readOnly"] === true ||
  ["allOf", "anyOf", "oneOf"].some((key) => listOf(schema[key]).some(isExemplary)) ||
  // Members of a referenced item schema have examples of their own.
  ("items" in schema && ("$ref" in fieldsOf(schema["items"]) || isExemplary(fieldsOf(schema["items"]))))

/** Words that must not begin a description. */
const quaint = /^(?:Of|What|Whoever|Those|That|It is to)\b/

for (const [name, spec] of Object.entries(openApis)) {
  const document = spec as unknown as Json
  const operations = operationsOf(document)
  const members = membersOf(document)

  it(`${name}: every operation has a summary and a description`, () => {
    expect(operations.length).toBeGreaterThan(15)
    const silent = operations.filter(
      ({ operation }) => typeof operation["summary"] !== "string" || typeof operation["description"] !== "string"
    )
    expect(silent.map((operation) => operation.name)).toEqual([])
    const summaries = operations.map(({ operation }) => String(operation["summary"]))
    expect(summaries.filter((summary) => summary.endsWith(".") || quaint.test(summary))).toEqual([])
    const texts = operations.map(({ operation }) => String(operation["description"]))
    expect(texts.filter((text) => !/[.)`]$/.test(text) || quaint.test(text))).toEqual([])
  })

  it(`${name}: every member is described`, () => {
    expect(members.length).toBeGreaterThan(100)
    expect(members.filter(({ described }) => typeof described !== "string").map(({ place }) => place)).toEqual([])
    const texts = members.map(({ described, place }) => `${described} (${place})`)
    expect(texts.filter((text) => quaint.test(text) || /^[a-z]/.test(text))).toEqual([])
  })

  it(`${name}: every member of a request has an example, a list of choices or a default`, () => {
    const ofRequests = members.filter(({ isRequest }) => isRequest)
    expect(ofRequests.length).toBeGreaterThan(30)
    expect(ofRequests.filter((member) => !hasExample(member)).map(({ place }) => place)).toEqual([])
  })
}
