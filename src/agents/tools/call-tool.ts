/** Calls one tool: validates the input, formats errors with their fix, redacts secrets and bounds the result. */
import type { AgentRole } from '../../contract/agents/agent-token.ts';
import { formatSuggestion } from '../../errors/suggestion.ts';
import { vpError } from '../../errors/vp-error.ts';
import { toPublicError } from '../../http/problem.ts';
import type { AgentPorts } from '../ports.ts';
import { findNextStepAfterError, toAgentFix } from './next-step.ts';
import { joinLines, maxResultDataLength, maxResultTextLength, takeWithinLength, truncate } from './result-text.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';
import { listTools } from './tool-list.ts';

/** A tool result as defined by MCP. */
export type ToolCallResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
};

/** `onError` receives internal errors, whose details are not sent to callers. */
export type ToolCallContext = {
  readonly role: AgentRole;
  readonly ports: AgentPorts;
  readonly onError: (error: unknown) => void;
};

/** The tool with that name. Throws AGENT_TOOL_UNKNOWN, also for a tool of the other role. */
export function findTool(role: AgentRole, name: string): Tool {
  const names = listTools(role).map(({ definition }) => definition.name);
  const match = listTools(role).find(({ definition }) => definition.name === name);
  if (match) return match;
  const hint = formatSuggestion(name.slice(0, 64), names);
  const values = { tool: name.slice(0, 64), hint: hint === '' ? '' : `: ${hint.trim()}`, known: names.join(', ') };
  throw vpError('AGENT_TOOL_UNKNOWN', values);
}

/** Calls the tool. Rejects only with the reason of an aborted signal. */
export async function callTool(
  callContext: ToolCallContext,
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<ToolCallResult> {
  try {
    return toCallResult(await tool.call(input, callContext.ports, context), callContext.ports);
  } catch (error) {
    context.signal.throwIfAborted();
    return createErrorResult(error, callContext);
  }
}

function toCallResult({ text, data }: ToolOutput, { redact }: AgentPorts): ToolCallResult {
  const boundedText = boundText(redact(text));
  return { content: [{ type: 'text', text: boundedText }], structuredContent: boundData(redactData(data, redact)) };
}

/** Tools keep their results small; if one does not, the excess is cut and the result says so. */
function boundText(text: string): string {
  const note = '\n(The result was too long and is cut here: request less at once.)';
  return text.length <= maxResultTextLength ? text : truncate(text, maxResultTextLength - note.length - 1) + note;
}

function boundData(data: Record<string, unknown>): Record<string, unknown> {
  const size = JSON.stringify(data).length;
  if (size <= maxResultDataLength) return data;
  return {
    cut: true,
    size,
    problem: 'the data of the result is too large',
    cure: 'request less at once; the text contains its beginning',
  };
}

function redactData(
  data: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, redactDataValue(value, redact)]));
}

function redactDataValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item: unknown) => redactDataValue(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return redactData({ ...value }, redact);
}

const maxDiagnosticsLength = 8000;

function createErrorResult(cause: unknown, { role, ports, onError }: ToolCallContext): ToolCallResult {
  const error = toPublicError(cause);
  if (error.code === 'INTERNAL') onError(cause);
  const { code, message } = error;
  const diagnostics = takeWithinLength(error.diagnostics.slice(0, 40).map(flattenRange), maxDiagnosticsLength);
  const nextStep = findNextStepAfterError(code, role);
  const cure = toAgentFix(error.cure, nextStep);
  const text = joinLines(
    `${code}: ${message}`,
    `Fix: ${cure}`,
    ...diagnostics.map((diagnostic) => JSON.stringify(diagnostic)),
    nextStep !== undefined && nextStep !== cure && `Next: ${nextStep}`,
  );
  const data = {
    code,
    message,
    cure,
    ...(diagnostics.length > 0 ? { diagnostics } : {}),
    ...(nextStep ? { next: nextStep } : {}),
  };
  return { ...toCallResult({ text, data }, ports), isError: true };
}

/** A diagnostic with line and column as direct members. */
function flattenRange(diagnostic: object): object {
  const { range, ...rest }: { range?: { start?: { line?: number; column?: number } } } = diagnostic;
  const { line, column } = range?.start ?? {};
  return line === undefined ? rest : { ...rest, line, column };
}
