/** What is wrong with a request, one entry for each fault: where, what would be right, and what was sent. */
import { type Schema, type SchemaAST, SchemaIssue } from "effect"
import * as Digits from "./Digits.ts"
import { expectedOf } from "./Expected.ts"
import { nearest } from "./Nearest.ts"
import type { ErrorDetail } from "./Problem.ts"
import { holdsSecret, isSecret } from "./Secret.ts"

/** `sent` is what the issue is about, as it came; `place` is where that is, such as `query`. */
export const faultsOf = (
  issue: SchemaIssue.Issue,
  place: keyof typeof places,
  sent: unknown
): ReadonlyArray<ErrorDetail> =>
  found(issue, [], [])
    .slice(0, faultLimit)
    .map(({ around, issue: leaf, message, path }) => {
      const names = path.map((part) => cut(String(part)))
      const location = [place, ...names].join(".")
      if (leaf === "MissingKey")
        return { location, message: `${names.join(".")} is required: ${expectedAt(around, path)}` }
      if (leaf === "UnexpectedKey")
        return { location, message: `${names.join(".")} is not a member of ${places[place]}` }
      const value = isHidden(around) ? undefined : valueAt(sent, path)
      if (value === undefined) return { location, message }
      return { location, message: `${message}${numberFault(around.at(-1)!, value)}`, value: shown(value) }
    })

/** Where a fault is, and the words for that place. */
const places = {
  path: "this path",
  query: "this query",
  header: "these headers",
  body: "this body"
}

/** The schema of a missing member is that of its name in the schema around it. */
const expectedAt = (around: Found["around"], path: Found["path"]): string => {
  const parent = around.at(-1)
  const members = parent?._tag === "Objects" ? parent.propertySignatures : []
  const member = members.find(({ name }) => name === path.at(-1))
  return member === undefined ? "a value" : expectedOf(member.type)
}

/** A value that may be shown: cut where it is long. */
export const shown = (value: unknown): Schema.Json => {
  if (typeof value === "string") return cut(value)
  // More digits than a number can hold are read as no JSON.
  if (typeof value === "number" && !Number.isFinite(value)) return String(value)
  const text = printed(value, valueLimit)
  return text.length <= valueLimit ? JSON.parse(text) : cut(text)
}

/** ` got 31; the nearest is 30`, behind what was expected of a number. */
export const gotNumber = (refused: number, near: number | undefined): string =>
  `, got ${Digits.plain(refused)}${near === undefined ? "" : `; the nearest is ${Digits.plain(near)}`}`

interface Found {
  readonly issue: SchemaIssue.Issue["_tag"]
  readonly message: string
  readonly path: ReadonlyArray<PropertyKey>
  /** The schemas it is under, outermost first; undefined stands for what has none. */
  readonly around: ReadonlyArray<SchemaAST.AST | undefined>
}

const found = (issue: SchemaIssue.Issue, path: Found["path"], around: Found["around"]): ReadonlyArray<Found> => {
  switch (issue._tag) {
    case "Pointer":
      return found(issue.issue, [...path, ...issue.path], around)
    case "Encoding":
      return found(issue.issue, path, [...around, issue.ast])
    case "Composite":
      return issue.issues.flatMap((inner) => found(inner, path, [...around, issue.ast]))
    case "AnyOf":
      if (issue.issues.length > 0) return issue.issues.flatMap((inner) => found(inner, path, [...around, issue.ast]))
      return told(issue, path, [...around, issue.ast])
    case "InvalidType":
      return [{ issue: issue._tag, message: `Expected ${expectedOf(issue.ast)}`, path, around: [...around, issue.ast] }]
    case "OneOf":
      return told(issue, path, [...around, issue.ast])
    case "UnexpectedKey":
      return told(issue, path, [...around, undefined])
    default:
      return told(issue, path, around)
  }
}

const told = (issue: SchemaIssue.Issue, path: Found["path"], around: Found["around"]): ReadonlyArray<Found> =>
  format(issue).issues.map(({ message, path: inner = [] }) => ({
    issue: issue._tag,
    message,
    path: [...path, ...inner.map((part) => (typeof part === "object" ? part.key : part))],
    around
  }))

/** The parser keeps no values beside its issues, so messages hold none but those that are added here. */
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** What is a secret, is in one or has one inside; and what no schema tells of, since that may be anything. */
const isHidden = (around: Found["around"]): boolean => {
  const last = around.at(-1)
  return last === undefined || holdsSecret(last) || around.some((ast) => ast === undefined || isSecret(ast))
}

const valueAt = (sent: unknown, path: Found["path"]): unknown =>
  path.reduce<unknown>(
    (inside, key) =>
      typeof inside === "object" && inside !== null && Object.hasOwn(inside, key)
        ? (inside as Record<PropertyKey, unknown>)[key]
        : undefined,
    sent
  )

/** Queries tell numbers as text, and so may bodies. */
const numberFault = (ast: SchemaAST.AST, value: unknown): string => {
  if (ast._tag !== "Number") return ""
  const refused = typeof value === "string" ? Digits.numberOf(value) : value
  return typeof refused === "number" && Number.isFinite(refused) ? gotNumber(refused, nearest(ast, refused)) : ""
}

const cut = (text: string): string => text.slice(0, valueLimit)

/** Prints JSON, and stops soon after `room` characters however long and deep the value is. */
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

/** Characters of a value that are shown. */
const valueLimit = 200
/** Faults one answer tells. */
const faultLimit = 100
