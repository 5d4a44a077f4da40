/** The application's settings, from variables. */

/** An empty variable counts as missing. */
export type Settings = {
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | undefined;
  readonly sqliteFile: string | undefined;
  readonly apiToken: string;
};

/** A setting is missing or invalid. The message names the variable and the fix, and never contains its value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

type Variables = Readonly<Record<string, string | undefined>>;

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw new SettingsError('PORT is not a port; set it to a number from 0 to 65535, or unset it for 3100');
}

function parseDatabaseUrl(text: string | undefined): string | undefined {
  if (text === undefined || (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text))) return text;
  throw new SettingsError(
    'DATABASE_URL is not a PostgreSQL address; set it to postgres://user:password@host:5432/name (a password with other ' +
      'than letters and digits percent-encoded), or unset it to use SQLite',
  );
}

function parseApiToken(text: string | undefined): string {
  if (text === undefined) {
    throw new SettingsError('API_TOKEN is missing; set it to the bearer token that callers of /api/v2 must send');
  }
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new SettingsError('API_TOKEN contains a blank or a non-ASCII character, which a header cannot contain');
}

/** Reads PORT (default 3100), HOST (127.0.0.1), DATABASE_URL, SQLITE_FILE and API_TOKEN. Throws SettingsError. */
export function readSettings(variables: Variables): Settings {
  const read = (name: string) => variables[name]?.trim() || undefined;
  return {
    port: parsePort(read('PORT') ?? '3100'),
    host: read('HOST') ?? '127.0.0.1',
    databaseUrl: parseDatabaseUrl(read('DATABASE_URL')),
    sqliteFile: read('SQLITE_FILE'),
    apiToken: parseApiToken(read('API_TOKEN')),
  };
}
