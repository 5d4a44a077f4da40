/** One call of a tool: input checked, errors told with their cure, secrets taken out, the answer bounded. */
import type { AgentRole } from '../contract/agent-token.ts';
import { didYouMean } from '../errors/suggestion.ts';
import { vpError } from '../errors/vp-error.ts';
import { publicError } from '../http/problem.ts';
import { cut, fitting, mostData, mostText } from './answer/bounds.ts';
import { linesOf } from './answer/words.ts';
import { toolsOf } from './definitions.ts';
import { nextAfter } from './next-step.ts';
import type { AgentPorts } from './ports.ts';
import type { Tool, ToolAnswer, ToolContext } from './tool.ts';

/** A result as MCP has it. */
export type CallResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
};

/** Who calls, and what it works on. `onFault` hears of faults of ours, which callers are not told. */
export type CallParts = {
  readonly role: AgentRole;
  readonly ports: AgentPorts;
  readonly onFault: (fault: unknown) => void;
};

/** The tool of that name. Throws AGENT_TOOL_UNKNOWN, also for a tool of the other role. */
export function toolNamed(role: AgentRole, name: string): Tool {
  const known = toolsOf(role).map(({ definition }) => definition.name);
  const found = toolsOf(role).find(({ definition }) => definition.name === name);
  if (found) return found;
  const hint = didYouMean(name.slice(0, 64), known);
  const values = { tool: name.slice(0, 64), hint: hint === '' ? '' : `: ${hint.trim()}`, known: known.join(', ') };
  throw vpError('AGENT_TOOL_UNKNOWN', values);
}

/** Calls it. Rejects only with the reason of an aborted signal. */
export async function callTool(
  parts: CallParts,
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<CallResult> {
  try {
    return resultOf(await tool.call(input, parts.ports, context), parts.ports);
  } catch (error) {
    context.signal.throwIfAborted();
    return errorResult(error, parts);
  }
}

function resultOf({ text, data }: ToolAnswer, { redact }: AgentPorts): CallResult {
  const shown = bounded(redact(text));
  return { content: [{ type: 'text', text: shown }], structuredContent: boundedData(redacted(data, redact)) };
}

/** The tools keep their answers small; should one fail to, the rest is cut and the answer says so. */
function bounded(text: string): string {
  const note = '\n(The answer was too long and is cut here: ask for less at once.)';
  return text.length <= mostText ? text : cut(text, mostText - note.length - 1) + note;
}

function boundedData(data: Record<string, unknown>): Record<string, unknown> {
  const size = JSON.stringify(data).length;
  if (size <= mostData) return data;
  return {
    cut: true,
    size,
    problem: 'the data of the answer is too large',
    cure: 'ask for less at once; the text has its beginning',
  };
}

function redacted(data: Readonly<Record<string, unknown>>, redact: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, redactedValue(value, redact)]));
}

function redactedValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item: unknown) => redactedValue(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return redacted({ ...value }, redact);
}

const mostDiagnostics = 8000;

function errorResult(thrown: unknown, { role, ports, onFault }: CallParts): CallResult {
  const error = publicError(thrown);
  if (error.code === 'INTERNAL') onFault(thrown);
  const { code, message, cure } = error;
  const diagnostics = fitting(error.diagnostics.slice(0, 40).map(plain), mostDiagnostics);
  const next = nextAfter(code, role);
  const text = linesOf(
    `${code}: ${message}`,
    `Cure: ${cure}`,
    ...diagnostics.map((diagnostic) => JSON.stringify(diagnostic)),
    next !== undefined && `Next: ${next}`,
  );
  const data = { code, message, cure, ...(diagnostics.length > 0 ? { diagnostics } : {}), ...(next ? { next } : {}) };
  return { ...resultOf({ text, data }, ports), isError: true };
}

/** A diagnostic with its place flat, as the tools tell it. */
function plain(diagnostic: object): object {
  const { range, ...rest }: { range?: { start?: { line?: number; column?: number } } } = diagnostic;
  const { line, column } = range?.start ?? {};
  return line === undefined ? rest : { ...rest, line, column };
}
