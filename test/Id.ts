/** Deterministic ids for tests: derives a UUID from a short name. */
import { type Id, version4 } from "@venue/domain/Id"
import { createHash } from "node:crypto"

export const id = (name: string): Id => {
  const bytes = createHash("sha256").update(name).digest()
  return version4(bytes.readInt32BE(0), bytes.readInt32BE(4), bytes.readInt32BE(8), bytes.readInt32BE(12))
}
