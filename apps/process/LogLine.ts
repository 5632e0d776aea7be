/** Lines of the log: one JSON object per line for machines, or text with the date for people. */

/** Entry of the log. */
export interface Entry {
  readonly date: Date
  /** Level in capitals, such as `WARN`. */
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  /** Error with its stack, or undefined. */
  readonly error: string | undefined
}

export interface Origin {
  /** Name of the process, or an empty string while it is unknown. */
  readonly node: string
  readonly release: string
}

/** Returns the entry as one JSON object. `time` is RFC 3339 in UTC; `fields` and `error` are omitted if empty. */
export const json = ({ date, error, fields, level, message }: Entry, { node, release }: Origin): string =>
  JSON.stringify({
    time: date.toISOString(),
    level,
    ...(node === "" ? undefined : { node }),
    release,
    message,
    ...(Object.keys(fields).length === 0 ? undefined : { fields }),
    ...(error === undefined ? undefined : { error })
  })

/** Returns the entry as text in one line. The lines of an error follow it. */
export const text = ({ date, error, fields, level, message }: Entry): string => {
  const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${plain(value)}`)
  return `${date.toISOString()} ${level} ${message}${pairs.join("")}${error === undefined ? "" : `\n${error}`}`
}

const plain = (value: unknown): string =>
  typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
