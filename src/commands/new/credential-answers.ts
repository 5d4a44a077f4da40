/** How the application authenticates, and the secret for it: from flags, from the `.env`, or from the person. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  createBasicCredential,
  createBearerCredential,
  createHeaderCredential,
  type TargetCredential,
} from '../../inspection/credential.ts';
import type { ProtectedPath } from '../../inspection/survey.ts';
import { parseEnvFile } from '../../project/env/env-file.ts';
import { isInteractive, readLine } from '../prompt-line.ts';
import { type Choice, goBack, type Questions } from './questions.ts';

export const authKinds = ['none', 'bearer', 'basic', 'header'] as const;
export type AuthKind = (typeof authKinds)[number];

export type CredentialFlags = {
  readonly auth: string | undefined;
  readonly 'base-url': string | undefined;
  readonly 'auth-header': string | undefined;
  readonly 'secret-from': string | undefined;
  readonly 'secret-stdin': boolean;
};

type CredentialContext = {
  readonly flags: CredentialFlags;
  readonly questions: Questions | undefined;
  readonly environment: Environment;
  readonly productDir: string;
  /** Paths that refused requests without a credential. */
  readonly refusals: readonly ProtectedPath[];
  /** The request that was chosen and refused, in place of which another may be chosen; `hadCredential`: it was sent with one. */
  readonly refusedRequest?: { readonly hadCredential: boolean } | undefined;
};

/** The person's answer to choose another request in place of one that was refused. */
export const anotherRequest = 'another request';

const secretNames = { bearer: 'token', basic: 'user and password, as user:password', header: 'key' } as const;
const defaultHeader = 'X-Api-Key';
const kindQuestion = 'How do requests authenticate?';

/** `source`: where its value is from, for people who look for a mistake in it. */
type ResolvedCredential = { readonly credential: TargetCredential; readonly source: string };

/** Undefined for an application without authentication. {@link anotherRequest} only where there is a `refusedRequest`. */
export async function resolveCredential(
  context: CredentialContext,
): Promise<ResolvedCredential | typeof anotherRequest | undefined> {
  for (;;) {
    const kind = await resolveKind(context);
    if (kind === anotherRequest) return kind;
    if (kind === 'none') return undefined;
    const resolved = await resolveSecret(context, kind);
    if (resolved !== goBack) return resolved;
  }
}

async function resolveSecret(
  context: CredentialContext,
  kind: Exclude<AuthKind, 'none'>,
): Promise<ResolvedCredential | typeof goBack> {
  const header = kind === 'header' ? await resolveHeader(context) : 'Authorization';
  if (header === goBack) return goBack;
  const create = (value: string): TargetCredential => {
    if (kind === 'bearer') return createBearerCredential(value);
    return kind === 'basic' ? createBasicCredential(value) : createHeaderCredential(header, value);
  };
  const stored = readStored(context, create('').name);
  if (stored !== undefined && !hasSecretFlag(context))
    return { credential: { ...create(''), value: stored }, source: join(context.productDir, '.env') };
  const secret = await readSecret(context, kind);
  if (secret === goBack) return goBack;
  return { credential: create(secret), source: describeSecretSource(context.flags) };
}

/** The header that a challenge names, as servers with API keys do: `WWW-Authenticate: X-API-Key`. */
function findChallengedHeader(refusals: readonly ProtectedPath[]): string | undefined {
  return refusals.flatMap(({ challenge }) => /^x-[\w-]+/i.exec(challenge ?? '')?.[0] ?? [])[0];
}

/** The source of a secret that a person was asked for. */
export const answerSource = 'your answer';

function describeSecretSource(flags: CredentialFlags): string {
  if (flags['secret-from'] !== undefined) return `the variable ${flags['secret-from']}`;
  return flags['secret-stdin'] ? 'standard input' : answerSource;
}

/** The kind that a refusal suggests. Where an application offers several schemes, basic is for people and a token for programs. */
export function suggestKind(refusals: readonly ProtectedPath[]): AuthKind {
  if (findChallengedHeader(refusals) !== undefined) return 'header';
  const challenges = refusals.map(({ challenge }) => challenge ?? '');
  const offersBearer = challenges.some((challenge) => /\bbearer\b/i.test(challenge));
  if (!offersBearer && challenges.some((challenge) => /^basic\b/i.test(challenge))) return 'basic';
  return refusals.length > 0 ? 'bearer' : 'none';
}

async function resolveKind({
  flags,
  questions,
  refusals,
  refusedRequest,
}: CredentialContext): Promise<AuthKind | typeof anotherRequest> {
  const named = authKinds.find((kind) => kind === flags.auth);
  if (named) return named;
  if (flags['auth-header'] !== undefined) return 'header';
  const likely = suggestKind(refusals);
  if (flags['secret-from'] !== undefined || flags['secret-stdin']) return likely === 'none' ? 'bearer' : likely;
  if (!questions) return 'none';
  const labels: Readonly<Record<AuthKind, string>> = {
    none: 'no authentication',
    bearer: 'a bearer token',
    basic: 'user and password (basic)',
    header: 'a key in a header',
  };
  const choices: Choice<AuthKind | typeof anotherRequest>[] = authKinds.map((value) => ({
    value,
    label: labels[value],
  }));
  choices.sort((a, b) => Number(b.value === likely) - Number(a.value === likely));
  if (refusedRequest) choices.push({ value: anotherRequest, label: 'choose another request' });
  const [refusal] = refusals;
  const sent = refusedRequest?.hadCredential ? 'with that credential' : 'without a credential';
  const hint = refusal && `GET ${refusal.path} answered ${refusal.status} ${sent}`;
  return questions.choose(kindQuestion, choices, hint);
}

async function resolveHeader({ flags, questions, refusals }: CredentialContext): Promise<string | typeof goBack> {
  const validate = (name: string): string | undefined =>
    /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) ? undefined : 'write the name of a header, such as X-Api-Key';
  const named = flags['auth-header'];
  const problem = named === undefined ? undefined : validate(named);
  if (problem !== undefined)
    throw vpError('FLAG_INVALID', {
      command: 'vp new',
      flag: '--auth-header',
      problem: `must be the name of a header`,
    });
  const likely = named ?? findChallengedHeader(refusals);
  if (likely !== undefined || !questions) return likely ?? defaultHeader;
  const back = isKindAnswered(flags) ? kindQuestion : undefined;
  return questions.textOrBack({ label: 'Which header?', initial: defaultHeader, validate, back });
}

/** Whether the person, and no flag, says how requests authenticate. */
function isKindAnswered(flags: CredentialFlags): boolean {
  return flags.auth === undefined && flags['auth-header'] === undefined;
}

function hasSecretFlag({ flags }: CredentialContext): boolean {
  return flags['secret-from'] !== undefined || flags['secret-stdin'];
}

/** The value that the `.env` of an earlier call has. */
function readStored({ productDir, environment }: CredentialContext, name: string): string | undefined {
  const file = join(environment.cwd, productDir, '.env');
  if (!existsSync(file)) return undefined;
  return parseEnvFile(readFileSync(file, 'utf8'), file, () => undefined).get(name)?.value || undefined;
}

async function readSecret(
  context: CredentialContext,
  kind: Exclude<AuthKind, 'none'>,
): Promise<string | typeof goBack> {
  const { flags, questions, environment } = context;
  const secret = secretNames[kind];
  const validate = (value: string): string | undefined => findSecretProblem(kind, value);
  const variable = flags['secret-from'];
  if (variable === undefined && !flags['secret-stdin'] && questions)
    return questions.secret({
      label: `The ${secret}:`,
      hint: 'not shown; written to product/.env only'.replace('product', context.productDir),
      ...{ validate, back: isKindAnswered(flags) ? kindQuestion : undefined },
    });
  if (variable === undefined && !flags['secret-stdin']) {
    const baseUrl = flags['base-url'] ?? 'http://127.0.0.1:3000';
    const example = `vp new --yes --base-url ${baseUrl} --auth ${kind} --secret-from API_TOKEN`;
    throw vpError('NEW_ANSWERS_MISSING', { flag: '--secret-from', example });
  }
  if (variable === undefined && isInteractive(environment.streams.stdin)) {
    const problem = 'reads a file or pipe, and standard input is a terminal: omit it to be asked without echo';
    throw vpError('FLAG_INVALID', { command: 'vp new', flag: '--secret-stdin', problem });
  }
  const source = variable === undefined ? 'standard input' : `the variable ${variable}`;
  const read = variable === undefined ? await readLine(environment.streams.stdin) : environment.variables[variable];
  const value = (read ?? '').trim();
  if (value === '') throw vpError('NEW_SECRET_MISSING', { source, secret });
  const problem = validate(value);
  if (problem !== undefined) throw vpError('NEW_SECRET_UNUSABLE', { secret, problem });
  return value;
}

const minSecretLength = 4;

/** What is wrong with a secret, in words that do not repeat it. */
function findSecretProblem(kind: Exclude<AuthKind, 'none'>, value: string): string | undefined {
  if (value.length < minSecretLength) return `must have at least ${minSecretLength} characters`;
  if (kind === 'basic') return /^[^:]+:./.test(value) ? undefined : 'must be written as user:password';
  if (kind === 'header')
    return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) ? undefined : 'must be printable ASCII';
  if (/^bearer\s/i.test(value)) return 'must be written without the word Bearer';
  return /^[\x21-\x7e]+$/.test(value) ? undefined : 'must be printable ASCII without spaces';
}
