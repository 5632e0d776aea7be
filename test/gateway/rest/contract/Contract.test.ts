/** Test of every status in the REST document. The requests are in `Provocations.ts`. */
import { Api } from "@venue/api/rest/Api"
import { routesOf } from "@venue/gateway/http/Gate"
import { rest } from "./Operations.ts"
import { metBy } from "./ProblemPages.ts"
import { provocations } from "./Provocations.ts"
import { Scene } from "./Scene.ts"
import { walk } from "./Walk.ts"

walk({
  description: rest,
  routes: routesOf(Api),
  pages: metBy("rest"),
  provocations,
  scene: Scene.layer,
  change: ["POST", "/user/leverage", { symbol: "NOPE-USD", leverage: 1 }]
})
