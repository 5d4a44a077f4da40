/** Decides about one call by what is known of it; keeps nothing and asks nobody. */
import { type HubRole, toolSeparator } from '../words.ts';
import type { CompiledPolicy } from './compiled.ts';
import { mostDepth, sizeOf } from './measure.ts';
import { matchesTool } from './tool-pattern.ts';

/** What is known of a call. `arguments` undefined: nothing is known of them, so rules about them are left out. */
export type CallFacts = {
  readonly role: HubRole;
  readonly connection: string;
  readonly tool: string;
  /** Whether the tool's definition says that it only reads; tools that say nothing write. */
  readonly isReading: boolean;
  readonly arguments?: { readonly value: unknown };
};

/** Why a call is refused, and what to do about it. */
export type Refusal = { readonly reason: string; readonly cure: string };

/** The name of a tool towards callers, before it is shortened. */
export function fullName({ connection, tool }: Pick<CallFacts, 'connection' | 'tool'>): string {
  return `${connection}${toolSeparator}${tool}`;
}

const askOwner = 'ask an owner of the hub to change its policy, or call another tool';

/** Whether the role may have the tool at all; it is what lists show. */
export function refusalOfTool(policy: CompiledPolicy, facts: CallFacts): Refusal | undefined {
  const { allow, deny = [], read_only: readOnly } = policy.roles[facts.role];
  const name = fullName(facts);
  const denied = deny.find((pattern) => matchesTool(pattern, name));
  if (denied !== undefined) return { reason: `the policy denies ${denied} to the role ${facts.role}`, cure: askOwner };
  if (allow && !allow.some((pattern) => matchesTool(pattern, name)))
    return { reason: `the policy does not allow this tool to the role ${facts.role}`, cure: askOwner };
  if (readOnly && !facts.isReading)
    return {
      reason: `the role ${facts.role} may only read, and this tool does not say that it only reads`,
      cure: askOwner,
    };
  return undefined;
}

/** Why the call is refused; undefined where it is allowed. */
export function refusalOf(policy: CompiledPolicy, facts: CallFacts): Refusal | undefined {
  return refusalOfTool(policy, facts) ?? (facts.arguments && refusalOfArguments(policy, facts, facts.arguments.value));
}

function refusalOfArguments(policy: CompiledPolicy, facts: CallFacts, value: unknown): Refusal | undefined {
  const { argumentBytes: most } = policy;
  const size = sizeOf(value, most);
  if (size === undefined)
    return {
      reason: `the arguments are nested more than ${mostDepth} deep`,
      cure: 'call the tool with flatter arguments',
    };
  if (size > most)
    return { reason: `the arguments are larger than ${most} bytes`, cure: 'call the tool with less at once' };
  const name = fullName(facts);
  for (const { tools, check, message } of policy.arguments) {
    const fault = matchesTool(tools, name) ? check(value ?? {}) : undefined;
    if (fault !== undefined)
      return { reason: `${message}: ${fault}`, cure: 'change the arguments, or ask an owner of the hub' };
  }
  return undefined;
}
