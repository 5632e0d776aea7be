/** Constant-time comparison of texts. */
import { createHash, timingSafeEqual } from "node:crypto"

/** Compares digests, which have equal length, so that the time does not reveal the length of the texts either. */
export const isSameText = (text: string, other: string): boolean => timingSafeEqual(digest(text), digest(other))

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()
