/** What a program asks leave for, and what is kept when a person gives it: the same in a browser and for a device. */
import type { AskedLeave, AskingClient, GrantHub } from '../../contract/consent-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { findHub } from '../../store/control/hub-hubs.ts';
import { membershipsOf } from '../../store/control/hub-members.ts';
import { keepClient } from '../../store/control/identity-clients.ts';
import { keepGrantFacts } from '../../store/control/identity-hub-grants.ts';
import type { IdentityContext } from '../context.ts';
import { askingClient } from './asking-client.ts';
import { leaveWords, serviceOf } from './leave-words.ts';
import { oauthHash } from './records.ts';
import { type Resource, resourceOf } from './resources.ts';
import type { OAuthServer } from './server.ts';

/** What a program asked, as the OAuth server keeps it. */
export type Asking = {
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  /** One indicator, which the OAuth server has admitted. */
  readonly resource: string;
  readonly scopes: readonly string[];
};

/** Reads it from the parameters of a request. */
export function askingOf(params: Readonly<Record<string, unknown>>): Asking {
  const text = (name: string): string => (typeof params[name] === 'string' ? params[name] : '');
  return {
    clientId: text('client_id'),
    redirectUri: text('redirect_uri') || undefined,
    resource: text('resource'),
    scopes: text('scope').split(' ').filter(Boolean),
  };
}

type Place = Pick<OAuthServer, 'issuer' | 'provider'>;

function resourceAsked({ issuer }: Place, { resource }: Asking): Resource {
  return resourceOf(issuer, resource) ?? { kind: 'none' };
}

/** The hub, where the person belongs to it. What it is called is told to nobody else. */
async function ownHub(
  { database }: IdentityContext,
  resource: Resource,
  personId: string | undefined,
): Promise<{ id: string; shown: GrantHub } | undefined> {
  if (personId === undefined || !('slug' in resource)) return undefined;
  return database.read((sql) => {
    const membership = membershipsOf(sql, personId).find(({ slug }) => slug === resource.slug);
    const hub = membership && findHub(sql, membership.hub_id);
    return hub && { id: hub.id, shown: { slug: hub.slug, name: hub.name } };
  });
}

/** A program whose document cannot be had any more is shown by its id alone. */
async function clientOf({ provider }: Place, { clientId, redirectUri }: Asking): Promise<AskingClient> {
  return askingClient(clientId, await provider.Client.find(clientId).catch(() => undefined), redirectUri);
}

/** What the page shows to `personId`; undefined before anybody signed in. */
export async function shownLeave(
  context: IdentityContext,
  server: Place,
  asking: Asking,
  personId: string | undefined,
): Promise<AskedLeave> {
  const resource = resourceAsked(server, asking);
  const own = await ownHub(context, resource, personId);
  const { accessSeconds, refreshSeconds } = context.settings.oauth;
  return {
    client: await clientOf(server, asking),
    service: serviceOf(resource),
    hub: 'slug' in resource ? (own?.shown ?? { slug: resource.slug, name: resource.slug }) : null,
    may: leaveWords(asking.scopes),
    lasts: { access_ms: accessSeconds * 1000, refresh_ms: refreshSeconds * 1000 },
    member: own !== undefined || !('slug' in resource),
  };
}

/** Makes the grant and gives its id. Throws HUB_MEMBERSHIP_NEEDED to whoever does not belong to the hub. */
export async function giveLeave(
  context: IdentityContext,
  server: Place,
  asking: Asking,
  personId: string,
): Promise<string> {
  const resource = resourceAsked(server, asking);
  const own = await ownHub(context, resource, personId);
  if ('slug' in resource && !own) throw vpError('HUB_MEMBERSHIP_NEEDED', { hub: resource.slug });
  const client = await clientOf(server, { ...asking, redirectUri: undefined });
  const grant = new server.provider.Grant({ accountId: personId, clientId: asking.clientId });
  const scope = asking.scopes.join(' ');
  grant.addResourceScope(asking.resource, scope);
  // The OAuth server wants every scope that it knows by name to be granted by itself too.
  grant.addOIDCScope(scope);
  const grantId = await grant.save();
  const hash = oauthHash(context, 'grant', grantId);
  const facts = { hubId: own?.id ?? null, clientJson: JSON.stringify(client) };
  const clientHash = oauthHash(context, 'id', asking.clientId);
  const untilMs = context.clock.nowMs() + context.settings.oauth.keptClientSeconds * 1000;
  await context.database.write((sql) => {
    keepGrantFacts(sql, hash, facts);
    keepClient(sql, clientHash, untilMs);
  });
  return grantId;
}
