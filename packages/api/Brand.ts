/**
 * Body members with the operator's prefix. The venue sends the operator's prefix and also accepts the neutral prefix.
 */
import { neutralBrand } from "./Headers.ts"
import type { Fields } from "./Incoming.ts"

/** Name of a member under the neutral prefix. */
export type Member = `${typeof neutralBrand}_${string}`

/** Returns the operator's spelling: `acme_symbol` for `svc_symbol` if the brand is `acme`. */
export const memberName = (brand: string, neutral: Member): string =>
  `${brand.toLowerCase().replaceAll("-", "_")}${neutral.slice(neutralBrand.length)}`

/**
 * Returns true if the text can be a brand. `builder` and `future` are reserved, because members of the same bodies
 * begin with these words.
 */
export const isBrand = (text: string): boolean => /^[a-z0-9-]+$/i.test(text) && !/^(builder|future)$/i.test(text)

/**
 * Renames these members of a request to their neutral names. A member stays unchanged if its neutral name is also
 * present.
 */
export const neutrallyNamed = (brand: string, members: ReadonlyArray<Member>, sent: Fields): Fields => {
  const names = new Map(members.map((neutral) => [memberName(brand, neutral), neutral]))
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const neutral = names.get(name)
      return [neutral === undefined || Object.hasOwn(sent, neutral) ? name : neutral, value]
    })
  )
}
