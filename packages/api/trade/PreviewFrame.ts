/** Prints the response to `preview_order`. */
import * as Digits from "../Digits.ts"
import type { PreviewBody } from "../OrderPreview.ts"

/** Prints a preview. */
export const previewResponse = (body: PreviewBody): string => `{"preview_response":${text(body)}}`

/** Prints JSON with plain decimals, as in every frame: `JSON.stringify` would print exponents. */
const text = (value: unknown): string => {
  if (typeof value === "number") return Digits.plain(value)
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, member]) => `"${key}":${text(member)}`)
    .join(",")}}`
}
