/** `npm run metrics`: writes the page of metrics. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { page, path } from "./MetricsPage.ts"

writeFileSync(join(import.meta.dirname, "../..", path), page())
