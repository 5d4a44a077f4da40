/**
 * JDBC URLs of PostgreSQL (jdbc.postgresql.org/documentation/use: `jdbc:postgresql://host:port/database?name=value`).
 */
import { stripIPv6Brackets } from '../../addresses/host-address.ts';

/** The address of a database. The default port is 5432. */
export type JdbcUrl = {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly parameters: Readonly<Record<string, string>>;
};

/** Why a text is invalid, and what to write instead. */
export type JdbcProblem = { readonly problem: string; readonly cure: string };

const example = '`jdbc:postgresql://db:5432/documents`';
const prefix = 'jdbc:postgresql:';
const addressPattern = /^(\[[^\]]*\]|[^:/[\]]*)(?::([^/]*))?$/;

function createProblem(problem: string, cure = `write it as in ${example}`): JdbcProblem {
  return { problem, cure };
}

/** Parses a JDBC URL. Short forms without a host mean localhost in JDBC and are refused. */
export function parseJdbcUrl(text: string): JdbcUrl | JdbcProblem {
  const kind = /^jdbc:([a-z0-9]+):/i.exec(text)?.[1]?.toLowerCase();
  if (kind === undefined) return createProblem('does not begin with `jdbc:postgresql:`');
  if (kind !== 'postgresql') return createProblem(`is for \`${kind}\`; only PostgreSQL is supported`);
  if (/\s/.test(text)) return createProblem('contains white space');
  const afterPrefix = text.slice(prefix.length);
  if (!afterPrefix.startsWith('//')) return createProblem('names no host');
  const [location = '', query = ''] = splitOnce(afterPrefix.slice(2), '?');
  const [address = '', path = ''] = splitOnce(location, '/');
  const hostAndPort = parseAddress(address);
  if ('problem' in hostAndPort) return hostAndPort;
  const database = decode(path);
  if (database === undefined || database.includes('/')) return createProblem('has a database name that cannot be read');
  if (database === '') return createProblem('names no database');
  const parameters = parseParameters(query);
  return 'problem' in parameters ? parameters : { ...hostAndPort, database, parameters: parameters.parameters };
}

function parseAddress(address: string): { host: string; port: number } | JdbcProblem {
  if (address.includes('@')) return createProblem('contains a user name', 'use `username` and `password` for that');
  if (address.includes(',')) return createProblem('names several hosts', `name the one to read from: ${example}`);
  if (/^[^[]*:.*:/.test(address)) return createProblem('has an IPv6 address without `[` and `]` around it');
  const [, host = '', port] = addressPattern.exec(address) ?? [];
  if (host === '' || host === '[]') return createProblem('names no host');
  if (host.startsWith('[') && !URL.canParse(`http://${host}`))
    return createProblem('has brackets around something that is not an IPv6 address');
  if (port === undefined) return { host: stripIPv6Brackets(host), port: 5432 };
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535) return createProblem('has a port that is not a number from 1 to 65535');
  return { host: stripIPv6Brackets(host), port: number };
}

function parseParameters(query: string): { parameters: Record<string, string> } | JdbcProblem {
  const parameters = new Map<string, string>();
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [rawName = '', rawValue = ''] = splitOnce(pair, '=');
    const [name, value] = [decode(rawName), decode(rawValue)];
    if (name === undefined || value === undefined || name === '')
      return createProblem('has parameters that cannot be read');
    if (name === 'user' || name === 'password') {
      return createProblem(
        `has the parameter \`${name}\``,
        'remove it there, and use `username` and `password` of this section',
      );
    }
    parameters.set(name, value);
  }
  return { parameters: Object.fromEntries(parameters) };
}

function splitOnce(text: string, separator: string): string[] {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
