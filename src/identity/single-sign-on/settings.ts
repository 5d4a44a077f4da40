/** The settings of single sign-on. */
import type { Role } from '../../contract/identity-api.ts';

/** An OpenID Connect provider, and who may sign in with it. */
export type SingleSignOnSettings = {
  /** The provider's issuer; https, or on this machine. */
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The provider's display name, for the button. */
  readonly name: string;
  /** The allowed domains of verified email addresses, in lower case; empty allows all. */
  readonly domains: readonly string[];
  /** The role of a person without an account or an invitation; undefined rejects them. */
  readonly role: Exclude<Role, 'owner'> | undefined;
  /** Additional trusted root certificates in PEM. */
  readonly extraRoots: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** Timeouts and lifetimes in milliseconds. */
export const singleSignOnTimes = {
  /** The time to finish a sign-in at the provider. */
  flowTtlMs: 10 * 60_000,
  responseTimeoutMs: 5_000,
  /** The provider's metadata is fetched again after this time. */
  metadataTtlMs: 60 * 60_000,
  /** The minimum interval between attempts to reach an unreachable provider. */
  unreachableRetryMs: 5_000,
} as const;
