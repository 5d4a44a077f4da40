/**
 * Rules by person, token and client. They only narrow what a role may do, so that a caller who evades one, for example with another
 * token, has no more than the role.
 */
import type { CallerRule, RoleRules } from '../../contract/hubs/policy-api.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { PolicyRefusal } from './call-policy.ts';
import { matchesTool } from './tool-pattern.ts';
import { matchesAnySpelling, matchesEachSpelling, type SpelledName } from './uri-spellings.ts';

/** Who calls, by all names that a rule may use. */
export type CallerFacts = Pick<HubPrincipal, 'person' | 'via' | 'client'>;

const askOwner = 'ask an owner of the hub to change its policy, or call another tool';

/** `describeSubject` says what the rules are for; `name` is that of a tool or prompt, or the spellings of a resource. */
export function findRuleRefusal(
  { allow, deny, read_only: readOnly }: RoleRules,
  describeSubject: () => string,
  name: string | SpelledName,
  isReadOnly: boolean,
): PolicyRefusal | undefined {
  const denyingPattern = deny?.find((pattern) =>
    typeof name === 'string' ? matchesTool(pattern, name) : matchesAnySpelling(pattern, name),
  );
  if (denyingPattern !== undefined)
    return { reason: `the policy denies ${denyingPattern} to ${describeSubject()}`, cure: askOwner };
  const isAllowed = allow?.some((pattern) =>
    typeof name === 'string' ? matchesTool(pattern, name) : matchesEachSpelling(pattern, name),
  );
  if (isAllowed === false) return { reason: `the policy does not allow this to ${describeSubject()}`, cure: askOwner };
  if (readOnly && !isReadOnly)
    return { reason: `${describeSubject()} may only read, and this tool is not declared read-only`, cure: askOwner };
  return undefined;
}

export function findCallerRefusal(
  rules: readonly CallerRule[],
  caller: CallerFacts,
  name: string | SpelledName,
  isReadOnly: boolean,
): PolicyRefusal | undefined {
  const names = listCallerNames(caller);
  for (const rule of rules) {
    const refusal = isFor(rule, names) ? findRuleRefusal(rule, () => describe(rule), name, isReadOnly) : undefined;
    if (refusal) return refusal;
  }
  return undefined;
}

type CallerNames = Readonly<Record<'people' | 'tokens' | 'clients', readonly string[]>>;

function listCallerNames({ person, via, client }: CallerFacts): CallerNames {
  const oauthNames = via.kind === 'grant' ? [via.clientId, via.clientName] : [];
  return {
    people: [person.personId, person.name],
    tokens: via.kind === 'token' ? [via.tokenId, via.tokenName] : [],
    clients: client ? [...oauthNames, client.name] : oauthNames,
  };
}

function isFor({ people, tokens, clients }: CallerRule, names: CallerNames): boolean {
  return matchesAny(people, names.people) && matchesAny(tokens, names.tokens) && matchesAny(clients, names.clients);
}

/** True also without patterns. */
function matchesAny(patterns: readonly string[] | undefined, names: readonly string[]): boolean {
  return !patterns || patterns.some((pattern) => names.some((name) => matchesTool(pattern, name)));
}

const maxNames = 3;

function describe({ people, tokens, clients }: CallerRule): string {
  const list = (label: string, names: readonly string[] = []): string[] =>
    names.length === 0
      ? []
      : [`the ${label} ${names.slice(0, maxNames).join(', ')}${names.length > maxNames ? ', …' : ''}`];
  return [...list('person', people), ...list('token', tokens), ...list('client', clients)].join(' with ');
}
