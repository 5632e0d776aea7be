/** URLs of the authentication service and its pages. Processes that do not serve them need these URLs too. */
import * as Pages from "@venue/gateway/auth/Pages"
import { urlOf } from "@venue/gateway/http/Listening"
import { Option } from "effect"
import type { SharedSettings } from "./Settings.ts"

export interface AuthPlace {
  readonly url: string
  readonly issuer: string
  readonly signInPage: string
  /** Pages for which wallets can sign in. Clients get the first. */
  readonly signInUris: ReadonlyArray<string>
}

export const of = ({ authPort, host, publicAuthUrl, signInUris }: SharedSettings): AuthPlace => {
  const url = Option.getOrElse(publicAuthUrl, () => urlOf("http", host, authPort))
  const issuer = `${url}/auth/v1`
  const signInPage = Pages.uriOf(issuer)
  return {
    url,
    issuer,
    signInPage,
    signInUris: [...signInUris, ...(signInUris.includes(signInPage) ? [] : [signInPage])]
  }
}
