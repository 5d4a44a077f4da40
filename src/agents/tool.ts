/** What a tool is: its definition, as `tools/list` sends it, and what it does. */
import type { Static, TObject } from '@sinclair/typebox';
import { vpError } from '../errors/vp-error.ts';
import { draft2020, type JsonSchema } from '../http/draft-2020.ts';
import { validatorOf } from '../http/validator.ts';
import type { AgentPorts } from './ports.ts';

/** What a client may think of a call before it makes it (MCP, ToolAnnotations). */
export type ToolAnnotations = {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
};

/** Changes nothing, neither here nor at the target. */
export const readOnly: ToolAnnotations = { readOnlyHint: true };

/** One call: for which instance, and how it is given up. */
export type ToolContext = {
  readonly instance: string;
  /** Aborted when the caller leaves or cancels, and when the listener closes. */
  readonly signal: AbortSignal;
  /** Tells how far a long call is; undefined where the caller did not ask. Never rejects. */
  readonly progress: ((done: number, total: number, message: string) => Promise<void>) | undefined;
};

/** What a call gives: a text for a model to read, and the same facts as data. Both are bounded by the tool. */
export type ToolAnswer = { readonly text: string; readonly data: Readonly<Record<string, unknown>> };

/** A definition as `tools/list` sends it. */
export type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: ToolAnnotations;
};

/** A tool whose input type is forgotten. */
export type Tool = {
  readonly definition: ToolDefinition;
  /** Throws AGENT_ARGUMENTS_INVALID for another input than the definition's, and what `handle` throws. */
  call(input: unknown, ports: AgentPorts, context: ToolContext): Promise<ToolAnswer>;
};

/** A tool as its file writes it. */
export type ToolSpec<I extends TObject> = {
  /** At most 64 characters. */
  readonly name: string;
  /** For a model: what it is for, and what to do next. */
  readonly description: string;
  readonly input: I;
  readonly annotations: ToolAnnotations;
  handle(input: Static<I>, ports: AgentPorts, context: ToolContext): Promise<ToolAnswer>;
};

/** Faults told at once. */
const faultsTold = 5;

/** Makes a tool. */
export function tool<I extends TObject>({ name, description, input, annotations, handle }: ToolSpec<I>): Tool {
  const schema = { ...input, additionalProperties: false };
  const validator = validatorOf<Static<I>>(schema);
  return {
    definition: { name, description, inputSchema: draft2020(schema), annotations },
    async call(given, ports, context) {
      if (validator.accepts(given)) return handle(given, ports, context);
      const faults = validator.faults(given, true).slice(0, faultsTold);
      const problems = faults.map(({ where, problem }) => `${where.slice(1, 60) || 'its input'} ${problem}`).join('; ');
      throw vpError('AGENT_ARGUMENTS_INVALID', { tool: name, problems, allowed: allowedText(input) });
    },
  };
}

/** `scenario_id (text, required), limit (integer 1 to 50)`. */
function allowedText({ properties, required = [] }: TObject): string {
  const told = Object.entries(properties).map(([name, schema]) => {
    const needed = required.includes(name) ? ', required' : '';
    return `\`${name}\` (${typeText(schema)}${needed})`;
  });
  return told.length === 0 ? 'no arguments' : told.join(', ');
}

function typeText(schema: TObject['properties'][string]): string {
  const { type, minimum, maximum, anyOf } = schema;
  if (Array.isArray(anyOf)) return `one of ${anyOf.map((branch) => branch.const).join(', ')}`;
  const range = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? '…'} to ${maximum ?? '…'}`;
  return `${type === 'string' ? 'text' : String(type)}${range}`;
}
