/** The flags of `vp serve` that add an outside provider to sign in with. */
import { resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { SingleSignOnSettings } from '../../identity/single-sign-on/settings.ts';
import { isLoopback } from '../../outbound/outward-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { readKeyFile } from '../../secrets/key-file.ts';
import type { Flags, FlagValues } from '../command.ts';

/** To be spread into a command's flags. */
export const singleSignOnFlags = {
  'sso-issuer': {
    type: 'string',
    placeholder: '<url>',
    describe: 'OpenID Connect provider to sign in with; send people back to <public-url>/single-sign-on',
    variable: 'VP_SSO_ISSUER',
  },
  'sso-client-id': {
    type: 'string',
    placeholder: '<id>',
    describe: 'what vp is called at the provider; the secret is in VP_SSO_CLIENT_SECRET or the file below',
    variable: 'VP_SSO_CLIENT_ID',
  },
  'sso-secret-file': { type: 'string', placeholder: '<file>', describe: 'file of mode 0600 with the client secret' },
  'sso-name': {
    type: 'string',
    placeholder: '<name>',
    describe: 'what people call the provider; its host unless given',
  },
  'sso-domain': {
    type: 'strings',
    placeholder: '<domain>',
    describe: 'only verified email addresses of this domain sign in there',
  },
  'sso-role': {
    type: 'string',
    placeholder: '<role>',
    describe: 'what people of these domains become without an invitation; unless given they are refused',
    choices: ['member', 'viewer'],
  },
} as const satisfies Flags;

type Values = FlagValues<typeof singleSignOnFlags> & { readonly ca: string | undefined };

function refuse(flag: string, problem: string): never {
  throw vpError('FLAG_INVALID', { flag, problem, command: 'vp serve' });
}

function issuerOf(text: string): URL {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.href));
  if (url && isSafe && url.search === '' && url.hash === '' && url.username === '') return url;
  return refuse('--sso-issuer', `must be an https address (plain http on this machine only), not \`${text}\``);
}

function secretOf(flags: Values, { variables, cwd }: Environment): string {
  const file = flags['sso-secret-file'];
  const secret = file === undefined ? variables.VP_SSO_CLIENT_SECRET?.trim() : readKeyFile(resolve(cwd, file));
  if (secret) return secret;
  if (file !== undefined) return refuse('--sso-secret-file', `names no file with a secret: ${file}`);
  return refuse('--sso-issuer', 'needs the client secret, in VP_SSO_CLIENT_SECRET or with --sso-secret-file');
}

function roleOf(flags: Values): SingleSignOnSettings['role'] {
  const role = flags['sso-role'];
  if (role !== 'member' && role !== 'viewer') return undefined;
  // With a provider that is open to everybody an account would be anybody's for the asking.
  if (flags['sso-domain'].length === 0)
    refuse('--sso-role', 'needs --sso-domain: else whoever has an account there gets in');
  return role;
}

function demandNothingElse(flags: Values): void {
  const given = ['sso-client-id', 'sso-secret-file', 'sso-name', 'sso-role'] as const;
  for (const name of given) if (flags[name] !== undefined) refuse(`--${name}`, 'needs --sso-issuer');
  if (flags['sso-domain'].length > 0) refuse('--sso-domain', 'needs --sso-issuer');
}

/** What the flags say; undefined without a provider. Throws FLAG_INVALID, STORE_KEY_EXPOSED, EXECUTOR_CA_UNREADABLE. */
export function singleSignOnSettings(flags: Values, environment: Environment): SingleSignOnSettings | undefined {
  const text = flags['sso-issuer'];
  if (text === undefined) {
    demandNothingElse(flags);
    return undefined;
  }
  const issuer = issuerOf(text);
  return {
    issuer,
    clientId: flags['sso-client-id'] ?? refuse('--sso-issuer', 'needs --sso-client-id'),
    clientSecret: secretOf(flags, environment),
    name: flags['sso-name'] ?? issuer.host,
    domains: flags['sso-domain'].map((domain) => domain.toLowerCase().replace(/^@/, '')),
    role: roleOf(flags),
    extraRoots: flags.ca === undefined ? [] : readCertificates(resolve(environment.cwd, flags.ca)),
    variables: environment.variables,
  };
}
