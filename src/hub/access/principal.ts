/** Who calls a hub, as the authenticator found it, and why others are refused. */
import type { ToolListMode } from '../../contract/hubs/hubs-api.ts';
import type { HubPath } from '../protocol/hub-path.ts';

/** Ordered by permissions, highest first. */
export const hubRoles = ['owner', 'member', 'viewer'] as const;
export type HubRole = (typeof hubRoles)[number];

export type HubName = { readonly id: string; readonly slug: string };

/** How a caller was authenticated. */
export type HubAuthentication =
  | { readonly kind: 'token'; readonly tokenId: string; readonly tokenName: string }
  | {
      readonly kind: 'grant';
      readonly clientId: string;
      readonly clientName: string;
      /** The scopes that the person granted. */
      readonly scopes: readonly string[];
      /** Of the grant, which may end before its client calls again. */
      readonly credentialId?: string;
    }
  | { readonly kind: 'console' };

/** An authenticated caller in a hub, valid for one call. */
export type HubPrincipal = {
  readonly hub: HubName;
  readonly person: { readonly personId: string; readonly name: string };
  readonly role: HubRole;
  readonly via: HubAuthentication;
  /** As the client describes itself; undefined before it did. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
  /** What the client lists; undefined is `all`. */
  readonly toolList?: ToolListMode;
  /** The hubs that the request has passed before this one; undefined for none. */
  readonly hubPath?: HubPath;
};

/** Why access is refused; the code is part of the response body. */
export type HubRefusal = {
  readonly kind: 'refused';
  readonly status: 401 | 403 | 429;
  readonly code:
    | 'missing_token'
    | 'invalid_token'
    | 'membership_required'
    | 'ERR_SCOPE_UNAVAILABLE'
    | 'insufficient_scope'
    | 'too_many_attempts';
  /** One sentence. */
  readonly message: string;
  readonly cure: string;
  /** Only with 429. */
  readonly retryAfterSeconds?: number;
  /** The scope to request, only with `insufficient_scope`. */
  readonly scope?: string;
};

export type AccessDecision = { readonly kind: 'in'; readonly principal: HubPrincipal } | HubRefusal;

/**
 * `isRecheck`: the credential was accepted when the request came. A refusal then is no attempt: it is neither counted nor logged, for one
 * token may have many open streams that end with it.
 */
export type AuthenticationOptions = { readonly isRecheck?: boolean };

/** Authenticates at the endpoints of hubs, with current memberships. Access is refused if they cannot be read. */
export type HubAuthenticator = {
  /** `/agent/mcp`: the token and its owner's memberships determine the hub. */
  agent(bearer: string | undefined, address: string, options?: AuthenticationOptions): Promise<AccessDecision>;
  /** `/hub/<slug>/mcp`: a token of that hub, or an OAuth grant for it. */
  hub(
    slug: string,
    bearer: string | undefined,
    address: string,
    options?: AuthenticationOptions,
  ): Promise<AccessDecision>;
  /** `/memory/hub/<slug>/mcp`: likewise; a grant for a hub's tools does not include its memory, nor the reverse. */
  memory(
    slug: string,
    bearer: string | undefined,
    address: string,
    options?: AuthenticationOptions,
  ): Promise<AccessDecision>;
};
