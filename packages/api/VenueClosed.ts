/** The problem of a venue that is halted or takes cancels alone, with what its operator says to traders. */

export interface VenueClosed {
  readonly _tag: "VenueHalted" | "VenueCancelOnly"
  readonly publicReason?: string | null | undefined
}

type Page = "venue-halted" | "venue-cancel-only"

export const occurrence = (
  { _tag, publicReason = null }: VenueClosed,
  pages: Readonly<Record<Page, string>>
): [Page, { readonly detail: string }] => {
  const page = _tag === "VenueHalted" ? "venue-halted" : "venue-cancel-only"
  return [page, { detail: publicReason === null ? pages[page] : `${pages[page]} Reason: ${publicReason}` }]
}
