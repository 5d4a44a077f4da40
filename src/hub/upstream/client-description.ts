/** What the hub says of itself as a client that comes back to `redirectUrl`. */
export function clientDescription(redirectUrl: string) {
  return {
    client_name: 'vp hub',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: redirectUrl.startsWith('https:') ? 'web' : 'native',
  };
}

/** Where that is told to servers that read it: its address is the client's id. */
export function clientDocumentUrl(redirectUrl: string): string {
  return `${redirectUrl}/client.json`;
}
