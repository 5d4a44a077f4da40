/** Decides a call from its facts alone, without state. */
import { type HubRole, toolSeparator } from '../types.ts';
import type { CompiledPolicy } from './compiled-policy.ts';
import { matchesTool } from './tool-pattern.ts';

/** Deeper arguments are refused before anything walks through them. */
const maxDepth = 64;

/** If `arguments` is undefined, rules about arguments are skipped. */
export type CallFacts = {
  readonly role: HubRole;
  readonly connection: string;
  readonly tool: string;
  /** True if the tool's definition declares it read-only; tools without a declaration count as writing. */
  readonly isReadOnly: boolean;
  readonly arguments?: { readonly value: unknown };
};

export type PolicyRefusal = { readonly reason: string; readonly cure: string };

/** The public name before it is shortened. */
export function toFullToolName({ connection, tool }: Pick<CallFacts, 'connection' | 'tool'>): string {
  return `${connection}${toolSeparator}${tool}`;
}

const askOwner = 'ask an owner of the hub to change its policy, or call another tool';

/** Whether the role may use the tool at all; also decides what lists contain. */
export function findToolRefusal(policy: CompiledPolicy, facts: CallFacts): PolicyRefusal | undefined {
  const { allow, deny = [], read_only: readOnly } = policy.roles[facts.role];
  const name = toFullToolName(facts);
  const denyingPattern = deny.find((pattern) => matchesTool(pattern, name));
  if (denyingPattern !== undefined)
    return { reason: `the policy denies ${denyingPattern} to the role ${facts.role}`, cure: askOwner };
  if (allow && !allow.some((pattern) => matchesTool(pattern, name)))
    return { reason: `the policy does not allow this tool to the role ${facts.role}`, cure: askOwner };
  if (readOnly && !facts.isReadOnly)
    return {
      reason: `the role ${facts.role} may only read, and this tool is not declared read-only`,
      cure: askOwner,
    };
  return undefined;
}

export function findRefusal(policy: CompiledPolicy, facts: CallFacts): PolicyRefusal | undefined {
  return (
    findToolRefusal(policy, facts) ?? (facts.arguments && findArgumentRefusal(policy, facts, facts.arguments.value))
  );
}

function findArgumentRefusal(policy: CompiledPolicy, facts: CallFacts, value: unknown): PolicyRefusal | undefined {
  const { argumentBytes: max } = policy;
  const size = measureJson(value, max);
  if (size === undefined)
    return {
      reason: `the arguments are nested more than ${maxDepth} deep`,
      cure: 'call the tool with flatter arguments',
    };
  if (size > max) return { reason: `the arguments are larger than ${max} bytes`, cure: 'call the tool with less data' };
  const name = toFullToolName(facts);
  for (const { tools, check, message } of policy.arguments) {
    const problem = matchesTool(tools, name) ? check(value ?? {}) : undefined;
    if (problem !== undefined)
      return { reason: `${message}: ${problem}`, cure: 'change the arguments, or ask an owner of the hub' };
  }
  return undefined;
}

/** The approximate size of a value as JSON in bytes, counted up to `max`; undefined if it is nested deeper than {@link maxDepth}. */
function measureJson(value: unknown, max: number, depth = 0): number | undefined {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  if (depth >= maxDepth) return undefined;
  let size = 2;
  for (const [name, member] of Object.entries(value)) {
    const memberSize = measureJson(member, max - size, depth + 1);
    if (memberSize === undefined) return undefined;
    size += memberSize + (Array.isArray(value) ? 1 : name.length + 4);
    if (size > max) return size;
  }
  return size;
}
