/** What the consent page asks and is told. */
import { Schema } from "effect"

/** `POST /oauth/authorizations/{authorization_id}/consent`. */
export const ConsentRequest = Schema.Struct({ action: Schema.Literals(["approve", "deny"]) })

/** The page is to be left for this address. */
export interface Leave {
  readonly redirect_url: string
}

/** An application. */
export interface ClientBody {
  readonly id: string
  readonly name: string
  readonly uri?: string
  readonly logo_uri?: string
}

/** A request that waits for its user to decide. */
export interface AuthorizationBody {
  readonly authorization_id: string
  readonly redirect_uri: string
  readonly client: ClientBody
  readonly user: { readonly id: string; readonly email: "" }
  readonly scope: string
}

/** What a user once approved. */
export interface GrantBody {
  readonly client: ClientBody
  readonly scopes: ReadonlyArray<string>
  readonly granted_at: string
}

export interface ClientSeen {
  readonly clientId: string
  readonly name: string
  readonly clientUri: string | null
  readonly logoUri: string | null
}

export const clientBody = ({ clientId, clientUri, logoUri, name }: ClientSeen): ClientBody => ({
  id: clientId,
  name,
  ...(clientUri === null ? {} : { uri: clientUri }),
  ...(logoUri === null ? {} : { logo_uri: logoUri })
})
