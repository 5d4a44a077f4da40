/** The application's settings, from variables. */

/** What {@link settingsOf} reads; a variable that is empty counts as not there. */
export type Settings = {
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | undefined;
  readonly sqliteFile: string | undefined;
  readonly apiToken: string;
};

/** A setting is missing or wrong; the message names the variable and what to write. Never holds a value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

type Variables = Readonly<Record<string, string | undefined>>;

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw new SettingsError('PORT is not a port; write a number from 0 to 65535, or leave it out for 3100');
}

function databaseUrlOf(text: string | undefined): string | undefined {
  if (text === undefined || (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text))) return text;
  throw new SettingsError(
    'DATABASE_URL is not a PostgreSQL address; write postgres://user:password@host:5432/name (a password with other ' +
      'than letters and digits percent-encoded), or leave it out to use SQLite',
  );
}

function apiTokenOf(text: string | undefined): string {
  if (text === undefined) {
    throw new SettingsError('API_TOKEN is missing; set it to the bearer token that callers of /api/v2 must send');
  }
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new SettingsError('API_TOKEN holds a blank or a character beyond ASCII, which no header can carry');
}

/** Reads PORT (3100), HOST (127.0.0.1), DATABASE_URL, SQLITE_FILE and API_TOKEN; throws SettingsError. */
export function settingsOf(variables: Variables): Settings {
  const given = (name: string) => variables[name]?.trim() || undefined;
  return {
    port: portOf(given('PORT') ?? '3100'),
    host: given('HOST') ?? '127.0.0.1',
    databaseUrl: databaseUrlOf(given('DATABASE_URL')),
    sqliteFile: given('SQLITE_FILE'),
    apiToken: apiTokenOf(given('API_TOKEN')),
  };
}
