/** People, tokens and clients in rules that the hub does not have: a typing error would otherwise be in force without a word. */
import type { HubPolicyDocument } from '../../contract/hubs/policy-api.ts';
import { findSuggestion } from '../../errors/suggestion.ts';

/** Names and ids of a hub's members, of their tokens, and of clients that have called. */
export type KnownCallers = {
  readonly people: readonly string[];
  /** Ids and e-mail addresses of the members. */
  readonly approvers: readonly string[];
  readonly tokens: readonly string[];
  readonly clients: readonly string[];
};

const members = [
  ['people', 'person'],
  ['tokens', 'token'],
  ['clients', 'client'],
] as const;

/** With the name that was probably meant. Names with a star may be meant for callers to come. */
export function findUnknownCallers(
  { callers = [], approvals = [] }: HubPolicyDocument,
  current: HubPolicyDocument,
  known: KnownCallers,
): string[] {
  const unknown = members.flatMap(([member, label]) => {
    const accepted = new Set([...known[member], ...(current.callers ?? []).flatMap((rule) => rule[member] ?? [])]);
    return callers
      .flatMap((rule) => rule[member] ?? [])
      .filter((name) => !name.includes('*') && !accepted.has(name))
      .map((name) => formatUnknownCaller(label, name, known[member]));
  });
  const toKey = (name: string): string => name.toLowerCase();
  const accepted = (current.approvals ?? []).flatMap(({ people = [] }) => people);
  const knownApprovers = new Set([...known.approvers, ...accepted].map(toKey));
  const unknownApprovers = approvals
    .flatMap(({ people = [] }) => people)
    .filter((name) => !knownApprovers.has(toKey(name)))
    .map((name) => formatUnknownCaller('approver', name, known.approvers));
  return [...new Set([...unknown, ...unknownApprovers])];
}

function formatUnknownCaller(label: string, name: string, known: readonly string[]): string {
  const nearest = findSuggestion(name, known);
  return `${label} ${name}${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`;
}
