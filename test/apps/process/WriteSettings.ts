/** `npm run settings`: writes the page of settings. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { page, path } from "./SettingsPage.ts"

writeFileSync(join(import.meta.dirname, "../../..", path), page())
