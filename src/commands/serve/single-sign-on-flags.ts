/** Flags of `vp serve` for single sign-on with an OpenID Connect provider. */
import { resolve } from 'node:path';
import type { FlagDefinitions, FlagValues } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { SingleSignOnSettings } from '../../identity/single-sign-on/settings.ts';
import { isLoopback } from '../../outbound/outbound-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { readKeyFile } from '../../secrets/key-file.ts';

export const singleSignOnFlags = {
  'sso-issuer': {
    type: 'string',
    placeholder: '<url>',
    describe: 'OpenID provider; its redirect URI is <public-url>/single-sign-on',
    variable: 'VP_SSO_ISSUER',
  },
  'sso-client-id': {
    type: 'string',
    placeholder: '<id>',
    describe: 'client id; the secret is in VP_SSO_CLIENT_SECRET or --sso-secret-file',
    variable: 'VP_SSO_CLIENT_ID',
  },
  'sso-secret-file': { type: 'string', placeholder: '<file>', describe: 'file of mode 0600 with the client secret' },
  'sso-name': {
    type: 'string',
    placeholder: '<name>',
    describe: 'display name of the provider (default: its host)',
  },
  'sso-domain': {
    type: 'strings',
    placeholder: '<domain>',
    describe: 'accept only verified email addresses of this domain',
  },
  'sso-role': {
    type: 'string',
    placeholder: '<role>',
    describe: 'role of people without an invitation; else they are refused',
    choices: ['member', 'viewer'],
  },
} as const satisfies FlagDefinitions;

type SingleSignOnFlagValues = FlagValues<typeof singleSignOnFlags> & { readonly ca: string | undefined };

function throwInvalidFlag(flag: string, problem: string): never {
  throw vpError('FLAG_INVALID', { flag, problem, command: 'vp serve' });
}

function parseIssuer(text: string): URL {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.href));
  if (url && isSafe && url.search === '' && url.hash === '' && url.username === '') return url;
  return throwInvalidFlag(
    '--sso-issuer',
    `must be an https address (plain http on this machine only), not \`${text}\``,
  );
}

function readClientSecret(flags: SingleSignOnFlagValues, { variables, cwd }: Environment): string {
  const file = flags['sso-secret-file'];
  const secret = file === undefined ? variables.VP_SSO_CLIENT_SECRET?.trim() : readKeyFile(resolve(cwd, file));
  if (secret) return secret;
  if (file !== undefined) return throwInvalidFlag('--sso-secret-file', `is not a file with a secret: ${file}`);
  return throwInvalidFlag('--sso-issuer', 'needs the client secret, in VP_SSO_CLIENT_SECRET or with --sso-secret-file');
}

function parseRole(flags: SingleSignOnFlagValues): SingleSignOnSettings['role'] {
  const role = flags['sso-role'];
  if (role !== 'member' && role !== 'viewer') return undefined;
  // Without a domain, anyone with an account at a public provider would get a role here.
  if (flags['sso-domain'].length === 0)
    throwInvalidFlag(
      '--sso-role',
      'needs --sso-domain, because anyone with an account at the provider would be let in',
    );
  return role;
}

function assertNoOtherFlags(flags: SingleSignOnFlagValues): void {
  const dependentFlags = ['sso-client-id', 'sso-secret-file', 'sso-name', 'sso-role'] as const;
  for (const name of dependentFlags) if (flags[name] !== undefined) throwInvalidFlag(`--${name}`, 'needs --sso-issuer');
  if (flags['sso-domain'].length > 0) throwInvalidFlag('--sso-domain', 'needs --sso-issuer');
}

/** Undefined without a provider. Throws FLAG_INVALID, STORE_KEY_EXPOSED, EXECUTOR_CA_UNREADABLE. */
export function parseSingleSignOn(
  flags: SingleSignOnFlagValues,
  environment: Environment,
): SingleSignOnSettings | undefined {
  const text = flags['sso-issuer'];
  if (text === undefined) {
    assertNoOtherFlags(flags);
    return undefined;
  }
  const issuer = parseIssuer(text);
  return {
    issuer,
    clientId: flags['sso-client-id'] ?? throwInvalidFlag('--sso-issuer', 'needs --sso-client-id'),
    clientSecret: readClientSecret(flags, environment),
    name: flags['sso-name'] ?? issuer.host,
    domains: flags['sso-domain'].map((domain) => domain.toLowerCase().replace(/^@/, '')),
    role: parseRole(flags),
    extraRoots: flags.ca === undefined ? [] : readCertificates(resolve(environment.cwd, flags.ca)),
    variables: environment.variables,
  };
}
