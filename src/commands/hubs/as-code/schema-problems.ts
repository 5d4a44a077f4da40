/** Violations of a schema in sentences, with the name that was probably meant. Values are quoted only where they are names. */
import type { TSchema } from '@sinclair/typebox';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';
import { findSuggestion } from '../../../errors/suggestion.ts';
import { isObject } from '../../../json/json-object.ts';

/** `path` is a JSON pointer; `isKey`: the name of the member is wrong, not its value. */
export type SchemaProblem = { readonly path: string; readonly problem: string; readonly isKey?: boolean };

/** One problem for each path, in the order of the schema. */
export function findSchemaProblems(schema: TSchema, value: unknown): SchemaProblem[] {
  const problems = new Map<string, SchemaProblem>();
  for (const error of Value.Errors(schema, value))
    for (const problem of describeError(error)) {
      const hasWrongParent = [...problems.keys()].some((path) => problem.path.startsWith(`${path}/`));
      if (!hasWrongParent && !problems.has(problem.path)) problems.set(problem.path, problem);
    }
  return [...problems.values()];
}

function describeError(error: ValueError): SchemaProblem[] {
  const { type, path, schema, value } = error;
  if (type === ValueErrorType.ObjectAdditionalProperties) return [describeUnknownMember(path, schema)];
  if (type === ValueErrorType.ObjectRequiredProperty) return [{ path, problem: 'is missing' }];
  if (type === ValueErrorType.Union) return describeUnion(path, schema, value);
  return [{ path, problem: describeExpectation(error) }];
}

function describeUnknownMember(path: string, { properties = {} }: TSchema): SchemaProblem {
  const name = unescapePointer(path.slice(path.lastIndexOf('/') + 1));
  const known = Object.keys(properties);
  const nearest = findSuggestion(name, known);
  const hint = nearest === undefined ? `known here: ${known.join(', ')}` : `did you mean ${nearest}?`;
  return { path, problem: `is not a known member; ${hint}`, isKey: true };
}

/** Texts to choose from, or objects that their `kind` tells apart. */
function describeUnion(path: string, { anyOf = [] }: TSchema, value: unknown): SchemaProblem[] {
  const choices = anyOf.flatMap((choice: TSchema) => (typeof choice.const === 'string' ? [choice.const] : []));
  if (choices.length > 0) return [{ path, problem: describeChoices(choices, value) }];
  const kinds = anyOf.flatMap(({ properties }: TSchema) => properties?.kind?.const ?? []);
  if (kinds.length === 0 || !isObject(value)) return [{ path, problem: 'must be a mapping with a `kind`' }];
  const branch = anyOf.find(({ properties }: TSchema) => properties?.kind?.const === value.kind);
  if (!branch) return [{ path: `${path}/kind`, problem: describeChoices(kinds, value.kind) }];
  return findSchemaProblems(branch, value).map((problem) => ({ ...problem, path: `${path}${problem.path}` }));
}

function describeChoices(choices: readonly string[], value: unknown): string {
  const nearest = typeof value === 'string' ? findSuggestion(value, choices) : undefined;
  return `must be one of ${choices.join(', ')}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

const typeNames: Readonly<Record<string, string>> = {
  object: 'a mapping',
  array: 'a list',
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
};

function describeExpectation({ schema, message, value, type }: ValueError): string {
  if (schema.const !== undefined) return `must be ${schema.const}`;
  if (typeof schema.type === 'string' && !hasType(schema.type, value))
    return `must be ${typeNames[schema.type] ?? schema.type}`;
  if (typeof schema.title === 'string' && schema.type === 'string') return `must be ${schema.title}`;
  if (type === ValueErrorType.StringMinLength) return 'must not be empty';
  return message.replace(/^Expected \w+ (?:to be )?(length )?(?:to be )?/, (_start, length) =>
    length ? 'must have a length ' : 'must be ',
  );
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'object') return isObject(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The members that a JSON pointer names, in their order. */
export function splitPointer(path: string): string[] {
  return path.split('/').slice(1).map(unescapePointer);
}
