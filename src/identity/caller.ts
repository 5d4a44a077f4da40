import type { AgentClaim } from '../contract/agent-token.ts';
import type { Role } from '../contract/identity-api.ts';

type PersonFacts = {
  readonly kind: 'person';
  readonly personId: string;
  readonly name: string;
  /** What holds for this call: at most the person's own role. */
  readonly role: Role;
};
/** A person in a browser. */
export type SessionCaller = PersonFacts & { readonly via: 'session'; readonly sessionId: string };
/** A person by an API key or by what they granted to a program; `holder` is what ends with it (see ends.ts). */
export type TokenCaller = PersonFacts & { readonly via: 'api_key' | 'grant'; readonly holder: string };
/** Somebody with an account. */
export type PersonCaller = SessionCaller | TokenCaller;
/** Whoever has the owner key of a control plane without accounts. */
export type OwnerCaller = { readonly kind: 'owner' };
/** An instance's executor. */
export type ExecutorCaller = { readonly kind: 'executor'; readonly instance: string };
/** An agent in a folder, for the person who made its token; only ever its own instance. */
export type AgentCaller = AgentClaim & { readonly kind: 'agent'; readonly tokenId: string; readonly person: string };
/** A machine that onboarded an instance; only ever that instance. */
export type MachineCaller = { readonly kind: 'machine'; readonly instance: string };
/** Prometheus. */
export type ScrapeCaller = { readonly kind: 'scrape' };

/** Whom an accepted credential stands for. */
export type Caller = PersonCaller | OwnerCaller | AgentCaller | MachineCaller | ExecutorCaller | ScrapeCaller;
/** People, and whoever has the owner key. */
export type HumanCaller = PersonCaller | OwnerCaller;
/** Callers whose work bears a person's name. */
export type ActingCaller = HumanCaller | AgentCaller;
