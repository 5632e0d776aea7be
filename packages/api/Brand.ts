/** Members of bodies that carry the operator's prefix, as headers do. */
import { neutralBrand } from "./Headers.ts"

/** Names a member by what it is called under the neutral prefix: `svc_symbol` is `acme_symbol` of the brand `acme`. */
export const memberName = (brand: string, neutral: `${typeof neutralBrand}_${string}`): string =>
  `${brand.toLowerCase().replaceAll("-", "_")}${neutral.slice(neutralBrand.length)}`
