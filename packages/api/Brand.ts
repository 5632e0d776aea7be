/** Members of bodies that carry the operator's prefix, as headers do: the operator's spelling is told, both are understood. */
import { neutralBrand } from "./Headers.ts"
import type { Fields } from "./Incoming.ts"

/** They are called so under the neutral prefix. */
export type Member = `${typeof neutralBrand}_${string}`

/** The operator's spelling: `svc_symbol` is `acme_symbol` of the brand `acme`. */
export const memberName = (brand: string, neutral: Member): string =>
  `${brand.toLowerCase().replaceAll("-", "_")}${neutral.slice(neutralBrand.length)}`

/** With another's prefix a member would be called as one that stands beside it. */
export const isBrand = (text: string): boolean => /^[a-z0-9-]+$/i.test(text) && !/^(builder|future)$/i.test(text)

/** An object that was sent, with these members under their neutral names. One that is there under both stays as it is. */
export const neutrallyNamed = (brand: string, members: ReadonlyArray<Member>, sent: Fields): Fields => {
  const names = new Map(members.map((neutral) => [memberName(brand, neutral), neutral]))
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const neutral = names.get(name)
      return [neutral === undefined || Object.hasOwn(sent, neutral) ? name : neutral, value]
    })
  )
}
