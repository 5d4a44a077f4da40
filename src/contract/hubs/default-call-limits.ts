import type { CallLimit } from './policy-api.ts';

/** Limits of a policy without its own. In a file of its own: the console needs them without the schemas. */
export const defaultCallLimits = [
  { per: 'token', calls_a_minute: 600, at_once: 32 },
  { per: 'person', calls_a_minute: 1200, at_once: 64 },
] as const satisfies readonly CallLimit[];
