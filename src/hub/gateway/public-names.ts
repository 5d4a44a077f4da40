/**
 * Public names of items of upstream servers. A name depends only on the connection and the item, so it never changes
 * with the rest of the hub, and no server can take another server's name.
 */
import { createHash } from 'node:crypto';
import { maxToolNameLength, toolSeparator } from '../connections/connection.ts';

const safeNamePattern = /^[A-Za-z0-9_.-]+$/;
const hashLength = 8;

/**
 * `<connection>__<name>`; names that are too long or contain other characters are sanitized and end with a hash of the
 * original.
 */
export function toPublicName(connection: string, name: string): string {
  const fullName = `${connection}${toolSeparator}${name}`;
  if (fullName.length <= maxToolNameLength && safeNamePattern.test(name)) return fullName;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  const safeName = name.normalize('NFKD').replaceAll(/[^A-Za-z0-9_.-]+/g, '_');
  const maxNameLength = maxToolNameLength - connection.length - toolSeparator.length - hashLength - 1;
  return `${connection}${toolSeparator}${safeName.slice(0, maxNameLength)}_${hash}`;
}

/** The connection of a public name; undefined for other names. */
export function parseConnectionName(publicName: string): string | undefined {
  const separatorIndex = publicName.indexOf(toolSeparator);
  return separatorIndex > 0 ? publicName.slice(0, separatorIndex) : undefined;
}

/** The public URI: the connection's scheme before the original URI. */
export function toPublicUri(connection: string, uri: string): string {
  return `hub.${connection}+${uri}`;
}

/** Returns undefined for a URI that is not public. */
export function parsePublicUri(publicUri: string): { readonly connection: string; readonly uri: string } | undefined {
  const [, connection, uri] = /^hub\.([a-z0-9-]+)\+(.+)$/s.exec(publicUri) ?? [];
  return connection === undefined || uri === undefined ? undefined : { connection, uri };
}
