/** The OAuth client metadata of the hub for this redirect URL. */
export function buildClientMetadata(redirectUrl: string) {
  return {
    client_name: 'vp hub',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: redirectUrl.startsWith('https:') ? 'web' : 'native',
  };
}

/** The URL of the client metadata document, which is also the client id. */
export function getClientMetadataUrl(redirectUrl: string): string {
  return `${redirectUrl}/client.json`;
}
