/** Faults of a request, one entry each: location, expected value and sent value. */
import { type Schema, type SchemaAST, SchemaIssue } from "effect"
import * as Digits from "./Digits.ts"
import { expectedOf } from "./Expected.ts"
import { nearest } from "./Nearest.ts"
import type { ErrorDetail } from "./Problem.ts"
import { holdsSecret, isSecret } from "./Secret.ts"

/** Returns at most 100 faults of an issue. `sent` is the undecoded value; each location begins with `place`. */
export const faultsOf = (
  issue: SchemaIssue.Issue,
  place: keyof typeof places,
  sent: unknown
): ReadonlyArray<ErrorDetail> =>
  leavesOf(issue, [], [])
    .slice(0, faultLimit)
    .map(({ issue: leaf, message, path, schemas }) => {
      const names = path.map((part) => cut(String(part)))
      const location = [place, ...names].join(".")
      if (leaf === "MissingKey")
        return { location, message: `${names.join(".")} is required: ${expectedAt(schemas, path)}` }
      if (leaf === "UnexpectedKey")
        return { location, message: `${names.join(".")} is not a member of ${places[place]}` }
      const value = isHidden(schemas) ? undefined : valueAt(sent, path)
      if (value === undefined) return { location, message }
      return { location, message: `${message}${numberFault(schemas.at(-1)!, value)}`, value: shown(value) }
    })

/** Parts of a request, and the phrase for each. */
const places = {
  path: "this path",
  query: "this query",
  header: "these headers",
  body: "this body"
}

/** Returns the phrase for a missing member, whose schema is looked up by name in the innermost enclosing schema. */
const expectedAt = (schemas: Leaf["schemas"], path: Leaf["path"]): string => {
  const parent = schemas.at(-1)
  const members = parent?._tag === "Objects" ? parent.propertySignatures : []
  const member = members.find(({ name }) => name === path.at(-1))
  return member === undefined ? "a value" : expectedOf(member.type)
}

/** Returns a value for an error body, cut to 200 characters. */
export const shown = (value: unknown): Schema.Json => {
  if (typeof value === "string") return cut(value)
  // A number such as 1e999 is parsed to infinity, which JSON cannot encode.
  if (typeof value === "number" && !Number.isFinite(value)) return String(value)
  const text = printed(value, valueLimit)
  return text.length <= valueLimit ? JSON.parse(text) : cut(text)
}

/** Returns the end of the message for an invalid number, such as `, got 31; the nearest is 30`. */
export const gotNumber = (refused: number, near: number | undefined): string =>
  `, got ${Digits.plain(refused)}${near === undefined ? "" : `; the nearest is ${Digits.plain(near)}`}`

/** Innermost issue in a tree of issues. */
interface Leaf {
  readonly issue: SchemaIssue.Issue["_tag"]
  readonly message: string
  readonly path: ReadonlyArray<PropertyKey>
  /** Enclosing schemas, outermost first; undefined for a member without a schema. */
  readonly schemas: ReadonlyArray<SchemaAST.AST | undefined>
}

const leavesOf = (issue: SchemaIssue.Issue, path: Leaf["path"], schemas: Leaf["schemas"]): ReadonlyArray<Leaf> => {
  switch (issue._tag) {
    case "Pointer":
      return leavesOf(issue.issue, [...path, ...issue.path], schemas)
    case "Encoding":
      return leavesOf(issue.issue, path, [...schemas, issue.ast])
    case "Composite":
      return issue.issues.flatMap((inner) => leavesOf(inner, path, [...schemas, issue.ast]))
    case "AnyOf":
      if (issue.issues.length > 0)
        return issue.issues.flatMap((inner) => leavesOf(inner, path, [...schemas, issue.ast]))
      return formatted(issue, path, [...schemas, issue.ast])
    case "InvalidType":
      return [
        { issue: issue._tag, message: `Expected ${expectedOf(issue.ast)}`, path, schemas: [...schemas, issue.ast] }
      ]
    case "OneOf":
      return formatted(issue, path, [...schemas, issue.ast])
    case "UnexpectedKey":
      return formatted(issue, path, [...schemas, undefined])
    default:
      return formatted(issue, path, schemas)
  }
}

const formatted = (issue: SchemaIssue.Issue, path: Leaf["path"], schemas: Leaf["schemas"]): ReadonlyArray<Leaf> =>
  format(issue).issues.map(({ message, path: inner = [] }) => ({
    issue: issue._tag,
    message,
    path: [...path, ...inner.map((part) => (typeof part === "object" ? part.key : part))],
    schemas
  }))

/** Formats issues without the values sent: `faultsOf` adds a value only if it is not secret. */
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Whether a value is, contains or is part of a secret. A value without a schema counts as secret. */
const isHidden = (schemas: Leaf["schemas"]): boolean => {
  const last = schemas.at(-1)
  return last === undefined || holdsSecret(last) || schemas.some((ast) => ast === undefined || isSecret(ast))
}

const valueAt = (sent: unknown, path: Leaf["path"]): unknown =>
  path.reduce<unknown>(
    (inside, key) =>
      typeof inside === "object" && inside !== null && Object.hasOwn(inside, key)
        ? (inside as Record<PropertyKey, unknown>)[key]
        : undefined,
    sent
  )

/** Returns the end of the message for an invalid number, sent as a number or as text; "" for any other value. */
const numberFault = (ast: SchemaAST.AST, value: unknown): string => {
  if (ast._tag !== "Number") return ""
  const refused = typeof value === "string" ? Digits.numberOf(value) : value
  return typeof refused === "number" && Number.isFinite(refused) ? gotNumber(refused, nearest(ast, refused)) : ""
}

const cut = (text: string): string => text.slice(0, valueLimit)

/** Prints JSON and stops soon after `room` characters, which bounds the work for a long or deep value. */
const printed = (value: unknown, room: number): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const isArray = Array.isArray(value)
  let text = ""
  for (const [key, item] of Object.entries(value)) {
    if (text.length > room) break
    const name = isArray ? "" : `${JSON.stringify(key)}:`
    text += `${text === "" ? "" : ","}${name}${printed(item, room - text.length - name.length - 1)}`
  }
  return isArray ? `[${text}]` : `{${text}}`
}

/** Maximum length of a value in an error body, in characters. */
const valueLimit = 200
const faultLimit = 100
