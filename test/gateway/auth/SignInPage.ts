/** The page that wallets sign in to. */
export const serviceName = "Example Venue"
/** Messages for this page are good in every test. */
export const signInUri = "https://app.venue.example/login"
