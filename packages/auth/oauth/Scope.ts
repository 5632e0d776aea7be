/** OAuth scopes. Scopes limit which data about a user an application receives, not which actions it can perform. */

export const scopes = ["openid", "profile", "email", "phone", "offline_access"] as const

export type Scope = (typeof scopes)[number]

/** Scope for an application that requests no scope. */
const usual: Scope = "email"

/** Returns each scope once, in the order of the request, or undefined if a scope is unknown. */
export const read = (text: string | undefined): ReadonlyArray<Scope> | undefined => {
  if (text === undefined) return [usual]
  const requested = text.split(" ")
  return requested.every(isScope) ? [...new Set(requested)] : undefined
}

export const print = (list: ReadonlyArray<string>): string => list.join(" ")

/** Splits a stored scope into its names. */
export const list = (text: string): ReadonlyArray<string> => text.split(" ")

export const covers = (granted: ReadonlyArray<string>, requested: ReadonlyArray<string>): boolean =>
  requested.every((scope) => granted.includes(scope))

const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text)
