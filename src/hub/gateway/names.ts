/**
 * What callers know things of an upstream by. Names are made of the connection's and the thing's own name alone, so they
 * stay the same whatever else a hub has, and no server can take another's.
 */
import { createHash } from 'node:crypto';
import { toolNameMaxLength, toolSeparator } from '../words.ts';

const plainName = /^[A-Za-z0-9_.-]+$/;
const hashLength = 8;

/** `<connection>__<name>`; names that are too long or hold other characters are made safe and end with a hash of the whole. */
export function shownName(connection: string, name: string): string {
  const whole = `${connection}${toolSeparator}${name}`;
  if (whole.length <= toolNameMaxLength && plainName.test(name)) return whole;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  const safe = name.normalize('NFKD').replaceAll(/[^A-Za-z0-9_.-]+/g, '_');
  const room = toolNameMaxLength - connection.length - toolSeparator.length - hashLength - 1;
  return `${connection}${toolSeparator}${safe.slice(0, room)}_${hash}`;
}

/** The connection that a shown name belongs to; undefined for names of no connection. */
export function connectionOfName(shown: string): string | undefined {
  const at = shown.indexOf(toolSeparator);
  return at > 0 ? shown.slice(0, at) : undefined;
}

/** The URI of a connection's resource: a scheme of the connection before its own. */
export function shownUri(connection: string, uri: string): string {
  return `hub.${connection}+${uri}`;
}

/** What a shown URI stands for; undefined for a URI that is none of ours. */
export function originalUri(shown: string): { readonly connection: string; readonly uri: string } | undefined {
  const [, connection, uri] = /^hub\.([a-z0-9-]+)\+(.+)$/s.exec(shown) ?? [];
  return connection === undefined || uri === undefined ? undefined : { connection, uri };
}
