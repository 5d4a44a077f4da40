/** JDBC URLs of PostgreSQL (jdbc.postgresql.org/documentation/use: `jdbc:postgresql://host:port/database?name=value`). */
import { bareHost } from './base-url.ts';

/** Where a database is. The port is 5432 unless written. */
export type JdbcUrl = {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly parameters: Readonly<Record<string, string>>;
};

/** Why a text is none, and what to write. */
export type JdbcProblem = { readonly problem: string; readonly cure: string };

const example = '`jdbc:postgresql://db:5432/documents`';
const prefix = 'jdbc:postgresql:';
const addressShape = /^(\[[^\]]*\]|[^:/[\]]*)(?::([^/]*))?$/;

function wrong(problem: string, cure = `write it as in ${example}`): JdbcProblem {
  return { problem, cure };
}

/** Reads a JDBC URL. Short forms that leave the host out mean localhost in JDBC and are refused. */
export function parseJdbcUrl(text: string): JdbcUrl | JdbcProblem {
  const kind = /^jdbc:([a-z0-9]+):/i.exec(text)?.[1]?.toLowerCase();
  if (kind === undefined) return wrong('does not begin with `jdbc:postgresql:`');
  if (kind !== 'postgresql') return wrong(`is for \`${kind}\`; only PostgreSQL is read`);
  if (/\s/.test(text)) return wrong('has white space in it');
  const rest = text.slice(prefix.length);
  if (!rest.startsWith('//')) return wrong('names no host');
  const [location = '', query = ''] = splitOnce(rest.slice(2), '?');
  const [address = '', path = ''] = splitOnce(location, '/');
  const place = parseAddress(address);
  if ('problem' in place) return place;
  const database = decode(path);
  if (database === undefined || database.includes('/')) return wrong('has a database name that cannot be read');
  if (database === '') return wrong('names no database');
  const parameters = parseParameters(query);
  return 'problem' in parameters ? parameters : { ...place, database, parameters: parameters.read };
}

function parseAddress(address: string): { host: string; port: number } | JdbcProblem {
  if (address.includes('@')) return wrong('has a user name in it', 'use `username` and `password` for that');
  if (address.includes(',')) return wrong('names several hosts', `name the one to read from: ${example}`);
  if (/^[^[]*:.*:/.test(address)) return wrong('has an IPv6 address without `[` and `]` around it');
  const [, host = '', port] = addressShape.exec(address) ?? [];
  if (host === '' || host === '[]') return wrong('names no host');
  if (host.startsWith('[') && !URL.canParse(`http://${host}`))
    return wrong('has brackets around what is no IPv6 address');
  if (port === undefined) return { host: bareHost(host), port: 5432 };
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535) return wrong('has a port that is not a number from 1 to 65535');
  return { host: bareHost(host), port: number };
}

function parseParameters(query: string): { read: Record<string, string> } | JdbcProblem {
  const read = new Map<string, string>();
  for (const part of query.split('&').filter((text) => text !== '')) {
    const [rawName = '', rawValue = ''] = splitOnce(part, '=');
    const [name, value] = [decode(rawName), decode(rawValue)];
    if (name === undefined || value === undefined || name === '') return wrong('has parameters that cannot be read');
    if (name === 'user' || name === 'password') {
      return wrong(
        `has the parameter \`${name}\``,
        'remove it there, and use `username` and `password` of this section',
      );
    }
    read.set(name, value);
  }
  return { read: Object.fromEntries(read) };
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
