/** Files of a connection: URL files, the password file (34.16), services (34.17), certificates and keys. */
import { readFileSync, type Stats, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { vpError } from '../../errors/vp-error.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import { assertParameters, type ConnectionParameters } from './connection-parameters.ts';

export type ConnectionVariables = Readonly<Record<string, string | undefined>>;

/** Mode bits that a file must not have. As in libpq, the group may read a key of root. */
const forbiddenBits = {
  public: () => 0,
  secret: () => 0o077,
  key: ({ uid }: Stats) => (uid === 0 ? 0o027 : 0o077),
} as const;

/** Throws STORE_DATABASE_FILE when it cannot be read, or when users can who must not. */
export function readConnectionFile(file: string, source: string, access: keyof typeof forbiddenBits): string {
  try {
    // Windows controls access by lists, not by mode bits.
    const stats = statSync(file);
    if (sep === '/' && (stats.mode & forbiddenBits[access](stats)) !== 0) {
      const values = { file, source, problem: 'other users can read it', instead: `run \`chmod 600 ${file}\`` };
      throw vpError('STORE_DATABASE_FILE', values);
    }
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = getSystemErrorCode(cause);
    if (reason === undefined) throw cause;
    const instead = 'check that it is a file that this user may read';
    throw vpError('STORE_DATABASE_FILE', { file, source, problem: reason, instead }, { cause });
  }
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The file in the user's home; undefined where it is not there. */
function findUserFile(name: string, { HOME }: ConnectionVariables): string | undefined {
  const file = HOME === undefined ? undefined : join(HOME, name);
  return file !== undefined && isFile(file) ? file : undefined;
}

export type PasswordKey = {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
};

/** The password of the first line that matches. Throws STORE_DATABASE_FILE when the file is exposed, or named and absent. */
export async function findFilePassword(
  key: PasswordKey,
  passfile: string | undefined,
  variables: ConnectionVariables,
): Promise<string | undefined> {
  const file = passfile ?? findUserFile('.pgpass', variables);
  if (file === undefined) return undefined;
  const text = readConnectionFile(file, 'the password file', 'secret');
  const { getPassword } = await import('pgpass/lib/helper.js');
  // A line that ends the file without a newline is read too.
  return new Promise((resolve) => getPassword(key, Readable.from([text]), resolve));
}

/** The parameters of a service. Throws STORE_DATABASE_FILE and STORE_DATABASE_URL. */
export function readService(name: string, variables: ConnectionVariables): ConnectionParameters {
  const source = `the service ${name}`;
  const file = variables.PGSERVICEFILE ?? findUserFile('.pg_service.conf', variables);
  if (file === undefined) {
    const values = { file: '~/.pg_service.conf', source, problem: 'it does not exist' };
    throw vpError('STORE_DATABASE_FILE', { ...values, instead: 'create it, or name it with PGSERVICEFILE' });
  }
  const parameters: Record<string, string> = {};
  let section: string | undefined;
  let isDefined = false;
  for (const line of readConnectionFile(file, source, 'public').split(/\r?\n/)) {
    section = /^\s*\[(.+)\]\s*$/.exec(line)?.[1] ?? section;
    isDefined ||= section === name;
    const [, key, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === name && key !== undefined && value !== undefined) parameters[key] = value;
  }
  if (isDefined) return assertParameters(parameters, `${source} in ${file}`);
  const values = { file, source, problem: 'it does not define the service', instead: 'correct the name or the file' };
  throw vpError('STORE_DATABASE_FILE', values);
}
