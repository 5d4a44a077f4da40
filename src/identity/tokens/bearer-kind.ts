/** The kind of a bearer secret by its prefix. The prefix decides where a secret is looked up and proves nothing. */
import { agentTokenPrefix } from '../../contract/agents/agent-token.ts';
import { bearerPrefixes } from '../../secrets/bearer.ts';

const prefixes = [bearerPrefixes.executor, bearerPrefixes.scrape, agentTokenPrefix];

/** True for credentials of executors, agents and Prometheus; false for those of people and machines. */
export function isServiceCredential(secret: string): boolean {
  return prefixes.some((prefix) => secret.startsWith(prefix));
}
