/** Tests of public client libraries against the whole authentication service. */
import { expect, it } from "@effect/vitest"
import { AuthClient, isAuthApiError, isAuthSessionMissingError } from "@supabase/auth-js"
import { Effect } from "effect"
import * as oauth from "oauth4webapi"
import * as openid from "openid-client"
import { Secret, TOTP } from "otpauth"
import { clientKey, type Session } from "./AuthClient.ts"
import { AuthService, layer, redirectUri } from "./AuthService.ts"
import { wallet } from "./Wallet.ts"

const insecure = { [oauth.allowInsecureRequests]: true }

/** Acts as the browser: opens the consent page, approves, and returns the redirect URL. */
const consented = Effect.fnUntraced(function* (authorization: URL, session: Session) {
  const { send } = yield* AuthService
  const { headers } = yield* Effect.promise(() => fetch(authorization, { redirect: "manual" }))
  const id = new URL(headers.get("location")!).searchParams.get("authorization_id")
  const authorized = { authorization: `Bearer ${session.access_token}` }
  const { body } = yield* send("POST", `/oauth/authorizations/${id}/consent`, { action: "approve" }, authorized)
  return new URL(body.redirect_url)
})

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("client libraries", (it) => {
  for (const algorithm of ["oidc", "oauth2"] as const) {
    it.effect(
      `T1: signs in, refreshes, reads the user and signs out with oauth4webapi, discovered by ${algorithm}`,
      () =>
        Effect.gen(function* () {
          const { issuer, register, signIn } = yield* AuthService
          const { clientId, secret } = yield* register({})
          const session = yield* signIn(wallet())
          const client: oauth.Client = { client_id: clientId }
          const proof = oauth.ClientSecretBasic(secret)
          const [verifier, state, nonce] = [
            oauth.generateRandomCodeVerifier(),
            oauth.generateRandomState(),
            oauth.generateRandomNonce()
          ]
          const as = yield* Effect.promise(async () =>
            oauth.processDiscoveryResponse(
              new URL(issuer),
              await oauth.discoveryRequest(new URL(issuer), { ...insecure, algorithm })
            )
          )
          const authorization = new URL(as.authorization_endpoint!)
          for (const [name, value] of Object.entries({
            client_id: clientId,
            redirect_uri: redirectUri,
            response_type: "code",
            scope: "openid",
            code_challenge: yield* Effect.promise(() => oauth.calculatePKCECodeChallenge(verifier)),
            code_challenge_method: "S256",
            state,
            nonce
          })) {
            authorization.searchParams.set(name, value)
          }
          const answer = oauth.validateAuthResponse(as, client, yield* consented(authorization, session), state)
          yield* Effect.promise(async () => {
            const tokens = await oauth.processAuthorizationCodeResponse(
              as,
              client,
              await oauth.authorizationCodeGrantRequest(as, client, proof, answer, redirectUri, verifier, insecure),
              { expectedNonce: nonce, requireIdToken: true }
            )
            const { sub } = oauth.getValidatedIdTokenClaims(tokens)!
            expect(sub).toBe(session.user.id)
            const who = await oauth.userInfoRequest(as, client, tokens.access_token, insecure)
            expect(await oauth.processUserInfoResponse(as, client, sub, who)).toEqual({ sub })
            const refresh = (token: string) => oauth.refreshTokenGrantRequest(as, client, proof, token, insecure)
            const next = await oauth.processRefreshTokenResponse(as, client, await refresh(tokens.refresh_token!))
            expect(next.refresh_token).not.toBe(tokens.refresh_token)
            const refused = await refresh(`vrt_${"x".repeat(43)}`)
            await expect(oauth.processRefreshTokenResponse(as, client, refused)).rejects.toMatchObject({
              name: "ResponseBodyError",
              error: "invalid_grant",
              status: 400
            })
            const revoke = (token: string) => oauth.revocationRequest(as, client, proof, token, insecure)
            await oauth.processRevocationResponse(await revoke("nothing of ours"))
            const alive = await oauth.processRefreshTokenResponse(as, client, await refresh(next.refresh_token!))
            await oauth.processRevocationResponse(await revoke(alive.refresh_token!))
            const ended = await refresh(alive.refresh_token!)
            await expect(oauth.processRefreshTokenResponse(as, client, ended)).rejects.toMatchObject({
              error: "invalid_grant"
            })
          })
        })
    )
  }

  it.effect("X2: oauth4webapi receives a challenge for a wrong client secret and for an invalid bearer token", () =>
    Effect.gen(function* () {
      const { issuer, register } = yield* AuthService
      const { clientId } = yield* register({})
      const as = {
        issuer,
        token_endpoint: `${issuer}/oauth/token`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        userinfo_endpoint: `${issuer}/oauth/userinfo`
      }
      const client = { client_id: clientId }
      const wrong = oauth.ClientSecretBasic("wrong")
      yield* Effect.promise(async () => {
        const refused = await oauth.refreshTokenGrantRequest(as, client, wrong, "vrt_", insecure)
        const challenge = {
          name: "WWWAuthenticateChallengeError",
          cause: [{ scheme: "basic", parameters: { realm: "oauth" } }]
        }
        await expect(oauth.processRefreshTokenResponse(as, client, refused)).rejects.toMatchObject(challenge)
        const kept = await oauth.revocationRequest(as, client, wrong, "vrt_", insecure)
        await expect(oauth.processRevocationResponse(kept)).rejects.toMatchObject(challenge)
        const unknown = await oauth.userInfoRequest(as, client, "wrong", insecure)
        await expect(oauth.processUserInfoResponse(as, client, oauth.skipSubjectCheck, unknown)).rejects.toMatchObject({
          cause: [{ scheme: "bearer", parameters: { error: "invalid_token" } }]
        })
      })
    })
  )

  for (const type of ["confidential", "public"] as const) {
    it.effect(`T1: signs in, refreshes, reads the user and signs out with openid-client as a ${type} application`, () =>
      Effect.gen(function* () {
        const { issuer, register, signIn } = yield* AuthService
        const redirectUri = "https://rp.example/cb"
        const { clientId, secret } = yield* register({ type, redirectUris: [redirectUri] })
        const session = yield* signIn(wallet())
        const proof = type === "public" ? openid.None() : openid.ClientSecretBasic(secret)
        const options = { execute: [openid.allowInsecureRequests] }
        const config = yield* Effect.promise(() =>
          openid.discovery(new URL(issuer), clientId, undefined, proof, options)
        )
        const pkceCodeVerifier = openid.randomPKCECodeVerifier()
        const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
        const authorization = openid.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: "openid profile",
          code_challenge: yield* Effect.promise(() => openid.calculatePKCECodeChallenge(pkceCodeVerifier)),
          code_challenge_method: "S256",
          state: expectedState,
          nonce: expectedNonce
        })
        const back = yield* consented(authorization, session)
        yield* Effect.promise(async () => {
          const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
          const tokens = await openid.authorizationCodeGrant(config, back, checks)
          expect(tokens.expiresIn()).toBeGreaterThan(3590)
          const { sub } = tokens.claims()!
          expect(sub).toBe(session.user.id)
          expect(await openid.fetchUserInfo(config, tokens.access_token, sub)).toEqual({ sub })
          const next = await openid.refreshTokenGrant(config, tokens.refresh_token!)
          expect(next.refresh_token).not.toBe(tokens.refresh_token)
          await openid.tokenRevocation(config, "nothing of ours", { token_type_hint: "access_token" })
          const alive = await openid.refreshTokenGrant(config, next.refresh_token!)
          await openid.tokenRevocation(config, alive.access_token, { token_type_hint: "access_token" })
          await expect(openid.refreshTokenGrant(config, alive.refresh_token!)).rejects.toMatchObject({
            error: "invalid_grant"
          })
          await expect(openid.authorizationCodeGrant(config, back, checks)).rejects.toMatchObject({
            error: "invalid_grant"
          })
        })
      })
    )
  }

  const authJs = Effect.map(
    AuthService,
    ({ issuer }) =>
      new AuthClient({
        url: issuer,
        headers: { apikey: clientKey, Authorization: `Bearer ${clientKey}` },
        persistSession: false,
        autoRefreshToken: false
      })
  )

  it.effect("signs in, refreshes, reads the user and signs out with auth-js", () =>
    Effect.gen(function* () {
      const client = yield* authJs
      const someone = wallet()
      const { chain, message, signature } = yield* someone.proof()
      yield* Effect.promise(async () => {
        const signedIn = await client.signInWithWeb3({ chain, message, signature: signature as `0x${string}` })
        expect(signedIn.error).toBeNull()
        expect(signedIn.data.user?.user_metadata).toMatchObject({ address: someone.address, chain: "ethereum" })
        expect((await client.getUser()).data.user).toEqual(signedIn.data.user)
        const verified = await client.getClaims()
        expect([verified.error, verified.data?.claims.sub]).toEqual([null, signedIn.data.user?.id])
        const refreshed = await client.refreshSession()
        expect(refreshed.error).toBeNull()
        expect(refreshed.data.session?.refresh_token).not.toBe(signedIn.data.session?.refresh_token)
        expect(await client.signOut()).toEqual({ error: null })
        const gone = await client.refreshSession({ refresh_token: refreshed.data.session!.refresh_token })
        expect(isAuthSessionMissingError(gone.error)).toBe(true)
      })
    })
  )

  it.effect("X2: auth-js receives the error code of a refusal", () =>
    Effect.gen(function* () {
      const client = yield* authJs
      const { chain, message } = yield* wallet().proof()
      const { signature } = yield* wallet().proof()
      yield* Effect.promise(async () => {
        const { error } = await client.signInWithWeb3({ chain, message, signature: signature as `0x${string}` })
        expect(isAuthApiError(error) && [error.status, error.code, error.message]).toEqual([
          400,
          "invalid_grant",
          "The signature does not match the address"
        ])
        const unknown = await client.refreshSession({ refresh_token: `vrt_${"x".repeat(43)}` })
        expect(unknown.error?.code).toBe("refresh_token_not_found")
      })
    })
  )

  it.effect("enrols, verifies and removes a second factor with auth-js", () =>
    Effect.gen(function* () {
      const client = yield* authJs
      const { chain, message, signature } = yield* wallet().proof()
      yield* Effect.promise(async () => {
        await client.signInWithWeb3({ chain, message, signature: signature as `0x${string}` })
        const enrolled = await client.mfa.enroll({ factorType: "totp", friendlyName: "phone" })
        const { id: factorId, totp } = enrolled.data!
        expect(totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg/)
        const challenged = await client.mfa.challenge({ factorId })
        const code = new TOTP({ secret: Secret.fromBase32(totp.secret) }).generate()
        const verified = await client.mfa.verify({ factorId, challengeId: challenged.data!.id, code })
        expect(verified.error).toBeNull()
        expect((await client.mfa.listFactors()).data?.totp).toMatchObject([{ id: factorId, friendly_name: "phone" }])
        const level = await client.mfa.getAuthenticatorAssuranceLevel()
        expect(level.data).toMatchObject({ currentLevel: "aal2", nextLevel: "aal2" })
        const wrong = await client.mfa.verify({ factorId, challengeId: challenged.data!.id, code })
        expect(wrong.error?.code).toBe("mfa_challenge_expired")
        expect((await client.mfa.unenroll({ factorId })).data).toEqual({ id: factorId })
      })
    })
  )

  it.effect("auth-js can approve a consent request, list the user's grants and revoke them", () =>
    Effect.gen(function* () {
      const { issuer, register } = yield* AuthService
      const { clientId } = yield* register({})
      const client = yield* authJs
      const { chain, message, signature } = yield* wallet().proof()
      yield* Effect.promise(async () => {
        await client.signInWithWeb3({ chain, message, signature: signature as `0x${string}` })
        const query = new URLSearchParams({
          client_id: clientId,
          redirect_uri: redirectUri,
          response_type: "code",
          state: "state",
          code_challenge: "x".repeat(43),
          code_challenge_method: "S256"
        })
        const { headers } = await fetch(`${issuer}/oauth/authorize?${query}`, { redirect: "manual" })
        const id = new URL(headers.get("location")!).searchParams.get("authorization_id")!
        const { data } = await client.oauth.getAuthorizationDetails(id)
        expect(data).toMatchObject({ authorization_id: id, client: { id: clientId }, scope: "email" })
        const approved = await client.oauth.approveAuthorization(id)
        expect(approved.data?.redirect_url).toContain("code=")
        expect((await client.oauth.listGrants()).data).toMatchObject([{ client: { id: clientId }, scopes: ["email"] }])
        expect((await client.oauth.revokeGrant({ clientId })).error).toBeNull()
        expect((await client.oauth.listGrants()).data).toEqual([])
      })
    })
  )
})
