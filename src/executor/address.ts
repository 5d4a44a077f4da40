/** Host and port of an origin such as `https://app`, for messages: `app:443`. */
export function addressOf(origin: string): string {
  const { host, port, protocol } = new URL(origin);
  return port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
}
