/**
 * Agent tokens: `vpr_<instance>_<role>_<secret>`. The token names its instance, so that a router needs no store; only
 * the control plane can tell whether it is valid.
 */

/** test: writes and runs scenarios; product: reads results of runs. */
export const agentRoles = ['test', 'product'] as const;
export type AgentRole = (typeof agentRoles)[number];
/** What a token claims; not verified. */
export type AgentTokenClaims = { readonly instance: string; readonly role: AgentRole };

/** Fixed, so that secret scanners find agent tokens. */
export const agentTokenPrefix = 'vpr_';
const agentTokenPattern = /^vpr_([a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?)_(test|product)_[A-Za-z0-9_-]{43}$/;

/** `secret` is 32 random bytes as base64url. */
export function formatAgentToken({ instance, role }: AgentTokenClaims, secret: string): string {
  return `${agentTokenPrefix}${instance}_${role}_${secret}`;
}

/** Undefined for a text that does not have the form of an agent token. */
export function parseAgentToken(token: string): AgentTokenClaims | undefined {
  const [, instance, role] = agentTokenPattern.exec(token) ?? [];
  if (instance === undefined || role === undefined) return undefined;
  return { instance, role: role === 'test' ? 'test' : 'product' };
}
