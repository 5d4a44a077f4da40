/**
 * Agent tokens: `vpr_<instance>_<role>_<secret>`. The token says by itself where it leads, so that a router needs no
 * store; only the control plane knows whether it is one.
 */

/** test: writes and runs scenarios; product: reads what runs told. */
export const agentRoles = ['test', 'product'] as const;
/** One of {@link agentRoles}. */
export type AgentRole = (typeof agentRoles)[number];
/** What a token says of itself, which proves nothing. */
export type AgentClaim = { readonly instance: string; readonly role: AgentRole };

/** Secret scanners find agent tokens by it. */
export const agentTokenPrefix = 'vpr_';
const shape = /^vpr_([a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?)_(test|product)_[A-Za-z0-9_-]{43}$/;

/** The token of `secret` (32 random bytes, base64url). */
export function agentTokenOf({ instance, role }: AgentClaim, secret: string): string {
  return `${agentTokenPrefix}${instance}_${role}_${secret}`;
}

/** What `token` claims; undefined when it has not the shape of one. */
export function agentClaimOf(token: string): AgentClaim | undefined {
  const [, instance, role] = shape.exec(token) ?? [];
  if (instance === undefined || role === undefined) return undefined;
  return { instance, role: role === 'test' ? 'test' : 'product' };
}
