/** Problem of a venue that is halted or accepts only cancels. */

/** State of a venue that does not trade; `publicReason` is the operator's text for traders. */
export interface VenueClosed {
  readonly _tag: "VenueHalted" | "VenueCancelOnly"
  readonly publicReason?: string | null | undefined
}

type Page = "venue-halted" | "venue-cancel-only"

/** Returns the problem's page and its detail, which ends with the operator's reason, if any. */
export const occurrence = (
  { _tag, publicReason = null }: VenueClosed,
  pages: Readonly<Record<Page, string>>
): [Page, { readonly detail: string }] => {
  const page = _tag === "VenueHalted" ? "venue-halted" : "venue-cancel-only"
  return [page, { detail: publicReason === null ? pages[page] : `${pages[page]} Reason: ${publicReason}` }]
}
