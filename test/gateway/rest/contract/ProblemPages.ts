/** Where each problem page is provoked: by the walk of an interface, or by the named test. */
import { type Page } from "@venue/api/ProblemPages"

type Place = "rest" | "funding" | `test/${string}.test.ts`

export const places: Partial<Readonly<Record<Page, Place>>> = {
  unexpected: "rest"
}

export const metBy = (place: Place): ReadonlyArray<Page> =>
  (Object.keys(places) as ReadonlyArray<Page>).filter((page) => places[page] === place)
