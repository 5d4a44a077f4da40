/** Sign-in with an OpenID Connect provider. Its tokens are not stored; the result is an ordinary session. */
import { VpError, vpError } from '../../errors/vp-error.ts';
import { findPersonByEmail } from '../../store/control/identity/people.ts';
import { saveSingleSignOnLink } from '../../store/control/identity/single-sign-on.ts';
import type { IdentityContext } from '../context.ts';
import type { BrowserInfo, OpenedSession } from '../sessions/opened-session.ts';
import { openSession } from '../sessions/sessions.ts';
import { authenticateByPassword } from '../sessions/sign-in.ts';
import { admitPerson, type SingleSignOnAdmission } from './admission.ts';
import {
  createFlowFields,
  createSingleSignOnFlows,
  type SingleSignOnFlow,
  type SingleSignOnFlows,
  sealFlow,
} from './flow.ts';
import { createProvider, type ExternalIdentity, type SingleSignOnProvider } from './provider.ts';
import type { SingleSignOnSettings } from './settings.ts';

/** The result of a callback; `back` is the page to return to. */
export type SingleSignOnOutcome =
  | { readonly kind: 'signed_in'; readonly session: OpenedSession; readonly back: string }
  | { readonly kind: 'password_needed'; readonly email: string; readonly cookie: string; readonly back: string };

/** Single sign-on for the routes. `cookie` is the value of the browser's flow cookie. */
export type SingleSignOn = {
  readonly name: string;
  /** The origin to which the provider redirects browsers. */
  origin(): string;
  /** Returns the provider's URL and the flow cookie. Throws SINGLE_SIGN_ON_UNREACHABLE. */
  start(back: string): Promise<{ url: string; cookie: string }>;
  /** `query` is the query of the provider's redirect. Throws SINGLE_SIGN_ON_* */
  finish(query: string, cookie: string | undefined, browser: BrowserInfo): Promise<SingleSignOnOutcome>;
  /** Connects an existing account after its password was entered. Throws SINGLE_SIGN_ON_ENDED, SIGN_IN_REFUSED, SIGN_IN_LIMITED. */
  connect(
    password: string,
    cookie: string | undefined,
    browser: BrowserInfo,
  ): Promise<{ session: OpenedSession; back: string }>;
};

type SingleSignOnDependencies = {
  readonly context: IdentityContext;
  readonly settings: SingleSignOnSettings;
  readonly provider: SingleSignOnProvider;
  readonly flows: SingleSignOnFlows;
  readonly redirectUri: () => string;
};

/** The path of the page to which the provider redirects browsers. */
const singleSignOnPath = '/single-sign-on';

/** `issuer` returns our own issuer URL. */
export function createSingleSignOn(
  context: IdentityContext,
  settings: SingleSignOnSettings,
  issuer: () => string,
): SingleSignOn {
  const redirectUri = (): string => `${new URL(issuer()).origin}${singleSignOnPath}`;
  const provider = createProvider(context, settings);
  const dependencies = { context, settings, provider, flows: createSingleSignOnFlows(context), redirectUri };
  return {
    name: settings.name,
    origin: () => new URL(issuer()).origin,
    async start(back) {
      const { random } = context;
      const secrets = { state: random.token(32), nonce: random.token(32), verifier: random.token(32) };
      const flow = { ...createFlowFields(context, back), step: 'asked', ...secrets } as const;
      return { url: await provider.buildAuthorizationUrl(flow, redirectUri()), cookie: sealFlow(context, flow) };
    },
    finish: (query, cookie, browser) => finish(dependencies, query, cookie, browser),
    connect: (password, cookie, browser) => connect(dependencies, password, cookie, browser),
  };
}

/** For a flow that was not started in this browser, was already used, or has expired. */
function rejectFlow({ context }: SingleSignOnDependencies, { address }: BrowserInfo): never {
  context.logSecurityEvent({ event: 'single_sign_on_out_of_turn', level: 'warn', address });
  throw vpError('SINGLE_SIGN_ON_ENDED', {});
}

async function finish(
  dependencies: SingleSignOnDependencies,
  query: string,
  cookie: string | undefined,
  browser: BrowserInfo,
): Promise<SingleSignOnOutcome> {
  const { context, settings, provider, redirectUri } = dependencies;
  const flow = dependencies.flows.open(cookie);
  if (flow?.step !== 'asked' || !dependencies.flows.consume(flow)) return rejectFlow(dependencies, browser);
  try {
    const identity = await provider.fetchIdentity(flow, redirectUri(), query);
    return await completeSignIn(dependencies, identity, await admitPerson(context, settings, identity), flow, browser);
  } catch (error) {
    const knownError = error instanceof VpError ? error : undefined;
    const eventFields = { code: knownError?.code, problem: knownError?.detail, address: browser.address };
    context.logSecurityEvent({ event: 'single_sign_on_refused', level: 'warn', ...eventFields });
    throw error;
  }
}

async function completeSignIn(
  { context }: SingleSignOnDependencies,
  { issuer, subject }: ExternalIdentity,
  admission: SingleSignOnAdmission,
  { back }: SingleSignOnFlow,
  browser: BrowserInfo,
): Promise<SingleSignOnOutcome> {
  if (admission.kind === 'password_needed') {
    const { email } = admission;
    const flow = { ...createFlowFields(context, back), step: 'proved', issuer, subject, email } as const;
    return { kind: 'password_needed', email, back, cookie: sealFlow(context, flow) };
  }
  const { person, isNew } = admission;
  const { address } = browser;
  if (isNew)
    context.logSecurityEvent({
      event: 'person_added',
      level: 'info',
      person: person.id,
      role: person.role,
      address,
      via,
    });
  return { kind: 'signed_in', back, session: await openSession(context, person, browser, via) };
}

const via = 'single_sign_on';

async function connect(
  dependencies: SingleSignOnDependencies,
  password: string,
  cookie: string | undefined,
  browser: BrowserInfo,
) {
  const { context } = dependencies;
  const flow = dependencies.flows.open(cookie);
  if (flow?.step !== 'proved') return rejectFlow(dependencies, browser);
  const person = await authenticateByPassword(context, { email: flow.email, password }, browser);
  if (!dependencies.flows.consume(flow)) return rejectFlow(dependencies, browser);
  await context.database.write((sql) => {
    if (findPersonByEmail(sql, flow.email)?.id !== person.id) throw vpError('SINGLE_SIGN_ON_ENDED', {});
    saveSingleSignOnLink(sql, flow, person.id, context.clock.nowMs());
  });
  const { address } = browser;
  context.logSecurityEvent({
    event: 'single_sign_on_connected',
    level: 'info',
    person: person.id,
    issuer: flow.issuer,
    address,
  });
  return { session: await openSession(context, person, browser, via), back: flow.back };
}
