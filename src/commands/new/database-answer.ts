/** `--database postgres://reader@host:5432/shop`: the database of the application, and whether it can be read. */
import type { Environment } from '../../environment/environment.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { openTargetDatabase } from '../../executor/database/target-database.ts';
import { createRedactor } from '../../executor/redaction/redactor.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { DatabaseAnswer } from './config-file.ts';
import type { EnvVariable } from './new-files.ts';
import { goBack, type Questions } from './questions.ts';

const passwordName = 'DATABASE_PASSWORD';
const databaseQuestion = 'A PostgreSQL database to check?';

export type DatabaseAnswers = { readonly database: DatabaseAnswer; readonly variable: EnvVariable };

type DatabaseContext = {
  readonly flags: { readonly database: string | undefined; readonly 'database-secret-from': string | undefined };
  readonly questions: Questions | undefined;
  readonly environment: Pick<Environment, 'variables'>;
};

/** Undefined without a database. */
export async function resolveDatabase(context: DatabaseContext): Promise<DatabaseAnswers | undefined> {
  for (;;) {
    const { flags, questions } = context;
    const url = flags.database ?? (await askUrl(questions));
    if (url === undefined || url === '') return undefined;
    const parsed = parseDatabaseUrl(url);
    if ('problem' in parsed) throw vpError('NEW_DATABASE_INVALID', { problem: parsed.problem });
    const value = await readPassword(context, parsed.username);
    if (value !== goBack)
      return { database: { ...parsed, password: passwordName }, variable: { name: passwordName, value } };
  }
}

async function readPassword(
  { flags, questions, environment }: DatabaseContext,
  username: string,
): Promise<string | typeof goBack> {
  const variable = flags['database-secret-from'];
  if (variable === undefined && questions)
    return questions.secret({
      ...{ label: `The password of ${username}:`, hint: 'not shown; written to .env only' },
      validate: (text) => (text === '' ? 'must not be empty' : undefined),
      back: flags.database === undefined ? databaseQuestion : undefined,
    });
  const source = variable === undefined ? '--database-secret-from' : `the variable ${variable}`;
  const value = environment.variables[variable ?? ''] ?? '';
  if (value === '') throw vpError('NEW_SECRET_MISSING', { source, secret: 'password of the database' });
  return value;
}

async function askUrl(questions: Questions | undefined): Promise<string | undefined> {
  const validate = (text: string): string | undefined => {
    const parsed = text === '' ? undefined : parseDatabaseUrl(text);
    return parsed && 'problem' in parsed ? `the address ${parsed.problem}` : undefined;
  };
  const hint = 'Enter for none; a user who may only read, such as postgres://reader@127.0.0.1:5432/shop';
  return questions?.text({ label: databaseQuestion, initial: '', hint, validate });
}

/** `postgres://user@host:port/database?sslmode=…`. The message never repeats a password. */
export function parseDatabaseUrl(text: string): { jdbcUrl: string; username: string } | { problem: string } {
  const url = URL.parse(text.trim());
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol)) return { problem: 'must begin with postgres://' };
  if (url.password !== '') return { problem: 'must not contain a password, which would be visible to other users' };
  if (url.username === '') return { problem: 'must name a user before the @' };
  if (url.hostname === '' || url.pathname.length < 2) return { problem: 'must name a host and a database' };
  const jdbcUrl = `jdbc:postgresql://${url.hostname}:${url.port || 5432}${url.pathname}${url.search}`;
  return { jdbcUrl, username: decodeURIComponent(url.username) };
}

/** For people: the number of tables, or why the database cannot be read. */
export async function describeDatabaseAccess(
  { targets, secretValues }: ProjectConfig,
  extraRoots: readonly string[],
  { clock }: Pick<Environment, 'clock'>,
): Promise<{ readonly tables: number } | { readonly problem: string; readonly cure: string }> {
  if (!targets.database) return { tables: 0 };
  const redact = createRedactor(secretValues).redactText;
  const database = openTargetDatabase({ target: targets.database, clock, redact, extraRoots });
  try {
    return { tables: (await database.describe()).length };
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return { problem: error.message, cure: error.cure };
  } finally {
    await database.close();
  }
}
