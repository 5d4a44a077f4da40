/** Errors of ajv, phrased for people. */
import type { ErrorObject } from 'ajv/dist/2020.js';

/** `where` is a location in the value, such as `.scenarios[0].id` (empty for the value itself). */
export type SchemaViolation = { readonly where: string; readonly problem: string };

/** Omits errors that only summarize others. */
export function toSchemaViolations(errors: readonly ErrorObject[]): readonly SchemaViolation[] {
  const relevantErrors = errors.filter((error) => !isSummary(error, errors));
  return relevantErrors.map((error) => ({
    where: formatLocation(error.instancePath),
    problem: describeProblem(error),
  }));
}

/** A union reports one error per branch and one for itself: the null branch and the summary add nothing. */
function isSummary(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const isNullBranch = error.keyword === 'type' && error.params.type === 'null';
  if (error.keyword !== 'anyOf' && !isNullBranch) return false;
  return errors.some(
    (otherError) =>
      otherError.keyword !== 'anyOf' &&
      otherError.params.type !== 'null' &&
      otherError.instancePath.startsWith(error.instancePath),
  );
}

function formatLocation(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((token) => (/^\d+$/.test(token) ? `[${token}]` : `.${token}`))
    .join('');
}

function describeProblem({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return `lacks \`${params.missingProperty}\``;
    case 'additionalProperties':
      return `does not know \`${String(params.additionalProperty).slice(0, 60)}\``;
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return message ?? `breaks the rule ${keyword}`;
  }
}
