/** Signing in by an outside OpenID Connect provider. Its tokens are read and dropped; what stays is a session like others. */
import { VpError, vpError } from '../../errors/vp-error.ts';
import { findPersonByEmail } from '../../store/control/people.ts';
import { keepSingleSignOn } from '../../store/control/single-sign-on.ts';
import type { IdentityContext } from '../context.ts';
import { openSession } from '../sessions.ts';
import { demandPassword, type Opened, type Visit } from '../sign-in.ts';
import { type Admission, admit } from './admission.ts';
import { createFlows, type Flow, type Flows, newFlow, sealFlow } from './flow.ts';
import { type Outsider, type Provider, providerOf } from './provider.ts';
import type { SingleSignOnSettings } from './settings.ts';

/** How far somebody came; `back` is where they wanted to go. */
export type Arrived =
  | { readonly kind: 'signed_in'; readonly opened: Opened; readonly back: string }
  | { readonly kind: 'password_needed'; readonly email: string; readonly cookie: string; readonly back: string };

/** The provider as our routes use it. Cookies are those of the browser, given and taken as they are. */
export type SingleSignOn = {
  readonly name: string;
  /** The origin that the provider sends browsers back to. */
  origin(): string;
  /** Where to send the browser, and its cookie. Throws SINGLE_SIGN_ON_UNREACHABLE. */
  begin(back: string): Promise<{ url: string; cookie: string }>;
  /** `query` is what the provider sent back. Throws SINGLE_SIGN_ON_* */
  finish(query: string, cookie: string | undefined, visit: Visit): Promise<Arrived>;
  /** Connects an account here after its password was typed. Throws SINGLE_SIGN_ON_ENDED, SIGN_IN_REFUSED, SIGN_IN_LIMITED. */
  connect(password: string, cookie: string | undefined, visit: Visit): Promise<{ opened: Opened; back: string }>;
};

type Parts = {
  readonly context: IdentityContext;
  readonly settings: SingleSignOnSettings;
  readonly provider: Provider;
  readonly flows: Flows;
  readonly redirectUri: () => string;
};

/** The page that the provider sends browsers back to. */
export const singleSignOnPage = '/single-sign-on';

/** See {@link SingleSignOn}; `issuer` is our own origin. */
export function singleSignOnOf(
  context: IdentityContext,
  settings: SingleSignOnSettings,
  issuer: () => string,
): SingleSignOn {
  const redirectUri = (): string => `${new URL(issuer()).origin}${singleSignOnPage}`;
  const provider = providerOf(context, settings);
  const parts = { context, settings, provider, flows: createFlows(context), redirectUri };
  return {
    name: settings.name,
    origin: () => new URL(issuer()).origin,
    async begin(back) {
      const { random } = context;
      const secrets = { state: random.token(32), nonce: random.token(32), verifier: random.token(32) };
      const flow = { ...newFlow(context, back), step: 'asked', ...secrets } as const;
      return { url: await provider.authorizationUrl(flow, redirectUri()), cookie: sealFlow(context, flow) };
    },
    finish: (query, cookie, visit) => finish(parts, query, cookie, visit),
    connect: (password, cookie, visit) => connect(parts, password, cookie, visit),
  };
}

/** Not begun in this browser, used before, or too late. */
function refuse({ context }: Parts, { address }: Visit): never {
  context.tell({ event: 'single_sign_on_out_of_turn', level: 'warn', address });
  throw vpError('SINGLE_SIGN_ON_ENDED', {});
}

async function finish(parts: Parts, query: string, cookie: string | undefined, visit: Visit): Promise<Arrived> {
  const { context, settings, provider, redirectUri } = parts;
  const flow = parts.flows.open(cookie);
  if (flow?.step !== 'asked' || !parts.flows.end(flow)) return refuse(parts, visit);
  try {
    const outsider = await provider.outsider(flow, redirectUri(), query);
    return await arrived(parts, outsider, await admit(context, settings, outsider), flow, visit);
  } catch (error) {
    const known = error instanceof VpError ? error : undefined;
    const why = { code: known?.code, problem: known?.detail, address: visit.address };
    context.tell({ event: 'single_sign_on_refused', level: 'warn', ...why });
    throw error;
  }
}

async function arrived(
  { context }: Parts,
  { issuer, subject }: Outsider,
  admission: Admission,
  { back }: Flow,
  visit: Visit,
): Promise<Arrived> {
  if (admission.kind === 'password_needed') {
    const { email } = admission;
    const flow = { ...newFlow(context, back), step: 'proved', issuer, subject, email } as const;
    return { kind: 'password_needed', email, back, cookie: sealFlow(context, flow) };
  }
  const { person, isNew } = admission;
  const { address } = visit;
  if (isNew) context.tell({ event: 'person_added', level: 'info', person: person.id, role: person.role, address, via });
  return { kind: 'signed_in', back, opened: await openSession(context, person, visit, via) };
}

const via = 'single_sign_on';

async function connect(parts: Parts, password: string, cookie: string | undefined, visit: Visit) {
  const { context } = parts;
  const flow = parts.flows.open(cookie);
  if (flow?.step !== 'proved') return refuse(parts, visit);
  const person = await demandPassword(context, { email: flow.email, password }, visit);
  if (!parts.flows.end(flow)) return refuse(parts, visit);
  await context.database.write((sql) => {
    if (findPersonByEmail(sql, flow.email)?.id !== person.id) throw vpError('SINGLE_SIGN_ON_ENDED', {});
    keepSingleSignOn(sql, flow, person.id, context.clock.nowMs());
  });
  const { address } = visit;
  context.tell({ event: 'single_sign_on_connected', level: 'info', person: person.id, issuer: flow.issuer, address });
  return { opened: await openSession(context, person, visit, via), back: flow.back };
}
