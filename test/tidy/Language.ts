/**
 * Phrases that `docs/design/style.md` rejects, and where a text uses them. To add one, give it a name, an expression
 * over a sentence, and an example in `Language.test.ts`.
 */

export interface Prose {
  /** Line of the file on which the text begins, from 1. */
  readonly line: number
  readonly text: string
}

export interface Finding {
  readonly line: number
  readonly phrase: string
  readonly sentence: string
}

/** Each expression applies to one sentence, without comment marks. */
export const phrases: Readonly<Record<string, RegExp>> = {
  "opens with a relative word": /^(?:of|what|whoever|whatever|those|that|nobody|no one|it is to|one that|ones that)\b/i,
  "software that speaks": /\b(?:tells?|told|telling|says?|said|saying|hears?|heard|hearing|speaks?|spoke|spoken)\b/i,
  "software that asks": /\bask(?:s|ed|ing)?\b/i,
  "nobody, whoever": /\b(?:nobody|whoever|whomever|whosever|no one)\b/i,
  "relative clause for a noun": /\b(?:those|ones?|all|anything|something|nothing|everything) (?:that|who|which)\b/i,
  "what is, what was": /\bwhat (?:is|was|are|were|has|had|have|comes|came|goes|went|does|did|waits|stands)\b/i,
  "so many": /\bso (?:many|much|long|few|far)\b(?! (?:as|that))/i,
  "any more": /\bany ?more\b/i,
  "all the same": /\ball the same\b/i,
  "is none": /\b(?:is|are|was|were|be|has|have) none\b/i,
  "comes to": /\b(?:comes?|came) to\b/i,
  "for good": /\bfor good\b/i,
  "by hand of": /\bby hand of\b/i,
  "as long as it is so": /\bas long as (?:it|that|this) is so\b/i,
  "is there": /\b(?:is|are|was|were|be) (?:not )?there\b(?! (?:a|an|any|no)\b)/i,
  "made up": /\b(?:is|are|were|was) made (?:of|up)\b/i,
  "hands on, lets in": /\b(?:hand(?:s|ed)? on|lets? in|let in|takes? back|gives? back|taken back)\b/i,
  "double negation":
    /\b(?:not|no|never|nothing|nowhere|neither)\b[^,;:]*\b(?:not|no|never|nothing|without|unless|neither)\b/i
}

/** Names that do not describe their content: of types, and of parameters and constants. */
const names: Readonly<Record<string, RegExp>> = {
  "type named for how it came": /\b(?:interface|type|class) (?:Told|Said|Asked|Found|Heard)\b/g,
  "name without content": /(?:\bconst |[({,] ?)(?:around|looks|goOn|one|said|told|asked|heard)(?=\s*[,:)=}])/g
}

export const misnamed = (code: string): ReadonlyArray<Finding> =>
  Object.entries(names).flatMap(([phrase, expression]) =>
    [...code.matchAll(expression)].map(({ 0: sentence, index }) => ({ line: lineAt(code, index), phrase, sentence }))
  )

/** Returns the comments and the test titles of a TypeScript or JavaScript file. */
export const proseOf = (code: string): ReadonlyArray<Prose> => {
  const comments = [...code.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?<=^|\s)\/\/ ?([^\n]*(?:\n\s*\/\/ ?[^\n]*)*)/g)]
  const titles = [...code.matchAll(/\b(?:it|describe|layer|suite|test)\b[\w.]*\(\s*["`]((?:\\.|[^"`\\])*)["`]/g)]
  return [...comments, ...titles]
    .map((match) => ({ line: lineAt(code, match.index), text: match[1] ?? match[2] ?? "" }))
    .filter(({ text }) => !/^\s*(?:oxlint|eslint|@ts|@vitest)/.test(text))
}

/** Returns the paragraphs of a document, without code, quotes of code and link targets. */
export const paragraphsOf = (document: string): ReadonlyArray<Prose> => {
  const plain = document.replaceAll(/```[\s\S]*?```/g, (block) => block.replaceAll(/[^\n]/g, ""))
  return plain.split("\n").map((text, at) => ({ line: at + 1, text: text.replaceAll(/\]\([^)]*\)/g, "]") }))
}

export const findings = (prose: ReadonlyArray<Prose>): ReadonlyArray<Finding> =>
  prose.flatMap(({ line, text }) =>
    sentences(text).flatMap((sentence) =>
      Object.entries(phrases)
        .filter(([, expression]) => expression.test(sentence))
        .map(([phrase]) => ({ line, phrase, sentence }))
    )
  )

/** Splits a text into sentences, without code between back-ticks and without quotes. */
const sentences = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/\n\s*(?:\*|\/\/) ?/g, " ")
    .replaceAll(/`[^`]*`/g, "x")
    .replaceAll(/"[^"]*"/g, "x")
    .split(/(?<=[.;?!])\s+|\s\|\s|^\s*[-|*]\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length
