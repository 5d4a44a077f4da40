/** Decides a call from its facts alone, without state. */
import { findExactValue } from '../../json/exact-values.ts';
import type { HubRole } from '../access/principal.ts';
import { toolSeparator } from '../connections/connection.ts';
import type { PolicyRefusal } from './call-policy.ts';
import { type CallerFacts, findCallerRefusal, findRuleRefusal } from './caller-rules.ts';
import type { CallPart, CompiledPolicy } from './compiled-policy.ts';
import { measureJson } from './json-size.ts';
import { findRoundedNumber, type RoundedNumber } from './rounded-numbers.ts';
import { matchesTool } from './tool-pattern.ts';
import { type SpelledName, spellName } from './uri-spellings.ts';

type ArgumentFacts = {
  readonly value: unknown;
  /** As the server gets them, where that is not what rules see; undefined where it is. */
  readonly exact?: unknown;
  /** Of the text that the server gets, white space included, where that is the text that came. */
  readonly sentBytes?: number | undefined;
};

/** If a part is undefined, rules about it are skipped. */
export type CallFacts = {
  readonly role: HubRole;
  /** Undefined skips rules about callers. */
  readonly caller?: CallerFacts | undefined;
  readonly connection: string;
  readonly tool: string;
  /** True if the tool's definition declares it read-only; tools without a declaration count as writing. */
  readonly isReadOnly: boolean;
  readonly arguments?: ArgumentFacts;
  readonly meta?: unknown;
  /** By the key of their question. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
};

/** The public name before it is shortened. */
export function toFullToolName({ connection, tool }: Pick<CallFacts, 'connection' | 'tool'>): string {
  return `${connection}${toolSeparator}${tool}`;
}

type ToolFacts = Pick<CallFacts, 'role' | 'caller' | 'connection' | 'tool' | 'isReadOnly'>;

/** Whether the caller may use the tool at all; also decides what lists contain. */
export function findToolRefusal(policy: CompiledPolicy, facts: ToolFacts): PolicyRefusal | undefined {
  return findNameRefusal(policy, facts, toFullToolName(facts));
}

function findNameRefusal(
  policy: CompiledPolicy,
  { role, caller, isReadOnly }: Pick<ToolFacts, 'role' | 'caller' | 'isReadOnly'>,
  name: string | SpelledName,
): PolicyRefusal | undefined {
  const refusal = findRuleRefusal(policy.roles[role], () => `the role ${role}`, name, isReadOnly);
  if (refusal || policy.callers.length === 0 || !caller) return refusal;
  return findCallerRefusal(policy.callers, caller, name, isReadOnly);
}

export const unlistedResourceReason = 'its server neither lists this resource nor has a template for it';

/**
 * Whether the caller may use a prompt or a resource; both only read. Rules name them like tools, a resource by its URI, in any
 * spelling.
 */
export function findItemRefusal(
  policy: CompiledPolicy,
  { isListed = true, ...facts }: Omit<ToolFacts, 'isReadOnly'> & { readonly isListed?: boolean },
): PolicyRefusal | undefined {
  if (!isListed && !policy.readsUnlisted)
    return {
      reason: unlistedResourceReason,
      cure: 'list the resources and read one of them, or ask an owner of the hub to set `"resources": "any"` in its policy',
    };
  const name = toFullToolName(facts);
  return findNameRefusal(
    policy,
    { ...facts, isReadOnly: true },
    hasNameRules(policy) ? (spellName(name) ?? name) : name,
  );
}

function hasNameRules({ roles, callers }: CompiledPolicy): boolean {
  return (
    callers.length > 0 || Object.values(roles).some(({ allow, deny }) => allow !== undefined || deny !== undefined)
  );
}

/** What rules say about the parts of a call: its arguments, `_meta` and answers. */
export function findContentRefusal(policy: CompiledPolicy, facts: CallFacts): PolicyRefusal | undefined {
  const { arguments: args, meta, answers = {} } = facts;
  const name = toFullToolName(facts);
  const argumentRefusal = args && findPartRefusal(policy, name, 'arguments', args.value, args);
  const refusal =
    argumentRefusal ??
    (meta === undefined ? undefined : findPartRefusal(policy, name, 'meta', meta, { exact: findExactValue(meta) }));
  if (refusal) return refusal;
  for (const answer of Object.values(answers)) {
    const answerRefusal = findPartRefusal(policy, name, 'answers', answer, { exact: findExactValue(answer) });
    if (answerRefusal) return answerRefusal;
  }
  return undefined;
}

const partNames: Readonly<Record<CallPart, string>> = {
  arguments: 'the arguments',
  meta: 'the members of _meta',
  answers: 'the answers',
};

export function findSizeRefusal(
  policy: CompiledPolicy,
  part: CallPart,
  value: unknown,
  sentBytes = 0,
): PolicyRefusal | undefined {
  const max = policy.partBytes[part];
  const size = measureJson(value, max);
  const subject = partNames[part];
  if (size === undefined)
    return {
      reason: `${subject} are nested more than 64 deep`,
      cure: `call the tool with flatter ${subject.slice(4)}`,
    };
  if (size > max || sentBytes > max)
    return { reason: `${subject} are larger than ${max} bytes`, cure: 'call the tool with less data' };
  return undefined;
}

/** `name` is the full name of the tool. */
export function findPartRefusal(
  policy: CompiledPolicy,
  name: string,
  part: CallPart,
  value: unknown,
  { exact, sentBytes }: Omit<ArgumentFacts, 'value'> = {},
): PolicyRefusal | undefined {
  const sizeRefusal = findSizeRefusal(policy, part, exact ?? value, sentBytes);
  if (sizeRefusal) return sizeRefusal;
  const subject = partNames[part];
  let isExact = false;
  for (const rule of policy.arguments) {
    if (rule.part !== part || !matchesTool(rule.tools, name)) continue;
    const rounded = isExact ? undefined : findRoundedNumber(exact);
    if (rounded) return createRoundedRefusal(rounded);
    isExact = true;
    const problem = rule.check(value ?? {});
    if (problem !== undefined)
      return {
        reason: `${rule.message}: ${problem}`,
        cure: `change ${subject}, or ask an owner of the hub`,
      };
  }
  return undefined;
}

function createRoundedRefusal({ pointer, text }: RoundedNumber): PolicyRefusal {
  const number = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return {
    reason: `${pointer.slice(0, 200)} is ${number}, which no rule can check, because a double rounds it`,
    cure: 'send a number with at most 15 significant digits, or a string',
  };
}

/** Whether a rule checks this part of a call. */
export function hasRuleFor({ arguments: rules }: CompiledPolicy, name: string, part: CallPart): boolean {
  return rules.some((rule) => rule.part === part && matchesTool(rule.tools, name));
}
