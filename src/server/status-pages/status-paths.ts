/** Addresses of status pages; their secret is all that a reader needs. */

export function toStatusPath(secret: string): string {
  return `/status/${secret}`;
}

export function toBadgePath(secret: string): string {
  return `${toStatusPath(secret)}/badge.svg`;
}

export function toStatusDataPath(secret: string): string {
  return `${toStatusPath(secret)}.json`;
}
