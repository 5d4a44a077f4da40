/** The arguments of the search tools. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { vpError } from '../../errors/vp-error.ts';
import { defaultToolMatches, maxQueryLength, maxToolMatches } from './definitions.ts';

const closed = { additionalProperties: false };
const ToolName = Type.String({ minLength: 1, maxLength: 200 });

export const FindToolsInput = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: maxQueryLength }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxToolMatches, default: defaultToolMatches })),
  },
  closed,
);
export const DescribeToolInput = Type.Object({ name: ToolName }, closed);
export const CallToolInput = Type.Object(
  { name: ToolName, arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
  closed,
);

type InputSchema = typeof FindToolsInput | typeof DescribeToolInput | typeof CallToolInput;

export function isSearchInput<S extends InputSchema>(schema: S, input: unknown): input is Static<S> {
  return Value.Check(schema, input);
}

/** Throws HUB_TOOL_ARGUMENTS_INVALID. */
export function parseSearchInput<S extends InputSchema>(tool: string, schema: S, input: unknown): Static<S> {
  if (Value.Check(schema, input)) return input;
  const first = Value.Errors(schema, input).First();
  const problem = first ? `${first.path === '' ? 'the object' : first.path.slice(1)}: ${first.message}` : 'not valid';
  throw vpError('HUB_TOOL_ARGUMENTS_INVALID', { tool, problem });
}
