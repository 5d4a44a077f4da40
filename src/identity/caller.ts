import type { AgentTokenClaims } from '../contract/agents/agent-token.ts';
import type { Role } from '../contract/identity-api.ts';

type PersonFields = {
  readonly kind: 'person';
  readonly personId: string;
  readonly name: string;
  /** The role of this call: at most the person's own role. */
  readonly role: Role;
};
/** A person in a browser session. */
export type SessionCaller = PersonFields & { readonly via: 'session'; readonly sessionId: string };
/** A person by an API key or an OAuth grant; `credentialId` identifies it in revocation events. */
export type TokenCaller = PersonFields & { readonly via: 'api_key' | 'grant'; readonly credentialId: string };
export type PersonCaller = SessionCaller | TokenCaller;
/** The owner key of a control plane without accounts. */
export type OwnerCaller = { readonly kind: 'owner' };
/** An instance's executor, by the key of `keyHash`. */
export type ExecutorCaller = { readonly kind: 'executor'; readonly instance: string; readonly keyHash: string };
/** An agent in a folder, for the person who created its token; limited to one instance. */
export type AgentCaller = AgentTokenClaims & {
  readonly kind: 'agent';
  readonly tokenId: string;
  /** Of the secret, which a rotation replaces under the same id. */
  readonly tokenHash: string;
  /** Null for a token of the owner key. */
  readonly personId: string | null;
  readonly person: string;
};
/** A machine that onboarded an instance; limited to that instance. */
export type MachineCaller = { readonly kind: 'machine'; readonly instance: string };
/** Prometheus. */
export type ScrapeCaller = { readonly kind: 'scrape' };

/** The caller behind an accepted credential. */
export type Caller = PersonCaller | OwnerCaller | AgentCaller | MachineCaller | ExecutorCaller | ScrapeCaller;
export type HumanCaller = PersonCaller | OwnerCaller;
/** Callers whose actions are recorded under a person's name. */
export type ActingCaller = HumanCaller | AgentCaller;
