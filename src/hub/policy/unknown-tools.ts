/** Names of tools in a policy that no connection offers: a typing error would otherwise be in force without a word. */
import type { HubPolicyDocument } from '../../contract/hubs/policy-api.ts';
import { findSuggestion } from '../../errors/suggestion.ts';
import { vpError } from '../../errors/vp-error.ts';
import { matchesTool } from './tool-pattern.ts';

/** A connection with the tools and prompts that its server has listed; none before it was first listed. */
export type ListedConnection = {
  readonly name: string;
  readonly tools: readonly string[];
  readonly prompts?: readonly string[];
};

const separator = '__';

/** What a rule can hold for. */
type RuleKinds = 'tools' | 'tools and prompts' | 'everything';
/** `where` is the place in the policy. */
type NamedPattern = { readonly pattern: string; readonly kinds: RuleKinds; readonly where: string };

function listRules(member: string, rules: readonly { readonly tools?: string }[], kinds: RuleKinds): NamedPattern[] {
  return rules.flatMap(({ tools: pattern }, index) =>
    pattern === undefined ? [] : [{ pattern, kinds, where: `${member}/${index}/tools` }],
  );
}

function listPatterns(document: HubPolicyDocument): NamedPattern[] {
  const { roles = {}, callers = [], arguments: rules = [], limits = [], budgets = [], approvals = [] } = document;
  const roleRules = [roles.owner, roles.member, roles.viewer, ...callers].flatMap((rule) =>
    [...(rule?.allow ?? []), ...(rule?.deny ?? [])].map((pattern) => ({
      pattern,
      kinds: 'everything' as const,
      where: '',
    })),
  );
  return [
    ...roleRules,
    ...listRules('arguments', rules, 'tools and prompts'),
    ...listRules('limits', limits, 'everything'),
    ...listRules('budgets', budgets, 'tools'),
    ...listRules('approvals', approvals, 'tools'),
  ];
}

/** Whether the pattern can only stand for URIs of resources. */
function isUri(pattern: string): boolean {
  const literal = pattern.split('*')[0] ?? '';
  const end = literal.indexOf(separator);
  return end !== -1 && pattern.includes(':', end);
}

/** Throws POLICY_INVALID for the URI of a resource in a rule that never holds for resources. */
export function assertNoUris(document: HubPolicyDocument): void {
  for (const { pattern, kinds, where } of listPatterns(document))
    if (kinds !== 'everything' && isUri(pattern))
      throw vpError('POLICY_INVALID', { where, problem: `is the URI of a resource, but such a rule is for ${kinds}` });
}

function isUnknown({ pattern, kinds }: NamedPattern, connections: readonly ListedConnection[]): boolean {
  const literal = pattern.split('*')[0] ?? '';
  const end = literal.indexOf(separator);
  // `*delete*` and `weather*` may be meant for connections to come.
  if (end === -1) return literal === pattern;
  const connection = connections.find(({ name }) => name === literal.slice(0, end));
  if (!connection) return true;
  // The URI of a resource, which need not be listed.
  if (isUri(pattern)) return false;
  const { tools, prompts = [] } = connection;
  const listed = kinds === 'tools' ? tools : [...tools, ...prompts];
  const named = pattern.slice(end + separator.length);
  if (named === '*' || tools.length + prompts.length === 0) return false;
  return !listed.some((name) => matchesTool(named, name));
}

/** The tool or the connection that was probably meant, for `did you mean`. */
export function formatUnknownTool(pattern: string, connections: readonly ListedConnection[]): string {
  const full = connections.flatMap(({ name, tools, prompts = [] }) =>
    [...tools, ...prompts].map((tool) => `${name}${separator}${tool}`),
  );
  const isPrefix = pattern.endsWith('*');
  const prefixes = connections.map(({ name }) => `${name}${separator}*`);
  const nearest = findSuggestion(pattern, isPrefix ? [...prefixes, ...full.map((name) => `${name}*`)] : full);
  return nearest === undefined ? pattern : `${pattern} (did you mean ${nearest}?)`;
}

/** Patterns of `document` that are not in `current` and stand for no tool. Tools of a server never listed are not judged. */
export function findUnknownTools(
  document: HubPolicyDocument,
  current: HubPolicyDocument,
  connections: readonly ListedConnection[],
): string[] {
  const accepted = new Set(listPatterns(current).map(toKey));
  const unknown = listPatterns(document).filter(
    (named) => !accepted.has(toKey(named)) && isUnknown(named, connections),
  );
  return [...new Set(unknown.map(({ pattern }) => pattern))];
}

function toKey({ pattern, kinds }: NamedPattern): string {
  return `${kinds === 'tools'} ${pattern}`;
}
