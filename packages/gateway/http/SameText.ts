/** Constant-time comparison of texts. */
import { createHash, timingSafeEqual } from "node:crypto"

/** Compares digests, because their equal length also hides the lengths of the texts. */
export const isSameText = (text: string, other: string): boolean => timingSafeEqual(digest(text), digest(other))

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()
