/** Flags of commands that work on a store on PostgreSQL, and the connection that they name. */
import { resolve } from 'node:path';
import type { FlagDefinitions, FlagValues } from '../command-line/command.ts';
import type { Environment } from '../environment/environment.ts';
import { vpError } from '../errors/vp-error.ts';
import {
  type DatabaseSource,
  type PostgresSettings,
  readParameters,
  readPostgresSettings,
} from '../store/postgres/connection-settings.ts';

export const databaseFlags = {
  database: {
    type: 'string',
    placeholder: '<url>',
    describe: 'PostgreSQL URL of the store, without a password',
  },
  'database-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'file with URL and password',
    variable: 'VP_DATABASE_FILE',
  },
  'database-direct': {
    type: 'string',
    placeholder: '<url>',
    describe: 'the server behind PgBouncer, for LISTEN',
  },
} as const satisfies FlagDefinitions;

/** The variables that may have a password, and are therefore not declared with a flag: flags may not. */
const databaseVariables = { main: 'VP_DATABASE', direct: 'VP_DATABASE_DIRECT' } as const;

/** `direct` is undefined where notifications use the main connection too. */
export type DatabaseConnections = { readonly main: PostgresSettings; readonly direct: PostgresSettings | undefined };

/** A command without LISTEN has no flag for a direct connection. */
type DatabaseFlagValues = Omit<FlagValues<typeof databaseFlags>, 'database-direct'> & {
  readonly 'database-direct'?: string | undefined;
};
type DatabaseEnvironment = Pick<Environment, 'variables' | 'cwd'>;

/** Undefined for a store in SQLite. Throws FLAG_INVALID, STORE_DATABASE_URL, STORE_DATABASE_PASSWORD_EXPOSED, STORE_DATABASE_FILE. */
export function parseDatabase(
  flags: DatabaseFlagValues,
  environment: DatabaseEnvironment,
  command: string,
): DatabaseConnections | undefined {
  const { variables } = environment;
  const main = findMainSource(flags, environment, command);
  const direct = findDirectSource(flags, environment);
  if (main === undefined) {
    if (direct === undefined) return undefined;
    const problem = 'names a second connection of a store on PostgreSQL, and none is named with --database';
    throw vpError('FLAG_INVALID', { flag: '--database-direct', problem, command });
  }
  return {
    main: readPostgresSettings(main, variables),
    direct: direct && readPostgresSettings(direct, variables, readParameters(main, variables)),
  };
}

/** A flag wins over variables. */
function findMainSource(
  flags: DatabaseFlagValues,
  { variables, cwd }: DatabaseEnvironment,
  command: string,
): DatabaseSource | undefined {
  const { database, 'database-file': file } = flags;
  if (database !== undefined) {
    // The file may be named by its variable, which the flag overrules.
    if (file !== undefined && file !== variables.VP_DATABASE_FILE)
      throw vpError('FLAG_INVALID', { flag: '--database-file', problem: 'excludes --database', command });
    return { kind: 'flag', name: '--database', url: database };
  }
  if (file !== undefined) return { kind: 'file', file: resolve(cwd, file) };
  const url = variables[databaseVariables.main];
  return url ? { kind: 'variable', name: databaseVariables.main, url } : undefined;
}

function findDirectSource(flags: DatabaseFlagValues, { variables }: DatabaseEnvironment): DatabaseSource | undefined {
  const flag = flags['database-direct'];
  if (flag !== undefined) return { kind: 'flag', name: '--database-direct', url: flag };
  const url = variables[databaseVariables.direct];
  return url ? { kind: 'variable', name: databaseVariables.direct, url } : undefined;
}
