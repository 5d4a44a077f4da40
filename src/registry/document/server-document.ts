/** server.json according to its schema of 2025-12-11, and the problems of invalid ones. */

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { readAsset } from '../../environment/asset.ts';
import { findRuleProblems } from './document-rules.ts';
import { findTextProblems } from './document-text.ts';
import type { DocumentProblem, ServerDocument } from './document-types.ts';
import { findPartKind } from './part-kinds.ts';

const maxProblems = 100;

let compiled: ValidateFunction<ServerDocument> | undefined;

function matchesSchema(value: unknown): value is ServerDocument {
  compiled ??= compile();
  return compiled(value);
}

function compile(): ValidateFunction<ServerDocument> {
  const ajv = new Ajv({ allErrors: true, strict: false, code: { optimize: false } });
  // The fast formats are linear in the length of the text.
  addFormats.default(ajv, { mode: 'fast', formats: ['uri'] });
  return ajv.compile<ServerDocument>(JSON.parse(readAsset('src/registry/server-schema.json')));
}

/** A document that may be published, or its problems (at most 100). */
export function readServerDocument(
  value: unknown,
): { document: ServerDocument } | { problems: readonly DocumentProblem[] } {
  const problems = findTextProblems(value);
  // Documents that nest too deep or contain invisible characters are not examined further.
  if (problems.length > 0) return { problems: problems.slice(0, maxProblems) };
  if (!matchesSchema(value)) return { problems: toProblems(compiled?.errors ?? [], value).slice(0, maxProblems) };
  const violations = findRuleProblems(value);
  return violations.length > 0 ? { problems: violations.slice(0, maxProblems) } : { document: value };
}

function formatPath(pointer: string): string {
  const tokens = pointer.split('/').slice(1);
  return tokens.map((token) => (/^\d+$/.test(token) ? `[${token}]` : `.${token.replaceAll('~1', '/')}`)).join('');
}

/** Messages for the patterns of the schema. */
const patternMessages: ReadonlyMap<unknown, string> = new Map([
  ['^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', 'must be a reversed domain, a slash and a name: com.example/server'],
  ['^https?://[^\\s]+$', 'must be an https URL without spaces'],
  ['^[a-f0-9]{64}$', 'must be a SHA-256 hash in 64 lower-case hexadecimal digits'],
  ['^(\\d+x\\d+|any)$', 'must be a size such as 48x48, or any'],
]);

function describeSchemaError({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return `lacks \`${params.missingProperty}\``;
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'maxLength') return `has more than ${params.limit} characters`;
  if (keyword === 'minLength') return `has fewer than ${params.limit} characters`;
  if (keyword === 'pattern') return patternMessages.get(params.pattern) ?? `must match ${params.pattern}`;
  if (keyword === 'type') return `must be ${/^[aeiou]/.test(params.type) ? 'an' : 'a'} ${params.type}`;
  return message ?? `breaks the rule ${keyword}`;
}

/** Each problem once, without the summaries of `anyOf` and without the requirements of other kinds. */
function toProblems(errors: readonly ErrorObject[], value: unknown): readonly DocumentProblem[] {
  const problems = errors.flatMap((error): DocumentProblem[] => {
    const kind = findPartKind(error.instancePath, value);
    if (kind && !kind.isKnown)
      return [{ where: `${formatPath(kind.path)}.type`, problem: `must be one of ${kind.allowedTypes}` }];
    if (error.keyword === 'anyOf' || kind?.isAboutOtherKind(error)) return [];
    return [{ where: formatPath(error.instancePath), problem: describeSchemaError(error) }];
  });
  return [...new Map(problems.map((item) => [`${item.where} ${item.problem}`, item])).values()];
}
