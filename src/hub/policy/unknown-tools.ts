/** Names of tools in a policy that no connection offers: a typing error would otherwise be in force without a word. */
import type { HubPolicyDocument } from '../../contract/hubs/policy-api.ts';
import { findSuggestion } from '../../errors/suggestion.ts';

/** A connection with the tools that its server has listed; none before it was first listed. */
export type ListedConnection = { readonly name: string; readonly tools: readonly string[] };

const separator = '__';

function listToolPatterns({
  roles = {},
  callers = [],
  arguments: rules = [],
  limits = [],
  budgets = [],
  approvals = [],
}: HubPolicyDocument): string[] {
  return [
    ...[roles.owner, roles.member, roles.viewer, ...callers].flatMap((role) => [
      ...(role?.allow ?? []),
      ...(role?.deny ?? []),
    ]),
    ...rules.map(({ tools }) => tools),
    ...[...limits, ...budgets].flatMap(({ tools }) => tools ?? []),
    ...approvals.map(({ tools }) => tools),
  ];
}

function isUnknown(pattern: string, connections: readonly ListedConnection[]): boolean {
  const literal = pattern.split('*')[0] ?? '';
  const end = literal.indexOf(separator);
  // `*delete*` and `weather*` may be meant for connections to come.
  if (end === -1) return literal === pattern;
  const connection = connections.find(({ name }) => name === literal.slice(0, end));
  if (!connection) return true;
  // The URI of a resource, which need not be listed.
  if (literal.includes(':', end)) return false;
  if (literal !== pattern || connection.tools.length === 0) return false;
  return !connection.tools.includes(pattern.slice(end + separator.length));
}

/** The tool or the connection that was probably meant, for `did you mean`. */
export function formatUnknownTool(pattern: string, connections: readonly ListedConnection[]): string {
  const full = connections.flatMap(({ name, tools }) => tools.map((tool) => `${name}${separator}${tool}`));
  const prefixes = connections.map(({ name }) => `${name}${separator}*`);
  const nearest = findSuggestion(pattern, pattern.endsWith('*') ? prefixes : full);
  return nearest === undefined ? pattern : `${pattern} (did you mean ${nearest}?)`;
}

/** Patterns of `document` that are not in `current` and stand for no tool. Tools of a server never listed are not judged. */
export function findUnknownTools(
  document: HubPolicyDocument,
  current: HubPolicyDocument,
  connections: readonly ListedConnection[],
): string[] {
  const accepted = new Set(listToolPatterns(current));
  return [...new Set(listToolPatterns(document))].filter(
    (pattern) => !accepted.has(pattern) && isUnknown(pattern, connections),
  );
}
