/** Error frames for a failed sign-in on the trade socket. */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/trade/Frame"

export const denied = Frame.err("PermissionDenied", "the credential or the account was not accepted")

export const tooMany = Frame.err(
  "RateLimited",
  "this user has 20 connections, the maximum across all gateways; close one, then connect again"
)

export const unavailable = Frame.err("ServerError", "the account could not be loaded; send auth again")

export const signedInAlready = Frame.err("AlreadyAuthenticated", "this connection is already signed in")
export const signInFirst = (text: string): string =>
  Frame.err("PermissionDenied", "send an auth message first", Incoming.ofObject(text))
