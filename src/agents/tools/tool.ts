/** A tool: its definition, as sent by `tools/list`, and its implementation. */
import type { Static, TObject } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import { type JsonSchema, toDraft2020 } from '../../http/schema/draft-2020.ts';
import { createValidator } from '../../http/schema/validator.ts';
import type { AgentPorts } from '../ports.ts';

/** Hints about a tool's behaviour (MCP, ToolAnnotations). */
export type ToolAnnotations = {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
};

/** Changes nothing, neither here nor at the target. */
export const readOnlyAnnotations: ToolAnnotations = { readOnlyHint: true };

export type ToolContext = {
  readonly instance: string;
  /** Aborted when the caller disconnects or cancels, and when the listener closes. */
  readonly signal: AbortSignal;
  /** Reports the progress of a long call; undefined when the caller did not request it. Never rejects. */
  readonly progress: ((done: number, total: number, message: string) => Promise<void>) | undefined;
};

/** A text for a model and the same facts as data. The tool bounds the size of both. */
export type ToolOutput = { readonly text: string; readonly data: Readonly<Record<string, unknown>> };

export type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: ToolAnnotations;
};

/** A tool without the type of its input. */
export type Tool = {
  readonly definition: ToolDefinition;
  /** Throws AGENT_ARGUMENTS_INVALID for input that does not match the schema, and whatever `handle` throws. */
  call(input: unknown, ports: AgentPorts, context: ToolContext): Promise<ToolOutput>;
};

export type ToolSpec<I extends TObject> = {
  /** At most 64 characters. */
  readonly name: string;
  /** For a model: what the tool does, and what to do next. */
  readonly description: string;
  readonly input: I;
  readonly annotations: ToolAnnotations;
  handle(input: Static<I>, ports: AgentPorts, context: ToolContext): Promise<ToolOutput>;
};

/** Violations listed in one error. */
const maxViolations = 5;

export function createTool<I extends TObject>({ name, description, input, annotations, handle }: ToolSpec<I>): Tool {
  const schema = { ...input, additionalProperties: false };
  const validator = createValidator<Static<I>>(schema);
  return {
    definition: { name, description, inputSchema: toDraft2020(schema), annotations },
    async call(args, ports, context) {
      if (validator.isValid(args)) return handle(args, ports, context);
      const violations = validator.listViolations(args, true).slice(0, maxViolations);
      const problems = violations
        .map(({ where, problem }) => `${where.slice(1, 60) || 'its input'} ${problem}`)
        .join('; ');
      throw vpError('AGENT_ARGUMENTS_INVALID', { tool: name, problems, allowed: describeArguments(input) });
    },
  };
}

/** `scenario_id (text, required), limit (integer 1 to 50)`. */
function describeArguments({ properties, required = [] }: TObject): string {
  const argumentTexts = Object.entries(properties).map(([name, schema]) => {
    const needed = required.includes(name) ? ', required' : '';
    return `\`${name}\` (${describeType(schema)}${needed})`;
  });
  return argumentTexts.length === 0 ? 'no arguments' : argumentTexts.join(', ');
}

function describeType(schema: TObject['properties'][string]): string {
  const { type, minimum, maximum, anyOf } = schema;
  if (Array.isArray(anyOf)) return `one of ${anyOf.map((branch) => branch.const).join(', ')}`;
  const range = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? '…'} to ${maximum ?? '…'}`;
  return `${type === 'string' ? 'text' : String(type)}${range}`;
}
