/** Sign-in page that test messages name. */
export const serviceName = "Example Venue"
/** Messages for this page are valid in every test. */
export const signInUri = "https://app.venue.example/login"
