/** Which outside provider people may sign in with, and who is let in. */
import type { Role } from '../../contract/identity-api.ts';

/** An OpenID Connect provider, and our rules about it. */
export type SingleSignOnSettings = {
  /** As the provider names itself; https, or on this machine. */
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What people call it: it stands on the button. */
  readonly name: string;
  /** Verified email addresses of these only, in lower case; of any when empty. */
  readonly domains: readonly string[];
  /** What somebody becomes who has neither account nor invitation; undefined: they are not let in. */
  readonly role: Exclude<Role, 'owner'> | undefined;
  /** Trusted besides the usual ones; PEM. */
  readonly extraRoots: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** How long things take and last, in milliseconds. */
export const singleSignOnTimes = {
  /** For the provider's pages; then people begin again. */
  flowMs: 10 * 60_000,
  /** For one answer of the provider. */
  answerMs: 5_000,
  /** Its metadata are asked for again afterwards. */
  metadataMs: 60 * 60_000,
  /** A provider that could not be reached is not asked again so soon. */
  unreachableMs: 5_000,
} as const;
