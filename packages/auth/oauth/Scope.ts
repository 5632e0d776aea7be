/** What an application may ask to know of a user; no scope limits what it may do as that user. */

export const scopes = ["openid", "profile", "email", "phone", "offline_access"] as const

export type Scope = (typeof scopes)[number]

/** An application that asks for none has this one. */
const usual: Scope = "email"

/** Each once, in the order they were asked for; undefined when one of them is unknown. */
export const read = (text: string | undefined): ReadonlyArray<Scope> | undefined => {
  if (text === undefined) return [usual]
  const asked = text.split(" ")
  return asked.every(isScope) ? [...new Set(asked)] : undefined
}

export const print = (list: ReadonlyArray<string>): string => list.join(" ")

/** What was printed. */
export const list = (text: string): ReadonlyArray<string> => text.split(" ")

export const covers = (granted: ReadonlyArray<string>, asked: ReadonlyArray<string>): boolean =>
  asked.every((scope) => granted.includes(scope))

const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text)
