/** Keys that an earlier release kept in a file go into the table at the first start of a later one. */
import * as KeyFile from "@venue/auth/keys/KeyFile"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { Effect, FileSystem, Path } from "effect"

const fileName = "signing-keys.json"
const doneName = `${fileName}.imported`

/** A venue without such a file makes a key. */
export const founding = Effect.fnUntraced(function* (dataDir: string) {
  const path = (yield* Path.Path).join(dataDir, fileName)
  return yield* (yield* (yield* FileSystem.FileSystem).exists(path)) ? KeyFile.read(path) : SigningKeys.newRing
})

/** Once the table has them: nobody is to take for the keys what is read no longer. */
export const setAside = Effect.fn("ImportedKeys.setAside")(function* (
  dataDir: string,
  say: (text: string) => Effect.Effect<void>
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const [from, to] = [path.join(dataDir, fileName), path.join(dataDir, doneName)]
  if (!(yield* files.exists(from))) return
  yield* files.rename(from, to)
  yield* say(`the signing keys are in the database now; ${to} is read no longer and may be deleted`)
})
