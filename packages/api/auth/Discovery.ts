/** Discovery document of OAuth (RFC 8414) and OpenID Connect. */

/** Returns an issuer's discovery document, which is the same for all requests; the operator configures the issuer. */
export const discovery = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  userinfo_endpoint: `${issuer}/oauth/userinfo`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: ["openid", "profile", "email", "phone", "offline_access"],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
  token_endpoint_auth_methods_supported: clientAuthentication,
  revocation_endpoint_auth_methods_supported: clientAuthentication,
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  claims_supported: claims
})

const clientAuthentication = ["client_secret_basic", "none"]

const claims = [
  "sub",
  "aud",
  "iss",
  "exp",
  "iat",
  "auth_time",
  "nonce",
  "at_hash",
  "email",
  "email_verified",
  "name",
  "picture",
  "preferred_username",
  "updated_at"
]
