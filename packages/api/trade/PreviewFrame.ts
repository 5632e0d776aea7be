/** The frame that answers `preview_order`. */
import * as Digits from "../Digits.ts"
import type { PreviewBody } from "../OrderPreview.ts"

export const previewResponse = (body: PreviewBody): string => `{"preview_response":${text(body)}}`

/** JSON whose numbers are plain decimals, as in every frame. */
const text = (value: unknown): string => {
  if (typeof value === "number") return Digits.plain(value)
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, member]) => `"${key}":${text(member)}`)
    .join(",")}}`
}
