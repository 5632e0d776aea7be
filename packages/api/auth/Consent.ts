/** Request and response bodies of the consent page's endpoints. */
import { Schema } from "effect"

/** Body of `POST /oauth/authorizations/{authorization_id}/consent`. */
export const ConsentRequest = Schema.Struct({ action: Schema.Literals(["approve", "deny"]) })

/** URL to which the page must redirect. */
export interface Leave {
  readonly redirect_url: string
}

/** Application that requests access. */
export interface ClientBody {
  readonly id: string
  readonly name: string
  readonly uri?: string
  readonly logo_uri?: string
}

/** Authorization request that waits for the user's decision. */
export interface AuthorizationBody {
  readonly authorization_id: string
  readonly redirect_uri: string
  readonly client: ClientBody
  readonly user: { readonly id: string; readonly email: "" }
  readonly scope: string
}

/** Grant that a user gave to an application. */
export interface GrantBody {
  readonly client: ClientBody
  readonly scopes: ReadonlyArray<string>
  readonly granted_at: string
}

/** Application as the venue stores it. */
export interface ClientRecord {
  readonly clientId: string
  readonly name: string
  readonly clientUri: string | null
  readonly logoUri: string | null
}

/** Returns the body of an application. */
export const clientBody = ({ clientId, clientUri, logoUri, name }: ClientRecord): ClientBody => ({
  id: clientId,
  name,
  ...(clientUri === null ? {} : { uri: clientUri }),
  ...(logoUri === null ? {} : { logo_uri: logoUri })
})
