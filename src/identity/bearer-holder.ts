/** Who holds a bearer secret, by its prefix: it decides what a secret is looked up as, and proves nothing. */
import { agentTokenPrefix } from '../contract/agent-token.ts';
import { bearerPrefix } from '../secrets/bearer.ts';

const prefixes = [bearerPrefix.executor, bearerPrefix.scrape, agentTokenPrefix];

/** True for what executors, agents and Prometheus show; false for every credential of a person or a machine. */
export function isWorkersSecret(secret: string): boolean {
  return prefixes.some((prefix) => secret.startsWith(prefix));
}
